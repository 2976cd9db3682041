/// Memory for a few values of one property, whose type only the property knows.
///
///     | value | value |       | value | ...       `places` says which places have one
///
/// Unsafe: each address from which a value is copied, or to which it is assigned, must have a value of the same type.
@safe
final class _UnsafeUndoValues {
  private let property: _UndoRestored
  private let count: Int
  private let memory: UnsafeMutableRawPointer
  private var places: UInt64 = 0

  /// - Parameter count: The number of places, at most 64.
  init(of property: _UndoRestored, count: Int) {
    precondition(1...64 ~= count, "There is a bit for each of 64 places")
    (self.property, self.count) = (property, count)
    unsafe memory = .allocate(byteCount: max(1, count * property.stride), alignment: 8)
  }

  deinit {
    for place in 0..<count { remove(place) }
    unsafe memory.deallocate()
  }

  /// An independent copy of the values.
  func copy() -> _UnsafeUndoValues {
    let copy = _UnsafeUndoValues(of: property, count: count)
    for place in 0..<count { if let value = self[place] { copy.set(place, to: value) } }
    return copy
  }

  /// The value in a place, valid until the place changes; nil if the place is empty.
  subscript(place: Int) -> _UnsafeUndoPointer? { places & bit(place) == 0 ? nil : address(of: place) }

  /// Copies the value at an address to a place.
  func set(_ place: Int, to value: _UnsafeUndoPointer) {
    if let old = self[place] { return property.assign(value, old) }
    property.copy(value, address(of: place))
    places |= bit(place)
  }

  func remove(_ place: Int) {
    guard let value = self[place] else { return }
    property.destroy(value)
    places &= ~bit(place)
  }

  private func bit(_ place: Int) -> UInt64 {
    assert(0..<count ~= place)
    return 1 << UInt64(truncatingIfNeeded: place)
  }

  private func address(of place: Int) -> _UnsafeUndoPointer {
    unsafe _UnsafeUndoPointer(memory + place * property.stride)
  }
}
