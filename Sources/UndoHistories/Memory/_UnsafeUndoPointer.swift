/// The address of a value without its type: of the document, of the log, or of the payload of a record.
///
/// The functions at the end of the file reach a part of a value by its byte offset.
///
/// The log is not generic, so that its code exists only once. It knows payloads and the document by their addresses
/// only. The operation of a record, or the storage of a history, knows the type and adds it again.
///
/// Unsafe: nothing checks that the value at the address has the type that is asked for. Each function that relies on
/// that is marked `@unsafe`, and so is each use.
@safe
@usableFromInline
package struct _UnsafeUndoPointer {
  @usableFromInline
  let address: UnsafeMutableRawPointer

  @inlinable
  package init(_ address: UnsafeMutableRawPointer) {
    unsafe self.address = address
  }

  /// Allocates memory for one value, and puts the value there.
  @inlinable
  static func allocate<Content: ~Copyable>(holding content: consuming Content) -> _UnsafeUndoPointer {
    let pointer = UnsafeMutablePointer<Content>.allocate(capacity: 1)
    unsafe pointer.initialize(to: content)
    return unsafe _UnsafeUndoPointer(UnsafeMutableRawPointer(pointer))
  }

  /// Ends the value's life and frees the memory.
  ///
  /// - Precondition: The memory came from `allocate` for a value of this type, and isn't used any more.
  @unsafe
  func deallocate<Content: ~Copyable>(as type: Content.Type) {
    let pointer = unsafe address.assumingMemoryBound(to: Content.self)
    unsafe pointer.deinitialize(count: 1)
    unsafe pointer.deallocate()
  }

  /// Begins the life of a value.
  ///
  /// - Precondition: There is memory for one value, aligned for its type, in which nothing lives.
  @unsafe
  @inlinable
  @inline(__always)
  func initialize<Content>(to content: consuming Content) {
    assertAligned(for: Content.self)
    unsafe address.initializeMemory(as: Content.self, to: content)
  }

  /// Ends the life of a value.
  ///
  /// - Precondition: A value of this type lives there.
  @unsafe
  @inlinable
  func deinitialize<Content>(as type: Content.Type) {
    assertAligned(for: Content.self)
    // Moving out and dropping is specialized; `deinitialize` would go through the type's metadata.
    _ = unsafe address.assumingMemoryBound(to: Content.self).move()
  }

  /// Exchanges the word at this address with the one at an offset in the document.
  ///
  /// - Precondition: Both are numbers of eight bytes, of one type.
  @unsafe
  @inlinable
  @inline(__always)
  func exchangeWord(with document: _UnsafeUndoPointer, at offset: Int) {
    assert(offset >= 0 && offset & 7 == 0, "no number of eight bytes lies at byte \(offset)")
    let other = unsafe address.load(as: UInt64.self)
    unsafe address.storeBytes(of: document.address.load(fromByteOffset: offset, as: UInt64.self), as: UInt64.self)
    unsafe document.address.storeBytes(of: other, toByteOffset: offset, as: UInt64.self)
  }

  /// The address at an offset from this one.
  package func part(at offset: Int) -> _UnsafeUndoPointer { unsafe _UnsafeUndoPointer(address + offset) }

  /// Whether the same bytes lie at this address and at another one.
  ///
  /// - Precondition: The count is a multiple of 8. That many bytes can be read at both addresses, without padding.
  @unsafe
  func hasSameBytes(as other: _UnsafeUndoPointer, count: Int) -> Bool {
    var offset = 0
    while offset < count {
      if unsafe address.load(fromByteOffset: offset, as: UInt64.self)
        != other.address.load(fromByteOffset: offset, as: UInt64.self)
      {
        return false
      }
      offset += 8
    }
    return true
  }

  /// Feeds the bytes at this address into a hasher.
  ///
  /// - Precondition: That many bytes can be read, without padding.
  @unsafe
  func hashBytes(count: Int, into hasher: inout Hasher) {
    unsafe hasher.combine(bytes: UnsafeRawBufferPointer(start: address, count: count))
  }

  /// Gives access to the value like the subscript, which isn't inlined if the access contains branches.
  ///
  /// - Precondition: A value of this type lives there.
  @unsafe
  @inlinable
  @inline(__always)
  package func with<Content: ~Copyable, Result: ~Copyable>(
    _ type: Content.Type, _ body: (inout Content) -> Result
  ) -> Result {
    assertAligned(for: Content.self)
    return unsafe body(&address.assumingMemoryBound(to: Content.self).pointee)
  }

  /// The value.
  ///
  /// - Precondition: A value of this type lives there.
  @unsafe
  @inlinable
  package subscript<Content: ~Copyable>(as type: Content.Type) -> Content {
    @inline(__always)
    _read {
      assertAligned(for: Content.self)
      yield unsafe address.assumingMemoryBound(to: Content.self).pointee
    }
    @inline(__always)
    nonmutating _modify {
      assertAligned(for: Content.self)
      yield unsafe &address.assumingMemoryBound(to: Content.self).pointee
    }
  }

  /// Checks as much of the preconditions as can be known.
  @inlinable
  func assertAligned<Content: ~Copyable>(for type: Content.Type) {
    assert(
      unsafe UInt(bitPattern: address) % UInt(MemoryLayout<Content>.alignment) == 0,
      "an address is not aligned for \(Content.self)")
  }
}

// MARK: - Parts of values

/// Gives access to the part of a value that lies at a byte offset in it.
///
/// - Precondition: A value of this type lies there: the offset is that of a stored property, or of one within it.
@unsafe
@inlinable
@inline(__always)
package func withUnsafePart<Whole, Part, Result>(
  of whole: inout Whole, at offset: Int, as type: Part.Type, _ body: (inout Part) -> Result
) -> Result {
  assertPart(type, isWithin: Whole.self, at: offset)
  return unsafe withUnsafeMutablePointer(to: &whole) { pointer in
    unsafe body(&(UnsafeMutableRawPointer(pointer) + offset).assumingMemoryBound(to: Part.self).pointee)
  }
}

/// Gives the part of a value that lies at a byte offset in it, for reading.
///
/// - Precondition: A value of this type lies there: the offset is that of a stored property, or of one within it.
@unsafe
@inlinable
@inline(__always)
package func withUnsafePart<Whole, Part, Result>(
  of whole: Whole, at offset: Int, as type: Part.Type, _ body: (Part) -> Result
) -> Result {
  assertPart(type, isWithin: Whole.self, at: offset)
  return unsafe withUnsafePointer(to: whole) { pointer in
    unsafe body((UnsafeRawPointer(pointer) + offset).assumingMemoryBound(to: Part.self).pointee)
  }
}

/// Checks as much of the preconditions above as can be known: the part lies within the whole, and is aligned.
@inlinable
func assertPart<Whole, Part>(_ type: Part.Type, isWithin whole: Whole.Type, at offset: Int) {
  assert(
    offset >= 0 && offset + MemoryLayout<Part>.size <= MemoryLayout<Whole>.size,
    "\(Part.self) at byte \(offset) lies outside of \(Whole.self)")
  assert(offset % MemoryLayout<Part>.alignment == 0, "\(Part.self) at byte \(offset) is not aligned")
}
