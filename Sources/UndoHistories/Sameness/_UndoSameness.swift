public import Sameness

/// Tells whether two values are the same, so that assigning one over the other records nothing.
///
/// This folder contains the code that compares values and finds the parts that an assignment has changed.
///
/// Two values are the same if they have the same type and store the same things. Addresses, spare capacity and the
/// order of sets and dictionaries may differ. If two values can't be proved to be the same, they count as different.
///
/// Equality isn't enough, because it may ignore the normal form of a text, the sign of a zero, and whatever a client's
/// `==` leaves out. Values with different bytes are compared part by part, and texts by their UTF-8. Some types of
/// Foundation keep their contents in objects; for those, `==` and the description decide.
@usableFromInline
enum _UndoSameness {
  /// Whether two values are the same.
  ///
  /// Values that are the same are also equal. Asking `==` first finds most differences faster.
  @inlinable
  static func areSame<Value: Equatable>(_ a: Value, _ b: Value) -> Bool {
    haveSameBytes(a, b) || mayBeSame(a, b) && haveSameParts(a, b)
  }

  /// Whether two values are equal or the same: a NaN doesn't equal itself, but is the same as itself.
  @inlinable
  static func areEqualOrSame<Value: Equatable>(_ a: Value, _ b: Value) -> Bool { a == b || haveSameParts(a, b) }

  /// Whether two values are equal, or may contain a NaN, which doesn't equal itself.
  @inlinable
  static func mayBeSame<Value: Equatable>(_ a: Value, _ b: Value) -> Bool { a == b || _mayEqualNothing(a) }

  /// Whether two values of any type are the same.
  ///
  /// `a` must be the older value. This matters only for lazy properties, because computing one isn't an edit. Values
  /// nested more than a hundred deep count as different, to protect the stack.
  @usableFromInline
  static func haveSameParts<Content>(_ a: Content, _ b: Content, depth: Int = 0) -> Bool {
    if haveSameContents(a, b) { return true }
    if depth > deepest { return false }
    if Content.self is any _UndoStandardType.Type { return haveSameStorage(a, b, depth) }
    let (type, other) = (dynamicType(of: a), dynamicType(of: b))
    func areSame<Whole>(_ type: Whole.Type) -> Bool {
      guard let a = a as? Whole, let b = b as? Whole else { return false }
      return haveSameContents(a, b) || haveSameStorage(a, b, depth)
    }
    return type == other && areSame(type)
  }

  /// Whether two values are leaves (`UndoLeaf`) that are the same by their own `isSame`.
  static func areSameLeaves<Content>(_ a: Content, _ b: Content) -> Bool {
    (Content.self as? any UndoLeaf.Type)?.areSame(a, b) ?? false
  }

  /// Whether two values are the same, if it is known only at run time whether they are `Equatable`.
  @usableFromInline
  static func areSameIfEqual<Content>(_ a: Content, _ b: Content) -> Bool {
    guard let type = Content.self as? any Equatable.Type else { return haveSameParts(a, b) }
    func mayBeSame<Equal: Equatable>(_ type: Equal.Type) -> Bool { Self.mayBeSame(a as? Equal, b as? Equal) }
    return mayBeSame(type) && haveSameParts(a, b)
  }

  /// The type of a value, or of the value in an existential.
  static func dynamicType<Content>(of content: Content) -> Any.Type {
    // Without `as`, this would be the existential type, like `Content.self`.
    type(of: content as Any)
  }

  /// Whether two values with different bytes are the same; their type isn't an existential.
  private static func haveSameStorage<Whole>(_ a: Whole, _ b: Whole, _ depth: Int) -> Bool {
    if let a = a as? any _UndoStandardType, Whole.self is any _UndoStandardType.Type {
      return a.isSame(as: b, depth: depth + 1)
    }
    return haveSameFields(a, b, depth) || _UndoWeight.retainsMemory(Whole.self) && _areEqualInLibrary(a, b)
  }

  /// Whether two values are the same in every part that their mirrors show.
  private static func haveSameFields<Whole>(_ a: Whole, _ b: Whole, _ depth: Int) -> Bool {
    guard isReflected(Whole.self) else { return false }
    let (mirror, other) = (Mirror(reflecting: a), Mirror(reflecting: b))
    guard mirror.displayStyle == other.displayStyle, mirror.children.count == other.children.count else { return false }
    switch mirror.displayStyle {
    case .enum where mirror.children.isEmpty: return areSameCases(a, b)
    case .struct where mirror.children.isEmpty, .tuple where mirror.children.isEmpty: return false
    case .struct, .tuple, .enum: break
    default: return false
    }
    return zip(mirror.children, other.children).allSatisfy {
      $0.label == $1.label
        && (isUncomputed($0.value, named: $0.label) || areSameFields($0.value, $1.value, depth + 1))
    }
  }

