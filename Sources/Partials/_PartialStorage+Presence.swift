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

  /// Whether there is a value of this type in `field`.
  ///
  /// A struct with a single stored property takes the same bytes as this property. Set through a read-only key path, the
  /// property does not make the struct, so that types have to be compared. Only where the type is not a simple one, which is
  /// known when the caller is compiled, and only once something was set in such a way.
  @inlinable @inline(__always)
  func isPresent<Value>(_ field: _PartialField, as type: Value.Type) -> Bool {
    isPresent(field)
      && (_PartialField.isSimple(type) || !hasConstants || isOfOnePiece(field, as: ObjectIdentifier(type)))
  }

  /// Whether the value in `field`, which is present, is of this type, or a part of a value that was set as one.
  @usableFromInline
  func isOfOnePiece(_ field: _PartialField, as type: ObjectIdentifier) -> Bool {
    if let constant = removals.island(at: field)?.constant { return constant == type }
    guard let entry = entry(around: field) else { return false }
    return !entry.isConstant || entry.type == type || entry.field != field
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

  /// Whether no byte of `field` is one that has been removed.
  func isVisible(_ field: _PartialField) -> Bool {
    (field.firstWord...field.lastWord).allSatisfy { word in
      let bytes = field.bytes(inWord: word)
      return presence(inWord: word) & bytes == bytes
    }
  }

  /// Whether the value that is present here was set just as `entry` says, and not as a part of a greater one.
  @usableFromInline
  func isSetAlone(_ entry: _PartialEntry) -> Bool { self.entry(around: entry.field) == entry }

  /// Sets the presence bits of an entry's field to what follows from what has been removed from it.
  ///
  /// An island begins a value, and what follows it begins another. So nothing around it is present that contains more than
  /// the island.
  func show(_ whole: _PartialField) {
    setPresence(of: whole, to: whole.presence)
    for part in removals.outermostFirst(in: whole) {
      setPresence(of: part.field, to: part.isHole ? part.field.removed : part.field.presence)
      let next = _PartialField(byte: part.field.end)
      if part.field.end < whole.end && isPresent(next) { setPresence(of: next, to: next.presence) }
    }
  }

  func setPresence(of field: _PartialField, to bits: (_ word: Int) -> UInt64) {
    for word in field.firstWord...field.lastWord {
      setPresence(inWord: word, to: presence(inWord: word) & ~field.anything(inWord: word) | bits(word))
    }
  }
}
