internal import Journals
internal import PendingChanges

extension Outbox {
  /// The outcome of each change in a journal, as far as it can be known before any of them is decoded.
  struct _Fates {
    /// Why a start needs the contents of a change.
    enum Need {
      /// It has left, or a newer one replaces it.
      case none
      /// It is a failure.
      case failure
      /// It has to be sent, as it is or merged with others.
      case all
    }

    /// The name of the type of the journal's changes, if the journal has one.
    private(set) var typeName: String?
    /// The changes that have left, also as a part of another one, and the number of the record that says so.
    private var left: [_OutboxID: Int] = [:]
    /// The changes that left before any other change, which they could affect, was accepted, refused or tried again.
    private(set) var needless: Set<_OutboxID> = []
    /// The changes that others have joined.
    private var joined: Set<_OutboxID> = []
    /// The changes that failed for good and were not tried again.
    private var refused: Set<_OutboxID> = []
    /// Whether there is a change that has not left.
    private(set) var hasRemaining = false

    init(_ records: [JournalRecord<_OutboxRecord>]) {
      var requeued: Set<_OutboxID> = []
      // A change that another one joins comes before it, as does everything that happened to the change before it left.
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
        case .failed, .begun, .ended: break
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
      // A merged change may have been sent under another identity, so no part of it may be missing.
      case .merge: .all
      case .keep where older != nil: .none
      case .keep: refused.contains(id) ? .failure : .all
      case .replace, .moveToEnd: joined.contains(id) ? .none : refused.contains(id) ? .failure : .all
      }
    }
  }
}
