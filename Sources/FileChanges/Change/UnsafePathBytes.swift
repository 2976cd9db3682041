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
    unsafe left.withBytes { left in
      unsafe right.withBytes { right in
        guard left.count == right.count, let start = left.baseAddress, let other = right.baseAddress else {
          return left.count == right.count
        }
        return unsafe memcmp(start, other, left.count) == 0
      }
    }
  }

  /// Feeds the path's bytes and an end mark to the hasher.
  public func hash(into hasher: inout Hasher) {
    unsafe withBytes { unsafe hasher.combine(bytes: $0) }
    hasher.combine(UInt8(0))
  }

  private func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    var string = string
    return string.withUTF8 { unsafe body(UnsafeRawBufferPointer($0)) }
  }
}

extension FileChange.Path.Shape {
  init(_ string: String) {
    var string = string
    self = string.withUTF8 { unsafe Self(bytes: $0) }
  }
}
