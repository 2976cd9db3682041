// Equality may leave things out: the normal form of a text, the sign of a zero, whatever an `==` of one's own does not
// look at. A history that took equal for the same would lose such an edit. So what is equal in other bytes is looked
// into, part by part, down to texts, whose bytes are compared, and to what has no parts, where the bytes must be the same.

extension _UndoLog {
  /// Whether two values are the same: in their bytes, by the rule of their type if it is a leaf, or else equal and the
  /// same in every part.
  @inlinable
  static func areSame<Value: Equatable>(_ a: Value, _ b: Value) -> Bool {
    if haveSameBytes(a, b) { return true }
    if let leaf = Value.self as? any UndoLeaf.Type { return leaf.areSame(a, b) }
    return a == b && haveSameParts(a, b)
  }

  /// Whether nothing tells two values apart, their addresses aside.
  ///
  /// False where that cannot be seen: for two objects, and for a type that shows only what it wants to.
  @usableFromInline
  static func haveSameParts<Content>(_ x: Content, _ y: Content) -> Bool {
    if haveSameBytes(x, y) { return true }
    // The type is asked and not the value: a cast would look into an optional.
    if Content.self is any _UndoComparable.Type, let x = x as? any _UndoComparable { return x.isSame(as: y) }
    if Content.self is any CustomReflectable.Type { return false }
    let (a, b) = (Mirror(reflecting: x), Mirror(reflecting: y))
    guard a.displayStyle == b.displayStyle, a.displayStyle != .class, a.children.count == b.children.count else {
      return false
    }
    if a.children.isEmpty { return a.displayStyle == .enum && areSameCases(x, y) }
    return zip(a.children, b.children).allSatisfy { $0.label == $1.label && areSameParts($0.value, $1.value) }
  }

  /// Whether two cases without payload are the same one: there, bytes may mean nothing.
  private static func areSameCases<Content>(_ a: Content, _ b: Content) -> Bool {
    if Content.self is any CustomStringConvertible.Type || Content.self is any CustomDebugStringConvertible.Type {
      return false
    }
    return "\(a)" == "\(b)"
  }

  private static func areSameParts(_ a: Any, _ b: Any) -> Bool {
    func isSame<Part>(_ a: Part) -> Bool {
      guard type(of: b) == Part.self, let b = b as? Part else { return false }
      return haveSameParts(a, b)
    }
    return isSame(a)
  }
}

/// A type of the standard library that knows better than its mirror whether two values are the same.
protocol _UndoComparable {
  func isSame(as other: Self) -> Bool
}

extension _UndoComparable {
  func isSame(as other: Any) -> Bool {
    guard let other = other as? Self else { return false }
    return isSame(as: other)
  }
}

extension String: _UndoComparable {
  func isSame(as other: String) -> Bool { String.isSameText(self, other) }
}

extension Substring: _UndoComparable {
  func isSame(as other: Substring) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension Character: _UndoComparable {
  func isSame(as other: Character) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension Optional: _UndoComparable {
  func isSame(as other: Wrapped?) -> Bool {
    switch (self, other) {
    case (nil, nil): true
    case (let a?, let b?): _UndoLog.haveSameParts(a, b)
    default: false
    }
  }
}

extension Collection {
  /// Whether two collections have the same elements in the same order.
  @usableFromInline
  func hasSameElements(as other: Self) -> Bool {
    count == other.count && zip(self, other).allSatisfy { _UndoLog.haveSameParts($0, $1) }
  }
}

extension Array: _UndoComparable {
  func isSame(as other: [Element]) -> Bool { hasSameElements(as: other) }
}

extension ContiguousArray: _UndoComparable {
  func isSame(as other: ContiguousArray<Element>) -> Bool { hasSameElements(as: other) }
}

extension ArraySlice: _UndoComparable {
  func isSame(as other: ArraySlice<Element>) -> Bool { indices == other.indices && hasSameElements(as: other) }
}

extension Set: _UndoComparable {
  func isSame(as other: Set<Element>) -> Bool {
    count == other.count && isSubset(of: other) && hasSameMembers(as: other)
  }

  /// Whether every member that equals one of the other set is the same.
  @usableFromInline
  func hasSameMembers(as other: Set<Element>) -> Bool {
    allSatisfy { member in
      guard let index = other.firstIndex(of: member) else { return true }
      return _UndoLog.haveSameParts(member, other[index])
    }
  }
}

extension Dictionary: _UndoComparable {
  func isSame(as other: [Key: Value]) -> Bool {
    count == other.count && hasSameKeys(as: other)
      && allSatisfy { key, value in
        guard let index = other.index(forKey: key) else { return false }
        return _UndoLog.haveSameParts(value, other[index].value)
      }
  }

  /// Whether every key that equals one of the other dictionary is the same.
  @usableFromInline
  func hasSameKeys(as other: [Key: Value]) -> Bool {
    allSatisfy { key, _ in
      guard let index = other.index(forKey: key) else { return true }
      return _UndoLog.haveSameParts(key, other[index].key)
    }
  }
}
