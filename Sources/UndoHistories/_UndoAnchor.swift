/// A way from a document to one of its parts, as a value.
///
/// It is the document itself, or an element of a collection that lies at a byte offset in what another anchor leads to.
/// Composed statically, so that following it is straight code. Not for use by clients.
public protocol _UndoAnchor<Root, Base>: Equatable {
  /// The document.
  associatedtype Root
  /// The part.
  associatedtype Base

  /// Gives access to the part.
  func modify<Result>(_ root: inout Root, _ body: (inout Base) -> Result) -> Result
  /// Gives the part for reading.
  func read<Result>(_ root: Root, _ body: (Base) -> Result) -> Result

  /// Whether it is the document itself.
  static var isRoot: Bool { get }

  /// How an edit of the part of this type at this offset looks from the document.
  func edit<Part>(_ action: _UndoAction, at offset: Int, of type: Part.Type) -> UndoEdit
}

/// The document itself.
@frozen
public struct _UndoRoot<Root>: _UndoAnchor {
  /// It is.
  @inlinable
  public static var isRoot: Bool { true }

  @inlinable
  init() {}

  /// Gives access to the part.
  @inlinable
  @inline(__always)
  public func modify<Result>(_ root: inout Root, _ body: (inout Root) -> Result) -> Result { body(&root) }

  /// Gives the part for reading.
  @inlinable
  @inline(__always)
  public func read<Result>(_ root: Root, _ body: (Root) -> Result) -> Result { body(root) }

  /// How an edit looks from the document.
  @inlinable
  public func edit<Part>(_ action: _UndoAction, at offset: Int, of type: Part.Type) -> UndoEdit {
    UndoEdit(action, start: offset, size: MemoryLayout<Part>.size)
  }
}

/// An element of a collection, the collection lying at a byte offset in what the parent leads to.
///
///     63        24 23      0
///     |   index   | offset |     behind the parent, which is nothing for the root
@frozen
public struct _UndoElement<Parent: _UndoAnchor, Elements: MutableCollection>: _UndoAnchor where Elements.Index == Int {
  /// It is not.
  @inlinable
  public static var isRoot: Bool { false }

  @usableFromInline
  let parent: Parent
  @usableFromInline
  let place: UInt64

  @inlinable
  @inline(__always)
  init(_ index: Int, offset: Int, in parent: Parent) {
    precondition(offset >> 24 == 0 && UInt64(truncatingIfNeeded: index) >> 40 == 0, "Index out of range")
    self.parent = parent
    place = UInt64(truncatingIfNeeded: index) << 24 | UInt64(truncatingIfNeeded: offset)
  }

  @inlinable
  var offset: Int { Int(truncatingIfNeeded: place & 0xff_ffff) }
  @inlinable
  var index: Int { Int(truncatingIfNeeded: place >> 24) }

  /// Gives access to the part.
  @inlinable
  @inline(__always)
  public func modify<Result>(_ root: inout Parent.Root, _ body: (inout Elements.Element) -> Result) -> Result {
    parent.modify(&root) { base in
      _UndoLog.withPart(of: &base, at: offset, as: Elements.self) { elements in body(&elements[index]) }
    }
  }

  /// Gives the part for reading.
  @inlinable
  @inline(__always)
  public func read<Result>(_ root: Parent.Root, _ body: (Elements.Element) -> Result) -> Result {
    parent.read(root) { base in
      _UndoLog.withPart(of: base, at: offset, as: Elements.self) { elements in body(elements[index]) }
    }
  }

  /// How an edit looks from the document.
  @inlinable
  public func edit<Part>(_ action: _UndoAction, at offset: Int, of type: Part.Type) -> UndoEdit {
    parent.edit(.element(at: index), at: self.offset, of: Elements.self)
  }
}
