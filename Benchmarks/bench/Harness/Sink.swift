/// Consumes results, so that the compiler cannot remove the work that made them.
///
/// Values that are given to a sink are combined in this global. It is read at the end of each run (`Sink.residue`,
/// which is kept in the results), so stores to it are not dead. The functions that store are never inlined, so the
/// caller must compute the value. The harness uses only one thread.
enum Sink {
  nonisolated(unsafe) fileprivate static var folded: UInt = 0

  /// A meaningless number that depends on every value that was given to a sink.
  @inline(never)
  static var residue: UInt { unsafe folded }
}

extension Sink {
  @inline(__always)
  fileprivate static func fold(_ word: UInt) {
    unsafe folded = (folded &<< 1) ^ word
  }
}

/// Consumes a digest.
@inline(never)
func sink(_ digest: Int) {
  Sink.fold(UInt(bitPattern: digest))
}

/// Consumes a value of any type, word by word.
///
/// For the compiler, this also reads everything that the value points to.
@inline(never)
func sink<Value>(_ value: Value) {
  let words = MemoryLayout<Value>.size / 8
  unsafe withUnsafeBytes(of: value) { bytes in
    for word in 0..<words {
      Sink.fold(unsafe UInt(bytes.loadUnaligned(fromByteOffset: 8 * word, as: UInt64.self)))
    }
    for byte in 8 * words..<MemoryLayout<Value>.size {
      Sink.fold(UInt(unsafe bytes[byte]))
    }
  }
}

/// Returns the value in a way that the compiler cannot see through, so that it does not fold constants into the
/// measured work.
@inline(never) @_optimize(none)  // No attribute without an underscore keeps a caller from seeing through a body.
func opaque<Value>(_ value: Value) -> Value {
  value
}
