/// What stands before the bytes in the buffer of a partial.
///
/// The capacity shares its word with two flags, so that a setter asks with one test whether it may do no more than store:
/// ```
///  31                    entryCapacity                    2 1            0
/// ┌────────────────────────────────────────────────────────┬────────────┬──────────────┐
/// │ how many entries there is room for                     │ has extras │ has constants│
/// └────────────────────────────────────────────────────────┴────────────┴──────────────┘
/// ```
@usableFromInline
struct _PartialHeader {
  @usableFromInline var entryCount: UInt32 = 0
  @usableFromInline var capacityAndFlags: UInt32
  /// Made when it is needed; each buffer has its own.
  var extras: _PartialExtras? {
    didSet { capacityAndFlags |= 2 }
  }

  @usableFromInline
  init(entryCapacity: Int) { capacityAndFlags = UInt32(entryCapacity) << 2 }

  @inlinable var entryCapacity: UInt32 { capacityAndFlags &>> 2 }
  /// Whether there may be anything that is not in the root's bytes.
  @inlinable var hasExtras: Bool { capacityAndFlags & 2 != 0 }
  /// Whether there may be a value that was set through a read-only key path.
  @inlinable var hasConstants: Bool { capacityAndFlags & 1 != 0 }
  /// Whether a value that is present is replaced by storing the new one in its place.
  @inlinable var isPlain: Bool { capacityAndFlags & 3 == 0 }

  @inlinable
  mutating func noteConstant() { capacityAndFlags |= 1 }
}

/// What most partials have none of.
@usableFromInline
final class _PartialExtras {
  /// The values whose key paths have no offset in the root.
  var kept = _PartialKeptValues()
  /// What has been removed from the values in the table.
  var removals = _PartialRemovals()
  /// The buffer that holds the original as a whole, where the partial lies over one; it never changes.
  var original: AnyObject?
  /// The buffer of what has been set over the original, while the buffer with these extras has both together, as a whole.
  var changes: AnyObject?

  init() {}

  init(copying other: _PartialExtras) {
    kept = other.kept
    removals = other.removals
    original = other.original
    changes = other.changes
  }
}
