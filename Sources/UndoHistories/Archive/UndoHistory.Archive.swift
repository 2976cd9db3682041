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
    /// A digest of the document to which the steps belong.
    let document: UInt64
    /// What a later version of the document's type knows it by; nil in an archive in bytes, which is kept together with
    /// its document.
    let known: _UndoKnownDocument?
    let steps: Steps
    let form: Form
    /// How fields that no part names are written; nil where they are not.
    let fieldCoding: UndoPieceCoding?
    /// Whether no text, number or value in here is another than when the archive was made.
    let isAsItWasMade: Bool

    /// What the archive holds.
    struct Steps {
      /// What takes the document back step by step, newest step first.
      var undo: [Step] = []
      /// What takes the document forward again.
      var redo: [Step] = []
      /// How many steps could be undone at the saved point.
      var saved: Int?
      /// The carried values of the document, as they were then; nil where nothing is carried.
      var carried: [_UndoPatch<Value>]?
      /// Whose the steps are, oldest first, and those of branches; nil where no origin was used.
      var origins: _UndoArchivedOrigins?
      /// What was set aside; nil where branches are dropped.
      var branches: Branches?
    }

    struct Step {
      var label: String?
      var edits: [_UndoPatch<Value>]
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
      let before: [_UndoPatch<Value>]
      let after: [_UndoPatch<Value>]
    }

    /// The same in the compact form.
    struct Form {
      var bytes: [UInt8]
      /// Values that an encoder has to write.
      var pieces: [any Encodable]
    }

    init(document: Value, _ steps: Steps, fields coding: UndoPieceCoding?) throws {
      let known = coding == nil ? try _UndoKnownDocument(document) : nil
      self.init(document: try _UndoDigest.of(document), known, steps, try Form(steps), coding, isAsItWasMade: true)
    }

    private init(
      document: UInt64, _ known: _UndoKnownDocument?, _ steps: Steps, _ form: Form, _ fieldCoding: UndoPieceCoding?,
      isAsItWasMade: Bool
    ) {
      (self.document, self.known, self.steps, self.form) = (document, known, steps, form)
      (self.fieldCoding, self.isAsItWasMade) = (fieldCoding, isAsItWasMade)
    }

    /// The digest that is written with the form.
    ///
    /// Where the archive is not as it was made, it does not fit, so that no copy of it looks as if it were.
    var digest: UInt64 {
      get throws { isAsItWasMade ? try form.digest : ~(try form.digest) }
    }

    /// An archive of these very contents, as somebody makes who knows the form; for tests.
    package func forged() -> Archive {
      Archive(document: document, known, steps, form, fieldCoding, isAsItWasMade: true)
    }
  }
}

// What an archive holds are parts of earlier documents: as safe to send as a document.
extension UndoHistory.Archive: @unchecked Sendable where Value: Sendable {}

extension UndoHistory.Archive: CustomStringConvertible {
  /// The number of steps each way.
  public var description: String {
    "UndoHistory.Archive(undo: \(steps.count - steps.redo.count), redo: \(steps.redo.count))"
  }
}

extension UndoHistory.Archive {
  /// The version of the form that is written.
  static var version: Int { 1 }

  /// An archive as it was found, with nothing in it understood yet.
  struct Found {
    var document: UInt64
    var known: _UndoKnownDocument?
    var steps: Section
    var branches: Section?
    var origins: [UInt8]?

    /// The compact form of some steps.
    struct Section {
      var bytes: [UInt8]
      /// What the digest of bytes and pieces has to be; nil where that is known without it.
      var digest: UInt64?
      var isIntact = true
      /// How the fields that no part names are written among the bytes.
      var fieldCoding: UndoPieceCoding?
      let nextPiece: (any Decodable.Type) throws -> any Decodable

      func read<Contents>(
        _ read: (inout _UndoReader) throws -> Contents
      ) throws -> (contents: Contents, form: Form, isIntact: Bool) {
        var form = Form(bytes: bytes, pieces: [])
        var reader = _UndoReader(bytes, fieldCoding) { type in
          let piece = try nextPiece(type)
          guard let encodable = piece as? any Encodable else { throw UndoFormError.damaged(offset: 0) }
          form.pieces.append(encodable)
          return piece
        }
        let contents = try read(&reader)
        return (contents, form, try isIntact && digest.map { try form.digest == $0 } ?? true)
      }
    }
  }

