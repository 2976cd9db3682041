// When two values are one. Equal bytes prove it; other bytes tell nothing. So values are looked into, property by
// property, by their mirrors. What nothing can look into, as an object, is in doubt, and each question has its own
// answer to that.

/// Whether two values are the same for certain: in their bytes, or in those of each stored property, to any depth.
///
/// Equality proves nothing, as an `==` may compare less than everything. Where it cannot be proved, observers are told.
///
/// Arrays and dictionaries are the same where they share storage. A hundred values within values are looked into, for
/// the sake of the stack.
///
/// - Complexity: O(*n*), where *n* is the number of stored properties, and the length of texts in different storage.
@usableFromInline
package func _areProvablySame<Value>(_ left: Value, _ right: Value) -> Bool {
  UnsafeValueBytes.areSame(left, right) || areSame(left, right, depth: 0, inDoubt: .different)
}

/// Whether two values are the same for certain, where their types are known only at run time.
///
/// Swift would wrap them once more for the generic function, and what was compared then would be two wrappers.
package func _areProvablySame(_ left: Any, _ right: Any) -> Bool {
  areSame(left, right, depth: 0, inDoubt: .different)
}

/// Whether two values are the same for certain, or equal where that cannot be known, as arrays in different storage.
///
/// Of a type whose `==` leaves members out, these are looked at all the same, also in arrays, dictionaries and sets.
///
/// - Complexity: That of ``_areProvablySame(_:_:)``, and of comparing elements, and what cannot be looked into.
@usableFromInline
package func _areSameOrEqualWithin<Value>(_ left: Value, _ right: Value) -> Bool {
  UnsafeValueBytes.areSame(left, right) || areSame(left, right, depth: 0, inDoubt: .equality)
}

/// Whether two values are the same, or equal where that cannot be known, where their types are known only at run time.
package func _areSameOrEqualWithin(_ left: Any, _ right: Any) -> Bool {
  areSame(left, right, depth: 0, inDoubt: .equality)
}

/// Whether two values are equal, and nothing in them is known to differ that the `==` leaves out.
///
/// So is a change of such a member told from none. An object that is decoded anew is not known to differ, unless its
/// own `==` says so; nor is a text in another normal form, unless it was typed. What Swift and Foundation compare is
/// believed.
///
/// - Complexity: That of comparing; and of ``_areSameOrEqualWithin(_:_:)`` where they are equal in other bytes.
package func _areUnchanged<Value: Equatable>(_ left: Value, _ right: Value, asTyped: Bool = false) -> Bool {
  if asTyped { return Value.self == String.self ? _hidesNoEdit(left, right) : _isUnedited(left, right) }
  return UnsafeValueBytes.areSame(left, right)
    || _areEqualOrSame(left, right) && (Value.self == String.self || areSame(left, right, depth: 0, inDoubt: .same))
}

/// Whether two values of one of Swift's or Foundation's types, which nothing can look into, are equal and described
/// alike; false for all other types.
///
/// The description tells two normal forms of a text apart, where the `==` of a type that holds texts does not.
///
/// - Complexity: That of comparing and of describing them.
package func _areEqualInLibrary<Value>(_ left: Value, _ right: Value) -> Bool {
  guard isOfLibrary(Value.self), let type = Value.self as? any Equatable.Type else { return false }
  func areEqual<Known: Equatable>(_ type: Known.Type) -> Bool {
    guard let left = left as? Known, let right = right as? Known else { return false }
    return left == right
  }
  return areEqual(type) && UnsafeValueBytes.areSameText("\(left)", "\(right)")
}

/// Whether two values are other ones for certain.
///
/// - Complexity: That of ``_areSameOrEqualWithin(_:_:)``.
package func _areKnownToDiffer<Value>(_ left: Value, _ right: Value) -> Bool {
  !UnsafeValueBytes.areSame(left, right) && !areSame(left, right, depth: 0, inDoubt: .same)
}

/// Whether two values are equal, or are the same although `==` denies it, as a number that is none.
///
/// By `==` alone such a value would count as changed for ever, by both sides.
///
/// - Complexity: That of comparing; and of looking into both up to the first difference where they are not equal.
@inlinable
package func _areEqualOrSame<Value: Equatable>(_ left: Value, _ right: Value) -> Bool {
  left == right || _mayEqualNothing(left) && _areSameOrEqualWithin(left, right)
}

/// Whether it tells nothing of a value that it does not equal another: it does not equal itself, or may hold in an
/// array what does not.
@inlinable
package func _mayEqualNothing<Value: Equatable>(_ value: Value) -> Bool {
  value != value || !_isPOD(Value.self) && Value.self != String.self && _mayHideWhatEqualsNothing(value)
}

@usableFromInline
package func _mayHideWhatEqualsNothing<Value>(_ value: Value) -> Bool { Reflexivity.mayHide(in: value) }

/// Whether values are equal, or equal nothing, and nothing that was written into one of them would be lost by taking
/// the other: a member that `==` leaves out, or a text in another normal form.
///
/// - Complexity: That of comparing; and of looking into both where they are equal in other bytes, or not equal.
@inlinable
package func _isUnedited<Value: Equatable>(_ current: Value, _ original: Value) -> Bool {
  if Value.self == Int.self || Value.self == Bool.self { return current == original }
  // Of large values the bytes are read faster than the members.
  if MemoryLayout<Value>.size > 16, _haveSameBytes(current, original) { return true }
  if current == original { return _hidesNoEdit(current, original) }
  return _mayEqualNothing(current) && _areSameOrEqualWithin(current, original)
}

