import Sameness

/// Whether a value is the same as it was before: by its own `==`, or by what is stored in it where it has none.
///
/// An object may have been changed in its place since, and would then be compared with itself. So objects are never the
/// same, nor are values without an `==` that refer to any.
func _isUnchanged(_ value: Any, since before: Any) -> Bool { isUnchanged(value, since: before, depth: 0) }

/// A hundred values within values are looked into, for the sake of the stack.
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
  // A case without a value refers to nothing.
  guard !mirror.children.isEmpty else { return mirror.displayStyle == .enum && UnsafeValueBytes.areSame(value, before) }
  return mirror.children.count == mirrorBefore.children.count
    && zip(mirror.children, mirrorBefore.children).allSatisfy { child, childBefore in
      // A mirror shows as nothing what it cannot show.
      child.label == childBefore.label && !(child.value is Void)
        && isUnchanged(child.value, since: childBefore.value, depth: depth + 1)
    }
}

/// Whether they are equal by `==`, and of one type.
private func isEqual<Value: Equatable>(_ left: Value, _ right: Any) -> Bool { (right as? Value) == left }

/// Whether a copy is a copy of bytes, so that nothing is referred to.
private func isTrivial<Value>(_: Value) -> Bool { _isPOD(Value.self) }

/// Whether all values of a type are objects, or hold some whatever their `==` says.
private func isObject(_ type: Any.Type) -> Bool {
  type is AnyClass || (type as? any _PartialContainer.Type)?.hasObjects ?? false
}

/// A type whose elements are all there is, and whose `==` is theirs.
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
  /// Whether it is nil, or has one within it.
  var isNil: Bool { get }
  var wrapped: Any? { get }
}

extension Optional: _PartialOptional {
  var isNil: Bool { map { ($0 as? any _PartialOptional)?.isNil ?? false } ?? true }
  var wrapped: Any? { map { $0 } }
}

/// Whether a value has all the parts that a key path may lead to: none of them is an element, or lies in an optional or
/// a case.
func _hasFixedParts(_ value: Any) -> Bool {
  if value is String { return true }
  if let value = value as? any _PartialOptional { return value.wrapped.map { _hasFixedParts($0) } ?? false }
  guard isTrivial(value) else { return false }
  let mirror = Mirror(reflecting: value)
  if mirror.displayStyle == .enum { return value is any CaseIterable || value is any RawRepresentable }
  return mirror.children.allSatisfy { _hasFixedParts($0.value) }
}
