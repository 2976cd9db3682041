#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Compares the bytes of two values, as a whole or within one stored member.
///
/// ```
/// value │ name │ age │ … │     bytes of age: offset ..< offset + size
/// ```
///
/// Values with the same bytes are the same, whatever their `==` says. Different bytes prove nothing: texts may be
/// stored elsewhere, and bytes between members mean nothing.
@usableFromInline
package enum UnsafeValueBytes {
  /// Whether two values have the same bytes.
  ///
  /// - Complexity: O(*n*) in the size of a value, without what it refers to.
  package static func areSame<Left, Right>(_ left: Left, _ right: Right) -> Bool {
    // Two type parameters avoid a cast: an array of a fixed size has a mirror with a child that can't be cast.
    unsafe withUnsafeBytes(of: left) { left in
      unsafe withUnsafeBytes(of: right) { right in
        guard left.count == right.count else { return false }
        guard let x = left.baseAddress, let y = right.baseAddress else { return true }
        return unsafe memcmp(x, y, left.count) == 0
      }
    }
  }

  /// Whether two values have the same bytes within a range.
  ///
  /// - Precondition: `bytes` is within the size of a value.
  package static func areSame<Value>(_ left: Value, _ right: Value, in bytes: Range<Int>) -> Bool {
    assert(bytes.lowerBound >= 0 && bytes.upperBound <= MemoryLayout<Value>.size, "The bytes lie within the value")
    return unsafe withUnsafePointer(to: left) { left in
      unsafe withUnsafePointer(to: right) { right in
        let (x, y) = unsafe (UnsafeRawPointer(left) + bytes.lowerBound, UnsafeRawPointer(right) + bytes.lowerBound)
        return unsafe memcmp(x, y, bytes.count) == 0
      }
    }
  }

  /// Whether two texts consist of the same bytes, while `==` also finds different normal forms equal.
  @usableFromInline
  package static func areSameText(_ left: String, _ right: String) -> Bool {
    guard left.utf8.count == right.utf8.count else { return false }
    let isSame: Bool?? = unsafe left.utf8.withContiguousStorageIfAvailable { left in
      unsafe right.utf8.withContiguousStorageIfAvailable { right in
        guard let x = left.baseAddress, let y = right.baseAddress else { return true }
        return unsafe memcmp(x, y, left.count) == 0
      }
    }
    return (isSame ?? nil) ?? left.utf8.elementsEqual(right.utf8)
  }
}
