/// One value as it was set: where it lies and what it is.
///
/// All bytes of an entry are initialised, those of its removed parts too: they belong to the value until it goes as a whole.
@usableFromInline
struct _PartialEntry {
  let valueType: Any.Type
  private let start: UInt32
  private let sizeAndTriviality: UInt32

  @usableFromInline
  init<Value>(_: Value.Type, at field: _PartialField, isTrivial: Bool) {
    valueType = Value.self
    start = UInt32(field.start)
    sizeAndTriviality = UInt32(field.end - field.start) << 1 | (isTrivial ? 1 : 0)
  }

  var field: _PartialField { _PartialField(start: Int(start), end: Int(start) + Int(sizeAndTriviality >> 1)) }

  /// Whether a copy of the value is a copy of its bytes, and nothing is to be done when it goes.
  var isTrivial: Bool { sizeAndTriviality & 1 != 0 }
}
