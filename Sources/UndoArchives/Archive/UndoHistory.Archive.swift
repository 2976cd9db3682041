@_exported public import UndoHistories

// The type of an archive: what it contains, and its form as bytes, with a version and a digest, and as a `Codable`
// value. How it is made, restored, and refused if it was changed is in `UndoHistory+Archive` and
// `UndoHistory+RestoringSteps`, and the bytes of its contents in `+Contents`.

extension UndoHistory where Value: Codable {
  /// The steps of a history, in a form that can be stored beside the document in any `Codable` format.
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
  /// An archive doesn't contain the document, and belongs to exactly one state of it. It contains names, numbers, texts
  /// and values of the document's parts, and nothing that depends on the memory layout of a build.
  ///
  /// **Exactness.** Texts, numbers and Booleans are exact with any encoder. Values of your own types are encoded by the
  /// encoder, so use one that preserves every byte of a text and every bit of a number. `JSONEncoder` does, with its
  /// default strategies. A binary property list doesn't, because it makes one text of two that are canonically equal.
  /// Neither does a strategy that rounds, such as ISO 8601 dates. An archive contains a digest of itself, and an
  /// archive that was changed is refused with ``UndoArchiveError/changed``. Only the extra bits of a NaN are ignored.
  public struct Archive {
    let contents: Contents
    /// The contents as bytes.
    private let bytes: [UInt8]
    /// The values that an encoder has to write.
    private let pieces: [any Encodable]
    /// How fields without a named part are written, if they are.
    let fieldCoding: UndoPieceCoding?
    /// Whether everything in the archive is as it was made.
    package var isAsItWasMade = true

    /// The contents of an archive.
    struct Contents {
      /// A digest of the document to which the steps belong.
      let document: UInt64
      /// The digests by which a later version of the type recognizes the document; nil if the archive is stored
      /// together with its document.
      let known: _UndoKnownDocument?
      /// The edits that undo the steps, newest step first.
      var undo: [Step] = []
      /// The edits that redo steps.
      var redo: [Step] = []
      /// The number of steps before the saved point.
      var saved: Int?
      /// The restored values of the document, or nil if there are none.
      var restored: [_UndoPatch]?
      /// The branches; nil if they weren't kept.
      var branches: Branches?
      /// The origins of the steps, oldest first, then those in branches; nil if no origin was used.
      var origins: _UndoArchivedOrigins?
    }

    struct Step {
      var label: String?
      var edits: [_UndoPatch]
      /// The restored values before and after the step, or nil.
      var restored: (before: [_UndoPatch], after: [_UndoPatch])?
      /// Set for a remote edit, which isn't a step.
      var remoteEdit: RemoteEdit?
    }

    struct RemoteEdit {
      let id: UInt64
      /// Whether it blocks undo of the step before it.
      let blocks: Bool
      /// Whether it is the store's, and becomes part of a step that it conflicts with.
      var isOfStore = false
    }

    /// Whether branches were kept in the history.
    package var keepsBranches: Bool { contents.branches != nil }
  }
}

// An archive contains parts of documents, so it is as safe to send as a document.
extension UndoHistory.Archive: @unchecked Sendable where Value: Sendable {}

extension UndoHistory.Archive: CustomStringConvertible {
  /// The number of steps each way.
  public var description: String {
    "UndoHistory.Archive(undo: \(contents.count - contents.redo.count), redo: \(contents.redo.count))"
  }
}

// MARK: - Coding

// The bytes begin with the version and end with a digest. If the archive was changed, a digest is written that doesn't
// match, so that a copy is recognized as changed too.

extension UndoHistory.Archive {
  /// The version that is written.
  private static var version: Int { 1 }

  init(_ contents: Contents, fields coding: UndoPieceCoding?) throws {
    var writer = _UndoWriter()
    try contents.write(to: &writer)
    self.init(contents: contents, bytes: writer.bytes, pieces: writer.pieces, fieldCoding: coding)
  }

  /// The archive as bytes, as in the log of a session.
  ///
  ///     | version | count | piece | ... | contents | digest |      piece: | bytes | ... |
  ///
  /// The digest is that of the bytes, because a later version of a type may encode a piece differently.
  ///
  /// - Parameter coding: Writes the values without a compact form; nil if they are stored elsewhere, and only the
  ///   digest includes them.
  package func bytes(_ coding: UndoPieceCoding?) throws -> [UInt8] {
    var writer = _UndoWriter(coding)
    writer.write(Self.version)
    if coding != nil {
      writer.write(pieces.count)
      for piece in pieces { try writer.write(piece: piece) }
    }
    writer.bytes += bytes
    let digest = try Self.digest(of: writer.bytes[...], coding == nil ? pieces : [])
    writer.write(isAsItWasMade ? digest : ~digest)
    return writer.bytes
  }

  /// Reads an archive.
  ///
  /// - Throws: Also if a later version wrote it.
  package init(_ bytes: [UInt8], _ coding: UndoPieceCoding) throws(UndoFormError) {
    do { try self.init(bytes, coding, decode: nil) } catch { throw error as? UndoFormError ?? .damaged(offset: 0) }
  }

  /// Reads an archive.
  ///
  /// - Parameter decode: Returns the pieces; nil if they are among the bytes.
  /// - Throws: `UndoFormError`, or an error from decoding a piece.
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
    try UndoFormError.check(reader.readNumber(), is: UInt64(Self.version))
    if decode == nil { for _ in 0..<(try reader.readCountOfBytes()) { encoded.append(try reader.readBytes()) } }
    let start = reader.offset
    let contents = try Contents(from: &reader)
    let end = reader.offset
    let digest = try reader.readNumber()
    guard reader.isAtEnd else { throw reader.damage }
    let isAsItWasMade = digest == (try Self.digest(of: bytes[..<end], decode == nil ? [] : pieces))
    self.init(
      contents: contents, bytes: Array(bytes[start..<end]), pieces: pieces, fieldCoding: coding,
      isAsItWasMade: isAsItWasMade)
  }

  /// A digest of bytes, and of what pieces encode.
  private static func digest(of bytes: ArraySlice<UInt8>, _ pieces: [any Encodable]) throws -> UInt64 {
    try pieces.reduce(_UndoDigest.ofBytes(bytes)) { _UndoDigest.mix($0, try _UndoDigest.of($1)) }
  }
}

extension UndoHistory.Archive: Codable {
  private enum CodingKeys: CodingKey { case steps, pieces }

  /// Encodes the archive: its bytes as a text, and the values that the encoder has to write.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(_UndoBase64.text(of: bytes(nil)), forKey: .steps)
    var encoded = container.nestedUnkeyedContainer(forKey: .pieces)
    for piece in pieces { try encoded.encode(piece) }
  }

  /// Decodes an archive; throws `DecodingError` if a later version wrote it, or if it contains unknown parts.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func corrupted(_ description: String) -> DecodingError {
      .dataCorruptedError(forKey: .steps, in: container, debugDescription: description)
    }
    guard let bytes = _UndoBase64.bytes(of: try container.decode(String.self, forKey: .steps)) else {
      throw corrupted("These bytes don't hold steps.")
    }
    var pieces = try container.nestedUnkeyedContainer(forKey: .pieces)
    do { try self.init(bytes, nil) { try pieces.decode($0) } } catch let error as UndoFormError {
      throw corrupted(error.description)
    }
  }
}
