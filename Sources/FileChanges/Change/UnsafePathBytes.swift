#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

// Paths are compared and hashed as bytes in memory, which takes most of the instructions of a save of one of ten files.

extension FileChange.Path: Hashable {
  /// Whether two paths have the same bytes.
  public static func == (left: FileChange.Path, right: FileChange.Path) -> Bool {
    left.string.hasSameBytes(as: right.string)
  }

  /// Feeds the path's bytes to the hasher.
  public func hash(into hasher: inout Hasher) { string.hashBytes(into: &hasher) }
}

extension FileChange.Path.Shape {
  init(_ string: String) {
    let shape = unsafe string.utf8.withContiguousStorageIfAvailable { unsafe Self(bytes: $0) }
    self = shape ?? Self(bytes: string.utf8)
  }
}

extension String {
  /// Whether both have the same bytes; `==` considers the composed and the decomposed `é` equal.
  fileprivate func hasSameBytes(as other: String) -> Bool {
    let isSame: Bool? =
      unsafe utf8.withContiguousStorageIfAvailable { bytes in
        unsafe other.utf8.withContiguousStorageIfAvailable { others in
          guard bytes.count == others.count, let start = bytes.baseAddress, let other = others.baseAddress else {
            return bytes.count == others.count
          }
          return unsafe memcmp(start, other, bytes.count) == 0
        } ?? nil
      } ?? nil
    return isSame ?? utf8.elementsEqual(other.utf8)
  }

  /// Feeds the bytes and an end mark to the hasher.
  fileprivate func hashBytes(into hasher: inout Hasher) {
    let isFed: Void? = unsafe utf8.withContiguousStorageIfAvailable { bytes in
      unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
    }
    if isFed == nil { for byte in utf8 { hasher.combine(byte) } }
    hasher.combine(UInt8(0))
  }
}
