/// A change that still has to be carried out, such as a file to write or a request to send.
///
/// A ``PendingChangeQueue`` keeps changes in order and runs at most one of each ``key`` at a time. The key names *what
/// is changed*, not the change: two changes of one file share the key of that file. The ``policy`` of the type says how
/// a new change affects one that waits.
///
/// ```swift
/// struct Rename: PendingChange {
///   var path: String
///   var name: String
///   var key: String { path }
/// }
/// ```
///
/// The default, `.replace`, is right for changes that contain everything that the key names. A type whose changes
/// contain only a part, as a PATCH does, declares `.merge`, which then applies to all insertions:
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
/// A change that is `Identifiable` is its own key by default, so that every change counts, as in a queue of commands.
public protocol PendingChange {
  /// The type of a key, which identifies the thing that is changed.
  associatedtype Key: Hashable

  /// The thing that is changed.
  ///
  /// The key must not change while the change is in a queue. It must equal itself, unlike a number that is NaN: a debug
  /// build traps when such a change is inserted, any other build when it fails for good or with a reason.
  var key: Key { get }

  /// How a new change affects a waiting change of the same key; by default `.replace`.
  ///
  /// ``PendingChangeQueue/insert(_:policy:)`` follows this policy unless it is given another one.
  static var policy: PendingChangeQueue<Self>.Policy { get }
}

extension PendingChange {
  /// The default policy: a new change replaces the waiting one.
  @inlinable
  public static var policy: PendingChangeQueue<Self>.Policy { .replace }
}

extension PendingChange where Self: Identifiable {
  /// The identity of the change itself, so that no two changes share a key.
  @inlinable
  public var key: ID { id }
}
