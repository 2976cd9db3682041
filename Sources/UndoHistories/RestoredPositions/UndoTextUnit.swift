// The public types that a restored position needs: the unit in which it counts (`UndoTextUnit`), the types that a
// position can have (`UndoMovablePosition`), and those in which it can lie (`UndoPositionContainer`). A position as
// steps keep it, and its moves over edits, are in `_UndoRestoredPosition`.

/// The unit in which a restored position counts the text before it (``UndoHistory/restoreOnUndo(_:in:unit:)``).
@frozen
public enum UndoTextUnit: Hashable, Sendable {
  /// Bytes of UTF-8, as the edits of a text count them.
  case utf8

  /// UTF-16 code units, as `NSRange` and the text views of Apple's systems count them.
  case utf16
}

/// A position that can move with remote edits: an `Int` or a `Range<Int>`, which may be optional.
///
/// No other types conform.
public protocol UndoMovablePosition {
  /// The offsets of a range, twice the same offset for a number, or nil.
  var _bounds: Range<Int>? { get }

  /// Creates a position with these offsets; a type that isn't optional takes 0 for nil.
  init(_bounds: Range<Int>?)
}

@_documentation(visibility: internal)
extension Int: UndoMovablePosition {
  /// Twice the number.
  public var _bounds: Range<Int>? { self..<self }

  /// Creates the first offset.
  public init(_bounds: Range<Int>?) { self = _bounds?.lowerBound ?? 0 }
}

@_documentation(visibility: internal)
extension Range: UndoMovablePosition where Bound == Int {
  /// The range itself.
  public var _bounds: Range<Int>? { self }

  /// Creates the range.
  public init(_bounds: Range<Int>?) { self = _bounds ?? 0..<0 }
}

@_documentation(visibility: internal)
extension Optional: UndoMovablePosition where Wrapped: UndoMovablePosition {
  /// The offsets of the value, or nil.
  public var _bounds: Range<Int>? { self?._bounds }

  /// Creates the value, or nil.
  public init(_bounds: Range<Int>?) { self = _bounds.map { Wrapped(_bounds: $0) } }
}

/// A text or an array, in which a position can lie.
///
/// No other types conform.
public protocol UndoPositionContainer: BidirectionalCollection {}

@_documentation(visibility: internal)
extension String: UndoPositionContainer {}

@_documentation(visibility: internal)
extension Array: UndoPositionContainer {}
