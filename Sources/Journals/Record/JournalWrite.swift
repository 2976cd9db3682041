/// The records that one write adds to a journal's file.
@usableFromInline package struct JournalWrite<Body: JournalBody>: Hashable, Sendable {
  /// The records, in the order of their sequence numbers.
  @usableFromInline package let records: [JournalRecord<Body>]
  /// Whether these records replace everything in the journal.
  @usableFromInline package let isWhole: Bool
  /// Whether a caller waits until the records are on the device.
  @usableFromInline package let isSynchronized: Bool
  /// Whether no file of the folder may have any byte of what these records replace.
  @usableFromInline package let forgets: Bool

  @inlinable
  package init(records: [JournalRecord<Body>], isWhole: Bool, isSynchronized: Bool, forgets: Bool = false) {
    self.records = records
    self.isWhole = isWhole
    self.isSynchronized = isSynchronized
    self.forgets = forgets
  }

  @inlinable
  package var byteCount: Int { records.reduce(0) { $0 + $1.byteCount } }
}
