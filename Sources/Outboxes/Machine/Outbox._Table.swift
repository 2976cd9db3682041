internal import PendingChanges

extension Outbox {
  /// What is known of each change in the queue besides the queue's own.
  struct _Table {
    struct Item {
      let id: _OutboxID
      /// The contents of the changes that make up this one, oldest first: one, until others join it.
      private(set) var contents: [[UInt8]]
      /// How many bytes their records take.
      private(set) var byteCount: Int
      var attempts = 0
      var reason: String?
      fileprivate(set) var isDeadLetter = false
      /// The older changes that were merged into this one at a start, though the server may have it without them.
      ///
      /// So it needs another identity, and where it leaves, these do not.
      var older: [(change: Change, item: Item)] = []

      var failure: _OutboxRecord.Failure? {
        reason.map { _OutboxRecord.Failure(attempts: attempts, reason: $0) }
      }

      init(id: _OutboxID, contents: [[UInt8]]) {
        self.id = id
        self.contents = contents
        byteCount = contents.reduce(0) { $0 + _OutboxRecord.overhead + $1.count }
      }

      /// What this one is when a newer one has joined it.
      consuming func joined(by newer: Item) -> Item {
        var all = contents
        contents = []
        all += newer.contents
        var joined = Item(id: newer.id, contents: all, byteCount: byteCount + newer.byteCount)
        joined.older = older + newer.older
        return joined
      }

      /// The same to be sent under another identity.
      consuming func known(as id: _OutboxID) -> Item {
        var item = Item(id: id, contents: contents, byteCount: byteCount)
        (item.attempts, item.reason) = (attempts, reason)
        item.older = older
        return item
      }

      private init(id: _OutboxID, contents: [[UInt8]], byteCount: Int) {
        self.id = id
        self.contents = contents
        self.byteCount = byteCount
      }
    }

    private var items: [PendingChangeID: Item] = [:]
    private var generations: [_OutboxID: PendingChangeID] = [:]
    /// How many bytes the records of the changes take that are to be sent.
    private(set) var pendingByteCount = 0

    var ids: some Collection<PendingChangeID> { items.keys }

    subscript(id: PendingChangeID) -> Item? { items[id] }

    func generation(of id: _OutboxID) -> PendingChangeID? { generations[id] }

    mutating func add(_ item: Item, as id: PendingChangeID) {
      generations[item.id] = id
      pendingByteCount += item.byteCount
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

    /// Those that need another identity, oldest first.
    var idsToBeReplaced: [PendingChangeID] { items.filter { !$1.older.isEmpty }.keys.sorted() }

    /// Gives another identity to one that needs it.
    mutating func identify(_ id: PendingChangeID, as other: _OutboxID) {
      guard let item = remove(id) else { return }
      var identified = item.known(as: other)
      identified.older = []
      add(identified, as: id)
      setDeadLetter(item.isDeadLetter, id)
    }

    /// Replaces the contents of the changes that make up this one by those of the whole.
    mutating func unite(_ id: PendingChangeID, contents: [UInt8]) {
      guard let item = remove(id) else { return }
      var united = Item(id: item.id, contents: [contents])
      (united.attempts, united.reason) = (item.attempts, item.reason)
      united.older = item.older
      add(united, as: id)
      setDeadLetter(item.isDeadLetter, id)
    }
  }
}
