/// Changes that wait to be carried out, in order, each key once at a time.
///
/// The queue is a plain value without clock, lock or I/O: the substate of a reducer, or the private state of an actor that does the work.
/// Somebody inserts changes; somebody else looks at ``next``, begins it, does the work and says how it ended.
///
/// ```swift
/// struct Note: PendingChange {
///   var path: String
///   var text: String
///   var key: String { path }
/// }
///
/// var queue = PendingChangeQueue<Note>()
/// queue.insert(Note(path: "a.txt", text: "draft"))
/// queue.insert(Note(path: "a.txt", text: "final"))  // replaces the draft, in its place
///
/// if let entry = queue.begin() {
///   // ... write entry.change.text to entry.change.path ...
///   queue.complete(entry.id)
/// }
/// assert(queue.isEmpty)
/// ```
///
/// The rules, which hold whatever happens in between:
/// - A change that was accepted stays until it is completed, cancelled, drained, or gives way to a newer change of its key; whoever makes it
///   give way is handed it.
/// - Of one key at most one change is in flight; a change inserted meanwhile waits, and joins the end of the line when the key is free.
/// - Every accepted payload has a generation of its own, so that completing an old one never drops a newer one.
/// - A failed change goes back to its place, or to the ``deadLetters``.
/// - What was in flight when the queue was encoded is waiting when it is decoded.
public struct PendingChangeQueue<Change: PendingChange> {
  var slots: [_Slot] = []
  var nextID: UInt64 = 1

  /// Everything the queue knows of one key.
  struct _Slot {
    var key: Change.Key
    var deadLetters: [Entry] = []
    var current: Entry?
    var state = _State.ready
    var follower: Entry?
    var followerReplaces = false
  }

  enum _State { case ready, inFlight, cancelled }

  /// An empty queue.
  public init() {}
}

extension PendingChangeQueue {
  /// The entry to run next, or nil when nothing is ready.
  ///
  /// - Complexity: O(1).
  public var next: Entry? {
    slots.first { $0.current != nil && $0.state == .ready }?.current
  }

  /// The number of changes that are waiting or in flight.
  ///
  /// Dead letters are not counted.
  ///
  /// - Complexity: O(1).
  public var count: Int { pendingCount + inFlightCount }

  /// Whether nothing is waiting or in flight.
  ///
  /// - Complexity: O(1).
  public var isEmpty: Bool { count == 0 }

  /// The number of changes that wait for their turn or for their key.
  ///
  /// - Complexity: O(1).
  public var pendingCount: Int {
    slots.reduce(0) { $0 + ($1.current != nil && $1.state == .ready ? 1 : 0) + ($1.follower != nil ? 1 : 0) }
  }

  /// The number of changes begun and neither completed nor failed.
  ///
  /// - Complexity: O(1).
  public var inFlightCount: Int { slots.reduce(0) { $0 + ($1.current != nil && $1.state != .ready ? 1 : 0) } }

  /// The number of changes that failed for good.
  ///
  /// - Complexity: O(1).
  public var deadLetterCount: Int { slots.reduce(0) { $0 + $1.deadLetters.count } }

  /// The changes that failed for good, waiting for a decision: ``requeue(_:)`` or ``discard(_:)``.
  ///
  /// - Complexity: O(*n*), O(1) when there is none.
  public var deadLetters: [Entry] { slots.flatMap(\.deadLetters) }

  /// The entries that wait, in the order in which they would run.
  ///
  /// - Complexity: O(*n*).
  public var waiting: [Entry] {
    slots.compactMap { $0.state == .ready ? $0.current : nil } + slots.compactMap(\.follower)
  }

  /// The entries begun and neither completed nor failed, in the order of their places.
  ///
  /// - Complexity: O(*n*), O(1) when there is none.
  public var inFlight: [Entry] { slots.compactMap { $0.state != .ready ? $0.current : nil } }

  /// Where the change with this generation is, or nil when it is not in the queue.
  ///
  /// - Complexity: O(1).
  public func status(of id: PendingChangeID) -> Status? {
    for slot in slots {
      if slot.current?.id == id {
        switch slot.state {
        case .ready: return .waiting
        case .inFlight: return .inFlight
        case .cancelled: return .inFlightCancelled
        }
      }
      if slot.follower?.id == id { return .waitingForKey }
      if slot.deadLetters.contains(where: { $0.id == id }) { return .deadLetter }
    }
    return nil
  }

  /// The entry with this generation, or nil when it is not in the queue.
  ///
  /// - Complexity: O(1).
  public subscript(id: PendingChangeID) -> Entry? {
    for slot in slots {
      for entry in slot.deadLetters + [slot.current, slot.follower].compactMap(\.self) where entry.id == id {
        return entry
      }
    }
    return nil
  }

  /// The newest entry of a key that is waiting or in flight.
  ///
  /// - Complexity: O(1).
  public func newest(for key: Change.Key) -> Entry? {
    slots.first { $0.key == key }.flatMap { $0.follower ?? $0.current }
  }
}

extension PendingChangeQueue._Slot: Equatable where Change: Equatable {}
extension PendingChangeQueue._Slot: Sendable where Change: Sendable, Change.Key: Sendable {}

extension PendingChangeQueue: Equatable where Change: Equatable {}
extension PendingChangeQueue: Sendable where Change: Sendable, Change.Key: Sendable {}
