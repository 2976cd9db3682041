import Sameness

/// Whether a value is the same as before, compared by its own `==`, or by its stored contents if it has none.
///
/// An object may have changed in place, and would then be compared with itself. So objects are never the same, nor are
/// values that refer to objects and have no `==`.
func _isUnchanged(_ value: Any, since before: Any) -> Bool {
  (isEqual(value, before) ?? _areSameOrEqualWithin(value, before)) && !refersToObjects(value, depth: 0)
}

/// Whether both values have one type and are equal by `==`; nil if it has no `==`.
private func isEqual(_ value: Any, _ before: Any) -> Bool? {
  func isEqual<Value: Equatable>(_ value: Value) -> Bool { (before as? Value) == value }
  return (value as? any Equatable).map { isEqual($0) }
}

/// Whether a value is or contains an object, or may contain one that can't be seen.
///
/// A value with an `==` of its own doesn't count, but a container does: its `==` is that of its elements. Values are
/// inspected up to a hundred levels deep, to limit the use of the stack.
private func refersToObjects(_ value: Any, depth: Int) -> Bool {
  if type(of: value) is AnyClass || depth > 100 { return true }
  let mirror = Mirror(reflecting: value)
  let isContainer = [.optional, .collection, .set, .dictionary].contains(mirror.displayStyle)
  if isTrivial(value) || !isContainer && value is any Equatable { return false }
  if !isContainer, value is any CustomReflectable { return true }
  if isContainer, let elements = value as? any Collection, hasOnlyValues(elements) { return false }
  // An empty container refers to nothing, nor does a case without a payload.
  if mirror.children.isEmpty { return !isContainer && mirror.displayStyle != .enum }
  // A mirror shows `()` in place of a value that it can't show.
  return mirror.children.contains { $0.value is Void || refersToObjects($0.value, depth: depth + 1) }
}

/// Whether the type of the elements has an `==` of its own and is not a class, so that no element has to be inspected.
private func hasOnlyValues<Elements: Collection>(_: Elements) -> Bool {
  let type = Elements.Element.self
  return type is any Equatable.Type && !(type is AnyClass) && !(type is any _PartialOptional.Type)
    && (type is String.Type || !(type is any Collection.Type))
}

/// Whether copying a value only copies its bytes, so that it refers to nothing.
private func isTrivial<Value>(_: Value) -> Bool { _isPOD(Value.self) }

protocol _PartialOptional {
  /// Whether it is nil, or wraps a nil.
  var isNil: Bool { get }
  var wrapped: Any? { get }
}

extension Optional: _PartialOptional {
  var isNil: Bool { map { ($0 as? any _PartialOptional)?.isNil ?? false } ?? true }
  var wrapped: Any? { map { $0 } }
}

/// Whether none of the parts that a key path may lead to can be missing from a value, as an element, or a value in an
/// optional or an enum case, can be.
func _hasFixedParts(_ value: Any) -> Bool {
  if value is String { return true }
  if let value = value as? any _PartialOptional { return value.wrapped.map { _hasFixedParts($0) } ?? false }
  guard isTrivial(value) else { return false }
  let mirror = Mirror(reflecting: value)
  if mirror.displayStyle == .enum { return value is any CaseIterable || value is any RawRepresentable }
  return mirror.children.allSatisfy { _hasFixedParts($0.value) }
}
