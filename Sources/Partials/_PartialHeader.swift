/// What stands before the bytes in the buffer of a partial.
@usableFromInline
struct _PartialHeader {
  @usableFromInline var entryCount: UInt32 = 0
  @usableFromInline let entryCapacity: UInt32
  /// The values whose key paths have no offset in the root.
  @usableFromInline var kept = _PartialKeptValues()
  /// What has been removed from the values in the table.
  var removals = _PartialRemovals()

  @usableFromInline
  init(entryCapacity: Int) { self.entryCapacity = UInt32(entryCapacity) }
}
