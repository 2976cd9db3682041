/// Whether two values are the same for certain: by `==` where there is one, else by what their stored properties are.
///
/// A type that describes itself by a mirror of its own is believed nothing, nor one of which nothing can be seen.
func _isSame(_ left: Any, _ right: Any) -> Bool {
  if let left = left as? any Equatable { return isEqual(left, right) }
  let type = type(of: left)
  guard type == Swift.type(of: right) else { return false }
  if type is AnyClass { return left as AnyObject === right as AnyObject }
  if byteCount(type) == 0 { return true }
  let isTransparent = left is any _PartialTransparent
  guard isTransparent || !(left is any CustomReflectable) else { return false }
  let (leftMirror, rightMirror) = (Mirror(reflecting: left), Mirror(reflecting: right))
  guard isTransparent || !leftMirror.children.isEmpty, leftMirror.children.count == rightMirror.children.count else {
    return false
  }
  return zip(leftMirror.children, rightMirror.children).allSatisfy { left, right in
    left.label == right.label && _isSame(left.value, right.value)
  }
}

private func isEqual<Value: Equatable>(_ left: Value, _ right: Any) -> Bool { (right as? Value) == left }

private func byteCount<Value>(_: Value.Type) -> Int { MemoryLayout<Value>.size }

/// A type with a mirror of its own that shows all there is.
private protocol _PartialTransparent {}
extension Optional: _PartialTransparent {}
extension Array: _PartialTransparent {}
