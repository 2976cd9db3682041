/// Tells the types of deltas apart, without asking for a type: by the address of a function that returns the type.
///
/// Functions that return different types are different functions, so one address means one type. One type may have
/// several addresses, as of code in two modules. In generic code that is not specialised the function has to be
/// told the type, and its address says nothing; there the tag is what the type is asked for. So tags that
/// differ prove nothing, and what they decide is which way is taken and not what comes out: behind each comparison
/// stands one of the types themselves.
@frozen
@usableFromInline
struct _UnsafeUndoTypeTag: BitwiseCopyable, Equatable {
  @usableFromInline
  let bits: UInt

  /// A function by itself: as a value of a generic type it would be wrapped into another one.
  @frozen
  @usableFromInline
  struct Function {
    @usableFromInline
    let call: () -> ObjectIdentifier

    @inlinable
    @inline(__always)
    init(_ call: @escaping () -> ObjectIdentifier) {
      self.call = call
    }

    /// The address of the function's code, and that of what it captures, or 0.
    ///
    /// - Precondition: A function is two words, its code and what it captures. Nothing promises that; the tests with
    ///   internal checks do without.
    @unsafe
    @inlinable
    @inline(__always)
    var codeAndContext: (code: UInt, context: UInt) {
      assert(MemoryLayout<Function>.size == 2 * MemoryLayout<UInt>.size, "a function is not two words")
      return unsafe unsafeBitCast(self, to: (code: UInt, context: UInt).self)
    }
  }

  @inlinable
  @inline(__always)
  init<Delta: _UndoDelta>(_ type: Delta.Type) {
    #if InternalChecks
      bits = UInt(bitPattern: ObjectIdentifier(type))
    #else
      let function = Function { ObjectIdentifier(Delta.self) }
      let (code, context) = unsafe function.codeAndContext
      bits = context == 0 ? code : UInt(bitPattern: ObjectIdentifier(type))
    #endif
  }

  /// No type's tag.
  @inlinable
  init() {
    bits = 0
  }
}
