/// The delta of an element of a document that is a collection.
@usableFromInline
typealias _UndoElementSwap<Elements: MutableCollection> = _UndoSwap<
  _UndoElement<_UndoRoot<Elements>, Elements>, Elements.Element
> where Elements.Index == Int

/// The delta of a value that was replaced: the other value.
///
///     | anchor | other |     16 bytes with the header for an Int of the document itself
@usableFromInline
struct _UndoSwap<Anchor: _UndoAnchor, Part>: _UndoDelta {
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
    anchor.modify(&root) { base in
      _UndoLog.withPart(of: &base, at: offset, as: Part.self) { part in swap(&part, &other) }
    }
  }

  @inlinable
  func edit(offset: Int) -> UndoEdit { anchor.edit(.value, at: offset, of: Part.self) }

  @inlinable
  static var shape: _UndoShape {
    if let size = Anchor.outermostSize { .element(size: size) } else { .value(size: MemoryLayout<Part>.size) }
  }

  @inlinable
  static var isWord: Bool {
    Anchor.outermostSize == nil && MemoryLayout<Part>.size == 8
      && (Part.self == Int.self || Part.self == UInt.self || Part.self == Int64.self || Part.self == UInt64.self
        || Part.self == Double.self)
  }

  @inlinable
  @inline(__always)
  static var isElement: Bool { Anchor.isElementOfRoot && Part.self == Anchor.Base.self && !ownsMemory }

  @inlinable
  @inline(__always)
  static var ownsMemory: Bool { _UndoLog.ownsMemory(Part.self) }

  @inlinable
  @inline(__always)
  var ownedBytes: Int { _UndoLog.ownedBytes(of: other) }

  @inlinable
  static var keepsMemory: Bool { _UndoLog.keepsMemory(Part.self) }

  @inlinable
  var keptBytes: Int { _UndoLog.keptBytes(of: other) }
}

extension _UndoLog {
  /// Whether a value of this type may own memory in a record: only texts are asked.
  @inlinable
  @inline(__always)
  static func ownsMemory<Part>(_ type: Part.Type) -> Bool {
    Part.self == String.self || Part.self == String?.self || Part.self == String??.self
  }

  /// What a value owns in a record; nothing where its type may not, though a text be in it.
  @inlinable
  @inline(__always)
  static func ownedBytes<Part>(of value: Part) -> Int {
    ownsMemory(Part.self) ? (value as? String)?.undoOwnedBytes ?? 0 : 0
  }
}
