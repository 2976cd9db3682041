// Functions that decide whether two values are the same. Equal bytes prove that they are; different bytes prove
// nothing. So values are compared property by property, through their mirrors. Parts that can't be inspected, such as
// objects, are in doubt, and each function decides differently about them (`Doubt`).

/// Whether two values are certainly the same: in their bytes, or in those of each stored property, to any depth.
///
/// Equality proves nothing, because an `==` may ignore members. If sameness can't be proved, observers are notified.
///
/// Arrays and dictionaries are the same only if they share storage. Values are inspected to a depth of a hundred
/// levels, to spare the stack.
///
/// - Complexity: O(*n*), where *n* is the number of stored properties, plus the length of texts in different storage.
@usableFromInline
package func _areProvablySame<Value>(_ left: Value, _ right: Value) -> Bool {
  UnsafeValueBytes.areSame(left, right) || areSame(left, right, depth: 0, inDoubt: .different)
}

/// Whether two values are certainly the same, for types that are known only at run time.
///
/// The generic function would compare two existential wrappers instead of the values in them.
package func _areProvablySame(_ left: Any, _ right: Any) -> Bool {
  areSame(left, right, depth: 0, inDoubt: .different)
}

/// Whether two values are certainly the same, or equal if that can't be known, as for arrays in different storage.
///
/// Members that an `==` ignores are compared all the same, also in arrays, dictionaries and sets.
///
/// - Complexity: That of ``_areProvablySame(_:_:)``, plus comparing elements and parts that can't be inspected.
@usableFromInline
package func _areSameOrEqualWithin<Value>(_ left: Value, _ right: Value) -> Bool {
  UnsafeValueBytes.areSame(left, right) || areSame(left, right, depth: 0, inDoubt: .equality)
}

/// Whether two values are the same, or equal if that can't be known, for types that are known only at run time.
package func _areSameOrEqualWithin(_ left: Any, _ right: Any) -> Bool {
  areSame(left, right, depth: 0, inDoubt: .equality)
}

/// Whether two values certainly store the same things: the same bytes, or the same in each stored property and in each
/// element, to any depth.
///
/// Addresses, spare capacity and the order of sets and dictionaries may differ. Equality isn't enough, because it may
/// ignore the normal form of a text, the sign of a zero, and whatever an `==` leaves out. Some types of Foundation keep
/// their contents in objects; for those, `==` and the description decide.
///
/// - Parameter old: The older value. A lazy property that wasn't computed yet is the same as a computed one, because
///   computing it isn't an edit.
/// - Complexity: That of comparing, plus that of inspecting both if their bytes differ.
@usableFromInline
package func _haveSameContents<Value>(_ old: Value, _ new: Value) -> Bool {
  UnsafeValueBytes.areSameExceptPadding(old, new) || areSame(old, new, depth: 0, inDoubt: .exact)
}

/// Whether two values are equal, and aren't known to differ in a member that their `==` ignores.
///
/// This detects a change of such a member. A newly decoded object isn't known to differ, unless its own `==` says so;
/// nor is a text in another normal form, unless `asTyped` is true. The `==` of Swift's and Foundation's types is
/// trusted.
///
/// - Complexity: That of comparing, plus that of ``_areSameOrEqualWithin(_:_:)`` if they are equal in different bytes.
package func _areUnchanged<Value: Equatable>(_ left: Value, _ right: Value, asTyped: Bool = false) -> Bool {
  if asTyped { return Value.self == String.self ? _hidesNoEdit(left, right) : _isUnedited(left, right) }
  return UnsafeValueBytes.areSame(left, right)
    || _areEqualOrSame(left, right) && (Value.self == String.self || areSame(left, right, depth: 0, inDoubt: .same))
}

/// Whether two values certainly differ.
///
/// - Complexity: That of ``_areSameOrEqualWithin(_:_:)``.
package func _areKnownToDiffer<Value>(_ left: Value, _ right: Value) -> Bool {
  !UnsafeValueBytes.areSame(left, right) && !areSame(left, right, depth: 0, inDoubt: .same)
}

