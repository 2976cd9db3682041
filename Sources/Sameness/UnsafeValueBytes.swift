#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Comparing the bytes in which two values lie, as a whole or where one stored member lies.
///
/// ```
/// value │ name │ age │ … │     bytes of age: offset ..< offset + size
/// ```
///
/// What has the same bytes is the same, whatever an `==` says. Other bytes tell nothing: texts may lie elsewhere, and
/// between members there are bytes that mean nothing.
@usableFromInline
package enum UnsafeValueBytes {
  /// Whether not even a bit tells two values apart.
  ///
  /// - Complexity: O(*n*) in the bytes of a value, not of what it refers to.
  package static func areSame<Left, Right>(_ left: Left, _ right: Right) -> Bool {
    // Two types, so that nothing is cast: an array of a fixed size has a mirror with a child that no cast takes.
    unsafe withUnsafeBytes(of: left) { left in
      unsafe withUnsafeBytes(of: right) { right in
        guard left.count == right.count else { return false }
        guard let x = left.baseAddress, let y = right.baseAddress else { return true }
        return unsafe memcmp(x, y, left.count) == 0
      }
    }
  }

  /// Whether not even a bit tells two values apart within `bytes`.
  ///
  /// - Precondition: `bytes` lie within a value.
  package static func areSame<Value>(_ left: Value, _ right: Value, in bytes: Range<Int>) -> Bool {
    assert(bytes.lowerBound >= 0 && bytes.upperBound <= MemoryLayout<Value>.size, "The bytes lie within the value")
    return unsafe withUnsafePointer(to: left) { left in
      unsafe withUnsafePointer(to: right) { right in
        let (x, y) = unsafe (UnsafeRawPointer(left) + bytes.lowerBound, UnsafeRawPointer(right) + bytes.lowerBound)
        return unsafe memcmp(x, y, bytes.count) == 0
      }
    }
  }

  /// Whether two texts consist of the same bytes, which `==` does not tell of those in two normal forms.
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
