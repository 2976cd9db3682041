extension UndoHistory where Value: UndoArchivable {
  /// The steps of a history in a form that can be kept in a file, as an editor keeps its undo file.
  ///
  /// ```swift
  /// import Foundation
  ///
  /// var history = UndoHistory(initialValue: "Hello")
  /// history.edit.append(", world")
  /// let file = try JSONEncoder().encode(history.archive())
  ///
  /// // In another run of the program:
  /// var restored = UndoHistory(initialValue: "Hello, world")
  /// try restored.restoreSteps(from: JSONDecoder().decode(UndoHistory<String>.Archive.self, from: file))
  /// restored.undo()  // "Hello"
  /// ```
  ///
  /// An archive has no copy of the document, but a digest of it, and is good for that very state of it only. It holds
  /// names, numbers, texts and values of the document's parts, and nothing that depends on how a build lays them out.
  ///
  /// **Exactness.** Write an archive with an encoder that gives back every text byte by byte and every number bit by
  /// bit. `JSONEncoder` does, with its own strategies. A binary property list does not: of two texts that are
  /// canonically equal it makes one. Nor does a strategy that rounds, as that of dates in ISO 8601. An archive has a
  /// digest of itself, and one that comes back changed is refused: ``UndoArchiveError/changed``.
  public struct Archive {
    /// A digest of the document to which the steps belong.
    let document: UInt64
    /// What takes the document back step by step, newest step first.
    let undo: [Step]
    /// What takes the document forward again.
    let redo: [Step]
    /// How many steps could be undone at the saved point.
    let saved: Int?
    /// The carried values of the document, as they were then; nil where nothing is carried.
    let carried: [Edit]?
    /// A digest of all of this, as it was when the archive was made.
    let contents: UInt64

    init(document: UInt64, undo: [Step], redo: [Step], saved: Int?, carried: [Edit]?) throws {
      (self.document, self.undo, self.redo, self.saved, self.carried) = (document, undo, redo, saved, carried)
      contents = try _UndoDigest.of(
        Contents(document: document, undo: undo, redo: redo, saved: saved, carried: carried))
    }

    /// Whether no text, number or value in here is another than when the archive was made.
    var isAsItWasMade: Bool {
      get throws {
        try _UndoDigest.of(Contents(document: document, undo: undo, redo: redo, saved: saved, carried: carried))
          == contents
      }
    }

    /// An archive of these very contents, as somebody makes who knows the form; for tests.
    package func forged() throws -> Archive {
      try Archive(document: document, undo: undo, redo: redo, saved: saved, carried: carried)
    }

    /// What the digest is of.
    private struct Contents: Encodable {
      let document: UInt64
      let undo: [Step]
      let redo: [Step]
      let saved: Int?
      let carried: [Edit]?
    }

    struct Step: Codable {
      let label: String?
      let edits: [Edit]
      /// The values that the step carries, as they were before it and behind it; nil where it has none.
      var carried: Carried?
    }

    struct Carried: Codable {
      let before: [Edit]
      let after: [Edit]
    }

    /// An edit of a part, or of the whole document if there is no name.
    struct Edit {
      let part: String?
      let patch: any Encodable
    }
  }
}

// What an archive holds are parts of earlier documents: as safe to send as a document.
extension UndoHistory.Archive: @unchecked Sendable where Value: Sendable {}

extension UndoHistory.Archive: CustomStringConvertible {
  /// The number of steps each way.
  public var description: String { "UndoHistory.Archive(undo: \(undo.count), redo: \(redo.count))" }
}

extension UndoHistory.Archive: Codable {
  private enum CodingKeys: String, CodingKey {
    case version, document, undo, redo, saved, carried, contents
  }

  /// The forms that are read: the second is the first with carried values.
  private static var versions: ClosedRange<Int> { 2...3 }

  /// Writes the archive with the version of its form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(carried == nil ? Self.versions.lowerBound : Self.versions.upperBound, forKey: .version)
    try container.encode(document, forKey: .document)
    try container.encode(undo, forKey: .undo)
    try container.encode(redo, forKey: .redo)
    try container.encodeIfPresent(saved, forKey: .saved)
    try container.encodeIfPresent(carried, forKey: .carried)
    try container.encode(contents, forKey: .contents)
  }

  /// Reads an archive; throws `DecodingError` for one of another version, or of parts that the document does not name.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let version = try container.decode(Int.self, forKey: .version)
    guard Self.versions.contains(version) else {
      throw DecodingError.dataCorruptedError(
        forKey: .version, in: container, debugDescription: "Version \(version) of an undo archive cannot be read.")
    }
    document = try container.decode(UInt64.self, forKey: .document)
    undo = try container.decode([Step].self, forKey: .undo)
    redo = try container.decode([Step].self, forKey: .redo)
    saved = try container.decodeIfPresent(Int.self, forKey: .saved)
    carried = try container.decodeIfPresent([Edit].self, forKey: .carried)
    contents = try container.decode(UInt64.self, forKey: .contents)
  }
}

extension UndoHistory.Archive.Edit: Codable {
  private enum CodingKeys: String, CodingKey {
    case part, edit
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(part, forKey: .part)
    try patch.encode(to: container.superEncoder(forKey: .edit))
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    part = try container.decodeIfPresent(String.self, forKey: .part)
    guard let part = UndoHistory.part(named: part) else {
      throw DecodingError.dataCorruptedError(
        forKey: .part, in: container, debugDescription: "\(Value.self) has no part named \(part ?? "").")
    }
    patch = try part.decodePatch(container.superDecoder(forKey: .edit))
  }
}
