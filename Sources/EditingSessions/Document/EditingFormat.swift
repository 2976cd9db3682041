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
/// Both closures are called outside of the main actor, so that the screen doesn't wait for a large document.
public struct EditingFormat<Document>: Sendable {
  fileprivate let reading: @Sendable (Data) throws -> Document
  fileprivate let writing: @Sendable (Document) throws -> Data
  /// The document for a file that doesn't exist yet, if the format has one.
  let empty: (@Sendable () -> Document)?
  /// Whether a byte order mark isn't part of the document, but stays at the beginning of the file.
  fileprivate let keepsMark: Bool
  /// Whether the file begins with a byte order mark.
  private(set) var hasMark = false

  private static var mark: Data { Data([0xEF, 0xBB, 0xBF]) }
}

extension EditingFormat {
  /// Creates a format from two closures.
  ///
  /// - Parameters:
  ///   - read: Makes the document of a file's contents; throws if the contents aren't a document.
  ///   - write: Makes the contents of a document. The same document should give the same bytes, because a session
  ///     recognizes its own contents by them.
  public init(
    read: @escaping @Sendable (Data) throws -> Document, write: @escaping @Sendable (Document) throws -> Data
  ) {
    self.init(reading: read, writing: write, empty: nil, keepsMark: false)
  }

  func read(_ contents: Data) throws -> Document {
    try reading(beginsWithMark(contents) ? contents.dropFirst(Self.mark.count) : contents)
  }

  func write(_ document: Document) throws -> Data {
    let contents = try writing(document)
    return hasMark ? Self.mark + contents : contents
  }

  /// The format for a file with these contents, which keeps their byte order mark.
  func like(_ contents: Data?) -> EditingFormat {
    var format = self
    format.hasMark = contents.map(beginsWithMark) ?? false
    return format
  }

  var withAndWithoutMark: [EditingFormat] { keepsMark ? [like(nil), like(Self.mark)] : [self] }

  private func beginsWithMark(_ contents: Data) -> Bool { keepsMark && contents.starts(with: Self.mark) }
}

extension EditingFormat where Document == String {
  /// Text in UTF-8.
  ///
  /// A file that isn't valid UTF-8 is refused, because saving it would change more than the user did. A byte order mark
  /// at the beginning of the file isn't part of the document. It stays there, also if text is inserted at the front.
  public static var text: EditingFormat {
    EditingFormat(
      reading: { data in
        if let text = String(validUTF8: data) { return text }
        throw CocoaError(.fileReadInapplicableStringEncoding)
      },
      writing: { Data($0.utf8) }, empty: { "" }, keepsMark: true)
  }
}

extension EditingFormat where Document: Codable & Sendable {
  /// JSON with sorted keys, one to a line.
  ///
  /// The members of sets are sorted too, and so are dictionaries that are encoded as arrays, such as those with enums
  /// as keys. So the same document has the same bytes in every process.
  ///
  /// The first save removes keys that the document doesn't have. It keeps a byte order mark.
  public static func json(_ type: Document.Type = Document.self) -> EditingFormat {
    EditingFormat(
      reading: { try JSONDecoder().decode(Document.self, from: $0) },
      writing: { document in
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return try encoder.encode(_StableValue(value: document))
      }, empty: nil, keepsMark: true)
  }
}

extension String {
  /// Makes a text of valid UTF-8; nil if it isn't valid.
  ///
  /// `String(validating:as:)` needs newer systems than the package does.
  init?(validUTF8 bytes: some Collection<UInt8>) {
    self.init(decoding: bytes, as: UTF8.self)
    guard utf8.elementsEqual(bytes) else { return nil }
  }
}
