internal import Journals
internal import UndoArchives
internal import UndoHistories

extension UndoPieceCoding {
  /// Pieces that have no compact form are JSON.
  static let json = UndoPieceCoding(
    encode: { piece in
      let data = try encoder.encode(piece)
      // Before anything is acknowledged: what cannot be decoded takes all that was edited after it along.
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

// The document of a snapshot is a text's UTF-8, or JSON. The steps are an archive in bytes.
extension _Snapshot {
  init<Document: Codable>(of history: UndoHistory<Document>, names: [UInt8], files: [_SessionFile]) throws {
    var history = history
    // The step ends in the archive, and is to be there all the same.
    if history.hasOpenStep { history.limit = .unlimited }
    let document = history.currentItem
    var archive: UndoHistory<Document>.Archive?
    (steps, hasAllSteps) = ([], true)
    if history.hasMoreThanItsDocument {
      do {
        archive = try history.archive(keepsWhole: true, fields: .json)
        steps = try archive?.bytes(.json) ?? []
      } catch {
        // A value in a step does not come back from its encoding. The document may all the same.
        hasAllSteps = false
      }
    }
    let bytes: [UInt8]
    if Document.self == String.self, let text = document as? String {
      bytes = Array(text.utf8)
    } else {
      let data = try UndoPieceCoding.encoder.encode(document)
      // The next session would not know the steps, nor what was not saved.
      let other = try UndoPieceCoding.decoder.decode(Document.self, from: data)
      guard try archive?.belongs(to: other) ?? true else {
        let context = EncodingError.Context(codingPath: [], debugDescription: "It comes back from JSON as another one")
        throw EncodingError.invalidValue(document, context)
      }
      bytes = Array(data)
    }
    (self.files, self.names, self.document) = (files, names, bytes)
    isText = Document.self == String.self
  }

  /// The history as it was, which carries what that did.
  ///
  /// Where the type of the document is a later one, so that not all steps fit, the oldest are missing: the document is
  /// worth more than they are.
  ///
  /// - Returns: Also how many steps are missing, where they cannot be read more than there may be, and how many that
  ///   are not saved edited what the document no longer has.
  func history<Document: Codable>(
    of type: Document.Type, configure: (inout UndoHistory<Document>) -> Void
  ) throws -> (history: UndoHistory<Document>, missingCount: Int, lostCount: Int) {
    var history = try historyWithoutSteps(of: type, configure: configure)
    guard !steps.isEmpty else { return (history, 0, 0) }
    let (keepsBranches, document) = (history.keepsBranches, history)
    do {
      let archive = try UndoHistory<Document>.Archive(steps, .json)
      history.keepsBranches = archive.keepsBranches
      let (missingCount, lostCount) = try history.restore(archive, restoringAsArchived: true, isOfDocument: true)
      return (history, missingCount, lostCount)
    } catch UndoFormError.newer(let version) {
      throw UndoFormError.newer(version: version)
    } catch {
      history = document
      history.keepsBranches = keepsBranches
      return (history, 1 << 30, 0)
    }
  }

  /// The document alone.
  private func historyWithoutSteps<Document: Codable>(
    of type: Document.Type, configure: (inout UndoHistory<Document>) -> Void
  ) throws -> UndoHistory<Document> {
    // Any JSON is a text, too.
    guard isText == (Document.self == String.self) else { throw UndoFormError.damaged(offset: 0) }
    let text = isText ? String(validating: document, as: UTF8.self) as? Document : nil
    var history = UndoHistory(initialValue: try text ?? decoded())
    configure(&history)
    history.restoreNothing()
    return history
  }
}

extension _Snapshot {
  /// A member of a JSON object, of which only the key matters.
  private struct Member: Decodable {
    init(from decoder: any Decoder) {}
  }

  /// The document of the JSON, unless it has nothing of that.
  ///
  /// A type whose properties may all be missing decodes any other type's object. Nothing records the name of the type,
  /// since a later version may have another, but then some of the keys are the same.
  private func decoded<Document: Codable>() throws -> Document {
    let decoded = try UndoPieceCoding.decoder.decode(Document.self, from: Data(document))
    if let keys = Self.keys(Data(document)), !keys.isEmpty,
      let own = Self.keys(try UndoPieceCoding.encoder.encode(decoded)), own.isDisjoint(with: keys)
    {
      throw UndoFormError.damaged(offset: 0)
    }
    return decoded
  }

  /// The keys of a JSON object; nil of anything else.
  private static func keys(_ json: Data) -> Set<String>? {
    (try? JSONDecoder().decode([String: Member].self, from: json)).map { Set($0.keys) }
  }
}
