public import Sameness

/// Tells whether two values are the same, so that assigning one over the other records nothing.
///
/// This folder contains the code that compares values and finds the parts that an assignment has changed. Here, the
/// answer is only yes or no, for values of any type, and for sets, dictionary keys, optionals and texts.
///
/// Two values are the same if they have the same type and store the same things. The comparison of any two values by
/// what they store is in the target `Sameness` (`_haveSameContents`). If two values can't be proved to be the same,
/// they count as different.
@usableFromInline
enum _UndoSameness {
  /// Whether two values are the same.
  ///
  /// Values that are the same are also equal. Asking `==` first finds most differences faster.
  @inlinable
  static func areSame<Value: Equatable>(_ a: Value, _ b: Value) -> Bool {
    UnsafeValueBytes.areSame(a, b) || mayBeSame(a, b) && _haveSameContents(a, b)
  }

  /// Whether two values are equal, or may contain a NaN, which doesn't equal itself.
  @inlinable
  static func mayBeSame<Value: Equatable>(_ a: Value, _ b: Value) -> Bool { a == b || _mayEqualNothing(a) }

  /// Whether two values are the same, if it is known only at run time whether they are `Equatable`.
  @usableFromInline
  static func areSameIfEqual<Content>(_ a: Content, _ b: Content) -> Bool {
    guard let type = Content.self as? any Equatable.Type else { return _haveSameContents(a, b) }
    func mayBeSame<Equal: Equatable>(_ type: Equal.Type) -> Bool { Self.mayBeSame(a as? Equal, b as? Equal) }
    return mayBeSame(type) && _haveSameContents(a, b)
  }

  /// Whether two values are leaves (`UndoLeaf`) that are the same by their own `isSame`.
  static func areSameLeaves<Content>(_ a: Content, _ b: Content) -> Bool {
    (Content.self as? any UndoLeaf.Type)?.areSame(a, b) ?? false
  }
}

extension Collection where Element: Equatable {
  /// Whether every element that equals one of the other collection is the same; both are sets, or the keys of
  /// dictionaries.
  @inlinable
  func hasSameElements(as other: Self) -> Bool {
    allSatisfy { element in other.firstIndex(of: element).map { _haveSameContents(element, other[$0]) } ?? true }
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
    isUnlikely(UnsafeValueBytes.areSame(a, b))
      || isUnlikely(a.utf8.count == b.utf8.count) && UnsafeValueBytes.areSameText(a, b)
  }
}
