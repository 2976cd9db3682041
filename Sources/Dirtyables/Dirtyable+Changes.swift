public import Sameness

extension Dirtyable {
  /// The value as it was last saved, which ``rollback()`` restores.
  ///
  /// ```swift
  /// struct Person { var name = "", age = 0 }
  ///
  /// var person = Dirtyable(Person(name: "Ada", age: 36))
  /// person.original.age = 37          // what the store has by now
  /// print(person.age, person.isDirty)  // 37 false
  /// person.name = "Grace"
  /// person.original.age = 38
  /// print(person.name, person.age)     // Grace 37
  /// ```
  ///
  /// Setting it is a rebase that treats the whole value as one member: a value that was not edited follows, and one
  /// that was edited stays as it is. To merge single members, and to learn of conflicts, call
  /// ``rebase(onto:merging:)``.
  ///
  /// - Complexity: O(1) to read; to set, that of comparing the value.
  @inlinable
  public var original: Value {
    @inline(__always)
    _read { yield _original }
    // Not `set`: the optimizer of Swift 6.3.1 crashes when it derives how a member of the original is set.
    _modify {
      var original = _original
      defer { _setOriginal(original) }
      yield &original
    }
  }

  /// The original, for values of every type.
  @inlinable
  var _original: Value {
    @inline(__always)
    _read {
      if let snapshot = _baseline.original {
        yield snapshot.value
      } else {
        yield _current
      }
    }
  }

  @usableFromInline
  mutating func _setOriginal(_ newValue: Value) {
    let isDirty = isDirty
    var snapshots = _snapshots
    snapshots.original = _Snapshot(newValue)
    if !isDirty { (_current, snapshots.current) = (newValue, snapshots.original) }
    _setSnapshots(snapshots)
  }

  /// The current value if it was written since it was clean, otherwise nil.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var updated: Value? { isTouched ? _current : nil }

  /// Whether the value was written since it was last the original, even if with the same value.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var isTouched: Bool {
    _baseline.isEdited || _baseline.ifTouched(_current, { _, _ in true }) ?? false
  }

  /// Whether there are changes to save: the value differs from the original, or was written and can't be compared.
  ///
  /// This is for generic code, and checks at run time whether `Value` is `Equatable`. If it is, a value that was set
  /// back is clean; ``isTouched`` is true all the same.
  ///
  /// - Complexity: O(1) while untouched, and if `Value` isn't `Equatable`; otherwise that of finding its `==`, and of
  ///   comparing.
  @_documentation(visibility: internal)
  @inlinable
  public var isDirty: Bool {
    _baseline.ifTouched(_current) { _isUneditedIfKnown($1, $0) != true } ?? false
  }

  /// Whether a member differs from that of the original.
  ///
  /// A literal may lead to a row or into an optional. The part differs if only one of the two values has it:
  ///
  /// ```swift
  /// struct List: Equatable { var items = [1, 2] }
  ///
  /// var list = Dirtyable(List())
  /// list.items.append(3)
  /// list.isDirty(\.items[2])  // true
  /// ```
  ///
  /// - Precondition: A stored key path, or one that names its root, leads somewhere in both values; if not, Swift
  ///   traps.
  /// - Complexity: That of comparing the two; O(1) while untouched. Writes pay nothing for it.
  @inlinable
  @inline(__always)
  @_disfavoredOverload
  public func isDirty<Member: Equatable>(_ keyPath: KeyPath<Value, Member>) -> Bool {
    _baseline.ifTouched(_current) { !_isUnedited($1[keyPath: keyPath], $0[keyPath: keyPath]) } ?? false
  }

  /// Whether a row or a part of an optional differs from that of the original, or only one of the two has it.
  @_documentation(visibility: internal)
  public func isDirty<Member: Equatable>(_ path: _RowPath<Value, Member>) -> Bool { change(for: path) != nil }

  /// Whether the element with this identity differs from that of the original, or is in only one of the two arrays.
  ///
  /// Use it for the dirty mark of a row: a row that was added or removed is dirty, and one that only moved isn't.
  ///
  /// ```swift
  /// struct Row: Identifiable, Equatable { var id: Int, title = "" }
  /// struct List: Equatable { var rows = [Row(id: 1)] }
  ///
  /// var list = Dirtyable(List())
  /// list.rows.insert(Row(id: 2), at: 0)
  /// list.isDirty(\.rows, id: 2)  // true
  /// list.isDirty(\.rows, id: 1)  // false
  /// ```
  ///
  /// - Complexity: O(*n*) in the elements, and that of comparing the two; O(1) while untouched.
  public func isDirty<Element: Identifiable & Equatable>(_ keyPath: KeyPath<Value, [Element]>, id: Element.ID) -> Bool {
    _baseline.ifTouched(_current) { original, current in
      Self.differ(current[keyPath: keyPath].first { $0.id == id }, original[keyPath: keyPath].first { $0.id == id })
    } ?? false
  }

  private static func differ<Element: Equatable>(_ current: Element?, _ original: Element?) -> Bool {
    guard let current, let original else { return current != nil || original != nil }
    return !_isUnedited(current, original)
  }

  /// The old and the new value of a member, or nil if it was not edited.
  ///
  /// ```swift
  /// struct Person { var name: String }
  ///
  /// var person = Dirtyable(Person(name: "Ada"))
  /// person.name = "Grace"
  /// if let change = person.change(for: \.name) {
  ///   print("\(change.old) is now \(change.new)")
  /// }
  /// ```
  ///
  /// For a row or a part of an optional, `old` is nil if the original does not have it, and `new` is nil if the current
  /// value does not.
  ///
  /// - Complexity: That of comparing the two; O(1) while untouched.
  @inlinable
  @inline(__always)
  @_disfavoredOverload
  public func change<Member: Equatable>(for keyPath: KeyPath<Value, Member>) -> (old: Member, new: Member)? {
    _baseline.ifTouched(_current) { original, current in
      let (old, new) = (original[keyPath: keyPath], current[keyPath: keyPath])
      return _isUnedited(new, old) ? nil : (old, new)
    } ?? nil
  }

  /// The old and the new value of a row or of a part of an optional, or nil if both are the same.
  @_documentation(visibility: internal)
  public func change<Member: Equatable>(for path: _RowPath<Value, Member>) -> (old: Member?, new: Member?)? {
    let part = path.lens()
    return _baseline.ifTouched(_current) { original, current in
      let (old, new) = (part.find(in: original), part.find(in: current))
      return Self.differ(new, old) ? (old, new) : nil
    } ?? nil
  }

  /// The members of a list that differ from those of the original, in the order of the list.
  ///
  /// ```swift
  /// struct Person { var name: String; var age: Double }
  ///
  /// var person = Dirtyable(Person(name: "Ada", age: 42))
  /// person.age = 43
  /// person.changedKeyPaths(among: \.name, \.age)  // [\Person.age]
  /// ```
  ///
  /// - Complexity: That of comparing each pair of members; O(1) while untouched.
  @inlinable
  public func changedKeyPaths<each Member: Equatable>(
    among keyPaths: repeat KeyPath<Value, each Member>
  ) -> [PartialKeyPath<Value>] {
    guard isTouched else { return [] }
    var changed: [PartialKeyPath<Value>] = []
    for keyPath in repeat each keyPaths {
      if isDirty(keyPath) { changed.append(keyPath) }
    }
    return changed
  }
}

