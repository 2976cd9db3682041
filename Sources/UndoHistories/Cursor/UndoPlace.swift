/// Where in a document a cursor is: the document itself, or an element of a collection.
///
/// A function that takes a cursor of any place names the place as its parameter:
///
/// ```swift
/// struct Note { var title = "" }
///
/// func shout<Place>(_ title: inout UndoCursor<Place, String>) { title += "!" }
///
/// var notes = UndoHistory(initialValue: [Note(title: "Hello")])
/// shout(&notes.edit[0].title)
/// ```
///
/// Places are composed statically, so that following one is code without branches. No other types conform.
public protocol UndoPlace<Root, Base>: Equatable {
  /// The document.
  @_documentation(visibility: internal)
  associatedtype Root
  /// The part.
  @_documentation(visibility: internal)
  associatedtype Base

  /// Gives access to the part.
  @_documentation(visibility: internal)
  func modify<Result>(_ root: inout Root, _ body: (inout Base) -> Result) -> Result
  /// Gives the part for reading.
  @_documentation(visibility: internal)
  func read<Result>(_ root: Root, _ body: (Base) -> Result) -> Result

  /// The size of the collection in the document with which the path begins; nil for the document itself.
  @_documentation(visibility: internal)
  static var outermostSize: Int? { get }
  /// Whether the part is an element of a document that is a collection.
  @_documentation(visibility: internal)
  static var isElementOfRoot: Bool { get }
  /// Whether a part is exactly what was assigned, because all collections on the path are arrays.
  @_documentation(visibility: internal)
  static var keepsWhatIsGiven: Bool { get }

  /// Adds the levels of the path, outermost first.
  @_documentation(visibility: internal)
  func appendLevels(to levels: inout _UndoLevels)
}

extension UndoPlace {
  /// Gives access to the value at an offset in the part.
  @inlinable
  @inline(__always)
  package func modify<Part, Result>(
    _ root: inout Root, at offset: Int, as type: Part.Type, _ body: (inout Part) -> Result
  ) -> Result {
    modify(&root) { base in unsafe withUnsafePart(of: &base, at: offset, as: type, body) }
  }

  /// Gives the value at an offset in the part for reading.
  @inlinable
  @inline(__always)
  package func read<Part, Result>(
    _ root: Root, at offset: Int, as type: Part.Type, _ body: (Part) -> Result
  ) -> Result {
    read(root) { base in unsafe withUnsafePart(of: base, at: offset, as: type, body) }
  }
}

/// The document itself.
@frozen
public struct UndoDocumentPlace<Root> {
  @inlinable
  package init() {}
}

@_documentation(visibility: internal)
extension UndoDocumentPlace: UndoPlace {
  /// Nil, because there is no collection.
  @inlinable
  @inline(__always)
  public static var outermostSize: Int? { nil }

  /// False, because the document isn't an element.
  @inlinable
  @inline(__always)
  public static var isElementOfRoot: Bool { false }

  /// True, because there is no collection.
  @inlinable
  @inline(__always)
  public static var keepsWhatIsGiven: Bool { true }

  /// Gives access to the part.
  @inlinable
  @inline(__always)
  public func modify<Result>(_ root: inout Root, _ body: (inout Root) -> Result) -> Result { body(&root) }

  /// Gives the part for reading.
  @inlinable
  @inline(__always)
  public func read<Result>(_ root: Root, _ body: (Root) -> Result) -> Result { body(root) }

  /// Adds nothing.
  @inlinable
  public func appendLevels(to levels: inout _UndoLevels) {}
}

/// An element of a collection that lies at a byte offset in the part that the parent leads to.
///
///     | parent | index, offset |     the parent has no bytes if it is the root
@frozen
public struct UndoElementPlace<Parent: UndoPlace, Elements: MutableCollection> where Elements.Index == Int {
  @usableFromInline
  let parent: Parent
  @usableFromInline
  let element: _UndoElementPath

