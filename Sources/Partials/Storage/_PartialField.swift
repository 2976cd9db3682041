/// The range of bytes in a root that a value occupies, or would occupy.
@usableFromInline
struct _PartialField: Equatable, Sendable {
  @usableFromInline let start: Int
  /// The offset after the last byte; always greater than `start`.
  @usableFromInline let end: Int

  @inlinable @inline(__always)
  init(start: Int, end: Int) {
    self.start = start
    self.end = end
  }

  /// The bytes that a key path leads to; nil if the root doesn't store the value in bytes of its own.
  ///
  /// With a literal key path, the optimizer makes constants of this, and no key path is built.
  @inlinable @inline(__always)
  init?<Root, Value>(_ keyPath: KeyPath<Root, Value>) {
    guard MemoryLayout<Value>.size > 0, let start = MemoryLayout<Root>.offset(of: keyPath) else { return nil }
    self.init(start: start, end: start &+ MemoryLayout<Value>.size)
  }

  /// The same for a writable key path: converted to a `KeyPath` first, a literal would no longer be a constant.
  @inlinable @inline(__always)
  init?<Root, Value>(_ keyPath: WritableKeyPath<Root, Value>) {
    guard MemoryLayout<Value>.size > 0, let start = MemoryLayout<Root>.offset(of: keyPath) else { return nil }
    self.init(start: start, end: start &+ MemoryLayout<Value>.size)
  }

  /// The bytes of a key path whose value type is known only at run time.
  init?<Root>(erased keyPath: PartialKeyPath<Root>) {
    let valueType = type(of: keyPath).valueType
    let size = Self.byteCount(of: valueType)
    guard size > 0, let start = MemoryLayout<Root>.offset(of: keyPath) else { return nil }
    self.init(start: start, end: start + size)
  }

  /// The size of a type that is known only at run time.
  static func byteCount<Value>(of _: Value.Type) -> Int { MemoryLayout<Value>.size }

  @inlinable var size: Int { end - start }

  func contains(_ other: _PartialField) -> Bool { start <= other.start && other.end <= end }

  func overlaps(_ other: _PartialField) -> Bool { start < other.end && other.start < end }

  /// Whether these are all the bytes of a root.
  func isWhole<Root>(_: Root.Type) -> Bool { start == 0 && end == MemoryLayout<Root>.size }
}

extension PartialKeyPath {
  /// Whether the value at another key path is the value at this one, or a part of it.
  func _contains(_ other: PartialKeyPath<Root>) -> Bool {
    if self == \Root.self || self == other { return true }
    guard let field = _PartialField(erased: self), let other = _PartialField(erased: other) else { return false }
    return field.contains(other)
  }
}
