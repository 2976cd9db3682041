extension _PartialStorage {
  /// How many words the root's bytes take.
  @inlinable static var rootWords: Int { (MemoryLayout<Root>.size &+ 7) &>> 3 }

  /// How many words of presence bits there are.
  @inlinable static var presenceWords: Int { (MemoryLayout<Root>.size &+ 31) &>> 5 }

  /// How many entries there is room for at first.
  ///
  /// One for two words of the root is plenty where strings and arrays are among its properties, and one for each word in a
  /// small root. Only a root of many numbers, or of flags and bytes, outgrows this.
  @inlinable static var usualEntryCapacity: Int { max(1, min(rootWords, max(8, rootWords / 2))) }

  @inlinable var entryCapacity: Int { withHeader { Int($0.entryCapacity) } }
  @inlinable var hasExtras: Bool { withHeader { $0.hasExtras } }
  @inlinable var hasConstants: Bool { withHeader { $0.hasConstants } }
  @inlinable var isPlain: Bool { withHeader { $0.isPlain } }

  var extras: _PartialExtras? { withHeader { $0.extras } }
  var kept: _PartialKeptValues { extras?.kept ?? _PartialKeptValues() }
  var removals: _PartialRemovals { extras?.removals ?? _PartialRemovals() }
}
