/// A change that still has to be carried out: a file to write, a request to send.
///
/// A ``PendingChangeQueue`` keeps changes in order and runs at most one of each ``key`` at a time. The key names *what
/// is changed*, not the change: two changes of one file share the key of that file. The ``policy`` of the type says
/// what a new one does to the one that waits.
///
/// ```swift
/// struct Rename: PendingChange {
///   var path: String
///   var name: String
///   var key: String { path }
/// }
/// ```
///
/// The default, `.replace`, is right for changes that hold all of what the key names. A type whose changes hold a part,
/// as a PATCH does, says `.merge`, once for all insertions:
///
/// ```swift
/// struct Patch: PendingChange {
///   var key: Int
///   var fields: [String: String]
///
///   static var policy: PendingChangeQueue<Patch>.Policy {
///     .merge { waiting, new in
///       Patch(key: new.key, fields: waiting.fields.merging(new.fields) { _, new in new })
///     }
///   }
/// }
///
/// var queue = PendingChangeQueue<Patch>()
/// queue.insert(Patch(key: 1, fields: ["name": "Ada"]))
/// queue.insert(Patch(key: 1, fields: ["town": "London"]))
/// assert(queue.next?.change.fields == ["name": "Ada", "town": "London"])
/// ```
///
/// A change that is `Identifiable` is its own key unless it says otherwise, so that every change counts, as in a queue
/// of commands.
public protocol PendingChange {
  /// What identifies the thing that is changed.
  associatedtype Key: Hashable

  /// The thing that is changed.
  ///
  /// It must not change while the change is in a queue. It must equal itself, as a number that is NaN does not: a debug
  /// build traps.
  var key: Key { get }

  /// What a new change does to a change of the same key that waits already: `.replace`, unless the type says otherwise.
  ///
  /// ``PendingChangeQueue/insert(_:policy:)`` follows it unless it is given another policy.
  static var policy: PendingChangeQueue<Self>.Policy { get }
}

extension PendingChange {
  /// A new change takes the place of the waiting one.
  @inlinable
  public static var policy: PendingChangeQueue<Self>.Policy { .replace }
}

extension PendingChange where Self: Identifiable {
  /// The identity of the change itself: no two changes share a key.
  @inlinable
  public var key: ID { id }
}
