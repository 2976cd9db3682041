internal import UndoHistories

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension UndoPieceCoding {
  /// Pieces that have no compact form are JSON.
  static let json = UndoPieceCoding(
    encode: { piece in
      let data = try encoder.encode(piece)
      if let type = type(of: piece) as? any Decodable.Type, data.mayBeUnreadable {
        _ = try decoder.decode(type, from: data)
      }
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

extension Data {
  /// Whether this, as JSON, may have a number that is none: `Decimal` writes a word for it that no decoder reads.
  var mayBeUnreadable: Bool {
    let bytes = [UInt8](self)
    var start = 0
    while let place = bytes[start...].firstIndex(of: UInt8(ascii: "N")) {
      if bytes[place...].starts(with: "NaN".utf8) { return true }
      start = place + 1
    }
    return false
  }
}

// The document of a snapshot is a text's UTF-8, or JSON. The steps are an archive in bytes, and were JSON once.
extension _Snapshot {
  init<Document: Codable>(of history: UndoHistory<Document>, names: [UInt8], files: [KnownFile]) throws {
    let document = history.currentItem
    let archive = history.hasMoreThanItsDocument ? try history.archive(keepsWhole: true, fields: .json) : nil
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
    steps = try archive?.bytes(.json) ?? []
  }

  /// The history as it was, which carries what that did.
  func history<Document: Codable>(
    of type: Document.Type, configure: (inout UndoHistory<Document>) -> Void
  ) throws -> UndoHistory<Document> {
    var history = try historyWithoutSteps(of: type, configure: configure)
    guard !steps.isEmpty else { return history }
    let archive =
      areStepsJSON
      ? try UndoPieceCoding.decoder.decode(UndoHistory<Document>.Archive.self, from: Data(steps))
      : try UndoHistory<Document>.Archive(steps, .json)
    history.branches = archive.keepsBranches ? .kept : .dropped
    try history.restore(archive, carryingAsArchived: true)
    return history
  }

  /// The document alone, where its steps are none, or do not fit what the document is decoded to.
  func historyWithoutSteps<Document: Codable>(
    of type: Document.Type, configure: (inout UndoHistory<Document>) -> Void
  ) throws -> UndoHistory<Document> {
    let text = Document.self == String.self ? String(validating: document, as: UTF8.self) as? Document : nil
    var history = UndoHistory(
      initialValue: try text ?? UndoPieceCoding.decoder.decode(Document.self, from: Data(document)))
    configure(&history)
    history.carryNothingNamed()
    return history
  }
}
