public import Sameness

/// Whether two values are the same.
///
/// Two values are the same if they have one type and nothing that is stored in them tells them apart, except for
/// addresses, spare capacity and the order of sets and dictionaries. Where that cannot be proved, they are not the
/// same: it is a step.
///
/// So equality proves nothing. It may leave out the normal form of a text, the sign of a zero, and all that an `==` of
/// the document's own does not look at. Values with other bytes are looked into, part by part. Of texts the UTF-8 is
/// compared; of what has no parts the bytes. Of Foundation's types some keep their contents in objects: there `==` and
/// the description are believed.
@usableFromInline
enum _UndoSameness {
  /// Whether two values are the same.
  ///
  /// Values that are the same are equal: to ask that first is the short way to most differences.
  @inlinable
  static func areSame<Value: Equatable>(_ a: Value, _ b: Value) -> Bool {
    haveSameBytes(a, b) || mayBeSame(a, b) && haveSameParts(a, b)
  }

  /// Whether two values are equal, or the same: what does not even equal itself, as a NaN, is the same as itself.
  @inlinable
  static func areEqualOrSame<Value: Equatable>(_ a: Value, _ b: Value) -> Bool { a == b || haveSameParts(a, b) }

  /// Whether two values are equal, or equality tells nothing of them: a NaN does not even equal itself, nor does what
  /// holds one equal a copy in other storage.
  @inlinable
  static func mayBeSame<Value: Equatable>(_ a: Value, _ b: Value) -> Bool { a == b || _mayEqualNothing(a) }

  /// Whether two values are the same, which are not known to be equatable.
  ///
  /// Which one is the older matters for lazy properties alone: to have computed one meanwhile is no edit.
  ///
  /// What lies more than a hundred values deep is not looked into, for the sake of the stack: there it cannot be
  /// proved.
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

  /// Whether two values are leaves, which are the same by their own rule: as two of an URL, each with an object.
  ///
  /// Not asked by `haveSameParts`, which is the rule of other leaves.
  static func areSameLeaves<Content>(_ a: Content, _ b: Content) -> Bool {
    (Content.self as? any UndoLeaf.Type)?.areSame(a, b) ?? false
  }

  /// Whether two values are the same, where it is known at run time only whether they can be equal.
  static func areSameIfEqual<Content>(_ a: Content, _ b: Content) -> Bool {
    guard let type = Content.self as? any Equatable.Type else { return haveSameParts(a, b) }
    func mayBeSame<Equal: Equatable>(_ type: Equal.Type) -> Bool { Self.mayBeSame(a as? Equal, b as? Equal) }
    return mayBeSame(type) && haveSameParts(a, b)
  }

  /// The type of a value, or of what is in it where its type is an existential.
  static func dynamicType<Content>(of content: Content) -> Any.Type {
    // `Content.self` would be the existential itself, and so would the type of the value without `as`.
    type(of: content as Any)
  }

  /// Whether two values of a type that is no existential are the same in every part, their bytes being different.
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

  /// Whether a mirror shows all that is stored in a value of this type.
  ///
  /// That of an object does not, nor one that the type made itself. Of a type of the C language it leaves out bit
  /// fields and unions. That of an inline array shows something of which no type is known.
  static func isReflected<Content>(_ type: Content.Type) -> Bool {
    if type is AnyClass || type is any CustomReflectable.Type { return false }
    let name = _typeName(type, qualified: true)
    return !["__C", "Swift.InlineArray<", "Builtin."].contains(where: name.hasPrefix)
  }

  /// Whether a stored property is that of a lazy one which is not computed yet.
  ///
  /// Reading the lazy property fills it in, so that the value it gets then is no edit.
  static func isUncomputed<Field>(_ field: Field, named name: String?) -> Bool {
    guard name?.hasPrefix("$__lazy_storage_$_") == true else { return false }
    let mirror = Mirror(reflecting: field)
    return mirror.displayStyle == .optional && mirror.children.isEmpty
  }

  /// How many values within values are looked into.
  static var deepest: Int { 100 }

  /// Whether a type is Foundation's `Data`, which this module cannot name otherwise.
  @usableFromInline
  static func isData<Content>(_ type: Content.Type) -> Bool {
    ["Foundation.Data", "FoundationEssentials.Data"].contains(_typeName(type, qualified: true))
  }

  /// Whether two cases without payload are the same one: there, bytes may mean nothing.
  ///
  /// Where the name is not known, the name of the type is printed in its place.
  private static func areSameCases<Whole>(_ a: Whole, _ b: Whole) -> Bool {
    if Whole.self is any CustomStringConvertible.Type || Whole.self is any CustomDebugStringConvertible.Type
      || Whole.self is any TextOutputStreamable.Type
    {
      return false
    }
    let name = "\(a)"
    return name == "\(b)" && name != _typeName(Whole.self, qualified: false)
  }

  /// Whether the same field of two values is the same, as their mirrors show it: with its own type, be it an
  /// existential.
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

extension String {
  /// Whether the two consist of the same bytes.
  ///
  /// Equality would not tell composed from decomposed characters.
  @inlinable
  static func isSameText(_ a: String, _ b: String) -> Bool {
    isUnlikely(_UndoSameness.haveSameBytes(a, b))
      || isUnlikely(a.utf8.count == b.utf8.count) && _UnsafeUndoBytes.isSameText(a, b)
  }
}
