/// What stands before the bytes in the buffer of a partial.
@usableFromInline
struct _PartialHeader {
  @usableFromInline var entryCount: UInt32 = 0
  @usableFromInline let entryCapacity: UInt32
  /// Made when it is needed; each buffer has its own.
  @usableFromInline var extras: _PartialExtras?

  @usableFromInline
  init(entryCapacity: Int) { self.entryCapacity = UInt32(entryCapacity) }
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
