/// A document whose undo history can be kept in a file (``UndoHistory/archive()``).
///
/// A history records offsets in memory. In a file those would mean nothing, so a document names the parts of it
/// that are edited:
///
/// ```swift
/// struct Note: Codable {
///   var title = ""
///   var lines: [String] = []
///   var isPinned = false
/// }
/// extension Note: UndoArchivable {
///   static let undoParts = [
///     UndoPart<Note>("title", \.title), UndoPart("lines", \.lines), UndoPart("isPinned", \.isPinned),
///   ]
/// }
/// ```
///
/// A name stands for its part in every version of the document: do not give it to another one later. Texts and arrays
/// are archivable as they are, and so is, by one line, any collection of `Codable` elements that a cursor can edit.
public protocol UndoArchivable: Codable {
  /// The parts that are edited, with names that are all different.
  ///
  /// An edit is kept as an edit of the smallest part that contains it. One that changed something outside of all parts
  /// cannot be kept, but for the whole document: so where `currentItem` changed such a property, the history keeps the
  /// whole old document. They are asked for with every edit: store them.
  static var undoParts: [UndoPart<Self>] { get }
}

extension UndoArchivable
where
  Self: MutableCollection & RangeReplaceableCollection & RandomAccessCollection, Index == Int, Element: Codable
{
  /// The elements.
  public static var undoParts: [UndoPart<Self>] { [UndoPart("elements", \.self)] }
}

extension Array: UndoArchivable where Element: Codable {}
extension ContiguousArray: UndoArchivable where Element: Codable {}

extension String: UndoArchivable {
  /// The text.
  public static var undoParts: [UndoPart<String>] { [UndoPart("text", \.self)] }
}

/// A stored property of a document, with the name that it has in the archive of a history.
///
/// Of a text and of a collection the archive keeps what an edit replaced, and of a dictionary or a set the key or the
/// member. Where elements are ``UndoArchivable`` themselves, as texts are, it keeps what an edit did to their parts; so
/// it does for a property that is. Of any other property it keeps the value.
public struct UndoPart<Root: Codable>: @unchecked Sendable {
  // What the part holds are a name, offsets and types.

  package let name: String
  /// The bytes of the property in the document.
  package let bytes: Range<Int>
  package let type: any Codable.Type

  /// Names a property.
  ///
  /// - Precondition: The property is stored, without observers.
  public init<Part: Codable>(_ name: String, _ keyPath: any WritableKeyPath<Root, Part> & Sendable) {
    (self.name, bytes, type) = (name, Self.bytes(of: name, keyPath), Part.self)
  }

  private static func bytes<Part>(of name: String, _ keyPath: WritableKeyPath<Root, Part>) -> Range<Int> {
    guard let offset = MemoryLayout<Root>.offset(of: keyPath) else {
      preconditionFailure("\(name) is a computed or observed property, which cannot be a part")
    }
    return offset..<offset + MemoryLayout<Part>.size
  }
}
