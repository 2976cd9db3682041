// What the presence bits say, and how they follow from what has been set and removed. See `_PartialField`.
extension _PartialStorage {
  /// Whether all bytes of `field` are visible parts of one value.
  @inlinable @inline(__always)
  func isPresent(_ field: _PartialField) -> Bool {
    var word = field.firstWord
    repeat {
      let needed = field.presence(inWord: word)
      guard presence(inWord: word) & needed == needed else { return false }
      word &+= 1
    } while word <= field.lastWord
    return true
  }

  /// Whether everything is present whose presence bits are united in `mask`.
  @inlinable
  func isPresent(allOf mask: [UInt64]) -> Bool {
    for word in mask.indices where presence(inWord: word) & mask[word] != mask[word] { return false }
    return true
  }

  /// Whether nothing was set in `field`, nor anything that goes beyond it.
  @inlinable @inline(__always)
  func isVacant(_ field: _PartialField) -> Bool {
    var word = field.firstWord
    repeat {
      guard presence(inWord: word) & field.anything(inWord: word) == 0 else { return false }
      word &+= 1
    } while word <= field.lastWord
    return true
  }

  /// Whether the value in `field`, which is present, was set there, and not as a part of a greater one.
  @usableFromInline
  func isSetAlone(_ field: _PartialField) -> Bool { whole(around: field) == field }

  /// Sets the presence bits of an entry's field to what follows from what has been removed from it.
  ///
  /// An island begins a value. So nothing around it is present that contains more of its hole than the island.
  func show(_ whole: _PartialField) {
    setPresence(of: whole, to: whole.presence)
    for part in removals.outermostFirst(in: whole) {
      setPresence(of: part.field, to: part.isHole ? part.field.removed : part.field.presence)
    }
  }

  func setPresence(of field: _PartialField, to bits: (_ word: Int) -> UInt64) {
    for word in field.firstWord...field.lastWord {
      setPresence(inWord: word, to: presence(inWord: word) & ~field.anything(inWord: word) | bits(word))
    }
  }
}
