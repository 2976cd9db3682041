/// A type of the standard library that is measured, and whose differences are recorded, without its mirror: texts,
/// optionals, arrays, sets and dictionaries.
protocol _UndoStandardType {
  /// The memory that the value retains besides its own bytes (`_UndoWeight.retainedBytes`).
  func retainedBytes(depth: Int) -> Int

  /// Records how the value at a cursor differs from the old one that it replaced.
  static func recordDifference<Place>(from old: Self, at cursor: borrowing UndoCursor<Place, Self>)

  /// Whether the value may wrap another one, such as an object.
  static var isWrapper: Bool { get }
  /// Whether a property of this type can be read in place: not an optional that may be a weak reference.
  static var isReadable: Bool { get }
}

extension _UndoStandardType {
  static func recordDifference<Place>(from old: Self, at cursor: borrowing UndoCursor<Place, Self>) {
    cursor.recordUnlessSame(old)
  }

  static var isWrapper: Bool { false }
  static var isReadable: Bool { true }
}

// MARK: Texts

extension String: _UndoStandardType {
  func retainedBytes(depth: Int) -> Int { String.retainedBytes(ofOwned: _ownedBytes) }

  /// The length counts twice, because the capacity of the buffer isn't known.
  static func retainedBytes(ofOwned owned: Int) -> Int { owned == 0 ? 0 : 2 * owned - 32 }

  static func recordDifference<Place>(from old: String, at cursor: borrowing UndoCursor<Place, String>) {
    cursor.recordChange(from: old, to: cursor.currentItem)
  }
}

extension Substring: _UndoStandardType {
  /// A slice keeps all of its text.
  func retainedBytes(depth: Int) -> Int { base.retainedBytes(depth: depth) }
}

extension Character: _UndoStandardType {
  func retainedBytes(depth: Int) -> Int { String(self).retainedBytes(depth: depth) }
}

// MARK: Values in values

extension Optional: _UndoStandardType {
  func retainedBytes(depth: Int) -> Int { map { _UndoWeight.retainedBytes(of: $0, depth: depth) } ?? 0 }

  static var isWrapper: Bool { true }

  static var isReadable: Bool {
    if let type = Wrapped.self as? any _UndoStandardType.Type { return type.isReadable }
    return !_UndoWeight.retainsMemory(Wrapped.self)
  }

  /// The wrapped value lies where the optional does, so its parts can be exchanged in place.
  static func recordDifference<Place>(from old: Wrapped?, at cursor: borrowing UndoCursor<Place, Wrapped?>) {
    if let text = Wrapped?.self as? any UndoText.Type {
      func record<Text: UndoText>(_ type: Text.Type) {
        guard let old = old as? Text else { return }
        let text = UndoCursor<Place, Text>(cursor.access, cursor.place, offset: cursor.offset)
        Text._recordChange(from: old, to: text.currentItem, at: text)
      }
      return record(text)
    }
    guard let old, cursor.currentItem != nil else { return cursor.recordUnlessSame(old) }
    UndoCursor<Place, Wrapped>(cursor.access, cursor.place, offset: cursor.offset).recordDifference(from: old)
  }
}

extension AnyHashable: _UndoStandardType {
  func retainedBytes(depth: Int) -> Int { _UndoWeight.retainedBytes(of: base, depth: depth) }

  static var isWrapper: Bool { true }
}

// MARK: Collections

extension Array: _UndoStandardType {
  func retainedBytes(depth: Int) -> Int { elementBytes(capacity: capacity, depth: depth) }
}

extension ContiguousArray: _UndoStandardType {
  func retainedBytes(depth: Int) -> Int { elementBytes(capacity: capacity, depth: depth) }
}

extension ArraySlice: _UndoStandardType {
  /// A slice retains its whole buffer, but only shows how much of it lies before the slice.
  func retainedBytes(depth: Int) -> Int { elementBytes(capacity: 2 * (abs(startIndex) + capacity), depth: depth) }
}

extension Set: _UndoStandardType {
  func retainedBytes(depth: Int) -> Int {
    let buckets = _UndoWeight.bytesOfBuckets(capacity: capacity, stride: MemoryLayout<Element>.stride)
    return _UndoWeight.retainsMemory(Element.self)
      ? reduce(buckets) { $0 + _UndoWeight.retainedBytes(of: $1, depth: depth) } : buckets
  }

  static func recordDifference<Place>(from old: Set, at cursor: borrowing UndoCursor<Place, Set>) {
    cursor.recordChange(from: old)
  }
}

extension Dictionary: _UndoStandardType {
  func retainedBytes(depth: Int) -> Int {
    let stride = MemoryLayout<Key>.stride + MemoryLayout<Value>.stride
    let buckets = _UndoWeight.bytesOfBuckets(capacity: capacity, stride: stride)
    guard _UndoWeight.retainsMemory(Key.self) || _UndoWeight.retainsMemory(Value.self) else { return buckets }
    return reduce(buckets) {
      $0 + _UndoWeight.retainedBytes(of: $1.key, depth: depth)
        + _UndoWeight.retainedBytes(of: $1.value, depth: depth)
    }
  }

  static func recordDifference<Place>(from old: Dictionary, at cursor: borrowing UndoCursor<Place, Dictionary>) {
    cursor.recordChange(from: old, isSame: { _UndoSameness.areSameIfEqual($0, $1) })
  }
}
