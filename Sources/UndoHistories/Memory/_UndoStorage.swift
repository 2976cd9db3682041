/// The document and the log of a history, which copies of the history share, and access to them by address.
///
/// For code that has only a cursor, the access also has the rule by which edits join.
///
/// Each lies in its own allocation, because a stored `var` of a class would cost a dynamic exclusivity check on every
/// access.
@usableFromInline
package final class _UndoStorage<Value> {
  @usableFromInline
  package let access: _UndoAccess<Value>

  @usableFromInline
  let compare: UndoHistory<Value>.Comparison

  @inlinable
  init(document: consuming Value, log: consuming _UndoLog, compare: @escaping UndoHistory<Value>.Comparison) {
    self.access = _UndoAccess(documentPointer: .allocate(holding: document), logPointer: .allocate(holding: log))
    self.compare = compare
    if access.log.coalescing.revision == 0 { access.log.coalescing.revision = .random(in: 1 ... .max) }
  }

  deinit {
    access.log.close()
    unsafe access.logPointer.deallocate(as: _UndoLog.self)
    unsafe access.documentPointer.deallocate(as: Value.self)
  }
}

/// The addresses of a history's document and log.
///
/// Valid for as long as the storage lives. Used only while the history that owns the storage is accessed exclusively.
@usableFromInline
package struct _UndoAccess<Value> {
  @usableFromInline
  package let documentPointer: _UnsafeUndoPointer
  @usableFromInline
  let logPointer: _UnsafeUndoPointer

  @inlinable
  init(documentPointer: _UnsafeUndoPointer, logPointer: _UnsafeUndoPointer) {
    self.documentPointer = documentPointer
    self.logPointer = logPointer
  }

  @inlinable
  package var document: Value {
    @inline(__always)
    _read { yield unsafe documentPointer[as: Value.self] }
    @inline(__always)
    nonmutating _modify { yield unsafe &documentPointer[as: Value.self] }
  }

  /// Gives access to the log like the property `log`, which isn't inlined if the access contains branches.
  @inlinable
  @inline(__always)
  package func withLog<Result: ~Copyable>(_ body: (inout _UndoLog) -> Result) -> Result {
    unsafe logPointer.with(_UndoLog.self, body)
  }

  @inlinable
  package var log: _UndoLog {
    @inline(__always)
    _read { yield unsafe logPointer[as: _UndoLog.self] }
    @inline(__always)
    nonmutating _modify { yield unsafe &logPointer[as: _UndoLog.self] }
  }
}

// For code that gets only a cursor at a part of the document.
extension _UndoAccess {
  /// The rule by which edits join (`UndoHistory.coalescing`).
  package var coalescing: UndoCoalescing {
    get { log.coalescing.rule }
    nonmutating set { log.setCoalescing(newValue, in: documentPointer) }
  }
}
