/// Whether two values are equal, or nil where their type cannot be compared: for code that knows nothing of `Value`.
///
/// The right one is asked for only where it is compared.
///
/// The type is asked, never a value: an optional and an existential would answer for what is in them, and nil for nothing.
@usableFromInline
package func _areEqual<Value>(_ left: Value, _ right: @autoclosure () -> Value) -> Bool? {
  guard let type = Value.self as? any Equatable.Type else { return nil }
  return _areEqual(left, right(), as: type)
}

/// `Known` is `Value`, so that the casts are of a type to itself.
private func _areEqual<Value, Known: Equatable>(_ left: Value, _ right: Value, as type: Known.Type) -> Bool? {
  guard let left = left as? Known, let right = right as? Known else { return nil }
  return left == right
}
