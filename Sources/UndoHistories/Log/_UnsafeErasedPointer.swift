/// A place in memory that holds a value whose type its user knows: the document, the log, or the payload of a record.
@safe
@frozen
@usableFromInline
struct _UndoPlace {
  @usableFromInline
  let address: UnsafeMutableRawPointer

  @inlinable
  @inline(__always)
  init(_ address: UnsafeMutableRawPointer) {
    unsafe self.address = address
  }

  /// New memory for one value.
  @inlinable
  static func allocate<Content>(holding content: consuming Content) -> _UndoPlace {
    let pointer = UnsafeMutablePointer<Content>.allocate(capacity: 1)
    unsafe pointer.initialize(to: content)
    return unsafe _UndoPlace(UnsafeMutableRawPointer(pointer))
  }

  /// Ends the value's life and returns memory that came from `allocate`.
  @inlinable
  func deallocate<Content>(as type: Content.Type) {
    let pointer = unsafe address.assumingMemoryBound(to: Content.self)
    unsafe pointer.deinitialize(count: 1)
    unsafe pointer.deallocate()
  }

  @inlinable
  @inline(__always)
  func initialize<Content>(to content: consuming Content) {
    unsafe address.initializeMemory(as: Content.self, to: content)
  }

  @inlinable
  func deinitialize<Content>(as type: Content.Type) {
    // Moving out and dropping is specialised; `deinitialize` would go through the type's metadata.
    _ = unsafe address.assumingMemoryBound(to: Content.self).move()
  }

  /// Exchanges the word in this place with the one at an offset in the document.
  @inlinable
  @inline(__always)
  func exchangeWord(with document: _UndoPlace, at offset: Int) {
    let other = unsafe address.load(as: UInt64.self)
    unsafe address.storeBytes(of: document.address.load(fromByteOffset: offset, as: UInt64.self), as: UInt64.self)
    unsafe document.address.storeBytes(of: other, toByteOffset: offset, as: UInt64.self)
  }

  /// Exchanges the element in this place, which is the payload of a record, with that of the document.
  @inlinable
  @inline(__always)
  func exchangeElement<Elements: MutableCollection>(
    with document: _UndoPlace, of type: Elements.Type
  ) where Elements.Index == Int {
    let index = self[as: _UndoElementSwap<Elements>.self].anchor.index
    swap(&document[as: Elements.self][index], &self[as: _UndoElementSwap<Elements>.self].other)
  }

  /// Access to the value, as by the subscript; with branches inside, that would not be inlined.
  @inlinable
  @inline(__always)
  func with<Content, Result>(_ type: Content.Type, _ body: (inout Content) -> Result) -> Result {
    unsafe body(&address.assumingMemoryBound(to: Content.self).pointee)
  }

  @inlinable
  subscript<Content>(as type: Content.Type) -> Content {
    @inline(__always)
    _read { yield unsafe address.assumingMemoryBound(to: Content.self).pointee }
    @inline(__always)
    nonmutating _modify { yield unsafe &address.assumingMemoryBound(to: Content.self).pointee }
  }
}

extension _UndoLog {
  /// The part of a value that lies at a byte offset in it.
  @inlinable
  @inline(__always)
  static func withPart<Whole, Part, Result>(
    of whole: inout Whole, at offset: Int, as type: Part.Type, _ body: (inout Part) -> Result
  ) -> Result {
    unsafe withUnsafeMutablePointer(to: &whole) { pointer in
      unsafe body(&(UnsafeMutableRawPointer(pointer) + offset).assumingMemoryBound(to: Part.self).pointee)
    }
  }

  /// The part of a value that lies at a byte offset in it, for reading.
  @inlinable
  @inline(__always)
  static func withPart<Whole, Part, Result>(
    of whole: Whole, at offset: Int, as type: Part.Type, _ body: (Part) -> Result
  ) -> Result {
    unsafe withUnsafePointer(to: whole) { pointer in
      unsafe body((UnsafeRawPointer(pointer) + offset).assumingMemoryBound(to: Part.self).pointee)
    }
  }
}
