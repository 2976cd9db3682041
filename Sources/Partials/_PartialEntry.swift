/// One value as it was set: where it lies and what it is.
///
/// All bytes of an entry are initialised, those of its removed parts too: they belong to the value until it goes as a whole.
@usableFromInline
struct _PartialEntry {
  @usableFromInline let valueType: Any.Type
  @usableFromInline let start: UInt32
  @usableFromInline let sizeAndTriviality: UInt32

  @inlinable
  init<Value>(_: Value.Type, at field: _PartialField) {
    valueType = Value.self
    start = UInt32(truncatingIfNeeded: field.start)
    // The standard library has no public way to ask whether a value's copy is a copy of its bytes.
    sizeAndTriviality = UInt32(truncatingIfNeeded: MemoryLayout<Value>.size) &<< 1 | (_isPOD(Value.self) ? 1 : 0)
  }

  var field: _PartialField { _PartialField(start: Int(start), end: Int(start) + Int(sizeAndTriviality >> 1)) }

  /// Whether a copy of the value is a copy of its bytes, and nothing is to be done when it goes.
  var isTrivial: Bool { sizeAndTriviality & 1 != 0 }
}
