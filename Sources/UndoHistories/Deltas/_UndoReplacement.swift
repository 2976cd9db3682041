/// The delta of an element of a document that is a collection.
@usableFromInline
typealias _UndoElementReplacement<Elements: MutableCollection> = _UndoReplacement<
  _UndoElement<_UndoRoot<Elements>, Elements>, Elements.Element
> where Elements.Index == Int

/// The delta of a value that was replaced: it holds the value that the document does not have at the moment.
///
///     | anchor | other |     16 bytes with the header for an Int of the document itself
@usableFromInline
struct _UndoReplacement<Anchor: _UndoAnchor, Part>: _UndoDelta {
  @usableFromInline
  let anchor: Anchor
  @usableFromInline
  var other: Part

  @inlinable
  @inline(__always)
  init(_ anchor: Anchor, other: consuming Part) {
    self.anchor = anchor
    self.other = other
  }

  @inlinable
  mutating func exchange(with root: inout Anchor.Root, offset: Int) {
    anchor.modify(&root, at: offset, as: Part.self) { part in swap(&part, &other) }
  }

  @inlinable
  var change: _UndoChange { .value }

  @inlinable
  static var effect: _UndoEffect {
    if let size = Anchor.outermostSize { .element(size: size) } else { .value(size: MemoryLayout<Part>.size) }
  }

  @inlinable
  static var partAnchorSize: Int? { MemoryLayout<Anchor>.size }

  @inlinable
  @inline(__always)
  static var sizeInDocument: Int { MemoryLayout<Anchor>.size == 0 ? MemoryLayout<Part>.size : 0 }

  /// Only a type that retains memory can contain a text.
  @inlinable
  @inline(__always)
  static var mayJoin: Bool { _UndoWeight.retainsMemory(Part.self) }

  /// Joins typing in the value: the oldest value is then the only one to keep.
  @usableFromInline
  mutating func join(_ next: Self, mayMove: Bool, offset: Int, in root: Anchor.Root) -> Bool {
    guard anchor == next.anchor else { return false }
    return anchor.read(root, at: offset, as: Part.self) {
      _UndoTyping.goesOn(from: other, over: next.other, to: $0)
    }
  }

  /// Joins the removal of an optional text with the removal of its last letters.
  @usableFromInline
  func goesOn(with latest: any _UndoDelta, offset: Int, in root: Anchor.Root) -> Bool {
    guard let latest = latest as? _UndoTextSplice<Anchor>, latest.anchor == anchor, latest.count == 0,
      case let text?? = other as? String?, anchor.read(root, at: offset, as: String?.self, { $0 == nil })
    else { return false }
    return latest.start == 0 || Int(latest.start) == text.utf8.count
  }

  @inlinable
  static var isOfLeaf: Bool { Part.self is any UndoLeaf.Type }

  @inlinable
  static var isWord: Bool {
    Anchor.outermostSize == nil && MemoryLayout<Part>.size == 8
      && (Part.self == Int.self || Part.self == UInt.self || Part.self == Int64.self || Part.self == UInt64.self
        || Part.self == Double.self)
  }

  @inlinable
  @inline(__always)
  var word: UInt64 { unsafe unsafeBitCast(other, to: UInt64.self) }

  @inlinable
  @inline(__always)
  static var isElement: Bool { Anchor.isElementOfRoot && Part.self == Anchor.Base.self && !ownsMemory }
}
