/// One value as it was set: where it lies, what it is, and whether through a key path that can be written to.
///
/// All bytes of an entry are initialised, those of its removed parts too: they belong to the value until it goes as a whole.
/// The type is kept in halves, so that an entry takes twelve bytes and not sixteen.
@usableFromInline
struct _PartialEntry: Equatable {
  @usableFromInline let lowerType: UInt32
  @usableFromInline let upperType: UInt32
  @usableFromInline let startAndFlags: UInt32

  @inlinable
  init<Value>(_: Value.Type, at field: _PartialField, isConstant: Bool) {
    let typeBits = UInt64(UInt(bitPattern: ObjectIdentifier(Value.self)))
    lowerType = UInt32(truncatingIfNeeded: typeBits)
    upperType = UInt32(truncatingIfNeeded: typeBits &>> 32)
    // The standard library has no public way to ask whether a value's copy is a copy of its bytes.
    let flags: UInt32 = (isConstant ? 2 : 0) | (_isPOD(Value.self) ? 1 : 0)
    startAndFlags = UInt32(truncatingIfNeeded: field.start) &<< 2 | flags
  }

  var typeBits: UInt { UInt(truncatingIfNeeded: UInt64(upperType) << 32 | UInt64(lowerType)) }
  var start: Int { Int(startAndFlags >> 2) }

  /// Whether a copy of the value is a copy of its bytes, and nothing is to be done when it goes.
  var isTrivial: Bool { startAndFlags & 1 != 0 }

  /// Whether the value was set through a read-only key path.
  @inlinable var isConstant: Bool { startAndFlags & 2 != 0 }

  @inlinable
  static func == (left: _PartialEntry, right: _PartialEntry) -> Bool {
    left.startAndFlags == right.startAndFlags && left.lowerType == right.lowerType && left.upperType == right.upperType
  }

  var field: _PartialField {
    func size<Value>(_: Value.Type) -> Int { MemoryLayout<Value>.size }
    let valueType = valueType
    return _PartialField(start: start, end: start + size(valueType))
  }
}
