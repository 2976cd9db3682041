// Presence bits say which bytes of the root have been set. Only this file knows what the bits mean: it makes masks of
// fields, tests for values, and derives the bits from entries and removals.
//
// Two bits give the state of each byte of the root, and one word of presence holds the bits of 32 bytes:
// ```
//  63            joined            32 31           visible            0
// ┌──────────────────────────────────┬──────────────────────────────────┐
// │ goes on where the byte before is │ can be read                      │
// └──────────────────────────────────┴──────────────────────────────────┘
//   joined visible
//     0      0     nothing was set here
//     0      1     a value that was set begins here
//     1      1     it goes on here
//     1      0     it is here, but this part of it has been removed
// ```
// A value is present if all its bytes are visible and joined to one another. A whole made of neighboring parts isn't
// present, because each part begins a value. So one comparison with a mask finds a value, and the masks of many fields
// can be united in one.

extension _PartialField {
  @inlinable static var bytesPerWord: Int { 32 }

  @inlinable var firstWord: Int { start &>> 5 }
  @inlinable var lastWord: Int { (end &- 1) &>> 5 }

  // These functions have no branches. In the end they are constants, but only once the compiler has laid out the root.
  // Until then it would keep every branch, in each place where a property is set.

  /// The bytes of this field in `word`, as visible bits; zero if the field has no bytes there.
  @inlinable @inline(__always)
  func bytes(inWord word: Int) -> UInt64 {
    Self.bytes(before: end, inWord: word) & ~Self.bytes(before: start, inWord: word)
  }

  /// The bytes of the root before an offset that are in `word`, as visible bits.
  @inlinable @inline(__always)
  static func bytes(before offset: Int, inWord word: Int) -> UInt64 {
    let distance = offset &- word &* bytesPerWord
    let isBehind = UInt64(bitPattern: Int64(truncatingIfNeeded: (bytesPerWord &- 1 &- distance) &>> 63))
    let isBefore = UInt64(bitPattern: Int64(truncatingIfNeeded: distance &>> 63))
    let within = (1 &<< UInt64(truncatingIfNeeded: distance)) &- 1
    return (within | isBehind) & ~isBefore & 0xffff_ffff
  }

  /// The bits that are all set in `word` exactly if a value is present here.
  @inlinable @inline(__always)
  func presence(inWord word: Int) -> UInt64 {
    let before = Self.bytes(before: end, inWord: word)
    let goesOn = before & ~Self.bytes(before: start &+ 1, inWord: word)
    return before & ~Self.bytes(before: start, inWord: word) | goesOn &<< 32
  }

  /// Both bits of every byte, which are all zero exactly if nothing was set here.
  @inlinable @inline(__always)
  func anything(inWord word: Int) -> UInt64 {
    let bytes = bytes(inWord: word)
    return bytes | bytes &<< 32
  }

  /// Whether a value of this type has no parts that a key path leads to, so that it can't be mistaken for one of them.
  ///
  /// The answer is known when the caller is compiled, if the type is.
  @inlinable @inline(__always)
  static func isSimple<Value>(_: Value.Type) -> Bool {
    Value.self == Int.self || Value.self == String.self || Value.self == Bool.self || Value.self == Double.self
  }

  /// The index of the first byte's visible bit in the first word.
  @inlinable @inline(__always)
  var firstPlace: UInt64 { UInt64(truncatingIfNeeded: start & (Self.bytesPerWord &- 1)) }
}

extension _UnsafePartialStorage {
  /// Whether all bytes of `field` are visible parts of one value.
  @inlinable @inline(__always)
  func isPresent(_ field: _PartialField) -> Bool {
    allWords(of: field) { word, bits in
      let needed = field.presence(inWord: word)
      return bits & needed == needed
    }
  }

  /// Whether there is a value of this type in `field`.
  ///
  /// A struct with a single stored property occupies the same bytes as this property. If the property was set through a
  /// read-only key path, the struct isn't present. So types are compared once any value was set in this way. Simple
  /// types need no comparison, and are known when the caller is compiled.
  @inlinable @inline(__always)
  func isPresent<Value>(_ field: _PartialField, as type: Value.Type) -> Bool {
    hasFirstByte(of: field, as: type)
      && (_PartialField.isSimple(type) || !state.hasConstants || wasSetWhole(field, as: ObjectIdentifier(type)))
  }

  // A simple value is present as a whole or not at all, so its first byte is enough. That avoids a loop over words,
  // which the compiler would emit wherever a property is set.

  /// Whether all bytes of `field` are visible parts of one value; for a simple type, only the first byte is checked.
  @inlinable @inline(__always)
  func hasFirstByte<Value>(of field: _PartialField, as type: Value.Type) -> Bool {
    guard _PartialField.isSimple(type) else { return isPresent(field) }
    return isLikely(unsafe presence(inWord: field.firstWord) & 1 &<< field.firstPlace != 0)
  }

  /// Whether nothing was set inside `field` or around it; for a simple type, only the first byte is checked.
  @inlinable @inline(__always)
  func isVacant<Value>(_ field: _PartialField, for type: Value.Type) -> Bool {
    guard _PartialField.isSimple(type) else { return isVacant(field) }
    let both = 0x1_0000_0001 &<< field.firstPlace
    return isLikely(unsafe presence(inWord: field.firstWord) & both == 0)
  }

  /// Whether the value present in `field` has this type, or is a part of a value that was set as a whole.
  @inlinable @inline(never)
  func wasSetWhole(_ field: _PartialField, as type: ObjectIdentifier) -> Bool {
    unsafe withEntries { entries, _ in
      unsafe entries.contains { $0.start == field.start && $0.typeBits == UInt(bitPattern: type) }
    } || isPartOfEntry(field, as: type)
  }

