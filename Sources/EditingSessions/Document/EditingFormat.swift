public import Journals

/// How a document is written to its file and read from it.
///
/// ```swift
/// struct Note: Codable, Sendable { var title = "", lines: [String] = [] }
///
/// let text = EditingFormat.text               // a String as UTF-8
/// let json = EditingFormat.json(Note.self)    // anything Codable
/// let lines = EditingFormat<Note>(
///   read: { Note(lines: String(decoding: $0, as: UTF8.self).split(separator: "\n").map(String.init)) },
///   write: { Data($0.lines.joined(separator: "\n").utf8) })
/// ```
///
/// The two are called outside of the main actor, so that no screen waits for a large document. The exception is another
/// program's contents that ten edits in turn kept from being absorbed.
public struct EditingFormat<Document>: Sendable {
  let read: @Sendable (Data) throws -> Document
  let write: @Sendable (Document) throws -> Data
  /// The document of a file that is not there yet, where the format has one.
  let empty: (@Sendable () -> Document)?

  /// Makes a format of two closures.
  ///
  /// - Parameters:
  ///   - read: Makes the document of a file's contents, and throws where they are none.
  ///   - write: Makes the contents of a document. The same document should give the same bytes: a session knows by them
  ///     what it wrote itself.
  public init(
    read: @escaping @Sendable (Data) throws -> Document, write: @escaping @Sendable (Document) throws -> Data
  ) {
    self.init(read: read, write: write, empty: nil)
  }

  init(
    read: @escaping @Sendable (Data) throws -> Document, write: @escaping @Sendable (Document) throws -> Data,
    empty: (@Sendable () -> Document)?
  ) {
    (self.read, self.write, self.empty) = (read, write, empty)
  }
}

extension EditingFormat where Document == String {
  /// A text in UTF-8.
  ///
  /// A file that is no UTF-8 is refused, since saving it would change more than the user did.
  public static var text: EditingFormat {
    EditingFormat(
      read: { data in
        if let text = String(validating: data, as: UTF8.self) { return text }
        throw CocoaError(.fileReadInapplicableStringEncoding)
      },
      write: { Data($0.utf8) }, empty: { "" })
  }
}

extension EditingFormat where Document: Codable & Sendable {
  /// JSON with sorted keys, one to a line.
  ///
  /// The members of sets are sorted, too, and so are dictionaries that become arrays, as those with enums as keys do: a
  /// document that is the same has the same bytes in every process.
  ///
  /// Keys that the document does not have are gone with the first save.
  public static func json(_ type: Document.Type = Document.self) -> EditingFormat {
    EditingFormat(
      read: { try JSONDecoder().decode(Document.self, from: $0) },
      write: { document in
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return try encoder.encode(_StableValue(document))
      })
  }
}
