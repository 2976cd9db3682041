// What is read and not written: archives of versions 2 and 3, of which 3 is the first with carried values, and what of
// version 5 stood elsewhere.

extension UndoHistory.Archive.Steps {
  /// Reads which of the steps are none, and says whether that is as it was written.
  ///
  ///     | count | distance from the one before | id | 1 if it blocks, + 2 if it is of the store | ... | digest |
  mutating func readAbsorbed(_ bytes: [UInt8]) throws -> Bool {
    var reader = _UndoReader(bytes, nil) { _ in throw UndoFormError.damaged(offset: 0) }
    var next = 0
    for _ in 0..<(try reader.readCountOfBytes()) {
      let index = next + (try reader.readCount())
      guard index < undo.count, undo[index].label == nil else { throw reader.damage }
      undo[index].absorbed = try .init(from: &reader)
      next = index + 1
    }
    return try reader.readDigest()
  }
}

extension UndoHistory.Archive {
  /// The contents as an encoder of then wrote them, of which the digest is.
  struct OldContents: Encodable {
    private let document: UInt64
    private let undo: [OldStep]
    private let redo: [OldStep]
    private let saved: Int?
    private let carried: [OldEdit]?

    struct OldStep: Codable {
      let label: String?
      let edits: [OldEdit]
      var carried: OldCarried?
    }

    struct OldCarried: Codable {
      let before: [OldEdit]
      let after: [OldEdit]
    }

    /// An edit of a part, or of the whole document if there is no name.
    struct OldEdit {
      let part: String?
      let old: any Encodable
      let patch: _UndoPatch<Value>
    }

    private enum CodingKeys: String, CodingKey {
      case document, undo, redo, saved, carried
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      document = try container.decode(UInt64.self, forKey: .document)
      undo = try container.decode([OldStep].self, forKey: .undo)
      redo = try container.decode([OldStep].self, forKey: .redo)
      saved = try container.decodeIfPresent(Int.self, forKey: .saved)
      carried = try container.decodeIfPresent([OldEdit].self, forKey: .carried)
    }

    var steps: Steps {
      Steps(
        undo: undo.map { Step($0) }, redo: redo.map { Step($0) },
        saved: saved.flatMap { 0...undo.count + redo.count ~= $0 ? $0 : nil }, carried: carried?.map { $0.patch })
    }
  }
}

extension UndoHistory.Archive.Step {
  fileprivate init(_ old: UndoHistory.Archive.OldContents.OldStep) {
    self.init(
      label: old.label, edits: old.edits.map { $0.patch },
      carried: old.carried.map { .init(before: $0.before.map { $0.patch }, after: $0.after.map { $0.patch }) })
  }
}

extension UndoHistory.Archive.OldContents.OldEdit: Codable {
  private enum CodingKeys: String, CodingKey {
    case part, edit
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(part, forKey: .part)
    try old.encode(to: container.superEncoder(forKey: .edit))
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    part = try container.decodeIfPresent(String.self, forKey: .part)
    let form = _UndoTypeForm<Value>()
    var number: Int? = 0
    if let part { number = form.number(of: part) }
    guard let number else {
      throw DecodingError.dataCorruptedError(
        forKey: .part, in: container, debugDescription: "\(Value.self) has no part named \(part ?? "").")
    }
    (patch, old) = try form.parts[number].readOld(number, from: container.superDecoder(forKey: .edit))
  }
}
