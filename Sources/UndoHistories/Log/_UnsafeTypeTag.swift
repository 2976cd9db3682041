/// Tells the types of deltas apart, without asking for a type: by the address of a function that returns the type.
///
/// Functions that return different types are different functions, so one address means one type. One type may have several
/// addresses, as of code in two modules. In generic code that is not specialised the function has to be told the type, and
/// its address says nothing; there the tag is what the type is asked for. So tags that differ prove nothing, and what they
/// decide is which way is taken and not what comes out: behind each comparison stands one of the types themselves.
@frozen
@usableFromInline
struct _UndoTag: BitwiseCopyable, Equatable {
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
  }

  @inlinable
  @inline(__always)
  init<Delta: _UndoDelta>(_ type: Delta.Type) {
    #if InternalChecks
      bits = UInt(bitPattern: ObjectIdentifier(type))
    #else
      let (code, context) = _UndoLog.words(of: Function { ObjectIdentifier(Delta.self) })
      bits = context == 0 ? code : UInt(bitPattern: ObjectIdentifier(type))
    #endif
  }

  /// No type's tag.
  @inlinable
  init() {
    bits = 0
  }
}

extension _UndoLog {
  /// The address of a function's code, and that of what it captures, or 0.
  @inlinable
  @inline(__always)
  static func words(of function: _UndoTag.Function) -> (code: UInt, context: UInt) {
    unsafe unsafeBitCast(function, to: (code: UInt, context: UInt).self)
  }
}
