internal import Journals
internal import UndoArchives
internal import UndoHistories

extension UndoPieceCoding {
  /// Writes values without a compact form as JSON.
  static let json = UndoPieceCoding(
    encode: { piece in
      let data = try encoder.encode(piece)
      // Before anything is acknowledged, because a value that can't be decoded would take all later edits with it.
      if let type = type(of: piece) as? any Decodable.Type { _ = try decoder.decode(type, from: data) }
      return [UInt8](data)
    }, decode: { type, bytes in try decoder.decode(type, from: Data(bytes)) })

  fileprivate static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return encoder
  }

  fileprivate static var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return decoder
  }
}

// The document of a snapshot is UTF-8 if it is a text, and JSON otherwise. The steps are the bytes of an archive.
extension _Snapshot {
  init<Document: Codable>(
    of history: UndoHistory<Document>, names: [UInt8], place: _SessionPlace, files: [_SessionFile]
  ) throws {
    var history = history
    // The open step ends in the archive, and must be there even if the limit would drop it.
    if history.hasOpenStep { history.limit = .unlimited }
    let document = history.currentItem
    var archive: UndoHistory<Document>.Archive?
    (steps, hasAllSteps) = ([], true)
    if history.hasMoreThanItsDocument {
      do {
        archive = try history.archive(keepsWhole: true, fields: .json)
        steps = try archive?.bytes(.json) ?? []
      } catch {
        // A value in a step differs once it was encoded and decoded. The document may not.
        hasAllSteps = false
      }
    }
    (self.files, path, self.names, isText) = (files, place.relativePath, names, Document.self == String.self)
    if isText, let text = document as? String {
      self.document = Array(text.utf8)
    } else {
      let data = try UndoPieceCoding.encoder.encode(document)
      // Otherwise the next session would recognize neither the steps nor the unsaved edits.
      let other = try UndoPieceCoding.decoder.decode(Document.self, from: data)
      guard try archive?.belongs(to: other) ?? true else {
        let context = EncodingError.Context(codingPath: [], debugDescription: "It comes back from JSON as another one")
        throw EncodingError.invalidValue(document, context)
      }
      self.document = Array(data)
    }
  }

  /// Restores the steps in a new history of the document, with the properties that undo restored then.
  ///
  /// If the document has a later version of its type, so that not all steps fit, the oldest are missing, because the
  /// document is worth more than they are.
  ///
  /// - Returns: The number of missing steps, which is larger than any possible number if no step can be read; and the
  ///   number of unsaved steps that edited a part that the document no longer has.
  /// - Throws: If another version of the library has written the steps.
  func restoreSteps<Document: Codable>(
    in history: inout UndoHistory<Document>
  ) throws(UndoFormError) -> (missingCount: Int, lostCount: Int) {
    let (known, keepsBranches) = (history.restoredProperties, history.keepsBranches)
    history.restoreNothing()
    guard !steps.isEmpty else { return (0, 0) }
    do {
      let archive = try UndoHistory<Document>.Archive(steps, .json)
      history.keepsBranches = archive.keepsBranches
      return try history.restore(archive, restoringAsArchived: known, isOfDocument: true)
    } catch let error as UndoFormError where error.isOfAnotherVersion {
      throw error
    } catch {
      history.keepsBranches = keepsBranches
      return (1 << 30, 0)
    }
  }

  /// Decodes the document, unless it has no key of the JSON.
  ///
  /// A type whose properties may all be missing decodes the object of any other type. The name of the type isn't
  /// recorded, because a later version may have another one, but then some of the keys are the same.
  func decoded<Document: Codable>() throws -> Document {
    // Any JSON is also a text.
    guard isText == (Document.self == String.self) else { throw UndoFormError.damaged(offset: 0) }
    if isText, let text = String(validUTF8: document) as? Document { return text }
    let decoded = try UndoPieceCoding.decoder.decode(Document.self, from: Data(document))
    if let keys = Self.keys(Data(document)), !keys.isEmpty,
      let own = Self.keys(try UndoPieceCoding.encoder.encode(decoded)), own.isDisjoint(with: keys)
    {
      throw UndoFormError.damaged(offset: 0)
    }
    return decoded
  }

  /// The keys of a JSON object; nil for any other JSON.
  private static func keys(_ json: Data) -> Set<String>? {
    (try? JSONDecoder().decode([String: _UndoAnyPiece].self, from: json)).map { Set($0.keys) }
  }
}