  /// - Throws: `UndoFormError`, and what reading a piece throws.
  init(_ found: Found) throws {
    var (steps, form, isIntact) = try found.steps.read { try Steps(from: &$0) }
    if let section = found.branches {
      let lineCount = steps.count
      var branches = try section.read { try Branches(from: &$0, lineCount: lineCount) }
      branches.contents.form = branches.form
      steps.branches = branches.contents
      isIntact = isIntact && branches.isIntact
    }
    if let bytes = found.origins {
      let origins = try _UndoArchivedOrigins.read(
        bytes, stepCount: steps.count, inBranches: steps.branches?.stepCount ?? 0)
      steps.origins = origins.origins
      isIntact = isIntact && origins.isIntact
    }
    guard steps.hasIdentitiesOnce else { throw UndoFormError.damaged(offset: 0) }
    self.init(document: found.document, found.known, steps, form, found.steps.fieldCoding, isAsItWasMade: isIntact)
  }
}

extension UndoHistory.Archive: Codable {
  private enum CodingKeys: String, CodingKey {
    case version, document, known, steps, pieces, contents, origins
    case branches, branchPieces, branchContents
  }

  /// Writes the archive.
  ///
  /// One that came back changed stays that: ``UndoArchiveError/changed``.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Self.version, forKey: .version)
    try container.encode(document, forKey: .document)
    try container.encodeIfPresent(known, forKey: .known)
    func encode(
      _ form: Form, _ digest: UInt64, _ key: CodingKeys, _ piecesKey: CodingKeys, _ contentsKey: CodingKeys
    ) throws {
      try container.encode(_UndoBase64.text(of: form.bytes), forKey: key)
      if !form.pieces.isEmpty {
        var pieces = container.nestedUnkeyedContainer(forKey: piecesKey)
        for piece in form.pieces { try pieces.encode(piece) }
      }
      try container.encode(digest, forKey: contentsKey)
    }
    try encode(form, digest, .steps, .pieces, .contents)
    if let form = steps.branches?.form {
      try encode(form, form.digest, .branches, .branchPieces, .branchContents)
    }
    if let origins = steps.origins { try container.encode(_UndoBase64.text(of: origins.bytes), forKey: .origins) }
  }

  /// Reads an archive; throws `DecodingError` for one of another version, or of parts that the document does not name.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let version = try container.decode(Int.self, forKey: .version)
    func corrupted(_ description: String, _ key: CodingKeys = .steps) -> DecodingError {
      .dataCorruptedError(forKey: key, in: container, debugDescription: description)
    }
    guard version == Self.version else {
      throw corrupted("Version \(version) of an undo archive cannot be read.", .version)
    }
    let document = try container.decode(UInt64.self, forKey: .document)
    func bytes(_ key: CodingKeys) throws -> [UInt8] {
      guard let bytes = _UndoBase64.bytes(of: try container.decode(String.self, forKey: key)) else {
        throw corrupted("These are no steps.", key)
      }
      return bytes
    }
    func section(_ key: CodingKeys, _ piecesKey: CodingKeys, _ contentsKey: CodingKeys) throws -> Found.Section {
      var pieces = container.contains(piecesKey) ? try container.nestedUnkeyedContainer(forKey: piecesKey) : nil
      return Found.Section(bytes: try bytes(key), digest: try container.decode(UInt64.self, forKey: contentsKey)) {
        guard let piece = try pieces?.decode($0) else { throw corrupted("A piece is missing.", piecesKey) }
        return piece
      }
    }
    let found = Found(
      document: document, known: try container.decodeIfPresent(_UndoKnownDocument.self, forKey: .known),
      steps: try section(.steps, .pieces, .contents),
      branches: container.contains(.branches) ? try section(.branches, .branchPieces, .branchContents) : nil,
      origins: container.contains(.origins) ? try bytes(.origins) : nil)
    do { try self.init(found) } catch let error as UndoFormError { throw corrupted(error.description) }
  }
}
