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
  /// comes back changed is refused: ``UndoArchiveError/changed``.
  public struct Archive {
    /// A digest of the document to which the steps belong.
    let document: UInt64
    let steps: Steps
    let form: Form
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

      /// A digest of all of this.
      var digest: UInt64 {
        get throws {
          var sum = _UndoDigest.ofBytes(bytes)
          for piece in pieces {
            func digest(of piece: some Encodable) throws -> UInt64 { try _UndoDigest.of(piece) }
            sum = _UndoDigest.mix(sum, try digest(of: piece))
          }
          return sum
        }
      }
    }

    init(document: UInt64, _ steps: Steps) throws {
      self.init(document: document, steps, try Form(steps), isAsItWasMade: true)
    }

    private init(document: UInt64, _ steps: Steps, _ form: Form, isAsItWasMade: Bool) {
      (self.document, self.steps, self.form, self.isAsItWasMade) = (document, steps, form, isAsItWasMade)
    }

    /// An archive of these very contents, as somebody makes who knows the form; for tests.
    package func forged() -> Archive { Archive(document: document, steps, form, isAsItWasMade: true) }
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

extension UndoHistory.Archive: Codable {
  private enum CodingKeys: String, CodingKey {
    case version, document, steps, pieces, contents, origins, absorbed
    case branches, branchPieces, branchContents
  }

  /// The forms that are read, and the one that is written; the last one where anything was absorbed.
  private static var versions: ClosedRange<Int> { 2...5 }
  private var version: Int { steps.hasAbsorbed ? 5 : 4 }

  /// Writes the archive with the version of its form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(version, forKey: .version)
    try container.encode(document, forKey: .document)
    try container.encode(_UndoBase64.text(of: form.bytes), forKey: .steps)
    try Self.encode(form.pieces, to: &container, .pieces)
    try container.encode(form.digest, forKey: .contents)
    if let branches = steps.branches {
      try container.encode(_UndoBase64.text(of: branches.form.bytes), forKey: .branches)
      try Self.encode(branches.form.pieces, to: &container, .branchPieces)
      try container.encode(branches.form.digest, forKey: .branchContents)
    }
    try container.encodeIfPresent(steps.origins?.text, forKey: .origins)
    if steps.hasAbsorbed { try container.encode(steps.absorbedText, forKey: .absorbed) }
  }

  private static func encode(
    _ pieces: [any Encodable], to container: inout KeyedEncodingContainer<CodingKeys>, _ key: CodingKeys
  ) throws {
    if pieces.isEmpty { return }
    var container = container.nestedUnkeyedContainer(forKey: key)
    for piece in pieces { try container.encode(piece) }
  }

  /// Reads an archive; throws `DecodingError` for one of another version, or of parts that the document does not name.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let version = try container.decode(Int.self, forKey: .version)
    func corrupted(_ description: String, _ key: CodingKeys = .steps) -> DecodingError {
      .dataCorruptedError(forKey: key, in: container, debugDescription: description)
    }
    guard Self.versions.contains(version) else {
      throw corrupted("Version \(version) of an undo archive cannot be read.", .version)
    }
    let document = try container.decode(UInt64.self, forKey: .document)
    let contents = try container.decode(UInt64.self, forKey: .contents)
    if version < 4 {
      let old = try OldContents(from: decoder)
      try self.init(
        document: document, old.steps, Form(bytes: [], pieces: []), isAsItWasMade: _UndoDigest.of(old) == contents)
      return
    }
    func read<Contents>(
      _ key: CodingKeys, _ piecesKey: CodingKeys, _ read: (inout _UndoReader) throws -> Contents
    ) throws -> (Contents, Form) {
      guard let bytes = _UndoBase64.bytes(of: try container.decode(String.self, forKey: key)) else {
        throw corrupted("These are no steps.", key)
      }
      var pieces = container.contains(piecesKey) ? try container.nestedUnkeyedContainer(forKey: piecesKey) : nil
      var form = Form(bytes: bytes, pieces: [])
      var reader = _UndoReader(bytes) { type in
        guard let piece = try pieces?.decode(type), let encodable = piece as? any Encodable else {
          throw corrupted("A piece is missing.", piecesKey)
        }
        form.pieces.append(encodable)
        return piece
      }
      return (try read(&reader), form)
    }
    do {
      var (steps, form) = try read(.steps, .pieces) { try Steps(from: &$0) }
      var isAsItWasMade = try form.digest == contents
      if version >= 5 {
        let isIntact = try steps.readAbsorbed(container.decode(String.self, forKey: .absorbed))
        isAsItWasMade = isAsItWasMade && isIntact
      }
      if container.contains(.branches) {
        let lineCount = steps.count
        var (branches, form) = try read(.branches, .branchPieces) { try Branches(from: &$0, lineCount: lineCount) }
        branches.form = form
        isAsItWasMade = try isAsItWasMade && form.digest == container.decode(UInt64.self, forKey: .branchContents)
        steps.branches = branches
      }
      if container.contains(.origins) {
        let (origins, isIntact) = try _UndoArchivedOrigins.read(
          container.decode(String.self, forKey: .origins), stepCount: steps.count,
          inBranches: steps.branches?.stepCount ?? 0)
        (steps.origins, isAsItWasMade) = (origins, isAsItWasMade && isIntact)
      }
      guard steps.hasIdentitiesOnce else { throw corrupted("An identity was given twice.", .absorbed) }
      self.init(document: document, steps, form, isAsItWasMade: isAsItWasMade)
    } catch let error as UndoFormError {
      throw corrupted(error.description)
    }
  }
}
