internal import Sameness

/// The delta of a dictionary's key: the key, and its other value, which is nil if the key is missing on the other side.
///
/// It also joins typing in the value. The method by which a dictionary exchanges the value of a key is here, too.
@usableFromInline
struct _UndoEntry<Place: UndoPlace, Key: Hashable, Element>: _UndoDelta {
  @usableFromInline
  typealias Part = [Key: Element]

  @usableFromInline
  let place: Place
  @usableFromInline
  var key: Key
  @usableFromInline
  var other: Element?

  @inlinable
  init(_ place: Place, key: Key, other: Element?) {
    self.place = place
    self.key = key
    self.other = other
  }

  @inlinable
  mutating func exchange(with root: inout Place.Root, offset: Int) {
    place.modify(&root, at: offset, as: [Key: Element].self) { $0.exchange(&key, &other) }
  }

  @inlinable
  var change: _UndoChange { .key(AnyHashable(key)) }

  @inlinable
  static var effect: _UndoEffect {
    if let size = Place.outermostSize { .element(size: size) } else { .member(size: MemoryLayout<Part>.size) }
  }

  @inlinable
  @inline(__always)
  static var mayJoin: Bool { _UndoWeight.retainsMemory(Element.self) }

  /// Joins typing in a value, as `_UndoReplacement` does.
  @usableFromInline
  mutating func join(_ next: Self, _ joining: inout _UndoJoining, offset: Int, in root: Place.Root) -> Bool {
    guard place == next.place, _UndoSameness.areSame(key, next.key) else { return false }
    return place.read(root, at: offset, as: [Key: Element].self) {
      _UndoTyping.goesOn(from: other, over: next.other, to: $0[key], &joining)
    }
  }

  @usableFromInline
  func mayBeRestored(in root: Place.Root, offset: Int) -> Bool {
    place.read(root, at: offset, as: [Key: Element].self) { _haveSameContents(other, $0[key]) }
  }

  @inlinable
  static var ownsMemory: Bool { Key.self == String.self || Element.self == String.self }

  @inlinable
  var ownedBytes: Int {
    ((key as? String)?._ownedBytes ?? 0) + ((other as? String)?._ownedBytes ?? 0)
  }

  @inlinable
  static var retainsMemory: Bool {
    _UndoWeight.retainsMemory(Key.self) || _UndoWeight.retainsMemory(Element.self)
  }

  @inlinable
  var retainedBytes: Int { _UndoWeight.retainedBytes(of: key) + _UndoWeight.retainedBytes(of: other) }
}

extension Dictionary {
  /// Exchanges the value of a key; nil removes the key, which is then returned as it was stored.
  @inlinable
  mutating func exchange(_ key: inout Key, _ value: inout Value?) {
    guard let index = index(forKey: key) else {
      if let next = value { self[key] = next }
      value = nil
      return
    }
    if let next = value {
      // `updateValue` might replace the key with an equal one.
      value = values[index]
      values[index] = next
    } else {
      let old = remove(at: index)
      (key, value) = (old.key, old.value)
    }
  }
}
