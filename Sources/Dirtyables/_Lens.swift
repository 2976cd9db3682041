// Swift can't tell whether a key path leads somewhere: `\.items[2]` is a `KeyPath` that traps if there are two items.
// But a literal can be read in another way. If a function takes a `_RowPath`, Swift turns `\.items[2]` into a path
// through lenses, each of whose steps checks whether the part is there. So a function that takes a key path has an
// overload for literals with an index or an optional, which Swift prefers. Functions that take many key paths have it
// only for a single one: choosing for each of forty would take the compiler too long.
//
// A literal that names its root (`\List.items[2]`) and a stored key path are ordinary key paths, and trap.

/// A part of a value that may be gone, such as a row of an array or the contents of an optional.
///
/// You never make one: a literal such as `\.items[2]` becomes one in a call that takes a ``_RowPath``.
@_documentation(visibility: internal)
@dynamicMemberLookup
public struct _Lens<Root, Part, Reach> {
  package let keyPath: WritableKeyPath<Root, Part>

  /// Whether the part is there; if not, the key path traps.
  package let isThere: (Root) -> Bool

  /// A stored or computed property of the part.
  public subscript<Member>(dynamicMember keyPath: WritableKeyPath<Part, Member>) -> _Lens<Root, Member, Reach> {
    _Lens<Root, Member, Reach>(keyPath: self.keyPath.appending(path: keyPath), isThere: isThere)
  }

  /// The contents of an optional property.
  ///
  /// The result is never nil, so a `!` or `?` after it only says that the lens continues.
  public subscript<Member>(dynamicMember keyPath: WritableKeyPath<Part, Member?>) -> _Lens<Root, Member, _MayBeGone>? {
    _Lens<Root, Member?, Reach>(keyPath: self.keyPath.appending(path: keyPath), isThere: isThere).wrapped()
  }

  /// An element of an array.
  public subscript<Element>(index: Int) -> _Lens<Root, Element, _MayBeGone> where Part == [Element] {
    _Lens<Root, Element, _MayBeGone>(
      keyPath: keyPath.appending(path: \[Element].[index]),
      isThere: { isThere($0) && $0[keyPath: keyPath].indices.contains(index) })
  }

  /// The value of a key of a dictionary; never nil, as for an optional property.
  public subscript<Key, Value>(key: Key) -> _Lens<Root, Value, _MayBeGone>? where Part == [Key: Value] {
    _Lens<Root, Value?, Reach>(keyPath: keyPath.appending(path: \[Key: Value].[key]), isThere: isThere).wrapped()
  }

  package func find(in root: Root) -> Part? { isThere(root) ? root[keyPath: keyPath] : nil }

  /// Writes the part, or does nothing if it is gone.
  package func replace(in root: inout Root, with part: Part) {
    if isThere(root) { root[keyPath: keyPath] = part }
  }
}

extension _Lens {
  /// The contents of an optional.
  fileprivate func wrapped<Wrapped>() -> _Lens<Root, Wrapped, _MayBeGone> where Part == Wrapped? {
    _Lens<Root, Wrapped, _MayBeGone>(
      keyPath: keyPath.appending(path: \Wrapped?.!), isThere: { isThere($0) && $0[keyPath: keyPath] != nil })
  }
}

extension _Lens where Root == Part, Reach == _IsAlwaysThere {
  /// A property of the whole value.
  public subscript<Member>(dynamicMember keyPath: WritableKeyPath<Part, Member>) -> _Lens<Root, Member, Reach> {
    _Lens<Root, Member, Reach>(keyPath: keyPath, isThere: isThere)
  }

  /// The whole value.
  package static var root: _Lens { _Lens(keyPath: \.self, isThere: { _ in true }) }
}

/// The reach of a lens whose part is there in every root.
@_documentation(visibility: internal)
public enum _IsAlwaysThere {}

/// The reach of a lens whose part may be gone.
@_documentation(visibility: internal)
public enum _MayBeGone {}

/// A key path literal with an index or an optional in it, which may lead nowhere.
@_documentation(visibility: internal)
public typealias _RowPath<Root, Part> = KeyPath<_Lens<Root, Root, _IsAlwaysThere>, _Lens<Root, Part, _MayBeGone>>

extension KeyPath {
  /// The lens that a literal leads to.
  package func lens<Whole, Part>() -> _Lens<Whole, Part, _MayBeGone>
  where Root == _Lens<Whole, Whole, _IsAlwaysThere>, Value == _Lens<Whole, Part, _MayBeGone> {
    Root.root[keyPath: self]
  }
}
