#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

// Paths are compared and hashed as bytes in memory, which takes most of the instructions of a save of one of ten files.

extension FileChange.Path: Hashable {
  /// Whether two paths have the same bytes; `==` of strings considers the composed and the decomposed `é` equal.
  public static func == (left: FileChange.Path, right: FileChange.Path) -> Bool {
    left.string.utf8.count == right.string.utf8.count && left.hasPrefix(right.string)
  }

  /// Whether the path begins with the bytes of `prefix`.
  func hasPrefix(_ prefix: String) -> Bool {
    unsafe Self.withBytes(of: string) { bytes in
      unsafe Self.withBytes(of: prefix) { prefix in
        guard prefix.count <= bytes.count, let start = bytes.baseAddress, let other = prefix.baseAddress else {
          return unsafe prefix.isEmpty
        }
        return unsafe memcmp(start, other, prefix.count) == 0
      }
    }
  }

  /// Feeds the path's bytes and an end mark to the hasher.
  public func hash(into hasher: inout Hasher) {
    unsafe Self.withBytes(of: string) { unsafe hasher.combine(bytes: $0) }
    hasher.combine(UInt8(0))
  }

  fileprivate static func withBytes<Result>(
    of string: String, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    // Without a copy, unless the string is not stored as UTF-8.
    if let result = unsafe string.utf8.withContiguousStorageIfAvailable({ unsafe body(UnsafeRawBufferPointer($0)) }) {
      return result
    }
    var string = string
    return string.withUTF8 { unsafe body(UnsafeRawBufferPointer($0)) }
  }
}

extension FileChange.Path.Shape {
  init(_ string: String) {
    self = unsafe FileChange.Path.withBytes(of: string) { unsafe Self(bytes: $0) }
  }
}
