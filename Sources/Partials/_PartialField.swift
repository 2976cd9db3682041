/// The place of a value among the bytes of a root: which bytes it takes, and which presence bits say that it is there.
///
/// Two bits tell the state of each byte of the root; one word of presence holds them for 32 bytes:
/// ```
///  63            joined            32 31           visible            0
/// ┌──────────────────────────────────┬──────────────────────────────────┐
/// │ goes on where the byte before is │ can be read                      │
/// └──────────────────────────────────┴──────────────────────────────────┘
///   joined visible
///     0      0     nothing was set here
///     0      1     a value that was set begins here
///     1      1     it goes on here
///     1      0     it is here, but this part of it has been removed
/// ```
/// A value is present when all its bytes are visible and joined to one another: a whole made of neighbouring parts is not,
/// because each part begins a value. That is one comparison with a mask, and the masks of many fields unite in one.
@usableFromInline
struct _PartialField: Equatable, Sendable {
  @usableFromInline static var bytesPerWord: Int { 32 }

  /// The offset of the first byte.
  @usableFromInline let start: Int
  /// The offset behind the last byte; never the same as `start`.
  @usableFromInline let end: Int

  @inlinable @inline(__always)
  init(start: Int, end: Int) {
    self.start = start
    self.end = end
  }

  /// The place a key path leads to; nil when the root does not store the value in bytes of its own.
  ///
  /// With a literal key path the optimiser makes constants of this: no key path is built.
  @inlinable @inline(__always)
  init?<Root, Value>(_ keyPath: KeyPath<Root, Value>) {
    guard MemoryLayout<Value>.size > 0, let start = MemoryLayout<Root>.offset(of: keyPath) else { return nil }
    self.init(start: start, end: start &+ MemoryLayout<Value>.size)
  }

  /// The same for one that can be written to: seen as a `KeyPath` first, a literal would be no constant any more.
  @inlinable @inline(__always)
  init?<Root, Value>(_ keyPath: WritableKeyPath<Root, Value>) {
    guard MemoryLayout<Value>.size > 0, let start = MemoryLayout<Root>.offset(of: keyPath) else { return nil }
    self.init(start: start, end: start &+ MemoryLayout<Value>.size)
  }

  /// The place a key path leads to whose value type is known only at run time.
  init?<Root>(erased keyPath: PartialKeyPath<Root>) {
    func byteCount<Value>(_: Value.Type) -> Int { MemoryLayout<Value>.size }
    let valueType = type(of: keyPath).valueType
    let size = byteCount(valueType)
    guard size > 0, let start = MemoryLayout<Root>.offset(of: keyPath) else { return nil }
    self.init(start: start, end: start + size)
  }

  /// Whether a value of this type has no parts that a key path leads to, so that it cannot be mistaken for one.
  ///
  /// Known when the caller is compiled, where the type is.
  @inlinable @inline(__always)
  static func isSimple<Value>(_: Value.Type) -> Bool {
    Value.self == Int.self || Value.self == String.self || Value.self == Bool.self || Value.self == Double.self
  }

  /// The bytes that tell whether a value of this type is present here: of a simple one, which is there as a whole or not at
  /// all, the first tells.
  @inlinable @inline(__always)
  func sample<Value>(of type: Value.Type) -> _PartialField {
    Self.isSimple(type) ? _PartialField(start: start, end: start &+ 1) : self
  }

  var size: Int { end - start }

  @inlinable var firstWord: Int { start &>> 5 }
  @inlinable var lastWord: Int { (end &- 1) &>> 5 }

  @inlinable
  func contains(_ other: _PartialField) -> Bool { start <= other.start && other.end <= end }

  func overlaps(_ other: _PartialField) -> Bool { start < other.end && other.start < end }

  /// The bytes of this field which `word` speaks of, if any, as visible bits.
  @inlinable @inline(__always)
  func bytes(inWord word: Int) -> UInt64 {
    let first = word &* Self.bytesPerWord
    let low = min(max(start &- first, 0), Self.bytesPerWord)
    let high = min(max(end &- first, 0), Self.bytesPerWord)
    return (1 &<< UInt64(truncatingIfNeeded: high)) &- (1 &<< UInt64(truncatingIfNeeded: low))
  }

  /// The first byte of this field as a visible bit, in the word that speaks of it; no bit in any other.
  @inlinable @inline(__always)
  func startBit(inWord word: Int) -> UInt64 {
    word == firstWord ? 1 &<< UInt64(truncatingIfNeeded: start &- word &* Self.bytesPerWord) : 0
  }

  /// The bits which are all set in `word` exactly when a value is present here.
  @inlinable @inline(__always)
  func presence(inWord word: Int) -> UInt64 {
    let bytes = bytes(inWord: word)
    return bytes | (bytes & ~startBit(inWord: word)) &<< 32
  }

  /// Both bits of every byte: all zero exactly when nothing was set here.
  @inlinable @inline(__always)
  func anything(inWord word: Int) -> UInt64 {
    let bytes = bytes(inWord: word)
    return bytes | bytes &<< 32
  }

  /// The bits of every byte of a part that has been removed.
  func removed(inWord word: Int) -> UInt64 { bytes(inWord: word) << 32 }
}
