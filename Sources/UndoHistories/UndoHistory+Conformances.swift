// What the log keeps are parts of earlier documents: as safe to send as a document. Storage is shared between copies,
// but never written to while it is.
extension UndoHistory: @unchecked Sendable where Value: Sendable {}
extension UndoHistory.Steps: @unchecked Sendable where Value: Sendable {}
extension UndoHistory.Steps.Index: @unchecked Sendable where Value: Sendable {}

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

extension UndoHistory.Change: Hashable {
  /// Whether both have the same label and changed the same places in the same way; not what was there before and after.
  public static func == (left: Self, right: Self) -> Bool {
    left.label == right.label && left.edits == right.edits
  }

  /// Feeds the label and the edits into `hasher`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(label)
    hasher.combine(edits)
  }
}

extension UndoHistory.Change: CustomStringConvertible {
  /// The label, if there is one, and the edits.
  public var description: String {
    let places = edits.map(\.description).joined(separator: ", ")
    return label.map { "\($0): \(places)" } ?? places
  }
}
