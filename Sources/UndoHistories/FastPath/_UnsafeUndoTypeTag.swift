/// A tag for the type of a delta: comparing tags tells quickly whether an edit has a delta of the same type as the
/// latest edit.
///
/// Equal tags mean the same type. The tag is the address of a function that returns the type, so that the type itself
/// isn't asked for. Functions that return different types are different functions. One type may have several addresses,
/// for example from code in two modules. In generic code that isn't specialized, the function captures the type, so its
/// address says nothing; there, the tag is the type's identifier. Different tags only lead to a slower path, which
/// compares the types themselves.
@usableFromInline
struct _UnsafeUndoTypeTag: BitwiseCopyable, Equatable {
  @usableFromInline
  let bits: UInt

  /// A function in a struct of its own: the compiler would wrap a function whose type is a generic parameter in a
  /// thunk, whose address says nothing.
  @usableFromInline
  struct Function {
    @usableFromInline
    let call: () -> ObjectIdentifier

    @inlinable
    @inline(__always)
    init(_ call: @escaping () -> ObjectIdentifier) {
      self.call = call
    }
  }

  @inlinable
  @inline(__always)
  init<Delta: _UndoDelta>(_ type: Delta.Type) {
    #if InternalChecks
      bits = UInt(bitPattern: ObjectIdentifier(type))
    #else
      // A function is two words: the addresses of its code and of what it captures, or 0. Nothing promises this, so the
      // tests with internal checks use the types instead.
      assert(MemoryLayout<Function>.size == 2 * MemoryLayout<UInt>.size, "a function is not two words")
      let function = Function { ObjectIdentifier(Delta.self) }
      let (code, context) = unsafe unsafeBitCast(function, to: (code: UInt, context: UInt).self)
      bits = context == 0 ? code : UInt(bitPattern: ObjectIdentifier(type))
    #endif
  }

  /// The tag of no type.
  @inlinable
  init() {
    bits = 0
  }
}
