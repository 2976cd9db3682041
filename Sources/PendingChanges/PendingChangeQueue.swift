/// Changes that wait to be carried out, in order, of each key one at a time.
///
/// The queue is a plain value without clock, lock or I/O: the substate of a reducer, or the private state of an actor
/// that does the work. One side inserts changes. The other looks at ``next``, begins it, does the work and says how it
/// ended.
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
///   print("writing", entry.change.text, "to", entry.change.path)
///   queue.complete(entry.id)
/// }
/// assert(queue.isEmpty)
/// ```
///
/// The rules, which hold whatever happens in between:
/// - A change that was accepted stays until it is completed, cancelled, removed or drained, or gives way to a newer
///   change of its key; the caller that replaces it gets it.
/// - Of one key at most one change is in flight; a change inserted meanwhile waits, and joins the end of the line when
///   the key is free.
/// - Every accepted change has a generation of its own, so that completing an old one never drops a newer one.
/// - A failed change goes back to its place, or to the ``deadLetters``.
/// - What was in flight when the queue was encoded is waiting when it is decoded.
///
/// **Layout.** One ``UniqueQueue`` of key states, one for every key, in order; and beside it the ordinals of the
/// generations, found by number.
///
///     state    key | phase | current entry, ready or in flight
///     extras   key → failure reason | follower | dead letters          only of keys that have any
///
/// **Copies** share storage until one of them is changed.
public struct PendingChangeQueue<Change: PendingChange> {
  @usableFromInline
  var _schedule = _Schedule()

  // In an order in which those that change together are apart: loaded both at once, right after one was stored, they
  // would wait for it.

  @usableFromInline
  var _nextGeneration: UInt64 = 1

  @usableFromInline
  var _inFlightCount = 0

  @usableFromInline
  var _deadLetterCount = 0

  @usableFromInline
  var _waitingCount = 0

  /// An empty queue.
  @inlinable
  public init() {}
}

extension PendingChangeQueue {
  /// The number of changes that are waiting or in flight.
  ///
  /// Dead letters are not counted.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var count: Int { _waitingCount + _inFlightCount }

  /// Whether the queue holds nothing at all: nothing waits, nothing is in flight, and there is no dead letter.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var isEmpty: Bool { isIdle && _deadLetterCount == 0 }

  /// Whether nothing waits or is in flight.
  ///
  /// There may be dead letters all the same.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var isIdle: Bool { count == 0 }

  /// The number of changes that wait for their turn or for their key.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var waitingCount: Int { _waitingCount }

  /// The number of changes begun and neither completed nor failed.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var inFlightCount: Int { _inFlightCount }

  /// The number of changes that failed for good.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var deadLetterCount: Int { _deadLetterCount }
}

extension PendingChangeQueue: Sendable where Change: Sendable, Change.Key: Sendable {}
