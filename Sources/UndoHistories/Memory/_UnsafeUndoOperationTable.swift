/// The operations of a log by address: exchanges, copies, moves and describes the payload of a record by the operation
/// that its header names.
///
/// Reading an operation from an array would cost the array's retain and release, which is most of the time of an undo.
///
/// Unsafe: the table owns neither its memory nor the operations. The `_UndoOperations` that made it keeps both alive,
/// and the log and every chunk keep that object alive. An index must be that of an operation of this table.
@safe
@usableFromInline
package struct _UnsafeUndoOperationTable {
  let operations: UnsafeMutablePointer<Unmanaged<_UndoOperation>>
  @usableFromInline
  let effects: UnsafeMutablePointer<_UndoEffect>

  init(_ operations: [_UndoOperation]) {
    unsafe self.operations = .allocate(capacity: operations.count)
    unsafe effects = .allocate(capacity: operations.count)
    for (index, operation) in operations.enumerated() {
      unsafe (self.operations + index).initialize(to: .passUnretained(operation))
      unsafe (effects + index).initialize(to: operation.effect)
    }
  }

  func deallocate(count: Int) {
    unsafe operations.deinitialize(count: count)
    unsafe operations.deallocate()
    unsafe effects.deinitialize(count: count)
    unsafe effects.deallocate()
  }

  subscript(index: _UndoOperationIndex) -> _UndoOperation {
    @inline(__always)
    get { unsafe operations[index.value].takeUnretainedValue() }
  }

  /// The facts about the edits of an operation that follow from the type of its deltas.
  @inlinable
  func effect(_ index: _UndoOperationIndex) -> _UndoEffect { unsafe effects[index.value] }

  /// The part that the deltas of an operation replace.
  func replaced(_ index: _UndoOperationIndex) -> _UndoReplacedPart { with(index) { $0.replaced } }

  /// Exchanges a delta with the document.
  ///
  /// - Precondition: The payload is a delta of the operation's type, made for a document of this type.
  @unsafe
  @inline(__always)
  func exchange(_ edit: _UndoPendingEdit, _ document: _UnsafeUndoPointer, _ records: inout _UndoRecords) {
    with(edit.operation) { $0.exchange(edit.payload, edit.offset, document, &records) }
  }

  /// Copies the delta of a record to memory in which nothing lives.
  ///
  /// - Precondition: The payload is a delta of the operation's type.
  @unsafe
  func copy(_ index: _UndoOperationIndex, _ payload: _UnsafeUndoPointer, to target: _UnsafeUndoPointer) {
    with(index) { $0.copy(payload, target) }
  }

  /// Ends the life of the payload of a record.
  ///
  /// - Precondition: The payload is a delta of the operation's type, and lives.
  @unsafe
  func destroy(_ index: _UndoOperationIndex, _ payload: _UnsafeUndoPointer) {
    with(index) { $0.destroy(payload) }
  }

  /// The edit that the next exchange of a record makes.
  package func edit(of record: _UndoRecord) -> _UndoEdit { edit(of: _UndoPendingEdit(record)) }

  /// The edit that the next exchange would make if there were a record.
  func edit(of edit: _UndoPendingEdit) -> _UndoEdit { with(edit.operation) { $0.edit(edit.payload, edit.offset) } }

  /// Makes the next exchange of a record do another edit of the same kind.
  ///
  /// Returns false if the payload has no room for that edit; it can't be used any more then.
  func move(_ record: _UndoRecord, to edit: _UndoEdit) -> Bool {
    with(record.header.operation) { unsafe $0.delta.move(record.payload, to: edit) }
  }

  /// The bytes of the document that the edit of a record changes.
  func editedBytes(of record: _UndoRecord) -> Range<Int> { editedBytes(of: _UndoPendingEdit(record)) }

  /// The bytes of the document that an edit changes.
  func editedBytes(of edit: _UndoPendingEdit) -> Range<Int> {
    switch effect(edit.operation) {
    case .value(let size), .member(let size), .part(let size): edit.offset..<edit.offset + size
    case .element(let size): unsafe edit.payload[as: _UndoElementPath.self].bytes(size: size)
    case .dynamic: self.edit(of: edit).bytes
    }
  }

  /// Whether a record has the same type of delta as an edit, and edits the same part.
  @inline(__always)
  func isAtSamePlace(_ record: _UndoRecord, _ edit: _UndoPendingEdit) -> Bool {
    guard record.header.operation == edit.operation, record.header.argument == edit.offset else { return false }
    return unsafe record.payload.hasSameBytes(as: edit.payload, count: Int(replaced(edit.operation).placeSize))
  }

  /// Gives access to an operation.
  ///
  /// `_withUnsafeGuaranteedRef` does without the two retains and releases of `takeUnretainedValue`, which are a third
  /// of the instructions of an undo. The tests with internal checks use the latter, so they show that both do the same.
  @inline(__always)
  func with<Result>(_ index: _UndoOperationIndex, _ body: (_UndoOperation) -> Result) -> Result {
    #if InternalChecks
      unsafe body(operations[index.value].takeUnretainedValue())
    #else
      unsafe operations[index.value]._withUnsafeGuaranteedRef(body)
    #endif
  }
}
