public import UndoHistories

extension UndoHistory where Value: Codable {
  /// The steps of a history, in a form that can be kept beside the document: any `Codable` format will do.
  ///
  /// ```swift
  /// import Foundation
  ///
  /// var history = UndoHistory(initialValue: "Hello")
  /// history.edit.append(", world")
  /// let file = try JSONEncoder().encode(history.archive())
  ///
  /// var restored = UndoHistory(initialValue: history.currentItem)
  /// try restored.restoreSteps(from: JSONDecoder().decode(UndoHistory<String>.Archive.self, from: file))
  /// restored.undo()
  /// print(restored.currentItem)  // Hello
  /// ```
  ///
  /// The document itself is not in it: the archive belongs to the rest of it, and is good for that very state of it
  /// only. It holds names, numbers, texts and values of the document's parts, and nothing that depends on how a build
  /// lays them out.
  ///
  /// **Exactness.** Texts, numbers and Booleans come back as they are from any encoder. Values of types of your own are
  /// encoded by it: use one that gives back every text byte by byte and every number bit by bit. `JSONEncoder` does,
  /// with its own strategies. A binary property list does not: of two texts that are canonically equal it makes one.
  /// Nor does a strategy that rounds, as that of dates in ISO 8601. An archive has a digest of itself, and one that
  /// comes back changed is refused: ``UndoArchiveError/changed``. Only of a NaN the other bits are not looked at.
  public struct Archive {
    let contents: Contents
    /// The same in the compact form.
    private let bytes: [UInt8]
    /// Values in it that an encoder has to write.
    private let pieces: [any Encodable]
    /// How fields that no part names are written; nil where they are not.
    let fieldCoding: UndoPieceCoding?
    /// Whether no text, number or value in here is another than when the archive was made.
    let isAsItWasMade: Bool

    /// What the archive holds.
    struct Contents {
      /// A digest of the document to which the steps belong.
      let document: UInt64
      /// What a later version of the document's type knows it by; nil where the archive is kept together with its
      /// document.
      let known: _UndoKnownDocument?
      /// What takes the document back step by step, newest step first.
      var undo: [Step] = []
      /// What takes the document forward again.
      var redo: [Step] = []
      /// How many steps could be undone at the saved point.
      var saved: Int?
      /// The carried values of the document, as they were then; nil where nothing is carried.
      var carried: [_UndoPatch]?
      /// What was set aside; nil where branches are dropped.
      var branches: Branches?
      /// Whose the steps are, oldest first, and those of branches; nil where no origin was used.
      var origins: _UndoArchivedOrigins?
    }

    struct Step {
      var label: String?
      var edits: [_UndoPatch]
      /// The values that the step carries, as they were before it and behind it; nil where it has none.
      var carried: Carried?
      /// Where it is none, but an edit that was absorbed between two steps.
      var absorbed: Absorbed?
    }

    struct Absorbed: Equatable {
      let id: UInt64
      /// Whether it is in the way of the step below it.
      let blocks: Bool
      /// Whether it becomes part of a step in its way.
      var isOfStore = false
    }

    struct Carried {
      let before: [_UndoPatch]
      let after: [_UndoPatch]
    }

    init(_ contents: Contents, fields coding: UndoPieceCoding?) throws {
      var pieces: [any Encodable] = []
      var writer = _UndoWriter { pieces.append($0) }
      try contents.write(to: &writer)
      self.init(contents, writer.bytes, pieces, coding, isAsItWasMade: true)
    }

    private init(
      _ contents: Contents, _ bytes: [UInt8], _ pieces: [any Encodable], _ fieldCoding: UndoPieceCoding?,
      isAsItWasMade: Bool
    ) {
      (self.contents, self.bytes, self.pieces) = (contents, bytes, pieces)
      (self.fieldCoding, self.isAsItWasMade) = (fieldCoding, isAsItWasMade)
    }

    /// An archive of these very contents, as somebody makes who knows the form; for tests.
    package func forged() -> Archive { Archive(contents, bytes, pieces, fieldCoding, isAsItWasMade: true) }

    /// Whether branches were kept in the history.
    package var keepsBranches: Bool { contents.branches != nil }
  }
}

// What an archive holds are parts of earlier documents: as safe to send as a document.
extension UndoHistory.Archive: @unchecked Sendable where Value: Sendable {}

extension UndoHistory.Archive: CustomStringConvertible {
  /// The number of steps each way.
  public var description: String {
    "UndoHistory.Archive(undo: \(contents.count - contents.redo.count), redo: \(contents.redo.count))"
  }
}

// MARK: - Coding