  /// Whether the mirror of a value of this type shows everything that is stored.
  ///
  /// It doesn't for an object, a type with a custom mirror, a type from C, which may have bit fields and unions, or an
  /// inline array.
  static func isReflected<Content>(_ type: Content.Type) -> Bool {
    if type is AnyClass || type is any CustomReflectable.Type { return false }
    let name = _typeName(type, qualified: true)
    return !["__C", "Swift.InlineArray<", "Builtin."].contains(where: name.hasPrefix)
  }

  /// Whether a stored property belongs to a lazy property that isn't computed yet.
  ///
  /// Reading the lazy property computes it, which isn't an edit.
  static func isUncomputed<Field>(_ field: Field, named name: String?) -> Bool {
    guard name?.hasPrefix("$__lazy_storage_$_") == true else { return false }
    let mirror = Mirror(reflecting: field)
    return mirror.displayStyle == .optional && mirror.children.isEmpty
  }

  /// The deepest level at which nested values are still compared.
  static var deepest: Int { 100 }

  /// Whether a type is Foundation's `Data`, which this module knows only by name because it doesn't import Foundation.
  @usableFromInline
  static func isData<Content>(_ type: Content.Type) -> Bool {
    ["Foundation.Data", "FoundationEssentials.Data"].contains(_typeName(type, qualified: true))
  }

  /// Whether two enum cases without a payload have the same name; their bytes may contain anything.
  ///
  /// If the name isn't known, the name of the type is printed instead.
  private static func areSameCases<Whole>(_ a: Whole, _ b: Whole) -> Bool {
    if Whole.self is any CustomStringConvertible.Type || Whole.self is any CustomDebugStringConvertible.Type
      || Whole.self is any TextOutputStreamable.Type
    {
      return false
    }
    let name = "\(a)"
    return name == "\(b)" && name != _typeName(Whole.self, qualified: false)
  }

  /// Whether a field of two mirrors is the same.
  static func areSameFields(_ a: Any, _ b: Any, _ depth: Int = 0) -> Bool {
    func areSame<Field>(_ a: Field) -> Bool {
      func areSame<Other>(_ b: Other) -> Bool {
        guard Other.self == Field.self, let b = b as? Field else { return false }
        return haveSameParts(a, b, depth: depth)
      }
      return areSame(b)
    }
    return areSame(a)
  }
}

extension Collection {
  /// Whether two collections have the same elements in the same order.
  @usableFromInline
  func hasSameElements(as other: Self, depth: Int = 0) -> Bool {
    count == other.count && zip(self, other).allSatisfy { _UndoSameness.haveSameParts($0, $1, depth: depth) }
  }
}

extension Set {
  /// Whether every member that equals one of the other set is the same.
  @usableFromInline
  func hasSameMembers(as other: Set<Element>, depth: Int = 0) -> Bool {
    allSatisfy { member in
      guard let index = other.firstIndex(of: member) else { return true }
      return _UndoSameness.haveSameParts(member, other[index], depth: depth)
    }
  }
}

extension Dictionary {
  /// Whether every key that equals one of the other dictionary is the same.
  @usableFromInline
  func hasSameKeys(as other: [Key: Value], depth: Int = 0) -> Bool {
    allSatisfy { key, _ in
      guard let index = other.index(forKey: key) else { return true }
      return _UndoSameness.haveSameParts(key, other[index].key, depth: depth)
    }
  }
}

extension Optional {
  /// Whether both are nil, or both wrap values that are the same.
  @inlinable
  static func areSame(_ a: Wrapped?, _ b: Wrapped?, by isSame: (Wrapped, Wrapped) -> Bool) -> Bool {
    guard let a, let b else { return a == nil && b == nil }
    return isSame(a, b)
  }
}

extension String {
  /// Whether two texts have the same UTF-8.
  ///
  /// `==` doesn't distinguish composed from decomposed characters.
  @inlinable
  static func isSameText(_ a: String, _ b: String) -> Bool {
    isUnlikely(_UndoSameness.haveSameBytes(a, b))
      || isUnlikely(a.utf8.count == b.utf8.count) && UnsafeValueBytes.areSameText(a, b)
  }
}
