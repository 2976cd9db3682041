/// Whether two values are the same for certain: in their bytes, or in those of each stored property, to any depth.
///
/// Equality proves nothing, as an `==` may compare less than everything. Where it cannot be proved, observers are told.
///
/// Arrays and dictionaries are the same where they share storage. A hundred values within values are looked into, for
/// the sake of the stack.
///
/// - Complexity: O(*n*), where *n* is the number of stored properties, and the length of texts in different storage.
func _areProvablySame<Value>(_ left: Value, _ right: Value, depth: Int = 0) -> Bool {
  if haveSameBytes(left, right) { return true }
  if depth > 100 { return false }
  if let left = left as? String, let right = right as? String { return left.utf8.elementsEqual(right.utf8) }
  // Bytes between stored properties mean nothing, so each is looked at by itself.
  let (mirror, other) = (Mirror(reflecting: left), Mirror(reflecting: right))
  guard isShownWhole(left, by: mirror), mirror.children.count == other.children.count else { return false }
  return zip(mirror.children, other.children).allSatisfy {
    $0.label == $1.label && areSame($0.value, $1.value, depth + 1)
  }
}

/// Whether two values of unknown types are of one type, also in existentials, and the same.
private func areSame(_ left: Any, _ right: Any, _ depth: Int) -> Bool {
  func areSame<Field>(_ left: Field) -> Bool {
    guard let right = right as? Field, type(of: left as Any) == type(of: right as Any) else { return false }
    return _areProvablySame(left, right, depth: depth)
  }
  // An existential is passed as what is in it: its own bytes mean nothing.
  return areSame(left)
}

/// Whether a mirror shows all that is stored: not that of an object, nor one that the type made itself, nor one of a
/// type of the C language, which leaves out bit fields and unions.
private func isShownWhole<Value>(_ value: Value, by mirror: Mirror) -> Bool {
  switch mirror.displayStyle {
  case .optional: return !mirror.children.isEmpty
  case .struct, .tuple, .enum:
    return !mirror.children.isEmpty && !(value is any CustomReflectable)
      && !_typeName(type(of: value as Any), qualified: true).hasPrefix("__C")
  default: return false
  }
}

private func haveSameBytes<Value>(_ left: Value, _ right: Value) -> Bool {
  unsafe withUnsafeBytes(of: left) { left in
    unsafe withUnsafeBytes(of: right) { right in unsafe left.elementsEqual(right) }
  }
}
