/// A queue of changes to carry out, in order and at most one of each key at a time.
///
/// The queue is a plain value without clock, lock or I/O. Keep it in the state of a reducer, or as the private state of
/// an actor that does the work. One side inserts changes. The other side looks at ``next``, begins it, does the work
/// and reports how it ended.
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
/// The queue guarantees:
/// - An accepted change stays until it is completed, cancelled or removed, or until a newer change of its key replaces
///   it. The caller that replaces it receives it.
/// - At most one change of each key is in flight. A change inserted meanwhile waits, and joins the end of the queue
///   when the key is free.
/// - Every accepted change has a generation of its own, so completing an old one never drops a newer one.
/// - A failed change returns to its place, or becomes one of the ``failures``.
/// - Changes that are in flight when the queue is encoded are waiting when it is decoded.
///
/// **Copies** share storage until one of them is changed.
public struct PendingChangeQueue<Change: PendingChange> {
  @usableFromInline
  var _schedule = _Schedule()

  // Fields that change together are kept apart: neighbors would be loaded at once, right after one was stored, and the
  // load would wait for the store.

  @usableFromInline
  var _nextGeneration: UInt64 = 1

  @usableFromInline
  var _inFlightCount = 0

  @usableFromInline
  var _failureCount = 0

  @usableFromInline
  var _waitingCount = 0

  /// An empty queue.
  @inlinable
  public init() {}
}

extension PendingChangeQueue {
  /// The number of changes that are waiting or in flight.
  ///
  /// Failures are not counted.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var count: Int { _waitingCount + _inFlightCount }

  /// Whether the queue has no changes: none waits, is in flight or has failed.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var isEmpty: Bool { isIdle && _failureCount == 0 }

  /// Whether no change waits or is in flight; there may still be failures.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var isIdle: Bool { count == 0 }

  /// The number of changes that wait for their turn or for their key.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var waitingCount: Int { _waitingCount }

  /// The number of changes that were begun, and have neither completed nor failed.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var inFlightCount: Int { _inFlightCount }

  /// The number of changes that failed for good.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var failureCount: Int { _failureCount }
}

extension PendingChangeQueue: Sendable where Change: Sendable, Change.Key: Sendable {}
