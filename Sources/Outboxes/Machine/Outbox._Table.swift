internal import PendingChanges

extension Outbox {
  /// The facts about each change in the queue that the queue itself doesn't store: identity, contents and attempts.
  struct _Table {
    struct Item {
      fileprivate(set) var id: _OutboxID
      /// The contents of the changes that make up this one, oldest first; a single one until others join it.
      fileprivate(set) var contents: [[UInt8]]
      /// The size of their records in bytes.
      fileprivate(set) var byteCount: Int
      var attempts = 0
      var reason: String?
      fileprivate(set) var isDeadLetter = false
      /// The older changes that were merged into this one at a start, although the server may have it without them.
      ///
      /// So this change needs another identity, and if it leaves, the older ones stay.
      var older: [(change: Change, item: Item)] = []

      var failure: _OutboxRecord.Failure? {
        reason.map { _OutboxRecord.Failure(attempts: attempts, reason: $0) }
      }

      init(id: _OutboxID, contents: [UInt8]) {
        (self.id, self.contents) = (id, [contents])
        byteCount = _OutboxRecord.overhead + contents.count
      }

      /// This change after a newer one has joined it.
      consuming func joined(by newer: Item) -> Item {
        (id, attempts, reason, isDeadLetter) = (newer.id, 0, nil, false)
        contents += newer.contents
        byteCount += newer.byteCount
        older += newer.older
        return self
      }

      /// This change under another identity.
      consuming func known(as id: _OutboxID) -> Item {
        (self.id, isDeadLetter) = (id, false)
        return self
      }
    }

    private var items: [PendingChangeID: Item] = [:]
    private var generations: [_OutboxID: PendingChangeID] = [:]
    /// The size in bytes of the records of all changes that are still to be sent.
    private(set) var pendingByteCount = 0

    var ids: some Collection<PendingChangeID> { items.keys }

    subscript(id: PendingChangeID) -> Item? { items[id] }

    func generation(of id: _OutboxID) -> PendingChangeID? { generations[id] }

    mutating func add(_ item: Item, as id: PendingChangeID) {
      generations[item.id] = id
      if !item.isDeadLetter { pendingByteCount += item.byteCount }
      items[id] = item
    }

    @discardableResult
    mutating func remove(_ id: PendingChangeID) -> Item? {
      guard let item = items.removeValue(forKey: id) else { return nil }
      generations[item.id] = nil
      if !item.isDeadLetter { pendingByteCount -= item.byteCount }
      return item
    }

    mutating func setAttempts(_ attempts: Int, reason: String?, of id: PendingChangeID) {
      items[id]?.attempts = attempts
      items[id]?.reason = reason
    }

    mutating func setDeadLetter(_ isDeadLetter: Bool, _ id: PendingChangeID) {
      guard let item = items[id], item.isDeadLetter != isDeadLetter else { return }
      pendingByteCount += isDeadLetter ? -item.byteCount : item.byteCount
      items[id]?.isDeadLetter = isDeadLetter
    }

    mutating func setOlder(_ change: Change, _ item: Item, of id: PendingChangeID) {
      items[id]?.older = [(change, item)]
    }

    /// The changes that need another identity, oldest first.
    var idsToBeReplaced: [PendingChangeID] { items.filter { !$1.older.isEmpty }.keys.sorted() }

    /// Gives another identity to a change that needs it.
    mutating func identify(_ id: PendingChangeID, as other: _OutboxID) {
      guard var item = remove(id) else { return }
      (item.id, item.older) = (other, [])
      add(item, as: id)
    }

    /// Replaces the contents of the changes that make up this one by the contents of the result.
    mutating func unite(_ id: PendingChangeID, contents: [UInt8]) {
      guard var item = remove(id) else { return }
      (item.contents, item.byteCount) = ([contents], _OutboxRecord.overhead + contents.count)
      add(item, as: id)
    }
  }
}
