/// The operations of a log, numbered, in memory that never changes.
///
/// Without owning it, or them: whoever made the table keeps the operations alive.
/// To read one from an array would cost the array's retain and release, which is most of what an undo takes.
@safe
@frozen
@usableFromInline
struct _UndoTable {
  @usableFromInline
  let operations: UnsafeMutablePointer<Unmanaged<_UndoOperation>>
  @usableFromInline
  let shapes: UnsafeMutablePointer<_UndoShape>

  init(_ operations: [_UndoOperation]) {
    unsafe self.operations = .allocate(capacity: operations.count)
    unsafe shapes = .allocate(capacity: operations.count)
    for (index, operation) in operations.enumerated() {
      unsafe (self.operations + index).initialize(to: .passUnretained(operation))
      unsafe (shapes + index).initialize(to: operation.shape)
    }
  }

  func deallocate(count: Int) {
    unsafe operations.deinitialize(count: count)
    unsafe operations.deallocate()
    unsafe shapes.deinitialize(count: count)
    unsafe shapes.deallocate()
  }

  subscript(number: _UndoNumber) -> _UndoOperation {
    @inline(__always)
    get { unsafe operations[number.index].takeUnretainedValue() }
  }

  @inlinable
  @inline(__always)
  func shape(_ number: _UndoNumber) -> _UndoShape { unsafe shapes[number.index] }

  /// Exchanges the payload of a record with the document.
  @inlinable
  @inline(__always)
  func exchange(
    _ number: _UndoNumber, _ payload: _UndoPlace, _ offset: Int, _ document: _UndoPlace, _ log: inout _UndoLog
  ) {
    with(number) { $0.exchange(payload, offset, document, &log) }
  }

  /// Ends the life of the payload of a record.
  func destroy(_ number: _UndoNumber, _ payload: _UndoPlace) {
    with(number) { $0.destroy(payload) }
  }

  /// What the payload of a record counts besides its own bytes.
  func bytes(_ number: _UndoNumber, _ payload: _UndoPlace) -> Int {
    with(number) { $0.bytes?(payload) ?? 0 }
  }

  /// Access to an operation.
  ///
  /// `takeUnretainedValue` in place of the underscored function does the same, as the tests with internal checks show; the
  /// two retains and releases that it adds, of the operation and of its closure's absent context, are a third of the
  /// instructions of an undo.
  @inlinable
  @inline(__always)
  func with<Result>(_ number: _UndoNumber, _ body: (_UndoOperation) -> Result) -> Result {
    #if InternalChecks
      unsafe body(operations[number.index].takeUnretainedValue())
    #else
      unsafe operations[number.index]._withUnsafeGuaranteedRef(body)
    #endif
  }
}
