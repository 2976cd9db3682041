/// Where results go, so that the compiler cannot take away the work that made them.
///
/// Whatever is given to a sink is folded into this global. It is read at the end of each run (`Sink.residue`, kept in
/// the results), so that no store to it is dead; and the functions that store are never inlined, so that the caller has
/// to have the value at hand. The harness is one thread.
enum Sink {
  nonisolated(unsafe) fileprivate static var folded: UInt = 0

  /// Everything sunk so far, folded; means nothing, but depends on everything.
  @inline(never)
  static var residue: UInt { unsafe folded }
}

extension Sink {
  @inline(__always)
  fileprivate static func fold(_ word: UInt) {
    unsafe folded = (folded &<< 1) ^ word
  }
}

/// Uses up a digest.
@inline(never)
func sink(_ digest: Int) {
  Sink.fold(UInt(bitPattern: digest))
}

/// Uses up a value of any type, word by word: all its own bytes, and so, for the compiler, all that they point to.
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

/// The value itself, but the compiler does not know that: keeps constants from being folded into what is measured.
@inline(never) @_optimize(none)  // No attribute without an underscore keeps a caller from seeing through a body.
func opaque<Value>(_ value: Value) -> Value {
  value
}
