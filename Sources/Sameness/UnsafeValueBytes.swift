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
  @inlinable
  @inline(__always)
  package static func areSame<Left, Right>(_ left: Left, _ right: Right) -> Bool {
    // Two type parameters avoid a cast: an array of a fixed size has a mirror with a child that can't be cast.
    unsafe withUnsafeBytes(of: left) { left in
      unsafe withUnsafeBytes(of: right) { right in
        guard left.count == right.count else { return false }
        // Values that fit into registers are compared without a call.
        switch MemoryLayout<Left>.size {
        case 0: return true
        case 1: return unsafe left.loadUnaligned(as: UInt8.self) == right.loadUnaligned(as: UInt8.self)
        case 4: return unsafe left.loadUnaligned(as: UInt32.self) == right.loadUnaligned(as: UInt32.self)
        case 8: return unsafe left.loadUnaligned(as: UInt64.self) == right.loadUnaligned(as: UInt64.self)
        case 16:
          return unsafe left.loadUnaligned(as: UInt64.self) == right.loadUnaligned(as: UInt64.self)
            && left.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
              == right.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        default: return unsafe areSame(left, right)
        }
      }
    }
  }

  @usableFromInline
  static func areSame(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    guard let x = left.baseAddress, let y = right.baseAddress else { return true }
    return unsafe areSame(x, y, count: left.count)
  }

  /// Whether the same bytes lie at two addresses.
  package static func areSame(_ x: UnsafeRawPointer, _ y: UnsafeRawPointer, count: Int) -> Bool {
    unsafe memcmp(x, y, count) == 0
  }

  /// Whether two values have the same bytes, except for padding.
  @inlinable
  @inline(__always)
  package static func areSameExceptPadding<Left, Right>(_ left: Left, _ right: Right) -> Bool {
    areSame(left, right) || !_isPOD(Left.self) && haveSameCopies(left, right)
  }

  /// Whether copies of two values have the same bytes if the copies are made in zeroed memory.
  ///
  /// A copy leaves out padding and unused words of an existential. Values of trivial types are copied with all their
  /// bytes, so for those this doesn't help.
  @usableFromInline
  @inline(never)
  static func haveSameCopies<Left, Right>(_ left: Left, _ right: Right) -> Bool {
    unsafe withCopyOverZeros(of: left) { left in
      unsafe withCopyOverZeros(of: right) { right in unsafe areSame(left, right) }
    }
  }

  private static func withCopyOverZeros<Value, Result>(
    of value: Value, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    unsafe withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { buffer in
      let bytes = UnsafeMutableRawBufferPointer(buffer)
      unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
      // Copied by address, because passing the value would move it together with its padding.
      _ = unsafe withUnsafePointer(to: value) { value in
        unsafe buffer.initialize(fromContentsOf: UnsafeBufferPointer(start: value, count: 1))
      }
      defer { unsafe buffer.deinitialize() }
      return unsafe body(UnsafeRawBufferPointer(rebasing: bytes[..<MemoryLayout<Value>.size]))
    }
  }

  /// Whether two values have the same bytes within a range.
  ///
  /// - Precondition: `bytes` is within the size of a value.
  package static func areSame<Value>(_ left: Value, _ right: Value, in bytes: Range<Int>) -> Bool {
    unsafe withUnsafeBytes(of: left) { left in
      unsafe withUnsafeBytes(of: right) { right in
        unsafe areSame(UnsafeRawBufferPointer(rebasing: left[bytes]), UnsafeRawBufferPointer(rebasing: right[bytes]))
      }
    }
  }

  /// Whether the bytes at an offset in a value are those of a part.
  package static func areSame<Part, Whole>(_ part: Part, at offset: Int, in whole: Whole) -> Bool {
    precondition(offset >= 0 && offset + MemoryLayout<Part>.size <= MemoryLayout<Whole>.size)
    return unsafe withUnsafeBytes(of: whole) { whole in
      unsafe withUnsafeBytes(of: part) { part in
        unsafe areSame(UnsafeRawBufferPointer(rebasing: whole[offset..<offset + part.count]), part)
      }
    }
  }

  /// Whether two texts consist of the same bytes, while `==` also finds different normal forms equal.
  @usableFromInline
  package static func areSameText(_ left: String, _ right: String) -> Bool {
    guard left.utf8.count == right.utf8.count else { return false }
    let isSame: Bool?? = unsafe left.utf8.withContiguousStorageIfAvailable { left in
      unsafe right.utf8.withContiguousStorageIfAvailable { right in
        unsafe areSame(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
      }
    }
    return (isSame ?? nil) ?? left.utf8.elementsEqual(right.utf8)
  }
}
