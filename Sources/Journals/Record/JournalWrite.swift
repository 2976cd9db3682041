/// What is written to a journal's file at one time.
package struct JournalWrite<Body: JournalBody>: Hashable, Sendable {
  /// In the order of their sequence numbers.
  package let records: [JournalRecord<Body>]
  /// Whether the records are all that the journal holds from now on.
  package let isWhole: Bool
  /// Whether a caller waits for the device.
  package let isSynchronized: Bool

  @inlinable
  package init(records: [JournalRecord<Body>], isWhole: Bool, isSynchronized: Bool) {
    self.records = records
    self.isWhole = isWhole
    self.isSynchronized = isSynchronized
  }

  @inlinable
  package var byteCount: Int { records.reduce(0) { $0 + $1.byteCount } }
}
