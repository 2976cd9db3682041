/// The part that deltas of one type replace as a whole: its size, and whether another edit can lie in it.
///
/// An open step asks this to find out whether its record of a part covers the next assignment (`_UndoGesture`).
struct _UndoReplacedPart: BitwiseCopyable {
  /// Whether the deltas replace a part as a whole.
  let isPart: Bool
  /// Whether the part is a leaf, in which no other edit can lie.
  let isLeaf: Bool
  /// The size of the place, with which such a delta begins.
  let placeSize: UInt16
  /// The size of the part if it lies in the document itself, else 0.
  let sizeInDocument: UInt16

  init<Delta: _UndoDelta>(_ type: Delta.Type) {
    isPart = Delta.isOfPart
    isLeaf = Delta.isOfPart && Delta.Part.self is any UndoLeaf.Type
    // Both sizes fit, because a delta contains both and fits into a record.
    placeSize = UInt16(truncatingIfNeeded: MemoryLayout<Delta.Place>.size)
    let isInDocument = Delta.isOfPart && MemoryLayout<Delta.Place>.size == 0
    sizeInDocument = UInt16(truncatingIfNeeded: isInDocument ? MemoryLayout<Delta.Part>.size : 0)
  }

  /// Whether a record of these deltas can lie in the gesture of an open step.
  var isOfGesture: Bool { isLeaf || sizeInDocument > 0 }
}
