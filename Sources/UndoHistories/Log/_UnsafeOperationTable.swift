/// The operations of a log, numbered, in memory that never changes.
///
/// To read one from an array would cost the array's retain and release, which is most of what an undo takes.
///
/// Unsafe: the table owns neither its memory nor the operations. `_UndoOperations`, which made it, keeps both alive,
/// and the log and every chunk keep that. A number must be that of an operation of this table.
@safe
@frozen
@usableFromInline
struct _UnsafeOperationTable {
  @usableFromInline
  let operations: UnsafeMutablePointer<Unmanaged<_UndoOperation>>
  @usableFromInline
  let templates: UnsafeMutablePointer<_UndoEditTemplate>

  init(_ operations: [_UndoOperation]) {
    unsafe self.operations = .allocate(capacity: operations.count)
    unsafe templates = .allocate(capacity: operations.count)
    for (index, operation) in operations.enumerated() {
      unsafe (self.operations + index).initialize(to: .passUnretained(operation))
      unsafe (templates + index).initialize(to: operation.template)
    }
  }

  func deallocate(count: Int) {
    unsafe operations.deinitialize(count: count)
    unsafe operations.deallocate()
    unsafe templates.deinitialize(count: count)
    unsafe templates.deallocate()
  }

  subscript(number: _UndoOperationNumber) -> _UndoOperation {
    @inline(__always)
    get { unsafe operations[number.index].takeUnretainedValue() }
  }

  /// What the type of such a delta tells of its edits.
  @inlinable
  @inline(__always)
  func template(_ number: _UndoOperationNumber) -> _UndoEditTemplate { unsafe templates[number.index] }

  /// Exchanges the payload of a record with the document.
  ///
  /// - Precondition: The payload is a delta of the operation's type, made for a document of this type.
  @unsafe
  @inlinable
  @inline(__always)
  func exchange(
    _ number: _UndoOperationNumber, _ payload: _UnsafeErasedPointer, _ offset: Int, _ document: _UnsafeErasedPointer,
    _ log: inout _UndoLog
  ) {
    with(number) { $0.exchange(payload, offset, document, &log) }
  }

  /// Makes a copy of the payload of a record where nothing lives.
  ///
  /// - Precondition: The payload is a delta of the operation's type.
  @unsafe
  func copy(_ number: _UndoOperationNumber, _ payload: _UnsafeErasedPointer, to target: _UnsafeErasedPointer) {
    with(number) { $0.copy(payload, target) }
  }

  /// Ends the life of the payload of a record.
  ///
  /// - Precondition: The payload is a delta of the operation's type, and lives.
  @unsafe
  func destroy(_ number: _UndoOperationNumber, _ payload: _UnsafeErasedPointer) {
    with(number) { $0.destroy(payload) }
  }

  /// What the payload of a record counts besides its own bytes.
  ///
  /// - Precondition: The payload is a delta of the operation's type.
  @unsafe
  func bytes(_ number: _UndoOperationNumber, _ payload: _UnsafeErasedPointer) -> Int {
    with(number) { $0.bytes?(payload) ?? 0 }
  }

  /// Access to an operation.
  ///
  /// `takeUnretainedValue` instead of the underscored function does the same, as the tests with internal checks show;
  /// the two retains and releases that it adds, of the operation and of its closure's absent context, are a third of
  /// the instructions of an undo.
  @inlinable
  @inline(__always)
  func with<Result>(_ number: _UndoOperationNumber, _ body: (_UndoOperation) -> Result) -> Result {
    #if InternalChecks
      unsafe body(operations[number.index].takeUnretainedValue())
    #else
      unsafe operations[number.index]._withUnsafeGuaranteedRef(body)
    #endif
  }
}
