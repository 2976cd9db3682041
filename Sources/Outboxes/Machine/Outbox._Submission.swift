internal import Journals
internal import PendingChanges

extension Outbox {
  /// What takes effect only when the journal has it.
  package struct _Submission: JournalSubmission {
    enum Operation: Sendable {
      /// A change is accepted.
      case insert(Change, _OutboxID, contents: [UInt8])
      /// A change was sent, or a newer one takes its place, and another one of its key must not begin before.
      case leave(PendingChangeID)
      /// A change failed for good; what takes it along has this identity.
      case refuse(PendingChangeID, _OutboxRecord.Failure, takenAs: _OutboxID)
      /// A write that failed said that others join a change, which may begin when the journal does not say so.
      case settle(PendingChangeID)
      /// A change is taken out of the outbox.
      case remove(_OutboxID)
      /// A dead letter is tried anew.
      case requeue(_OutboxID)
    }

    let operation: Operation
    /// Under which a caller waits.
    let ticket: Int?
    /// The same for all submissions about one key.
    package let key: Int?
    package let byteCount: Int

    init(_ operation: Operation, ticket: Int?, key: Change.Key) {
      self.operation = operation
      self.ticket = ticket
      // Two keys that share a number keep their order, too.
      self.key = key.hashValue
      byteCount =
        switch operation {
        case .insert(_, _, let contents): _OutboxRecord.overhead + contents.count
        case .leave, .settle, .remove, .requeue: _OutboxRecord.overhead
        case .refuse(_, let failure, _): _OutboxRecord.overhead + failure.reason.utf8.count + 24
        }
    }
  }
}