  /// The same if no entry has exactly this field and type.
  @usableFromInline
  func isPartOfEntry(_ field: _PartialField, as type: ObjectIdentifier) -> Bool {
    if let constant = removals.constant(at: field) { return isPart(of: constant, type) }
    guard let entry = entry(around: field) else { return false }
    return !entry.isConstant || entry.field != field || isPart(of: entry, type)
  }

  /// Whether a value of this type in the bytes of a constant is the constant or, at any depth, its only stored
  /// property.
  ///
  /// It isn't for a property of a protocol's type, nor for the properties of a type that has its own mirror.
  private func isPart(of constant: _UnsafePartialEntry, _ type: ObjectIdentifier) -> Bool {
    if constant.type == type { return true }
    var value = unsafe erasedValue(of: constant)
    while !(value is any CustomReflectable) {
      let mirror = Mirror(reflecting: value)
      let parts = mirror.children.map(\.value).filter { !Self.hasNoBytes($0) }
      guard mirror.displayStyle == .struct, parts.count == 1, let part = parts.first else { return false }
      // An object may be of a subclass of the property's.
      let types = sequence(first: Mirror(reflecting: part)) { $0.superclassMirror }
      if types.contains(where: { ObjectIdentifier($0.subjectType) == type }) { return true }
      value = part
    }
    return false
  }

  private static func hasNoBytes(_ value: Any) -> Bool {
    func isEmpty<Value>(_: Value) -> Bool { MemoryLayout<Value>.size == 0 }
    return _openExistential(value, do: isEmpty)
  }

  /// The united presence bits of values in all these fields.
  static func mask(of fields: [_PartialField]) -> [UInt64] {
    (0..<presenceWords).map { word in fields.reduce(0) { $0 | $1.presence(inWord: word) } }
  }

  /// Whether everything is present whose presence bits are united in `mask`.
  @inlinable
  func isPresent(allOf mask: [UInt64]) -> Bool {
    for word in mask.indices where unsafe presence(inWord: word) & mask[word] != mask[word] { return false }
    return true
  }

  /// Whether nothing was set inside `field` or around it.
  @inlinable @inline(__always)
  func isVacant(_ field: _PartialField) -> Bool {
    allWords(of: field) { word, bits in bits & field.anything(inWord: word) == 0 }
  }

  /// Whether `holds` is true for the presence bits of each word in which `field` has bytes.
  @inlinable @inline(__always)
  func allWords(of field: _PartialField, _ holds: (_ word: Int, _ bits: UInt64) -> Bool) -> Bool {
    var word = field.firstWord
    repeat {
      guard isLikely(holds(word, unsafe presence(inWord: word))) else { return false }
      word &+= 1
    } while word <= field.lastWord
    return true
  }

  /// Makes a value of this type present in `field`, which is vacant.
  @inlinable @inline(__always)
  func markPresent<Value>(_ field: _PartialField, as type: Value.Type) {
    // A value that is no longer than its alignment doesn't cross a word boundary, unless C packed it.
    let crosses = MemoryLayout<Value>.size > MemoryLayout<Value>.alignment || MemoryLayout<Value>.size > 16
    if crosses { return markPresentInWords(field) }
    guard isLikely(field.firstWord == field.lastWord) else { return markPresentAcrossWords(field) }
    let bytes: UInt64 = 1 &<< UInt64(truncatingIfNeeded: MemoryLayout<Value>.size) &- 1
    let bits = (bytes | (bytes & ~1) &<< 32) &<< field.firstPlace
    unsafe setPresence(inWord: field.firstWord, to: presence(inWord: field.firstWord) | bits)
  }

  @usableFromInline
  func markPresentAcrossWords(_ field: _PartialField) { markPresentInWords(field) }

  @inlinable @inline(__always)
  func markPresentInWords(_ field: _PartialField) {
    var word = field.firstWord
    repeat {
      unsafe setPresence(inWord: word, to: presence(inWord: word) | field.presence(inWord: word))
      word &+= 1
    } while word <= field.lastWord
  }

  /// Sets the presence bits of an entry's field to those that follow from its removals.
  func updatePresence(in whole: _PartialField) {
    let removals = removals
    setPresence(of: whole) { word in removals.presence(of: whole, inWord: word) }
  }

  func setPresence(of field: _PartialField, to bits: (_ word: Int) -> UInt64) {
    for word in field.firstWord...field.lastWord {
      unsafe setPresence(inWord: word, to: presence(inWord: word) & ~field.anything(inWord: word) | bits(word))
    }
  }
}

extension _PartialRemovals {
  /// The presence bits of a whole with these removals.
  ///
  /// An island begins a value, and the bytes after it begin another. So no value is present that contains the island
  /// and more.
  func presence(of whole: _PartialField, inWord word: Int) -> UInt64 {
    outermostFirst(in: whole).reduce(whole.presence(inWord: word)) { bits, part in
      // Every byte of a removed part is joined, but not visible.
      let shown = part.isHole ? part.field.bytes(inWord: word) << 32 : part.field.presence(inWord: word)
      let changed = bits & ~part.field.anything(inWord: word) | shown
      guard part.field.end < whole.end else { return changed }
      let next = _PartialField(start: part.field.end, end: part.field.end + 1)
      return changed & ~((changed & next.bytes(inWord: word)) << 32)
    }
  }
}

/// Tells the compiler that `condition` is nearly always true, so that it places the code that follows without a jump.
///
/// A taken jump costs more than the comparison before it. The standard library's own function for this is public, but
/// underscored. It is used only here, and is only a hint: builds with internal checks leave it out.
@inlinable @inline(__always)
func isLikely(_ condition: Bool) -> Bool {
  #if InternalChecks
    condition
  #else
    _fastPath(condition)
  #endif
}
