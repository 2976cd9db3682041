// What the presence bits say, and how they follow from what has been set and removed. See `_PartialField`.
extension _PartialStorage {
  /// Whether all bytes of `field` are visible parts of one value.
  @inlinable @inline(__always)
  func isPresent(_ field: _PartialField) -> Bool {
    var word = field.firstWord
    repeat {
      let needed = field.presence(inWord: word)
      guard isLikely(presence(inWord: word) & needed == needed) else { return false }
      word &+= 1
    } while word <= field.lastWord
    return true
  }

  /// Whether there is a value in `field`, where one of this type can lie.
  @inlinable @inline(__always)
  func isFilled<Value>(_ field: _PartialField, by type: Value.Type) -> Bool { isPresent(field.sample(of: type)) }

  /// Whether there is a value of this type in `field`.
  ///
  /// A struct with a single stored property takes the same bytes as this property. Set through a read-only key path, the
  /// property does not make the struct, so that types have to be compared. Only where the type is not a simple one, which is
  /// known when the caller is compiled, and only once something was set in such a way.
  @inlinable @inline(__always)
  func isPresent<Value>(_ field: _PartialField, as type: Value.Type) -> Bool {
    isFilled(field, by: type)
      && (_PartialField.isSimple(type) || !hasConstants || isOfOnePiece(field, as: type))
  }

  /// Whether the value in `field`, which is present, is of this type, or a part of a value that was set as one.
  @inlinable @inline(never)
  func isOfOnePiece<Value>(_ field: _PartialField, as type: Value.Type) -> Bool {
    isSetAlone(_PartialEntry(type, at: field, isConstant: true))
      || isSetAlone(_PartialEntry(type, at: field, isConstant: false))
      || isOfOnePiece(field, as: ObjectIdentifier(type))
  }

  /// The same where the type is known only at run time.
  @usableFromInline
  func isOfOnePiece(_ field: _PartialField, as type: ObjectIdentifier) -> Bool {
    if let constant = removals.constant(at: field) { return constant.type == type }
    guard let entry = entry(around: field) else { return false }
    return entry.type == type || !entry.isConstant || entry.field != field
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

  /// The entries that were set through a read-only key path, or of which a constant was set or removed, in their order.
  var entriesWithConstants: [_PartialEntry] {
    guard hasConstants else { return [] }
    let removals = removals
    return entriesInOrder.filter { $0.isConstant || removals.hasConstants(in: $0.field) }
  }

  /// Whether this is a whole root, set through a key path that can be written to and with all its parts.
  var isWholeRoot: Bool {
    guard let field = _PartialField(\Root.self), let entry = entry(around: field) else { return false }
    return entry.type == ObjectIdentifier(Root.self) && !entry.isConstant && isPresent(field)
  }

  /// Whether the value that is present in the place of `entry` is replaced by storing the new one there.
  @inlinable @inline(__always)
  func isReplaceable(_ entry: _PartialEntry) -> Bool {
    isPlain && !entry.isConstant || !hasExtras && isSetAlone(entry)
  }

  /// Sets the presence bits of an entry's field to what follows from what has been removed from it.
  func show(_ whole: _PartialField) {
    let removals = removals
    setPresence(of: whole) { word in removals.presence(of: whole, inWord: word) }
  }

  func setPresence(of field: _PartialField, to bits: (_ word: Int) -> UInt64) {
    for word in field.firstWord...field.lastWord {
      setPresence(inWord: word, to: presence(inWord: word) & ~field.anything(inWord: word) | bits(word))
    }
  }
}

extension _PartialRemovals {
  /// The presence bits of a whole from which this has been removed.
  ///
  /// An island begins a value, and what follows it begins another. So nothing around it is present that contains more than
  /// the island.
  func presence(of whole: _PartialField, inWord word: Int) -> UInt64 {
    outermostFirst(in: whole).reduce(whole.presence(inWord: word)) { bits, part in
      let shown = part.isHole ? part.field.removed(inWord: word) : part.field.presence(inWord: word)
      let changed = bits & ~part.field.anything(inWord: word) | shown
      guard part.field.end < whole.end else { return changed }
      let next = _PartialField(start: part.field.end, end: part.field.end + 1)
      return changed & ~((changed & next.bytes(inWord: word)) << 32)
    }
  }
}
