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

  @inlinable var entryCount: Int {
    @inline(__always) get { readHeader { Int($0.entryCount) } }
    @inline(__always) set { withHeader { $0.entryCount = UInt32(truncatingIfNeeded: newValue) } }
  }

  @inlinable var entryCapacity: Int { readHeader { Int($0.entryCapacity) } }
  @inlinable var hasExtras: Bool { readHeader { $0.hasExtras } }
  @inlinable var hasConstants: Bool { readHeader { $0.hasConstants } }
  @inlinable var isPlain: Bool { isLikely(readHeader { $0.isPlain }) }

  var extras: _PartialExtras? { readHeader { $0.extras } }
  var kept: _PartialKeptValues { extras?.kept ?? _PartialKeptValues() }
  var removals: _PartialRemovals { extras?.removals ?? _PartialRemovals() }
}
