/// Whether two values are the same for certain: by what is stored in them, and by `==` where that cannot be seen.
///
/// A type's own `==` may leave something out, so that it is not asked before. A mirror of the type's own is not
/// believed. Nor is one that shows nothing, nor that of a C type, which may have bit fields.
func _isSame(_ left: Any, _ right: Any) -> Bool { Sameness(asksEquality: true).of(left, right) ?? false }

/// Whether two values are not the same for certain.
func _isOther(_ left: Any, _ right: Any) -> Bool { Sameness(asksEquality: true).of(left, right) == false }

/// Whether all that is stored in two values is the same for certain, whatever their own `==` says.
func _isStoredSame(_ left: Any, _ right: Any) -> Bool { Sameness(asksEquality: true).ofStored(left, right) ?? false }

/// Whether two values are the same for certain, and no `==` had to be asked for that, but those of keys.
func _isProvablySame(_ left: Any, _ right: Any) -> Bool { Sameness(asksEquality: false).of(left, right) ?? false }

/// Compares values by what is stored in them.
private struct Sameness {
  /// Whether their `==` is asked where that cannot be seen.
  let asksEquality: Bool
  /// How deep the values lie that are compared.
  private var depth = 0

  init(asksEquality: Bool) { self.asksEquality = asksEquality }

  /// Whether the values are the same; nil where that cannot be known.
  func of(_ left: Any, _ right: Any) -> Bool? {
    var within = self
    within.depth += 1
    if let isSame = within.ofStored(left, right) { return isSame }
    return asksEquality ? (left as? any Equatable).map { _isEqual($0, right) } : nil
  }

  /// A hundred values within values are looked into, for the sake of the stack.
  func ofStored(_ left: Any, _ right: Any) -> Bool? {
    let type = type(of: left)
    guard type == Swift.type(of: right) else { return false }
    if _hasSameBytes(left, right) { return true }
    if depth > 100 { return nil }
    if let left = left as? any _PartialTransparent { return left.sameness(with: right, by: self) }
    let isOpaque = type is AnyClass || left is any CustomReflectable || String(reflecting: type).hasPrefix("__C.")
    guard !isOpaque else { return nil }
    let (leftMirror, rightMirror) = (Mirror(reflecting: left), Mirror(reflecting: right))
    guard !leftMirror.children.isEmpty else { return nil }
    guard leftMirror.children.count == rightMirror.children.count else { return false }
    return zip(leftMirror.children, rightMirror.children).lazy.map { left, right in
      // A mirror shows as nothing what it cannot show.
      left.label == right.label ? left.value is Void ? nil : of(left.value, right.value) : false
    }.areAllTrue
  }
}

/// Whether they are equal by `==`, and of one type.
func _isEqual<Value: Equatable>(_ left: Value, _ right: Any) -> Bool { (right as? Value) == left }

/// Whether not even a bit tells the values apart; padding may, where nothing else does.
func _hasSameBytes<Left, Right>(_ left: Left, _ right: Right) -> Bool {
  // Nothing is cast: an array of a fixed size has a mirror with a child that no cast takes.
  unsafe withUnsafeBytes(of: left) { left in
    unsafe withUnsafeBytes(of: right) { right in unsafe left.elementsEqual(right) }
  }
}

extension Sequence where Element == Bool? {
  /// False where one is; else nil where one is not known.
  fileprivate var areAllTrue: Bool? {
    var result: Bool? = true
    for element in self {
      guard let element else {
        result = nil
        continue
      }
      if !element { return false }
    }
    return result
  }
}

/// A type that is compared by its contents, whatever its mirror shows.
private protocol _PartialTransparent {
  func sameness(with other: Any, by sameness: Sameness) -> Bool?
}

extension Optional: _PartialTransparent {
  fileprivate func sameness(with other: Any, by sameness: Sameness) -> Bool? {
    guard let other = other as? Wrapped? else { return false }
    // The bytes of two nils may be others.
    guard let self, let other else { return self == nil && other == nil }
    return sameness.of(self, other)
  }
}

extension String: _PartialTransparent {
  // Its `==` takes other bytes for the same text.
  fileprivate func sameness(with other: Any, by sameness: Sameness) -> Bool? {
    guard let other = other as? String else { return false }
    return utf8.elementsEqual(other.utf8) ? true : sameness.asksEquality ? self == other : false
  }
}

extension Array: _PartialTransparent {
  fileprivate func sameness(with other: Any, by sameness: Sameness) -> Bool? {
    guard let other = other as? [Element], count == other.count else { return false }
    return zip(self, other).lazy.map { sameness.of($0, $1) }.areAllTrue
  }
}

extension Dictionary: _PartialTransparent {
  fileprivate func sameness(with other: Any, by sameness: Sameness) -> Bool? {
    guard let other = other as? [Key: Value], count == other.count else { return false }
    return lazy.map { key, value in other[key].map { sameness.of(value, $0) } ?? false }.areAllTrue
  }
}
