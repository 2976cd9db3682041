// Values whose type is known only at run time.
//
// Each is copied and moved by itself, never as an array of one: that may copy the padding up to the stride, where in a root
// the next property lies.
extension _PartialEntry {
  var valueType: Any.Type { unsafe unsafeBitCast(typeBits, to: Any.Type.self) }
  var type: ObjectIdentifier { ObjectIdentifier(valueType) }

  func destroy(at base: UnsafeMutableRawPointer) {
    if isTrivial { return }
    func destroy<Value>(_: Value.Type) { _ = unsafe place(Value.self, at: base).deinitialize(count: 1) }
    destroy(valueType)
  }

  func copy(from source: UnsafeMutableRawPointer, to target: UnsafeMutableRawPointer) {
    func copy<Value>(_: Value.Type) {
      unsafe place(Value.self, at: target).initialize(to: place(Value.self, at: source).pointee)
    }
    copy(valueType)
  }

  func assign(from source: UnsafeMutableRawPointer, to target: UnsafeMutableRawPointer) {
    func assign<Value>(_: Value.Type) {
      unsafe place(Value.self, at: target).pointee = place(Value.self, at: source).pointee
    }
    assign(valueType)
  }

  func move(from source: UnsafeMutableRawPointer, to target: UnsafeMutableRawPointer) {
    func move<Value>(_: Value.Type) {
      unsafe place(Value.self, at: target).initialize(to: place(Value.self, at: source).move())
    }
    move(valueType)
  }

  func exchange(_ left: UnsafeMutableRawPointer, _ right: UnsafeMutableRawPointer) {
    func exchange<Value>(_: Value.Type) {
      unsafe swap(&place(Value.self, at: left).pointee, &place(Value.self, at: right).pointee)
    }
    exchange(valueType)
  }

  func value(at base: UnsafeMutableRawPointer) -> Any {
    func value<Value>(_: Value.Type) -> Any { unsafe place(Value.self, at: base).pointee }
    return value(valueType)
  }

  /// Calls `body` with the address of a root's bytes, of which just those of this entry hold a value: a copy of the one at
  /// `base`, which `body` moves out or destroys.
  func withCopy(
    at base: UnsafeMutableRawPointer, rootAlignment: Int, _ body: (UnsafeMutableRawPointer) -> Void
  ) {
    unsafe withUnsafeTemporaryAllocation(byteCount: field.end, alignment: rootAlignment) { buffer in
      guard let target = buffer.baseAddress else { return }
      unsafe copy(from: base, to: target)
      unsafe body(target)
    }
  }

  private func place<Value>(_: Value.Type, at base: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Value> {
    unsafe (base + start).assumingMemoryBound(to: Value.self)
  }
}
