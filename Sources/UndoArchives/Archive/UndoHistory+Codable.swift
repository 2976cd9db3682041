public import UndoHistories

// Histories as `Encodable` and `Decodable` values: the document and, if the encoder's user info asks for it, an archive
// of the steps.

extension CodingUserInfoKey {
  /// Whether an encoded `UndoHistory` has its steps: true in the `userInfo` of an encoder asks for them.
  public static let undoSteps = CodingUserInfoKey(rawValue: "Unsaved.undoSteps")!
}

private enum HistoryKey: String, CodingKey {
  case document, steps
}

extension UndoHistory: Encodable where Value: Codable {
  /// Encodes the document and, if the encoder's `userInfo` asks for them, the steps.
  ///
  /// ```swift
  /// import Foundation
  ///
  /// var history = UndoHistory(initialValue: "Hello")
  /// history.edit.append(", world")
  /// let encoder = JSONEncoder()
  /// encoder.userInfo[.undoSteps] = true
  /// let file = try encoder.encode(history)
  ///
  /// var decoded = try JSONDecoder().decode(UndoHistory<String>.self, from: file)
  /// decoded.undo()
  /// print(decoded.currentItem)  // Hello
  /// ```
  ///
  /// The steps are those of ``archive()``, with the same exactness. Neither form contains `limit`, `coalescing`,
  /// times, or saves in flight.
  ///
  /// - Throws: `EncodingError` if a step can't be archived because it changed a property that is in none of the
  ///   `UndoArchivable/undoParts`, or an error from encoding the document.
  /// - Complexity: That of encoding the document; with steps, that of ``archive()``.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: HistoryKey.self)
    try container.encode(currentItem, forKey: .document)
    guard encoder.userInfo[.undoSteps] as? Bool == true else { return }
    do {
      try container.encode(archive(keepsWhole: false), forKey: .steps)
    } catch let error as UndoArchiveError {
      throw EncodingError.invalidValue(
        currentItem,
        .init(
          codingPath: encoder.codingPath + [HistoryKey.steps], debugDescription: "\(error)", underlyingError: error))
    }
  }
}

extension UndoHistory: Decodable where Value: Codable {
  /// Decodes a history with the steps that were encoded with it, if they were.
  ///
  /// If the steps were encoded, the document is at its saved point if it was then. Without steps, it always is.
  ///
  /// Values that undo restores are restored again, but positions don't move with remote edits any more, because the
  /// steps don't say which values are positions. To have them move, create a history of the decoded document, call
  /// `restoreOnUndo(_:in:unit:)`, and restore the steps of the decoded ``archive()`` into it.
  ///
  /// - Throws: `DecodingError` if the steps don't belong to the document or were changed, or an error from decoding the
  ///   document.
  /// - Complexity: That of decoding the document; with steps, that of ``restoreSteps(from:)``.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: HistoryKey.self)
    self.init(initialValue: try container.decode(Value.self, forKey: .document))
    guard let archive = try container.decodeIfPresent(Archive.self, forKey: .steps) else { return }
    keepsBranches = archive.keepsBranches
    do {
      try restore(archive, restoringAsArchived: [])
    } catch let error as UndoArchiveError {
      throw DecodingError.dataCorruptedError(forKey: .steps, in: container, debugDescription: "\(error)")
    }
  }
}