// What an archive holds stands behind the version of the form. The digest ends the bytes: where the archive is not as
// it was made, one is written that does not fit, so that no copy of it looks as if it were.

extension UndoHistory.Archive {
  /// The version of the form that is written.
  private static var version: Int { 1 }

  /// The archive in bytes, as the log of a session has it.
  ///
  ///     | version | count | piece | ... | contents | digest |      piece: | bytes | ... |
  ///
  /// The digest is of the bytes: what a later version of a type encodes of a piece is something else.
  ///
  /// - Parameter coding: Writes the pieces that have no compact form.
  package func bytes(_ coding: UndoPieceCoding) throws -> [UInt8] {
    var writer = _UndoWriter(coding)
    writer.write(Self.version)
    writer.write(pieces.count)
    for piece in pieces { try writer.write(piece: piece) }
    return try ended(&writer, beside: [])
  }

  /// Reads an archive.
  ///
  /// - Throws: Also where a later version wrote it.
  package init(_ bytes: [UInt8], _ coding: UndoPieceCoding) throws(UndoFormError) {
    do { try self.init(bytes, coding, decode: nil) } catch { throw error as? UndoFormError ?? .damaged(offset: 0) }
  }

  /// Reads an archive.
  ///
  /// - Parameter decode: Gives the pieces; without it they are among the bytes.
  /// - Throws: `UndoFormError`, and what reading a piece throws.
  private init(
    _ bytes: [UInt8], _ coding: UndoPieceCoding?, decode: ((any Decodable.Type) throws -> any Decodable)?
  ) throws {
    var (pieces, encoded): ([any Encodable], ArraySlice<[UInt8]>) = ([], [])
    var reader = _UndoReader(bytes, coding) { type in
      let piece = try decode.map { try $0(type) } ?? encoded.popFirst().flatMap { try coding?.decode(type, $0) }
      guard let piece, let encodable = piece as? any Encodable else { throw UndoFormError.damaged(offset: 0) }
      pieces.append(encodable)
      return piece
    }
    let version = try reader.readNumber()
    guard version <= Self.version else { throw UndoFormError.newer(version: version) }
    guard version == Self.version else { throw reader.damage }
    if decode == nil { for _ in 0..<(try reader.readCountOfBytes()) { encoded.append(try reader.readBytes()) } }
    let start = reader.offset
    let contents = try Contents(from: &reader)
    let end = reader.offset
    let digest = try reader.readNumber()
    guard reader.isAtEnd else { throw reader.damage }
    let isAsItWasMade = digest == (try Self.digest(of: bytes[..<end], decode == nil ? [] : pieces))
    self.init(contents, Array(bytes[start..<end]), pieces, coding, isAsItWasMade: isAsItWasMade)
  }

  /// All bytes, with contents and digest behind what was written; that is also of pieces that are kept elsewhere.
  private func ended(_ writer: inout _UndoWriter, beside pieces: [any Encodable]) throws -> [UInt8] {
    writer.bytes += bytes
    let digest = try Self.digest(of: writer.bytes[...], pieces)
    writer.write(isAsItWasMade ? digest : ~digest)
    return writer.bytes
  }

  /// A digest of bytes, and of what pieces encode, by whatever encoder.
  private static func digest(of bytes: ArraySlice<UInt8>, _ pieces: [any Encodable]) throws -> UInt64 {
    try pieces.reduce(_UndoDigest.ofBytes(bytes)) { _UndoDigest.mix($0, try _UndoDigest.of($1)) }
  }
}

extension UndoHistory.Archive: Codable {
  private enum CodingKeys: CodingKey { case steps, pieces }

  /// Writes the archive: its bytes in a text, and beside it the values that the encoder has to write.
  ///
  /// One that came back changed stays that: ``UndoArchiveError/changed``.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    var writer = _UndoWriter { _ in }
    writer.write(Self.version)
    try container.encode(_UndoBase64.text(of: ended(&writer, beside: pieces)), forKey: .steps)
    var encoded = container.nestedUnkeyedContainer(forKey: .pieces)
    for piece in pieces { try encoded.encode(piece) }
  }

  /// Reads an archive; throws `DecodingError` for one of another version, or of parts that the document does not name.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func corrupted(_ description: String) -> DecodingError {
      .dataCorruptedError(forKey: .steps, in: container, debugDescription: description)
    }
    guard let bytes = _UndoBase64.bytes(of: try container.decode(String.self, forKey: .steps)) else {
      throw corrupted("These are no steps.")
    }
    var pieces = try container.nestedUnkeyedContainer(forKey: .pieces)
    do { try self.init(bytes, nil) { try pieces.decode($0) } } catch let error as UndoFormError {
      throw corrupted(error.description)
    }
  }
}
