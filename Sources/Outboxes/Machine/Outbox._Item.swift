internal import Journals
package import PendingChanges

extension Outbox {
  /// A change in the queue, with its identity, its contents and its attempts.
  package struct _Item: PendingChange {
    package let key: Change.Key
    /// Nil if it can't be decoded.
    // Not an enum with the reason: Swift 6.3 destroys an optional of such a generic enum wrongly.
    let change: Change?
    /// Why it can't be decoded.
    let objection: String?
    var id: _OutboxID
    /// The contents of the changes that make up this one, oldest first; a single one until others join it.
    fileprivate(set) var contents: [_OutboxContents]
    /// The size of their records in bytes.
    fileprivate(set) var byteCount: Int
    var attempts = 0
    var reason: String?
    /// How often the process ended while this change alone was being sent; nil unless it ended in the last attempt.
    var interruptions: Int?
    /// The time that the server asked to wait before the next attempt.
    var wait: _OutboxRecord.Wait?
    /// The older changes that were merged into this one at a start, although the server may have it without them.
    ///
    /// So this change needs another identity, and if it leaves, the older ones stay.
    var older: [_Item] = []

    var failure: _OutboxRecord.Failure? {
      reason.map { _OutboxRecord.Failure(attempts: attempts, reason: $0) }
    }

    init(_ key: Change.Key, _ change: Change?, objection: String? = nil, id: _OutboxID, contents: _OutboxContents) {
      (self.key, self.change, self.objection) = (key, change, objection)
      (self.id, self.contents) = (id, [contents])
      byteCount = _OutboxRecord.overhead + contents.bytes.count
    }

    /// Creates the older change after the newer one has joined it.
    init(_ older: _Item, _ newer: _Item, _ merge: (Change, Change) -> Change) {
      if let older = older.change, let newer = newer.change { change = merge(older, newer) } else { change = nil }
      (key, objection) = (change?.key ?? newer.key, older.objection ?? newer.objection)
      (id, contents) = (newer.id, older.contents + newer.contents)
      byteCount = older.byteCount + newer.byteCount
      self.older = older.older + newer.older
    }

    /// The policy of the change, for changes with these data.
    package static var policy: PendingChangeQueue<_Item>.Policy {
      switch Change.policy {
      case .keep: .keep
      case .replace: .replace
      case .moveToEnd: .moveToEnd
      case .merge(let merge): .merge { waiting, new in _Item(waiting, new, merge) }
      }
    }
  }
}

// The items in the queue, which are also found by their identities.

extension Outbox._StateMachine {
  package typealias Item = Outbox._Item

  func item(_ id: PendingChangeID) -> Item? { queue[id]?.change }

  package var undecodable: [Outbox.Undecodable] {
    undecodableIDs.sorted().compactMap { id in
      guard let item = item(id), let reason = item.objection else { return nil }
      return Outbox.Undecodable(
        id: item.id.text, contents: item.contents.map(\.change), version: item.contents[0].version, reason: reason)
    }
  }

  /// Whether nothing is left to be sent, except for changes that wait for one that can't be decoded.
  var isIdle: Bool {
    guard !undecodableIDs.isEmpty else { return queue.isIdle }
    var stuck = undecodableIDs.filter { queue.status(of: $0) != .failure }
    for id in stuck { if let key = queue[id]?.key, let newest = queue.newest(for: key) { stuck.insert(newest.id) } }
    return queue.count == stuck.count
  }

  /// Inserts an item; the items that it displaces leave the queue.
  mutating func insert(
    _ item: Item, policy: PendingChangeQueue<Item>.Policy = Item.policy
  ) -> PendingChangeQueue<Item>.Insertion {
    let insertion = queue.insert(item, policy: policy)
    for failure in insertion.displacedFailures { forget(failure.change, isFailed: true) }
    if let displaced = insertion.displaced { forget(displaced.change) }
    if insertion.outcome != .kept { note(insertion.id) }
    if insertion.outcome != .added || !insertion.displacedFailures.isEmpty, let new = self.item(insertion.id)?.id {
      let displaced = insertion.displacedFailures + (insertion.displaced.map { [$0] } ?? [])
      for old in [item] + displaced.map(\.change) where old.id != new { settle(old.id, .replaced(by: new.text)) }
    }
    return insertion
  }

  @discardableResult
  mutating func remove(_ id: PendingChangeID) -> Item? {
    let isFailed = queue.status(of: id) == .failure
    guard let item = queue.remove(id: id)?.change else { return nil }
    forget(item, isFailed: isFailed)
    return item
  }

  /// Changes the data of an item.
  mutating func update(_ id: PendingChangeID, _ change: (inout Item) -> Void) {
    guard var item = item(id) else { return }
    forget(item, isFailed: queue.status(of: id) == .failure)
    change(&item)
    queue.update(id, to: item)
    note(id)
  }

  /// Encodes the result of merged changes as one; if that fails, the separate contents stay.
  mutating func unite(_ id: PendingChangeID) {
    guard let item = item(id), item.contents.count > 1, let contents = try? item.change.map(coding.encode),
      JournalFrame.fits(contents.bytes.count + _OutboxRecord.overhead)
    else { return }
    update(id) { ($0.contents, $0.byteCount) = ([contents], _OutboxRecord.overhead + contents.bytes.count) }
  }

  /// Counts an item that entered the queue.
  private mutating func note(_ id: PendingChangeID) {
    guard let item = item(id) else { return }
    ids[item.id] = id
    if item.objection != nil { undecodableIDs.insert(id) }
    if queue.status(of: id) != .failure { pendingByteCount += item.byteCount }
  }

  private mutating func forget(_ item: Item, isFailed: Bool = false) {
    if let id = ids.removeValue(forKey: item.id), !undecodableIDs.isEmpty { undecodableIDs.remove(id) }
    if !isFailed { pendingByteCount -= item.byteCount }
  }
}
