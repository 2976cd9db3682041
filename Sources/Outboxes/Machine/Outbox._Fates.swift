internal import Journals
internal import PendingChanges

extension Outbox {
  /// The outcome of each change in a journal, as far as it can be known before any of them is decoded.
  struct _Fates {
    /// The name of the type of the journal's changes, if the journal has one.
    private(set) var typeName: String?
    /// The changes that have left, also as a part of another one, and the number of the record that says so.
    private var left: [_OutboxID: Int] = [:]
    /// The changes that left before any other change, which they could affect, was accepted, refused or tried again.
    private(set) var needless: Set<_OutboxID> = []
    /// The changes that others have joined.
    private var joined: Set<_OutboxID> = []
    /// Whether there is a change that has not left.
    private(set) var hasRemaining = false

    init(_ records: [JournalRecord<_OutboxRecord>]) {
      // A change that another one joins comes before it, as does everything that happened to the change before it left.
      var nextNeeded = Int.max
      for (number, record) in records.enumerated().reversed() {
        switch record.body {
        case .type(let name): typeName = name
        case .left(let id): left[id] = number
        case .refused, .requeued: nextNeeded = number
        case .failed, .begun, .ended, .delayed, .paused: break
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

    /// Whether a start needs the contents of a change: it neither has left, nor does a newer one replace it.
    func needs(_ id: _OutboxID, joining older: _OutboxID?, _ policy: PendingChangeQueue<Change>.Policy) -> Bool {
      if hasLeft(id) { return false }
      return switch policy {
      // A merged change may have been sent under another identity, so no part of it may be missing.
      case .merge: true
      case .keep: older == nil
      case .replace, .moveToEnd: !joined.contains(id)
      }
    }
  }
}
