extension PendingChangeQueue {
  /// A change in flight that is completed, failed or given back once, which the compiler sees to.
  ///
  /// A lease cannot be copied, and saying how the change ended uses it up:
  ///
  /// ```swift
  /// struct Upload: PendingChange {
  ///   var photo: Int
  ///   var key: Int { photo }
  /// }
  /// struct Offline: Error {}
  /// func send(_ upload: Upload) throws { if upload.photo == 2 { throw Offline() } }
  ///
  /// var queue = PendingChangeQueue<Upload>()
  /// queue.insert(contentsOf: [Upload(photo: 1), Upload(photo: 2)])
  /// while let lease = queue.lease() {
  ///   do {
  ///     try send(lease.change)
  ///     queue.complete(lease)
  ///   } catch {
  ///     queue.fail(lease, reason: "offline")
  ///   }
  /// }
  /// assert(queue.deadLetters.count == 1)
  /// ```
  ///
  /// So to complete what was completed, or what was never begun, does not compile:
  ///
  /// ```swift-refused
  /// struct Upload: PendingChange {
  ///   var photo: Int
  ///   var key: Int { photo }
  /// }
  /// func finish(_ queue: inout PendingChangeQueue<Upload>) {
  ///   guard let lease = queue.lease() else { return }  // error: 'lease' consumed more than once
  ///   queue.complete(lease)
  ///   queue.complete(lease)
  /// }
  /// ```
  ///
  /// A lease speaks for the queue it was taken from, and for every later state of that. A reducer, whose state cannot
  /// hold what cannot be copied, takes the ``id`` and says by that how the change ended; so does whoever keeps several
  /// in a collection.
  ///
  /// **Dropped.** A queue is a value, and hears nothing of a lease that is dropped. The change stays in flight, its key
  /// taken, as if the work went on: it is among ``PendingChangeQueue/inFlight``, where it can be completed, failed or
  /// given back by its id, and a queue that is encoded and decoded has it waiting again.
  public struct Lease: ~Copyable {
    /// The change with its generation, this attempt counted.
    public let entry: Entry

    /// The generation.
    @inlinable
    public var id: PendingChangeID { entry.id }

    /// What is to be done.
    @inlinable
    public var change: Change { entry.change }

    @inlinable
    init(_ entry: Entry) {
      self.entry = entry
    }
  }

  /// Begins the next change, for one who says how it ended by the lease.
  ///
  /// - Returns: Nil when nothing is ready.
  /// - Complexity: O(1) amortised, O(log *f*) where *f* changes that failed wait again; O(*n*) when the storage is
  ///   shared.
  @inlinable
  public mutating func lease() -> Lease? {
    guard let entry = begin() else { return nil }
    return Lease(entry)
  }

  /// Begins the change with this generation, out of turn if need be, for one who says how it ended by the lease.
  ///
  /// - Returns: Nil when that generation cannot begin: it is not waiting, or it waits for its key.
  /// - Complexity: O(log *n*) amortised at most, O(1) in a line that moves on; its key's dead letters are searched.
  ///   O(*n*) when the storage is shared.
  @inlinable
  public mutating func lease(_ id: PendingChangeID) -> Lease? {
    guard let entry = begin(id) else { return nil }
    return Lease(entry)
  }

  /// Takes a change that was carried out from the queue.
  ///
  /// - Returns: `.done`; or `.late` when it was taken from the queue by its id meanwhile, as ``drain()`` and
  ///   ``remove(_:)-(PendingChangeID)`` do.
  /// - Complexity: O(log *n*) amortised at most, O(1) in a line that moves on; its key's dead letters are searched.
  ///   O(*n*) when the storage is shared.
  @inlinable
  @discardableResult
  public mutating func complete(_ lease: consuming Lease) -> Completion {
    complete(lease.id)
  }

  /// Puts a change in flight back in its place, or among the dead letters, as
  /// ``fail(_:retry:reason:)-(PendingChangeID,_,_)`` does.
  ///
  /// - Returns: Where the change is now.
  /// - Complexity: O(log *f*) amortised for *f* changes that failed and wait; O(*n*) when the storage is shared.
  @inlinable
  @discardableResult
  public mutating func fail(_ lease: consuming Lease, retry: Retry = .standard, reason: String? = nil) -> Failure {
    fail(lease.id, retry: retry, reason: reason)
  }

  /// Puts a change in flight back in its place as if it had not been begun.
  ///
  /// - Returns: Where the change is now.
  /// - Complexity: O(log *f*) amortised for *f* changes that came back and wait; O(*n*) when the storage is shared.
  @inlinable
  @discardableResult
  public mutating func giveBack(_ lease: consuming Lease) -> Failure {
    giveBack(lease.id)
  }
}

extension PendingChangeQueue.Lease: Sendable where Change: Sendable {}