/// Whether not even a bit tells two values apart.
@usableFromInline
package func _haveSameBytes<Value>(_ left: Value, _ right: Value) -> Bool { UnsafeValueBytes.areSame(left, right) }

/// Whether nothing is known to differ in two equal values, texts compared by their bytes.
@usableFromInline
package func _hidesNoEdit<Value>(_ current: Value, _ original: Value) -> Bool {
  if Value.self == String.self, let current = current as? String, let original = original as? String {
    return UnsafeValueBytes.areSameText(current, original)
  }
  return UnsafeValueBytes.areSame(current, original) || areSame(current, original, depth: 0, inDoubt: .unedited)
}

/// What two parts are that have other bytes and cannot be looked into, as two objects.
private enum Doubt {
  case different
  /// What their `==` says, or different where they have none.
  case equality
  /// The same, unless they have an `==` that says otherwise. What Swift and Foundation compare is believed.
  case same
  /// As ``same``, but texts in another normal form differ: the user typed them.
  case unedited

  /// Whether what cannot be looked into is taken for the same.
  var isTrusting: Bool { self == .same || self == .unedited }

  func areSame(_ left: Any, _ right: Any) -> Bool {
    if self == .different { return false }
    // Of two classes, one may be that of the other's parent.
    return areEqual(left, right) ?? areEqual(right, left) ?? isTrusting
  }

  private func areEqual(_ left: Any, _ right: Any) -> Bool? {
    func areEqual<Value: Equatable>(_ left: Value) -> Bool? { (right as? Value).map { left == $0 } }
    return (left as? any Equatable).flatMap { areEqual($0) }
  }
}

private func areSame(_ left: Any, _ right: Any, depth: Int, inDoubt doubt: Doubt) -> Bool {
  guard type(of: left) == type(of: right) else {
    return type(of: left) is AnyClass && type(of: right) is AnyClass && doubt.areSame(left, right)
  }
  if UnsafeValueBytes.areSame(left, right) { return true }
  if depth > 100 { return doubt.areSame(left, right) }
  if let left = left as? String, let right = right as? String {
    return doubt == .same ? left == right : UnsafeValueBytes.areSameText(left, right)
  }
  if doubt.isTrusting, isOfLibrary(type(of: left)), left is any Equatable { return doubt.areSame(left, right) }
  if doubt != .different, let left = left as? any _Elements {
    return left.areSame(right, depth: depth + 1, inDoubt: doubt)
  }
  // Bytes between stored properties mean nothing, so each is looked at by itself.
  let (mirror, other) = (Mirror(reflecting: left), Mirror(reflecting: right))
  guard _isShownWhole(left, by: mirror), _isShownWhole(right, by: other) else { return doubt.areSame(left, right) }
  guard mirror.children.count == other.children.count else {
    // Of an object, as in a cache that is filled on one side, nothing is known.
    let only = (mirror.children.first ?? other.children.first)?.value
    return doubt.isTrusting && mirror.displayStyle == .optional && only.map { type(of: $0) is AnyClass } ?? false
  }
  if mirror.children.isEmpty {
    return mirror.displayStyle == .optional || doubt.areSame(left, right) && !haveOtherNames(left, right)
  }
  return zip(mirror.children, other.children).allSatisfy {
    guard $0.label == $1.label else { return false }
    // What a mirror knows no type of, it shows as nothing.
    return $0.value is Void ? doubt.isTrusting : areSame($0.value, $1.value, depth: depth + 1, inDoubt: doubt)
  }
}

/// Whether two cases that have no `==` are shown by other names.
private func haveOtherNames(_ left: Any, _ right: Any) -> Bool {
  !(left is any Equatable) && "\(left)" != "\(right)"
}

/// Whether a type is Swift's or Foundation's, and has nothing in it of anybody else's.
private func isOfLibrary(_ type: Any.Type) -> Bool {
  let name = _typeName(type, qualified: true)
  return !name.contains("<") && ["Swift.", "Foundation.", "FoundationEssentials."].contains { name.hasPrefix($0) }
}

/// Whether a mirror shows all that is stored: not that of an object, nor one that the type made itself, nor one of a
/// type of the C language, which leaves out bit fields and unions.
package func _isShownWhole(_ value: Any, by mirror: Mirror) -> Bool {
  switch mirror.displayStyle {
  case .optional: return true
  case .enum, .struct, .tuple:
    return (mirror.displayStyle == .enum || !mirror.children.isEmpty) && !(value is any CustomReflectable)
      && !_typeName(type(of: value), qualified: true).hasPrefix("__C")
  default: return false
  }
}

/// Elements that are all there is of a value, although its mirror does not say so.
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

extension ArraySlice: _Elements {
  fileprivate func areSame(_ other: Any, depth: Int, inDoubt doubt: Doubt) -> Bool {
    guard let other = other as? ArraySlice else { return false }
    return Array(self).areSame(Array(other), depth: depth, inDoubt: doubt)
  }
}

extension ContiguousArray: _Elements {
  fileprivate func areSame(_ other: Any, depth: Int, inDoubt doubt: Doubt) -> Bool {
    guard let other = other as? ContiguousArray else { return false }
    return Array(self).areSame(Array(other), depth: depth, inDoubt: doubt)
  }
}

extension Dictionary: _Elements {
  fileprivate func areSame(_ other: Any, depth: Int, inDoubt doubt: Doubt) -> Bool {
    guard let other = other as? [Key: Value], count == other.count else { return false }
    return allSatisfy { key, value in
      guard let index = other.index(forKey: key) else {
        // A key that equals nothing is not found, not even by itself.
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
