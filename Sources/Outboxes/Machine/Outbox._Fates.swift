internal import Journals
internal import PendingChanges

extension Outbox {
  /// What became of the changes of a journal, as far as it can be known before any of them is decoded.
  struct _Fates {
    /// What a start needs the contents of a change for.
    enum Need {
      /// It has left, or a newer one stands for it.
      case none
      /// It is a dead letter.
      case letter
      /// It is to be sent, as it is or merged with others.
      case all
    }

    /// The type that the journal is of, where it says so.
    private(set) var typeName: String?
    /// The changes that have left, with those that left as a part of them, and the number of the record that says so.
    private var left: [_OutboxID: Int] = [:]
    /// Those of them that had left before anything happened on which they could bear: another change was accepted, was
    /// refused, or was tried anew.
    private(set) var needless: Set<_OutboxID> = []
    /// The changes that others have joined.
    private var joined: Set<_OutboxID> = []
    /// The changes that failed for good and were not tried anew.
    private var refused: Set<_OutboxID> = []
    /// Whether there is a change that has not left.
    private(set) var hasRemaining = false

    init(_ records: [JournalRecord<_OutboxRecord>]) {
      var requeued: Set<_OutboxID> = []
      // What a change joins comes before it, and so does all that happened to it before it left.
      var nextNeeded = Int.max
      for (number, record) in records.enumerated().reversed() {
        switch record.body {
        case .type(let name): typeName = name
        case .left(let id): left[id] = number
        case .refused(let id, _, _):
          if !requeued.contains(id) { refused.insert(id) }
          nextNeeded = number
        case .requeued(let id):
          requeued.insert(id)
          nextNeeded = number
        case .failed: break
        case .change(let id, let older, _):
          if left[id] == nil { hasRemaining = true }
          if let end = left[id], end < nextNeeded { needless.insert(id) } else { nextNeeded = number }
          guard let older, older != id else { continue }
          joined.insert(older)
          if let end = left[id] { left[older] = end }
        }
      }
    }

    func hasLeft(_ id: _OutboxID) -> Bool { left[id] != nil }

    func need(for id: _OutboxID, joining older: _OutboxID?, _ policy: PendingChangeQueue<Change>.Policy) -> Need {
      if hasLeft(id) { return .none }
      return switch policy {
      // A merged one may have been sent under another identity: nothing may be missing in it.
      case .merge: .all
      case .keep where older != nil: .none
      case .keep: refused.contains(id) ? .letter : .all
      case .replace, .moveToEnd: joined.contains(id) ? .none : refused.contains(id) ? .letter : .all
      }
    }
  }
}
