/// A document whose undo history can be kept in a file (``UndoHistory/archive()``).
///
/// A history records offsets in memory, which mean nothing in a file. So the document names the parts of it that are
/// edited:
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
/// A name means the same part in every version of the document, so don't reuse it for another part later. Texts and
/// arrays are archivable as they are. Any other collection of `Codable` elements that a cursor can edit needs only an
/// empty conformance.
public protocol UndoArchivable: Codable {
  /// The parts that are edited, each with its own name.
  ///
  /// An edit is kept as an edit of the smallest part that contains it. If you change something outside of all parts
  /// through `currentItem`, the history keeps the whole old document, because it has no name for less. The same change
  /// through a cursor can't be archived (``UndoArchiveError/unnamedPart(step:)``).
  ///
  /// The history reads this property with every change of `currentItem`, so store it in a `static let`.
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

/// A stored property of a document, with its name in the archive of a history.
///
/// For a text or a collection, the archive keeps what an edit replaced; for a dictionary or a set, the key or the
/// member. If the property or its elements are ``UndoArchivable`` themselves, as texts are, it keeps the edits of their
/// parts. For any other property it keeps the value.
public struct UndoPart<Root: Codable>: @unchecked Sendable {
  // Sendable, because it holds only a name, offsets and a type.

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
