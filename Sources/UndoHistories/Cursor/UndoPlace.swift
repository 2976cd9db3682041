// The protocol of places, and the two places that exist: the document (`UndoDocumentPlace`) and an element of a
// collection (`UndoElementPlace`). A place leads to a value, and tells what edits there have in common. The description
// of a place without its types is in `Edits/_UndoLevels`.

/// The place of a cursor in a document: the document itself, or an element of a collection.
///
/// A function that takes a cursor at any place has the place as a generic parameter:
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
/// Places are nested generic types, so the code that walks a place has no branches. Don't conform your own types.
public protocol UndoPlace<Root, Base>: Equatable {
  /// The document.
  @_documentation(visibility: internal)
  associatedtype Root
  /// The value at the place, in which a cursor's part lies.
  @_documentation(visibility: internal)
  associatedtype Base

  /// Calls a closure with the value at the place, to modify it.
  @_documentation(visibility: internal)
  func modify<Result>(_ root: inout Root, _ body: (inout Base) -> Result) -> Result
  /// Calls a closure with the value at the place, to read it.
  @_documentation(visibility: internal)
  func read<Result>(_ root: Root, _ body: (Base) -> Result) -> Result

  /// The size of the outermost collection on the path, which lies in the document; nil for the document itself.
  @_documentation(visibility: internal)
  static var outermostSize: Int? { get }
  /// Whether the place is an element of a document that is a collection.
  @_documentation(visibility: internal)
  static var isElementOfRoot: Bool { get }
  /// Whether a part is exactly the value that was assigned to it, because all collections on the path are arrays.
  @_documentation(visibility: internal)
  static var storesAssignedValue: Bool { get }

  /// Adds the levels of the path, outermost first.
  @_documentation(visibility: internal)
  func appendLevels(to levels: inout _UndoLevels)
}

extension UndoPlace {
  /// Calls a closure with the part at an offset in the value at the place, to modify it.
  @inlinable
  @inline(__always)
  package func modify<Part, Result>(
    _ root: inout Root, at offset: Int, as type: Part.Type, _ body: (inout Part) -> Result
  ) -> Result {
    modify(&root) { base in unsafe withUnsafePart(of: &base, at: offset, as: type, body) }
  }

  /// Calls a closure with the part at an offset in the value at the place, to read it.
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
  public static var outermostSize: Int? { nil }

  /// False, because the document isn't an element.
  @inlinable
  public static var isElementOfRoot: Bool { false }

  /// True, because there is no collection.
  @inlinable
  public static var storesAssignedValue: Bool { true }

  /// Calls a closure with the document, to modify it.
  @inlinable
  public func modify<Result>(_ root: inout Root, _ body: (inout Root) -> Result) -> Result { body(&root) }

  /// Calls a closure with the document, to read it.
  @inlinable
  public func read<Result>(_ root: Root, _ body: (Root) -> Result) -> Result { body(root) }

  /// Adds nothing.
  @inlinable
  public func appendLevels(to levels: inout _UndoLevels) {}
}

/// An element of a collection that lies at a byte offset in the value at the parent place.
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
}

@_documentation(visibility: internal)
extension UndoElementPlace: UndoPlace {
  /// The size of the parent's outermost collection, or of this one if the parent is the document.
  @inlinable
  public static var outermostSize: Int? { Parent.outermostSize ?? MemoryLayout<Elements>.size }

  /// Whether the parent is the document and the collection is all of it.
  @inlinable
  public static var isElementOfRoot: Bool { Parent.outermostSize == nil && Elements.self == Parent.Root.self }

  /// Whether this collection and those of the parent are arrays.
  @inlinable
  @inline(__always)
  public static var storesAssignedValue: Bool {
    (Elements.self == [Elements.Element].self || Elements.self == ContiguousArray<Elements.Element>.self
      || Elements.self == ArraySlice<Elements.Element>.self) && Parent.storesAssignedValue
  }

  /// Calls a closure with the element, to modify it.
  @inlinable
  @inline(__always)
  public func modify<Result>(_ root: inout Parent.Root, _ body: (inout Elements.Element) -> Result) -> Result {
    parent.modify(&root, at: element.offset, as: Elements.self) { elements in body(&elements[element.index]) }
  }

  /// Calls a closure with the element, to read it.
  @inlinable
  @inline(__always)
  public func read<Result>(_ root: Parent.Root, _ body: (Elements.Element) -> Result) -> Result {
    parent.read(root, at: element.offset, as: Elements.self) { elements in body(elements[element.index]) }
  }

  /// Adds the levels of the parent, and this one.
  @inlinable
  public func appendLevels(to levels: inout _UndoLevels) {
    parent.appendLevels(to: &levels)
    levels.append(_UndoLevel(_UndoPartRange(Elements.self, at: element.offset), index: element.index))
  }
}
