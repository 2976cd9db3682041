extension Dirtyable {
  /// The value as it was last saved: what ``rollback()`` would bring back.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var original: Value {
    @inline(__always)
    _read {
      if let snapshot = _baseline.original {
        yield snapshot.value
      } else {
        yield _current
      }
    }
  }

  /// The current value if it was written since it was clean, or else nil.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var updated: Value? { isTouched ? _current : nil }

  /// Whether the value was written since it was last the original, even if to the same value.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var isTouched: Bool {
    _baseline.isEdited || _baseline.ifTouched(_current, { _, _ in true }) ?? false
  }

  /// Whether there are changes to save: whether the value differs from the original, or was written where its type
  /// cannot be compared.
  ///
  /// For code that knows nothing of `Value`: whether it is `Equatable` is asked as the program runs, and a value set
  /// back is clean then. ``isTouched`` is the other question.
  ///
  /// - Complexity: O(1) while untouched, and where `Value` is not `Equatable`; otherwise that of finding its `==`, and
  ///   of comparing.
  @_documentation(visibility: internal)
  @inlinable
  public var isDirty: Bool {
    _baseline.ifTouched(_current) { _areEqual($0, $1) != true } ?? false
  }

  /// Whether a member differs from the original's.
  ///
  /// - Complexity: That of comparing the two; O(1) while untouched. Writes pay nothing for it.
  @inlinable
  @inline(__always)
  public func isDirty<Member: Equatable>(_ keyPath: KeyPath<Value, Member>) -> Bool {
    _baseline.ifTouched(_current) { $0[keyPath: keyPath] != $1[keyPath: keyPath] } ?? false
  }

  /// What a member was and what it is now, or nil if the two are equal.
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
  /// - Complexity: That of comparing the two; O(1) while untouched.
  @inlinable
  @inline(__always)
  public func change<Member: Equatable>(for keyPath: KeyPath<Value, Member>) -> Change<Member>? {
    _baseline.ifTouched(_current) { original, current in
      let (old, new) = (original[keyPath: keyPath], current[keyPath: keyPath])
      return old == new ? nil : Change(old: old, new: new)
    } ?? nil
  }

  /// The members, of those asked for, that differ from the original's, in the order asked for.
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
  /// Whether the value differs from the original.
  ///
  /// - Complexity: That of comparing the two; O(1) while untouched. Arrays and strings that still share their storage
  ///   with the original compare in O(1).
  @inlinable
  public var isDirty: Bool {
    _baseline.ifTouched(_current, !=) ?? false
  }
}

extension Dirtyable {
  /// What a member of a ``Dirtyable`` was and what it is now.
  @frozen
  public struct Change<Member> {
    /// The member of the original.
    public let old: Member

    /// The member of the current value.
    public let new: Member

    @inlinable
    init(old: Member, new: Member) {
      self.old = old
      self.new = new
    }
  }
}

extension Dirtyable.Change: Equatable where Member: Equatable {}
extension Dirtyable.Change: Hashable where Member: Hashable {}
extension Dirtyable.Change: Sendable where Member: Sendable {}

extension Dirtyable.Change: CustomStringConvertible {
  /// The old and the new member, as `old → new`.
  public var description: String { "\(old) → \(new)" }
}

/// Whether two values are equal, or nil where their type cannot be compared: for code that knows nothing of `Value`.
///
/// With `orSame`, values that are unequal to themselves count as equal where they are the same.
///
/// The right one is asked for only where it is compared.
///
/// The type is asked, never a value: an optional and an existential would answer for what is in them, and nil for
/// nothing.
@usableFromInline
package func _areEqual<Value>(_ left: Value, _ right: @autoclosure () -> Value, orSame: Bool = false) -> Bool? {
  guard let type = Value.self as? any Equatable.Type else { return nil }
  return _areEqual(left, right(), as: type, orSame: orSame)
}

/// `Known` is `Value`, so that the casts are of a type to itself.
private func _areEqual<Value, Known: Equatable>(
  _ left: Value, _ right: Value, as type: Known.Type, orSame: Bool
) -> Bool? {
  guard let left = left as? Known, let right = right as? Known else { return nil }
  return orSame ? _areEqualOrSame(left, right) : left == right
}

// MARK: - For drafts

// To compare `original`, which is lent, Swift copies it. What these compare stays where it lies.
extension Dirtyable {
  /// Whether a member differs from the original's, and not only as one that equals nothing.
  @inlinable
  @inline(__always)
  package func _differsFromOriginal<Member: Equatable>(in keyPath: KeyPath<Value, Member>) -> Bool {
    _baseline.ifTouched(_current) { !_areEqualOrSame($1[keyPath: keyPath], $0[keyPath: keyPath]) } ?? false
  }

  /// Whether a member of another value is equal to the original's, or the same where it equals nothing.
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
  /// Whether the value differs from the original, and not only as one that equals nothing.
  @inlinable
  package var _differsFromOriginal: Bool {
    _baseline.ifTouched(_current) { !_areEqualOrSame($1, $0) } ?? false
  }

  /// Whether another value is equal to the original, or the same where it equals nothing.
  @inlinable
  package func _isOriginal(_ other: Value) -> Bool {
    if let snapshot = _baseline.original { return _areEqualOrSame(other, snapshot.value) }
    return _areEqualOrSame(other, _current)
  }
}