  @inlinable
  @inline(__always)
  init(_ index: Int, offset: Int, in parent: Parent) {
    self.parent = parent
    element = _UndoElementPath(index, offset: offset)
  }

  @inlinable
  var offset: Int { element.offset }
  @inlinable
  var index: Int { element.index }
}

@_documentation(visibility: internal)
extension UndoElementPlace: UndoPlace {
  /// The parent's, or the size of the collection.
  @inlinable
  @inline(__always)
  public static var outermostSize: Int? { Parent.outermostSize ?? MemoryLayout<Elements>.size }

  /// Whether the parent is the document and the collection is all of it.
  @inlinable
  @inline(__always)
  public static var isElementOfRoot: Bool { Parent.outermostSize == nil && Elements.self == Parent.Root.self }

  /// Whether this collection and those of the parent are arrays.
  @inlinable
  @inline(__always)
  public static var keepsWhatIsGiven: Bool {
    (Elements.self == [Elements.Element].self || Elements.self == ContiguousArray<Elements.Element>.self
      || Elements.self == ArraySlice<Elements.Element>.self) && Parent.keepsWhatIsGiven
  }

  /// Gives access to the part.
  @inlinable
  @inline(__always)
  public func modify<Result>(_ root: inout Parent.Root, _ body: (inout Elements.Element) -> Result) -> Result {
    parent.modify(&root) { base in
      unsafe withUnsafePart(of: &base, at: offset, as: Elements.self) { elements in body(&elements[index]) }
    }
  }

  /// Gives the part for reading.
  @inlinable
  @inline(__always)
  public func read<Result>(_ root: Parent.Root, _ body: (Elements.Element) -> Result) -> Result {
    parent.read(root) { base in
      unsafe withUnsafePart(of: base, at: offset, as: Elements.self) { elements in body(elements[index]) }
    }
  }

  /// Adds the levels of the parent, and this one.
  @inlinable
  public func appendLevels(to levels: inout _UndoLevels) {
    parent.appendLevels(to: &levels)
    levels.append(_UndoLevel(_UndoPartRange(Elements.self, at: offset), index: index))
  }
}

/// The index of an element, and the offset of its collection.
///
///     63        24 23      0
///     |   index   | offset |
@frozen
@usableFromInline
struct _UndoElementPath: Equatable {
  @usableFromInline
  let bits: UInt64

  @inlinable
  @inline(__always)
  init(_ index: Int, offset: Int) {
    precondition(offset >> 24 == 0 && UInt64(truncatingIfNeeded: index) >> 40 == 0, "Index out of range")
    bits = UInt64(truncatingIfNeeded: index) << 24 | UInt64(truncatingIfNeeded: offset)
  }

  @inlinable
  var offset: Int { Int(truncatingIfNeeded: bits & 0xff_ffff) }
  @inlinable
  var index: Int { Int(truncatingIfNeeded: bits >> 24) }

  /// The edit of the element as seen from the document.
  @inlinable
  @inline(__always)
  func edit(size: Int) -> UndoEdit { UndoEdit(.element(at: index), start: offset, size: size) }

  /// The bytes of the collection.
  func bytes(size: Int) -> Range<Int> { offset..<offset + size }

  /// Writes the paths of levels to the beginning of a delta; false if an index is too large, with the delta unusable.
  @usableFromInline
  static func write(_ levels: _UndoLevels, to delta: _UnsafeUndoPointer) -> Bool {
    for depth in 0..<levels.count {
      let level = levels[depth]
      guard level.index >= 0, level.index < .largestUndoIndex else { return false }
      unsafe delta.part(at: depth * 8)[as: _UndoElementPath.self] = _UndoElementPath(
        level.index, offset: level.collection.offset)
    }
    return true
  }
}

extension Int {
  /// The upper bound of the indices on the path to an edit.
  package static var largestUndoIndex: Int { Swift.min(Int(clamping: 1 << 40 as Int64), .max / 4) }
}
