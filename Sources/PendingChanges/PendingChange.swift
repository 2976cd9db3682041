/// A change that still has to be carried out: a file to write, a request to send.
///
/// A ``PendingChangeQueue`` keeps changes in order and runs at most one of each ``key`` at a time. The key names *what
/// is changed*, not the change: two changes of one file share the key of that file, and the queue's
/// ``PendingChangeQueue/Policy`` says what a new one does to the one that waits.
///
/// ```swift
/// struct Rename: PendingChange {
///   var path: String
///   var name: String
///   var key: String { path }
/// }
/// ```
///
/// A change that is `Identifiable` is its own key unless it says otherwise, so that every change counts, as in a queue
/// of commands.
public protocol PendingChange {
  /// What identifies the thing that is changed.
  associatedtype Key: Hashable

  /// The thing that is changed.
  ///
  /// It must not change while the change is in a queue.
  var key: Key { get }
}

extension PendingChange where Self: Identifiable {
  /// The identity of the change itself: no two changes share a key.
  @inlinable
  public var key: ID { id }
}
