/// What the log knows about one type of delta: closures without captures, made where the type is known, so that each
/// calls specialised code. (A witness reached through a metatype would stay generic: 60 ns instead of 8.)
@usableFromInline
final class _UndoOperation {
  /// Takes the payload, the offset, the document and the log, in which it counts what the delta owns more than before,
  /// and tells what it did if the effect does not.
  @usableFromInline
  typealias Exchange = (_UnsafeUndoPointer, Int, _UnsafeUndoPointer, inout _UndoLog) -> Void

  /// The part that depends on what is counted.
  @frozen
  @usableFromInline
  struct Accounting {
    @usableFromInline
    let exchange: Exchange
    /// Nil where there is never anything to count.
    @usableFromInline
    let bytes: ((_UnsafeUndoPointer) -> Int)?

    @inlinable
    init(exchange: @escaping Exchange, bytes: ((_UnsafeUndoPointer) -> Int)?) {
      self.exchange = exchange
      self.bytes = bytes
    }
  }

  /// The type by which an edit finds the operation.
  let type: ObjectIdentifier
  /// The type of the delta, also where no edit is to find the operation.
  let deltaType: ObjectIdentifier
  let effect: _UndoEffect
  /// The one in force.
  @usableFromInline
  let exchange: Exchange
  let bytes: ((_UnsafeUndoPointer) -> Int)?
  let copy: (_UnsafeUndoPointer, _UnsafeUndoPointer) -> Void
  let destroy: (_UnsafeUndoPointer) -> Void
  let isSame: (_UnsafeUndoPointer, _UnsafeUndoPointer) -> Bool
  /// The edit of a delta at an offset, of which only the bytes mean anything unless the delta was just exchanged.
  let edit: (_UnsafeUndoPointer, Int) -> UndoEdit
  /// Tells what the latest exchange of the payload did, which has this offset.
  let placedEdit: (_UnsafeUndoPointer, Int) -> _UndoPlacedEdit
  /// What a delta owns, and what it keeps alive.
  let (owned, retained): (Accounting, Accounting)

  @usableFromInline
  init(
    type: ObjectIdentifier,
    deltaType: ObjectIdentifier? = nil,
    effect: _UndoEffect,
    owned: Accounting,
    retained: Accounting,
    copy: @escaping (_UnsafeUndoPointer, _UnsafeUndoPointer) -> Void,
    destroy: @escaping (_UnsafeUndoPointer) -> Void,
    isSame: @escaping (_UnsafeUndoPointer, _UnsafeUndoPointer) -> Bool,
    edit: @escaping (_UnsafeUndoPointer, Int) -> UndoEdit,
    placedEdit: @escaping (_UnsafeUndoPointer, Int) -> _UndoPlacedEdit,
    countsRetainedBytes: Bool = false
  ) {
    self.type = type
    self.deltaType = deltaType ?? type
    self.effect = effect
    (self.owned, self.retained) = (owned, retained)
    self.copy = copy
    self.destroy = destroy
    self.isSame = isSame
    self.edit = edit
    self.placedEdit = placedEdit
    let accounting = countsRetainedBytes ? retained : owned
    (exchange, bytes) = (accounting.exchange, accounting.bytes)
  }

  func with(type: ObjectIdentifier? = nil, countsRetainedBytes: Bool) -> _UndoOperation {
    _UndoOperation(
      type: type ?? self.type, deltaType: deltaType, effect: effect, owned: owned, retained: retained, copy: copy,
      destroy: destroy, isSame: isSame, edit: edit, placedEdit: placedEdit, countsRetainedBytes: countsRetainedBytes)
  }

