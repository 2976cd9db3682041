import Sameness

/// Whether a value is the same as before, compared by its own `==`, or by its stored contents if it has none.
///
/// An object may have changed in place, and would then be compared with itself. So objects are never the same, nor are
/// values that refer to objects and have no `==`.
func _isUnchanged(_ value: Any, since before: Any) -> Bool { isUnchanged(value, since: before, depth: 0) }

/// Looks into at most a hundred levels of nested values, to limit the use of the stack.
private func isUnchanged(_ value: Any, since before: Any, depth: Int) -> Bool {
  let type = type(of: value)
  guard type == Swift.type(of: before), !isObject(type), depth < 100 else { return false }
  if let value = value as? any Equatable { return isEqual(value, before) }
  if let value = value as? any _PartialContainer {
    return value.isUnchanged(since: before) { isUnchanged($0, since: $1, depth: depth + 1) }
  }
  if isTrivial(value) && UnsafeValueBytes.areSame(value, before) { return true }
  if value is any CustomReflectable { return false }
  let (mirror, mirrorBefore) = (Mirror(reflecting: value), Mirror(reflecting: before))
  // A case without a payload refers to nothing.
  guard !mirror.children.isEmpty else { return mirror.displayStyle == .enum && UnsafeValueBytes.areSame(value, before) }
  return mirror.children.count == mirrorBefore.children.count
    && zip(mirror.children, mirrorBefore.children).allSatisfy { child, childBefore in
      // A mirror shows `()` in place of a value that it can't show.
      child.label == childBefore.label && !(child.value is Void)
        && isUnchanged(child.value, since: childBefore.value, depth: depth + 1)
    }
}

/// Whether both values have one type and are equal by `==`.
private func isEqual<Value: Equatable>(_ left: Value, _ right: Any) -> Bool { (right as? Value) == left }

/// Whether copying a value only copies its bytes, so that it refers to nothing.
private func isTrivial<Value>(_: Value) -> Bool { _isPOD(Value.self) }

/// Whether all values of a type are objects, or contain objects, whatever their `==` says.
private func isObject(_ type: Any.Type) -> Bool {
  type is AnyClass || (type as? any _PartialContainer.Type)?.hasObjects ?? false
}

/// A type that consists of its elements, and whose `==` compares them.
private protocol _PartialContainer {
  static var hasObjects: Bool { get }
  func isUnchanged(since before: Any, _ isUnchanged: (Any, Any) -> Bool) -> Bool
}

extension Optional: _PartialContainer {
  fileprivate static var hasObjects: Bool { isObject(Wrapped.self) }

  fileprivate func isUnchanged(since before: Any, _ isUnchanged: (Any, Any) -> Bool) -> Bool {
    guard let before = before as? Wrapped? else { return false }
    guard let self, let before else { return self == nil && before == nil }
    return isUnchanged(self, before)
  }
}

extension _PartialContainer where Self: RandomAccessCollection {
  fileprivate static var hasObjects: Bool { isObject(Element.self) }

  fileprivate func isUnchanged(since before: Any, _ isUnchanged: (Any, Any) -> Bool) -> Bool {
    guard let before = before as? Self, count == before.count else { return false }
    return zip(self, before).allSatisfy { isUnchanged($0, $1) }
  }
}

extension Array: _PartialContainer {}
extension ArraySlice: _PartialContainer {}
extension ContiguousArray: _PartialContainer {}

extension Set: _PartialContainer {
  fileprivate static var hasObjects: Bool { isObject(Element.self) }

  fileprivate func isUnchanged(since before: Any, _ isUnchanged: (Any, Any) -> Bool) -> Bool {
    before as? Self == self
  }
}

extension Dictionary: _PartialContainer {
  fileprivate static var hasObjects: Bool { isObject(Key.self) || isObject(Value.self) }

  fileprivate func isUnchanged(since before: Any, _ isUnchanged: (Any, Any) -> Bool) -> Bool {
    guard let before = before as? [Key: Value], count == before.count else { return false }
    return allSatisfy { key, value in before[key].map { isUnchanged(value, $0) } ?? false }
  }
}

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
