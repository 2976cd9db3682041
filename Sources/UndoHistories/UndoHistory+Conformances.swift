// What the log keeps are parts of earlier documents: as safe to send as a document. Storage is shared between copies,
// but never written to while it is.
extension UndoHistory: @unchecked Sendable where Value: Sendable {}
extension UndoHistory.Steps: @unchecked Sendable where Value: Sendable {}

extension UndoHistory: CustomStringConvertible {
  /// The document and the number of steps each way.
  public var description: String {
    "UndoHistory(\(currentItem), undo: \(undoCount), redo: \(redoCount))"
  }
}

extension UndoEdit: CustomStringConvertible {
  /// What happened, without the place.
  public var description: String {
    switch kind {
    case .value: "value"
    case .element(let index): "element \(index)"
    case .range(let old, let new): "\(old) -> \(new)"
    case .swap(let i, let j): "\(i) <-> \(j)"
    case .move(let from, let to): "\(from) -> \(to)"
    case .member: "member"
    }
  }
}

extension UndoHistory.Change: CustomStringConvertible {
  /// The label, if there is one, and the edits.
  public var description: String {
    let places = edits.map(\.description).joined(separator: ", ")
    return label.map { "\($0): \(places)" } ?? places
  }
}
