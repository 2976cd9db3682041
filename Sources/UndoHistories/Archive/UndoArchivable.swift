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
/// Of a text and of a collection the archive keeps what an edit replaced; of any other property the value.
public struct UndoPart<Root: Codable>: @unchecked Sendable {
  // What the closures hold are a key path, which is sendable, and types.

  let name: String
  /// Where the property lies in the document.
  let bytes: Range<Int>
  /// What an edit of the part did, which left the document like this.
  let patch: (UndoEdit, Root) -> any Encodable
  let decodePatch: (any Decoder) throws -> any Encodable
  /// Makes an edit; false, and nothing done, where it does not fit the document.
  let perform: (any Encodable, borrowing UndoHistory<Root>.Editor) -> Bool

  /// Names a property.
  ///
  /// - Precondition: The property is stored, without observers.
  @_disfavoredOverload
  public init<Part: Codable>(_ name: String, _ keyPath: any WritableKeyPath<Root, Part> & Sendable) {
    self.init(name, keyPath, piece: Optional<(Range<Int>, Part) -> Bool>.none, replace: { _, _ in false })
  }

  /// Names a text.
  ///
  /// - Precondition: The property is stored, without observers.
  public init(_ name: String, _ keyPath: any WritableKeyPath<Root, String> & Sendable) {
    self.init(name, keyPath, piece: { $1.slice(utf8: $0) }, replace: { $0.replace(in: $1) })
  }

  /// Names a collection of which elements are edited.
  ///
  /// - Precondition: The property is stored, without observers.
  public init<Elements: MutableCollection & RangeReplaceableCollection & RandomAccessCollection & Codable>(
    _ name: String, _ keyPath: any WritableKeyPath<Root, Elements> & Sendable
  ) where Elements.Index == Int, Elements.Element: Codable {
    self.init(name, keyPath, piece: { Array($1[$0]) }, replace: { $0.replace(in: $1) })
  }

  /// The whole document, as a part without a name.
  static var whole: UndoPart { UndoPart("", \Root.self) }

  private init<Part: Codable, Piece: Codable>(
    _ name: String, _ keyPath: WritableKeyPath<Root, Part>,
    piece: ((Range<Int>, Part) -> Piece)?,
    replace: @escaping (_UndoPatch<Part, Piece>, borrowing UndoCursor<_UndoRoot<Root>, Part>) -> Bool
  ) {
    guard let offset = MemoryLayout<Root>.offset(of: keyPath) else {
      preconditionFailure("\(name) is a computed or observed property, which cannot be a part")
    }
    let bytes = offset..<offset + MemoryLayout<Part>.size
    self.name = name
    self.bytes = bytes
    patch = { edit, root in
      let part = root[keyPath: keyPath]
      guard let piece, edit.bytes == bytes else { return _UndoPatch<Part, Piece>.value(part) }
      return _UndoPatch<Part, Piece>(edit.kind, part) { piece($0, part) }
    }
    decodePatch = { try _UndoPatch<Part, Piece>(from: $0) }
    perform = { patch, editor in
      guard let patch = patch as? _UndoPatch<Part, Piece> else { return false }
      let cursor = UndoCursor<_UndoRoot<Root>, Part>(editor.access, _UndoRoot(), offset: offset)
      if case .value(let value) = patch {
        cursor.set(value)
        return true
      }
      return replace(patch, cursor)
    }
  }
}
