public import Foundation
@_exported public import UndoHistories

// The types of Foundation that are leaves. `Data` isn't one: a leaf is read, changed and recorded as a whole, so
// `edit.data.append(1)` would record all of it.

extension Date: UndoLeaf {}

// Points, sizes and rectangles aren't leaves, so `edit.frame.origin.x += 1` records eight bytes. To assign a whole
// rectangle, use `edit.frame.set(_:)`.
extension CGFloat: UndoLeaf {}

extension UUID: UndoLeaf {
  /// Whether the two are equal.
  @_documentation(visibility: internal)
  @inlinable
  public static func isSame(_ a: UUID, _ b: UUID) -> Bool { a == b }
}

extension Decimal: UndoLeaf {
  /// Whether the two are equal and have the same exponent.
  ///
  /// Equality doesn't distinguish `1.5` from `1.50`. Decimals have no signed zero, and not-a-number is the same as
  /// itself.
  @_documentation(visibility: internal)
  public static func isSame(_ a: Decimal, _ b: Decimal) -> Bool {
    a.isNaN ? b.isNaN : a == b && a.exponent == b.exponent
  }
}

extension URL: UndoLeaf {
  /// Whether the two have the same text, byte by byte, relative to the same base.
  ///
  /// Comparing the memory of the values isn't enough, because each new URL stores its text in memory of its own.
  @_documentation(visibility: internal)
  public static func isSame(_ a: URL, _ b: URL) -> Bool {
    guard a == b, a.relativeString.utf8.elementsEqual(b.relativeString.utf8) else { return false }
    guard let base = a.baseURL, let other = b.baseURL else { return a.baseURL == b.baseURL }
    return isSame(base, other)
  }
}