  @inlinable
  static func of<Delta: _UndoDelta>(_ type: Delta.Type) -> _UndoOperation {
    let owned = Accounting(
      exchange: { payload, offset, document, log in
        if Delta.ownsMemory { log.counts.bytes &-= unsafe payload[as: Delta.self].ownedBytes }
        unsafe payload[as: Delta.self].exchange(with: &document[as: Delta.Root.self], offset: offset)
        if Delta.ownsMemory { log.counts.bytes &+= unsafe payload[as: Delta.self].ownedBytes }
        if case .dynamic = Delta.effect {
          log.latest.reportedEdit = unsafe payload[as: Delta.self].edit(offset: offset)
        }
        assert(unsafe Delta.effect.tells(of: payload[as: Delta.self], at: payload, offset: offset))
      },
      bytes: Delta.ownsMemory ? { payload in unsafe payload[as: Delta.self].ownedBytes } : nil)
    let retained = Accounting(
      exchange: { payload, offset, document, log in
        log.counts.bytes &-= unsafe payload[as: Delta.self].retainedBytes
        unsafe payload[as: Delta.self].exchange(with: &document[as: Delta.Root.self], offset: offset)
        log.counts.bytes &+= unsafe payload[as: Delta.self].retainedBytes
        if case .dynamic = Delta.effect {
          log.latest.reportedEdit = unsafe payload[as: Delta.self].edit(offset: offset)
        }
        assert(unsafe Delta.effect.tells(of: payload[as: Delta.self], at: payload, offset: offset))
      },
      bytes: { payload in unsafe payload[as: Delta.self].retainedBytes })
    return _UndoOperation(
      type: ObjectIdentifier(type),
      effect: Delta.effect,
      owned: owned,
      retained: Delta.retainsMemory ? retained : owned,
      copy: { source, target in unsafe target.initialize(to: source[as: Delta.self].copy()) },
      destroy: { payload in unsafe payload.deinitialize(as: Delta.self) },
      isSame: { payload, other in unsafe payload[as: Delta.self].isSame(as: other[as: Delta.self]) },
      edit: { payload, offset in unsafe payload[as: Delta.self].edit(offset: offset) },
      placedEdit: { payload, offset in unsafe payload[as: Delta.self].placedEdit(offset: offset) })
  }
}

extension _UndoOperation {
  /// The operation of deltas that are a word.
  static var word: _UndoOperation {
    let nothing = Accounting(
      exchange: { payload, offset, document, _ in unsafe payload.exchangeWord(with: document, at: offset) }, bytes: nil)
    return _UndoOperation(
      type: ObjectIdentifier(UInt64.self),
      effect: .value(size: 8),
      owned: nothing,
      retained: nothing,
      copy: { source, target in unsafe target.initialize(to: source[as: UInt64.self]) },
      destroy: { _ in },
      isSame: { payload, other in unsafe payload[as: UInt64.self] == other[as: UInt64.self] },
      edit: { _, offset in UndoEdit(.value, start: offset, size: 8) },
      placedEdit: { _, offset in _UndoRoot<UInt64>().place(.value, at: offset, of: UInt64.self) })
  }
}

/// The operations of a log, numbered.
///
/// Never changes: to add one is to make another table. So a chunk can keep the table
/// that covers it, whichever thread lets go of it last.
@usableFromInline
final class _UndoOperations {
  private let operations: [_UndoOperation]
  /// The same, for callers that know it to be alive.
  let table: _UnsafeUndoOperationTable

  init(_ operations: [_UndoOperation]) {
    self.operations = operations
    table = _UnsafeUndoOperationTable(operations)
  }

  deinit { table.deallocate(count: operations.count) }

  var count: Int { operations.count }

  func index(of type: ObjectIdentifier) -> Int? {
    operations.firstIndex { $0.type == type }
  }

  /// The same operations, of which none is found by its type.
  func withoutTypes(countingRetainedBytes: Bool) -> _UndoOperations {
    _UndoOperations(
      operations.map { $0.with(type: ObjectIdentifier(Never.self), countsRetainedBytes: countingRetainedBytes) })
  }

  /// The same operations, which count what the deltas own, or what they keep alive.
  func counting(retainedBytes: Bool) -> _UndoOperations {
    _UndoOperations(operations.map { $0.with(countsRetainedBytes: retainedBytes) })
  }

  func adding(_ operation: _UndoOperation) -> _UndoOperations {
    _UndoOperations(operations + [operation])
  }
}
