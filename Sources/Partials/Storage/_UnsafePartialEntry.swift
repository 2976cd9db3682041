/// One value as it was set: where it lies, its type, and whether its key path was read-only.
///
/// All bytes of an entry are initialized, even those of removed parts: they belong to the value until the whole value
/// is removed. The type is stored in halves, so that an entry takes 12 bytes instead of 16.
@usableFromInline
struct _UnsafePartialEntry: Equatable {
  @usableFromInline let lowerType: UInt32
  @usableFromInline let upperType: UInt32
  @usableFromInline let startAndFlags: UInt32

  @inlinable
  init<Value>(_: Value.Type, at field: _PartialField, isConstant: Bool) {
    let typeBits = UInt64(UInt(bitPattern: ObjectIdentifier(Value.self)))
    lowerType = UInt32(truncatingIfNeeded: typeBits)
    upperType = UInt32(truncatingIfNeeded: typeBits &>> 32)
    // The standard library has no public way to ask whether copying a value only copies its bytes.
    let flags: UInt32 = (isConstant ? 2 : 0) | (_isPOD(Value.self) ? 1 : 0)
    startAndFlags = UInt32(truncatingIfNeeded: field.start) &<< 2 | flags
  }

  @inlinable var typeBits: UInt { UInt(truncatingIfNeeded: UInt64(upperType) << 32 | UInt64(lowerType)) }
  @inlinable var start: Int { Int(startAndFlags >> 2) }

  /// Whether copying the value only copies its bytes, so that it needs no destruction.
  var isTrivial: Bool { startAndFlags & 1 != 0 }

  /// Whether the value was set through a read-only key path.
  @inlinable var isConstant: Bool { startAndFlags & 2 != 0 }

  @inlinable
  static func == (left: _UnsafePartialEntry, right: _UnsafePartialEntry) -> Bool {
    left.startAndFlags == right.startAndFlags && left.lowerType == right.lowerType && left.upperType == right.upperType
  }

  var field: _PartialField { _PartialField(start: start, end: start + _PartialField.byteCount(of: valueType)) }
}

// The following functions handle values whose type is known only at run time.
//
// Each value is copied and moved by itself, never as an array of one. An array may also copy the padding up to the
// stride, where the next property may lie in a root.
//
// An address is that of a root's bytes. Preconditions of all functions: if a value is read, replaced or taken, the
// entry's bytes hold a value of its type; if one is stored, they hold none. The bytes can't show that, so the storage
// must ensure it. Assertions check that source and target are different roots.
extension _UnsafePartialEntry {
  /// The type that the entry was made with; its bits are always those of a type, because no other initializer exists.
  var valueType: Any.Type { unsafe unsafeBitCast(typeBits, to: Any.Type.self) }
  var type: ObjectIdentifier { ObjectIdentifier(valueType) }

  /// Destroys the value at `base`.
  @unsafe
  func destroy(at base: UnsafeMutableRawPointer) {
    if isTrivial { return }
    func destroy<Value>(_: Value.Type) { _ = unsafe pointer(Value.self, at: base).deinitialize(count: 1) }
    destroy(valueType)
  }

  /// Moves or copies the value at `source` to `target`, which holds none.
  @unsafe
  func transfer(from source: UnsafeMutableRawPointer, to target: UnsafeMutableRawPointer, moving: Bool) {
    unsafe assert(source != target, "A value onto itself")
    func transfer<Value>(_: Value.Type) {
      let source = unsafe pointer(Value.self, at: source)
      unsafe pointer(Value.self, at: target).initialize(to: moving ? source.move() : source.pointee)
    }
    transfer(valueType)
  }

  @unsafe
  func exchange(_ left: UnsafeMutableRawPointer, _ right: UnsafeMutableRawPointer) {
    unsafe assert(left != right, "A value with itself")
    func exchange<Value>(_: Value.Type) {
      unsafe swap(&pointer(Value.self, at: left).pointee, &pointer(Value.self, at: right).pointee)
    }
    exchange(valueType)
  }

  @unsafe
  func value(at base: UnsafeMutableRawPointer) -> Any {
    func value<Value>(_: Value.Type) -> Any { unsafe pointer(Value.self, at: base).pointee }
    return value(valueType)
  }

  /// Copies this entry's value to a temporary buffer, at its offset in a root, and calls `body` with the buffer's
  /// address.
  ///
  /// `body` must move the copy out or destroy it. The buffer ends after the entry.
  @unsafe
  func withCopy(at base: UnsafeMutableRawPointer, rootAlignment: Int, _ body: (UnsafeMutableRawPointer) -> Void) {
    unsafe withUnsafeTemporaryAllocation(byteCount: field.end, alignment: rootAlignment) { buffer in
      guard let target = buffer.baseAddress else { return }
      unsafe transfer(from: base, to: target, moving: false)
      unsafe body(target)
    }
  }

  @unsafe
  private func pointer<Value>(_: Value.Type, at base: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Value> {
    unsafe (base + start).assumingMemoryBound(to: Value.self)
  }
}
