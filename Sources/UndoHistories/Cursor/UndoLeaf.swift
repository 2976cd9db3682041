public import Sameness

// The protocol of leaves, the comparison by which assigning the same leaf records nothing, and the leaves of the
// standard library. The assignment is in `UndoCursor` for a property, and in `UndoCursor+Elements` and
// `UndoCursor+Hashed` for an element. The leaves of Foundation are in the target `FoundationLeaves`.

/// A value so small that a history records the whole old value when you assign a new one.
///
/// You can assign a leaf through a cursor: `history.edit.count = 3`. Make your own type a leaf with one line:
///
/// ```swift
/// enum Priority { case low, high }
/// extension Priority: UndoLeaf {}
/// ```
///
/// Leaves are the integers of up to 64 bits, `Float`, `Double`, `Bool`, `Character`, `Unicode.Scalar`, `Duration`,
/// ranges of leaves, and optionals of leaves. With `FoundationLeaves`, a library that comes with `Unsaved`, `Date`,
/// `UUID`, `URL`, `Decimal` and `CGFloat` are leaves too:
///
/// ```swift
/// struct Stay { var booked: Date, nights: ClosedRange<Int>, page: URL? = nil }
///
/// var history = UndoHistory(initialValue: Stay(booked: .distantFuture, nights: 1...3))
/// history.edit.booked = .now
/// history.edit.nights = 2...5
/// history.edit.page = URL(string: "https://example.com")
/// ```
///
/// Don't make a type a leaf if it contains a collection or a text of any length, because a cursor records an edit of
/// those instead of the whole value. If the compiler asks for a leaf, edit a part, as in
/// `history.edit.address.town = "Ockham"`, or replace the value: `history.edit.address.set(other)`. For example,
/// points, sizes and rectangles aren't leaves: `history.edit.frame.origin.x += 8`, and
/// `history.edit.frame.set(rectangle)`. You can assign strings too, but they aren't leaves, because they can be edited
/// in place. `Data` isn't a leaf either, but a collection of bytes: `history.edit.photo.append(contentsOf: bytes)`, and
/// `history.edit.photo.set(other)`.
public protocol UndoLeaf {
  /// Whether two values are the same, so that assigning one over the other records nothing.
  ///
  /// By default, values with the same bytes are the same, and so are equal values of an `Equatable` type if nothing
  /// stored in them differs (``UndoHistory/currentItem``). Your own implementation is used when a cursor assigns the
  /// value; if it returns true, the old value stays. It isn't used when `currentItem` is compared.
  static func isSame(_ a: Self, _ b: Self) -> Bool
}

extension UndoLeaf {
  /// Whether the two have the same bytes, except for padding.
  @_documentation(visibility: internal)
  @inlinable
  public static func isSame(_ a: Self, _ b: Self) -> Bool { UnsafeValueBytes.areSameExceptPadding(a, b) }

  /// Whether the two have the same bytes, or nothing stored in them differs and they are equal or may contain a NaN.
  @_documentation(visibility: internal)
  @inlinable
  public static func isSame(_ a: Self, _ b: Self) -> Bool where Self: Equatable { _UndoSameness.areSame(a, b) }

  /// Whether the two are equal.
  @_documentation(visibility: internal)
  @inlinable
  public static func isSame(_ a: Self, _ b: Self) -> Bool where Self: Equatable & FixedWidthInteger { a == b }

  /// Whether the two are the same number with the same sign, or the same NaN.
  @_documentation(visibility: internal)
  @inlinable
  public static func isSame(_ a: Self, _ b: Self) -> Bool where Self: Equatable & BinaryFloatingPoint {
    UnsafeValueBytes.areSame(a, b)
  }

  /// Calls `isSame` for values that are known to be leaves only at run time.
  @inlinable
  static func areSame<Value>(_ a: Value, _ b: Value) -> Bool {
    guard let a = a as? Self, let b = b as? Self else { return false }
    return isSame(a, b)
  }
}

extension Int: UndoLeaf {}
extension Int8: UndoLeaf {}
extension Int16: UndoLeaf {}
extension Int32: UndoLeaf {}
extension Int64: UndoLeaf {}
extension UInt: UndoLeaf {}
extension UInt8: UndoLeaf {}
extension UInt16: UndoLeaf {}
extension UInt32: UndoLeaf {}
extension UInt64: UndoLeaf {}
extension Float: UndoLeaf {}
extension Double: UndoLeaf {}
extension Unicode.Scalar: UndoLeaf {}
extension Duration: UndoLeaf {}

extension Bool: UndoLeaf {
  /// Whether the two are equal.
  @_documentation(visibility: internal)
  @inlinable
  public static func isSame(_ a: Bool, _ b: Bool) -> Bool { a == b }
}

extension Character: UndoLeaf {
  /// Whether the two consist of the same scalars.
  ///
  /// `==` doesn't tell composed from decomposed characters.
  @_documentation(visibility: internal)
  @inlinable
  public static func isSame(_ a: Character, _ b: Character) -> Bool { a.utf8.elementsEqual(b.utf8) }
}

extension Optional: UndoLeaf where Wrapped: UndoLeaf {
  /// Whether both are nil, or both wrap values that are the same.
  @_documentation(visibility: internal)
  @inlinable
  public static func isSame(_ a: Wrapped?, _ b: Wrapped?) -> Bool { areSame(a, b, by: Wrapped.isSame) }
}

extension Range: UndoLeaf where Bound: UndoLeaf {
  /// Whether both bounds are the same.
  @_documentation(visibility: internal)
  @inlinable
  public static func isSame(_ a: Range, _ b: Range) -> Bool {
    Bound.isSame(a.lowerBound, b.lowerBound) && Bound.isSame(a.upperBound, b.upperBound)
  }
}

extension ClosedRange: UndoLeaf where Bound: UndoLeaf {
  /// Whether both bounds are the same.
  @_documentation(visibility: internal)
  @inlinable
  public static func isSame(_ a: ClosedRange, _ b: ClosedRange) -> Bool {
    Bound.isSame(a.lowerBound, b.lowerBound) && Bound.isSame(a.upperBound, b.upperBound)
  }
}