/// Whether two values are equal, or the same although `==` denies it, such as NaN.
///
/// With `==` alone, such a value would count as changed forever: in mine and in theirs.
///
/// - Complexity: That of comparing, plus that of inspecting both up to the first difference if they aren't equal.
@inlinable
package func _areEqualOrSame<Value: Equatable>(_ left: Value, _ right: Value) -> Bool {
  left == right || _mayEqualNothing(left) && _areSameOrEqualWithin(left, right)
}

/// Whether `!=` proves nothing about a value: it doesn't equal itself, or may hold an array of such values.
@inlinable
package func _mayEqualNothing<Value: Equatable>(_ value: Value) -> Bool {
  value != value || !_isPOD(Value.self) && Value.self != String.self && _mayHideWhatEqualsNothing(value)
}

@usableFromInline
package func _mayHideWhatEqualsNothing<Value>(_ value: Value) -> Bool { Reflexivity.mayHide(in: value) }

/// Whether two values are equal or the same, without an edit that `==` ignores: a member, or a text's normal form.
///
/// - Complexity: That of comparing, plus that of inspecting both if they are equal in different bytes, or not equal.
@inlinable
package func _isUnedited<Value: Equatable>(_ current: Value, _ original: Value) -> Bool {
  if Value.self == Int.self || Value.self == Bool.self { return current == original }
  // The bytes of large values are read faster than their members.
  if MemoryLayout<Value>.size > 16, UnsafeValueBytes.areSame(current, original) { return true }
  if current == original { return _hidesNoEdit(current, original) }
  return _mayEqualNothing(current) && _areSameOrEqualWithin(current, original)
}

/// Whether two equal values aren't known to differ inside, with texts compared by their bytes.
@usableFromInline
package func _hidesNoEdit<Value>(_ current: Value, _ original: Value) -> Bool {
  if Value.self == String.self, let current = current as? String, let original = original as? String {
    return UnsafeValueBytes.areSameText(current, original)
  }
  return UnsafeValueBytes.areSame(current, original) || areSame(current, original, depth: 0, inDoubt: .unedited)
}

/// How to judge two parts that have different bytes and can't be inspected, such as two objects.
private enum Doubt {
  case different
  /// As ``different``, but collections are compared by their elements, enum cases by their names, and what Swift's and
  /// Foundation's types hide by their `==` and their descriptions, which distinguish two normal forms of a text.
  case exact
  /// As their `==` says; different if they have none.
  case equality
  /// The same, unless their `==` says otherwise; the `==` of Swift's and Foundation's types is trusted.
  case same
  /// As ``same``, but texts in different normal forms differ, because the user typed them.
  case unedited

  /// Whether parts that can't be inspected count as the same.
  var isTrusting: Bool { self == .same || self == .unedited }

  func areSame(_ left: Any, _ right: Any) -> Bool {
    if self == .different || self == .exact { return false }
    // One of two classes may be the superclass of the other.
    return areEqual(left, right) ?? areEqual(right, left) ?? isTrusting
  }

  /// Whether two values of one type of Swift or Foundation are the same by their `==`; nil if that doesn't decide.
  func areSameInLibrary(_ left: Any, _ right: Any) -> Bool? {
    guard isTrusting || self == .exact && !isTrivial(left), type(of: left) is any Equatable.Type,
      isOfLibrary(type(of: left))
    else { return nil }
    if isTrusting { return areSame(left, right) }
    return areEqual(left, right) == true && UnsafeValueBytes.areSameText("\(left)", "\(right)") ? true : nil
  }

  private func areEqual(_ left: Any, _ right: Any) -> Bool? {
    func areEqual<Value: Equatable>(_ left: Value) -> Bool? { (right as? Value).map { left == $0 } }
    return (left as? any Equatable).flatMap { areEqual($0) }
  }

