/// Whether two values are the same for certain: in their bytes, or in those of each stored property, to any depth.
///
/// Equality proves nothing, as an `==` may compare less than everything. Where it cannot be proved, observers are told.
///
/// Arrays and dictionaries are the same where they share storage. A hundred values within values are looked into, for
/// the sake of the stack.
///
/// - Complexity: O(*n*), where *n* is the number of stored properties, and the length of texts in different storage.
@usableFromInline
package func _areProvablySame<Value>(_ left: Value, _ right: Value) -> Bool { areSame(left, right, depth: 0) }

/// Whether two values are the same for certain, or equal where that cannot be known, as arrays in different storage.
///
/// Of a type whose `==` leaves members out, these are looked at all the same, also in arrays, dictionaries and sets.
///
/// - Complexity: That of ``_areProvablySame(_:_:)``, and of comparing elements, and what cannot be looked into.
@usableFromInline
package func _areSameOrEqualWithin<Value>(_ left: Value, _ right: Value) -> Bool {
  areSame(left, right, depth: 0, orEqual: true)
}

/// Whether two values are equal, or equal nothing, as one that is not a number, and are the same for certain.
///
/// By `==` alone such a value would count as changed for ever, by both sides.
///
/// - Complexity: That of comparing; and of looking into both where they are not equal to themselves.
@inlinable
package func _areEqualOrSame<Value: Equatable>(_ left: Value, _ right: Value) -> Bool {
  left == right || left != left && _areSameOrEqualWithin(left, right)
}

private func areSame(_ left: Any, _ right: Any, depth: Int, orEqual: Bool = false) -> Bool {
  guard type(of: left) == type(of: right) else { return false }
  if haveSameBytes(left, right) { return true }
  if depth > 100 { return orEqual && areEqual(left, right) }
  if let left = left as? String, let right = right as? String { return left.utf8.elementsEqual(right.utf8) }
  if orEqual, let left = left as? any _Elements { return left.areSameOrEqual(right, depth: depth + 1) }
  // Bytes between stored properties mean nothing, so each is looked at by itself.
  let (mirror, other) = (Mirror(reflecting: left), Mirror(reflecting: right))
  guard isShownWhole(left, by: mirror), mirror.children.count == other.children.count else {
    return orEqual && areEqual(left, right)
  }
  // What a mirror knows no type of, it shows as nothing.
  return zip(mirror.children, other.children).allSatisfy {
    $0.label == $1.label && !($0.value is Void) && areSame($0.value, $1.value, depth: depth + 1, orEqual: orEqual)
  }
}

private func areEqual(_ left: Any, _ right: Any) -> Bool {
  func isEqual<Value: Equatable>(_ left: Value) -> Bool { (right as? Value) == left }
  return (left as? any Equatable).map { isEqual($0) } ?? false
}

/// Whether a mirror shows all that is stored: not that of an object, nor one that the type made itself, nor one of a
/// type of the C language, which leaves out bit fields and unions.
private func isShownWhole(_ value: Any, by mirror: Mirror) -> Bool {
  switch mirror.displayStyle {
  case .optional: return !mirror.children.isEmpty
  case .struct, .tuple, .enum:
    return !mirror.children.isEmpty && !(value is any CustomReflectable)
      && !_typeName(type(of: value), qualified: true).hasPrefix("__C")
  default: return false
  }
}

/// Whether not even a bit tells apart what two existentials hold.
private func haveSameBytes<Left, Right>(_ left: Left, _ right: Right) -> Bool {
  // Two types, so that nothing is cast: an array of a fixed size has a mirror with a child that no cast takes.
  unsafe withUnsafeBytes(of: left) { left in
    unsafe withUnsafeBytes(of: right) { right in unsafe left.elementsEqual(right) }
  }
}

/// Elements that are all there is of a value, although its mirror does not say so.
private protocol _Elements {
  func areSameOrEqual(_ other: Any, depth: Int) -> Bool
}

extension Array: _Elements {
  fileprivate func areSameOrEqual(_ other: Any, depth: Int) -> Bool {
    guard let other = other as? [Element], count == other.count else { return false }
    return zip(self, other).allSatisfy { areSame($0, $1, depth: depth, orEqual: true) }
  }
}

extension Dictionary: _Elements {
  fileprivate func areSameOrEqual(_ other: Any, depth: Int) -> Bool {
    guard let other = other as? [Key: Value], count == other.count else { return false }
    return allSatisfy { key, value in
      guard let index = other.index(forKey: key) else { return false }
      return areSame(key, other[index].key, depth: depth, orEqual: true)
        && areSame(value, other[index].value, depth: depth, orEqual: true)
    }
  }
}

extension Set: _Elements {
  fileprivate func areSameOrEqual(_ other: Any, depth: Int) -> Bool {
    guard let other = other as? Set<Element>, count == other.count else { return false }
    return allSatisfy { element in
      other.firstIndex(of: element).map { areSame(element, other[$0], depth: depth, orEqual: true) } ?? false
    }
  }
}
