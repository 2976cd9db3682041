// The protocol of strings and optional strings, and their assignment through a cursor. The methods that edit a string
// in place, and the recording of the characters that differ, are in `UndoCursor+Text`.

/// A `String` or an optional `String`: an assignment of either records only the characters that differ.
///
/// No other types conform.
public protocol UndoText {
  /// The text; empty for nil.
  var _text: String { get }

  /// The memory that the text owns besides its own bytes.
  var _ownedBytes: Int { get }

  /// Whether both are the same, byte by byte.
  static func _isSame(_ a: Self, _ b: Self) -> Bool

  /// Records how the new text at a cursor differs from the old one.
  static func _recordChange<Place>(from old: Self, to new: Self, at cursor: borrowing UndoCursor<Place, Self>)
}

@_documentation(visibility: internal)
extension String: UndoText {
  /// The text itself.
  public var _text: String { self }

  /// The size of the buffer; 0 for a text of up to 15 bytes, which has none.
  @inlinable
  public var _ownedBytes: Int { String.ownedBytes(ofCount: utf8.count) }

  /// Whether both have the same UTF-8.
  @inlinable
  public static func _isSame(_ a: String, _ b: String) -> Bool { isSameText(a, b) }

  /// Records the part between the common beginning and the common end.
  @inlinable
  public static func _recordChange<Place>(
    from old: String, to new: String, at cursor: borrowing UndoCursor<Place, String>
  ) {
    cursor.recordChange(from: old, to: new)
  }

  @inlinable
  static func ownedBytes(ofCount count: Int) -> Int { count <= 15 ? 0 : 32 &+ count }
}

@_documentation(visibility: internal)
extension Optional: UndoText where Wrapped: UndoText {
  /// The text; empty for nil.
  public var _text: String { self?._text ?? "" }

  /// The memory that the text owns; 0 for nil.
  @inlinable
  public var _ownedBytes: Int { self?._ownedBytes ?? 0 }

  /// Whether both are nil, or both are texts that are the same.
  @inlinable
  public static func _isSame(_ a: Wrapped?, _ b: Wrapped?) -> Bool { areSame(a, b, by: Wrapped._isSame) }

  /// Records the difference of two texts, or the whole text if one of the two is nil.
  @inlinable
  public static func _recordChange<Place>(
    from old: Wrapped?, to new: Wrapped?, at cursor: borrowing UndoCursor<Place, Wrapped?>
  ) {
    if old == nil, new == nil { return }
    let (access, place, offset) = (cursor.access, cursor.place, cursor.offset)
    cursor.recordInOptional {
      if let old, let new {
        Wrapped._recordChange(from: old, to: new, at: UndoCursor<Place, Wrapped>(access, place, offset: offset))
      } else {
        UndoCursor<Place, Wrapped?>(access, place, offset: offset).recordWhole(old)
      }
    }
  }
}

extension UndoCursor where Target: UndoText {
  /// Replaces the text, which may be optional, and records the difference.
  @_alwaysEmitIntoClient
  func assign(_ newValue: Target) {
    let old = replaceTarget(with: newValue)
    Target._recordChange(from: old, to: Place.storesAssignedValue ? newValue : currentItem, at: self)
  }
}