  private func isTrivial<Value>(_ value: Value) -> Bool { _isPOD(Value.self) }
}

private func areSame(_ left: Any, _ right: Any, depth: Int, inDoubt doubt: Doubt) -> Bool {
  guard type(of: left) == type(of: right) else {
    return type(of: left) is AnyClass && type(of: right) is AnyClass && doubt.areSame(left, right)
  }
  if doubt == .exact ? UnsafeValueBytes.areSameExceptPadding(left, right) : UnsafeValueBytes.areSame(left, right) {
    return true
  }
  if depth > 100 { return doubt.areSame(left, right) }
  if let left = left as? String, let right = right as? String {
    return doubt == .same ? left == right : UnsafeValueBytes.areSameText(left, right)
  }
  if doubt != .different, type(of: left) is any _Elements.Type, let left = left as? any _Elements {
    return left.areSame(right, depth: depth + 1, inDoubt: doubt)
  }
  if let isSame = doubt.areSameInLibrary(left, right) { return isSame }
  // Bytes between stored properties mean nothing, so each property is compared by itself.
  guard let mirror = _wholeMirror(of: left) else { return doubt.areSame(left, right) }
  let other = Mirror(reflecting: right)
  guard mirror.children.count == other.children.count else {
    // An object on one side only, such as a cache that was filled there, proves no difference.
    let only = (mirror.children.first ?? other.children.first)?.value
    return doubt.isTrusting && mirror.displayStyle == .optional && only.map { type(of: $0) is AnyClass } ?? false
  }
  if mirror.children.isEmpty {
    if doubt == .exact { return mirror.displayStyle == .optional || haveSameNames(left, right) }
    // Enum cases without an `==` differ if their names do.
    return mirror.displayStyle == .optional
      || doubt.areSame(left, right) && (left is any Equatable || "\(left)" == "\(right)")
  }
  return zip(mirror.children, other.children).allSatisfy {
    guard $0.label == $1.label else { return false }
    if doubt == .exact, _isUncomputed($0.value, named: $0.label) { return true }
    // A mirror shows a child whose type it doesn't know as `()`.
    return $0.value is Void ? doubt.isTrusting : areSame($0.value, $1.value, depth: depth + 1, inDoubt: doubt)
  }
}

/// Whether two enum cases without a payload have the same name, which isn't known if the type describes itself.
private func haveSameNames(_ left: Any, _ right: Any) -> Bool {
  let isDescribed =
    left is any CustomStringConvertible || left is any CustomDebugStringConvertible || left is any TextOutputStreamable
  // If the name isn't known, the name of the type is printed instead.
  return !isDescribed && "\(left)" == "\(right)" && "\(left)" != _typeName(type(of: left), qualified: false)
}

/// Whether a stored property belongs to a lazy property that isn't computed yet.
///
/// Reading the lazy property computes it, which isn't an edit.
package func _isUncomputed<Value>(_ value: Value, named name: String?) -> Bool {
  guard name?.hasPrefix("$__lazy_storage_$_") == true else { return false }
  let mirror = Mirror(reflecting: value)
  return mirror.displayStyle == .optional && mirror.children.isEmpty
}

/// Whether a type is one of Swift's or Foundation's, without generic arguments, which could be of other modules.
private func isOfLibrary(_ type: Any.Type) -> Bool {
  let name = _typeName(type, qualified: true)
  return !name.contains("<") && ["Swift.", "Foundation.", "FoundationEssentials."].contains { name.hasPrefix($0) }
}