extension Dirtyable where Value: Equatable {
  /// The value as it was last saved; setting it also rebases the saves in flight.
  @_documentation(visibility: internal)
  @inlinable
  public var original: Value {
    @inline(__always)
    _read { yield _original }
    _modify {
      var original = _original
      defer { _ = rebase(onto: original) }
      yield &original
    }
  }

  /// Whether the value differs from the original.
  ///
  /// A member that `==` ignores counts too, and so does a text in another normal form: both were written, and would be
  /// lost. A value that doesn't equal itself, such as NaN, doesn't differ from itself.
  ///
  /// - Complexity: O(1) while untouched; otherwise that of comparing the two, plus that of inspecting both if they are
  ///   equal in different bytes. Arrays and strings that still share their storage with the original compare in O(1).
  @inlinable
  public var isDirty: Bool {
    _baseline.ifTouched(_current) { !_isUnedited($1, $0) } ?? false
  }
}

/// Whether nothing was edited, or nil if the type can't be compared: ``_isUnedited(_:_:)`` for generic code.
///
/// The type is checked, never a value, because an optional or an existential would answer for its contents, and nil
/// would not answer.
@usableFromInline
package func _isUneditedIfKnown<Value>(_ current: Value, _ original: Value) -> Bool? {
  func isUnedited<Known: Equatable>(as _: Known.Type) -> Bool? {
    guard let current = current as? Known, let original = original as? Known else { return nil }
    return _isUnedited(current, original)
  }
  return (Value.self as? any Equatable.Type).flatMap { isUnedited(as: $0) }
}

// MARK: - For drafts

// Swift copies the borrowed `original` to compare it. These functions compare the value in place.
extension Dirtyable {
  /// Whether the value was written and equals the original, but may differ in a part that can't be inspected, such as
  /// an object.
  package var _isInDoubt: Bool { _baseline.ifTouched(_current) { !_areSameOrEqualWithin($1, $0) } ?? false }

  /// Whether a member of another value equals that of the original, or is the same if it doesn't equal itself.
  @inlinable
  @inline(__always)
  package func _isOriginal<Member: Equatable>(_ other: Value, in keyPath: KeyPath<Value, Member>) -> Bool {
    if let snapshot = _baseline.original {
      return _areEqualOrSame(other[keyPath: keyPath], snapshot.value[keyPath: keyPath])
    }
    return _areEqualOrSame(other[keyPath: keyPath], _current[keyPath: keyPath])
  }
}

extension Dirtyable where Value: Equatable {
  /// Whether another value equals the original, or is the same if it doesn't equal itself.
  @inlinable
  package func _isOriginal(_ other: Value) -> Bool {
    if let snapshot = _baseline.original { return _areEqualOrSame(other, snapshot.value) }
    return _areEqualOrSame(other, _current)
  }
}
