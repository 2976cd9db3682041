/// One place in a document that an undo or a redo changed.
public struct UndoEdit: Hashable, Sendable {
  /// What happened at the place.
  public enum Kind: Hashable, Sendable {
    /// The value there was replaced as a whole.
    case value
    /// The element at this index was changed: the element itself or something inside of it.
    case element(at: Int)
    /// What lay in the range `old` was replaced with what now lies in `new`; both begin at the same offset.
    ///
    /// Offsets are indices of a collection, and UTF-8 offsets of a text.
    case range(old: Range<Int>, new: Range<Int>)
    /// Two elements changed places.
    case swap(Int, Int)
    /// The element at the first index moved to the second, as counted when it is there.
    case move(from: Int, to: Int)
    /// A key of a dictionary or a member of a set came, went or changed.
    case member
  }

  /// What happened.
  public let kind: Kind
  /// The bytes of the document in which it happened: those of a property, or of the outermost collection on the way.
  @usableFromInline
  let bytes: Range<Int>

  @inlinable
  init(_ kind: Kind, in bytes: Range<Int>) {
    self.kind = kind
    self.bytes = bytes
  }

  @inlinable
  init<Part>(_ kind: Kind, at offset: Int, of type: Part.Type) {
    self.init(kind, in: offset..<(offset + MemoryLayout<Part>.size))
  }
}