/// The mirror of a value, if it shows everything that is stored.
///
/// Nil for an object, a value with a custom mirror, a C type, whose mirror leaves out bit fields and unions, and an
/// inline array.
package func _wholeMirror(of value: Any) -> Mirror? {
  let type = type(of: value)
  if type is any CustomReflectable.Type, !(type is any _Wrapper.Type) { return nil }
  let mirror = Mirror(reflecting: value)
  switch mirror.displayStyle {
  case .optional: return mirror
  case .struct where mirror.children.isEmpty, .tuple where mirror.children.isEmpty: return nil
  case .enum, .struct, .tuple:
    let name = _typeName(type, qualified: true)
    return ["__C", "Swift.InlineArray<"].contains(where: name.hasPrefix) ? nil : mirror
  default: return nil
  }
}

/// An optional, whose custom mirror shows what it wraps.
private protocol _Wrapper {}
extension Optional: _Wrapper {}

/// A collection whose elements are its whole value, although its mirror doesn't say so.
private protocol _Elements {
  func areSame(_ other: Any, depth: Int, inDoubt doubt: Doubt) -> Bool
}

extension Array: _Elements {
  fileprivate func areSame(_ other: Any, depth: Int, inDoubt doubt: Doubt) -> Bool {
    guard let other = other as? [Element], count == other.count else { return false }
    let isBelieved = doubt == .same || doubt == .unedited && Element.self != String.self
    if isBelieved, Element.self is any Equatable.Type, isOfLibrary(Element.self), doubt.areSame(self, other) {
      return true
    }
    return zip(self, other).allSatisfy {
      UnsafeValueBytes.areSame($0, $1) || Sameness.areSame($0, $1, depth: depth, inDoubt: doubt)
    }
  }
}

extension _Elements where Self: RandomAccessCollection {
  fileprivate func areSame(_ other: Any, depth: Int, inDoubt doubt: Doubt) -> Bool {
    // A slice keeps the indices of its array.
    guard let other = other as? Self, doubt != .exact || startIndex == other.startIndex else { return false }
    return Array(self).areSame(Array(other), depth: depth, inDoubt: doubt)
  }
}

extension ArraySlice: _Elements {}
extension ContiguousArray: _Elements {}

extension Substring: _Elements {
  fileprivate func areSame(_ other: Any, depth: Int, inDoubt doubt: Doubt) -> Bool {
    guard let other = other as? Substring, doubt == .exact else { return doubt.areSame(self, other) }
    // The text around the slice is stored, too.
    return startIndex == other.startIndex && endIndex == other.endIndex
      && UnsafeValueBytes.areSameText(base, other.base)
  }
}

extension AnyHashable: _Elements {
  fileprivate func areSame(_ other: Any, depth: Int, inDoubt doubt: Doubt) -> Bool {
    guard let other = other as? AnyHashable, doubt == .exact else { return doubt.areSame(self, other) }
    return Sameness.areSame(base, other.base, depth: depth, inDoubt: doubt)
  }
}

extension Dictionary: _Elements {
  fileprivate func areSame(_ other: Any, depth: Int, inDoubt doubt: Doubt) -> Bool {
    guard let other = other as? [Key: Value], count == other.count else { return false }
    return allSatisfy { key, value in
      guard let index = other.index(forKey: key) else {
        // A key that doesn't equal itself isn't found, not even by itself.
        return key != key
          && other.contains {
            Sameness.areSame(key, $0.key, depth: depth, inDoubt: doubt)
              && Sameness.areSame(value, $0.value, depth: depth, inDoubt: doubt)
          }
      }
      return Sameness.areSame(key, other[index].key, depth: depth, inDoubt: doubt)
        && Sameness.areSame(value, other[index].value, depth: depth, inDoubt: doubt)
    }
  }
}

extension Set: _Elements {
  fileprivate func areSame(_ other: Any, depth: Int, inDoubt doubt: Doubt) -> Bool {
    guard let other = other as? Set<Element>, count == other.count else { return false }
    return allSatisfy { element in
      guard let index = other.firstIndex(of: element) else {
        return element != element && other.contains { Sameness.areSame(element, $0, depth: depth, inDoubt: doubt) }
      }
      return Sameness.areSame(element, other[index], depth: depth, inDoubt: doubt)
    }
  }
}
