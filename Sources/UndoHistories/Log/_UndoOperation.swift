/// What the log knows about one type of delta: closures without captures, made where the type is known, so that each
/// calls specialised code. (A witness reached through a metatype would stay generic: 60 ns instead of 8.)
@usableFromInline
final class _UndoOperation {
  /// Takes the payload, the offset, the document and the log, in which it counts what the delta owns more than before,
  /// and tells what it did if the template does not.
  @usableFromInline
  typealias Exchange = (_UnsafeErasedPointer, Int, _UnsafeErasedPointer, inout _UndoLog) -> Void

  /// The part that depends on what is counted.
  @frozen
  @usableFromInline
  struct Accounting {
    @usableFromInline
    let exchange: Exchange
    /// Nil where there is never anything to count.
    @usableFromInline
    let bytes: ((_UnsafeErasedPointer) -> Int)?

    @inlinable
    init(exchange: @escaping Exchange, bytes: ((_UnsafeErasedPointer) -> Int)?) {
      self.exchange = exchange
      self.bytes = bytes
    }
  }

  let type: ObjectIdentifier
  let template: _UndoEditTemplate
  /// The one in force.
  @usableFromInline
  let exchange: Exchange
  let bytes: ((_UnsafeErasedPointer) -> Int)?
  let copy: (_UnsafeErasedPointer, _UnsafeErasedPointer) -> Void
  let destroy: (_UnsafeErasedPointer) -> Void
  /// What a delta owns, and what it keeps alive.
  let (owned, kept): (Accounting, Accounting)

  @usableFromInline
  init(
    type: ObjectIdentifier,
    template: _UndoEditTemplate,
    owned: Accounting,
    kept: Accounting,
    copy: @escaping (_UnsafeErasedPointer, _UnsafeErasedPointer) -> Void,
    destroy: @escaping (_UnsafeErasedPointer) -> Void,
    countsKeptBytes: Bool = false
  ) {
    self.type = type
    self.template = template
    (self.owned, self.kept) = (owned, kept)
    self.copy = copy
    self.destroy = destroy
    let accounting = countsKeptBytes ? kept : owned
    (exchange, bytes) = (accounting.exchange, accounting.bytes)
  }

  func with(type: ObjectIdentifier? = nil, countsKeptBytes: Bool) -> _UndoOperation {
    _UndoOperation(
      type: type ?? self.type, template: template, owned: owned, kept: kept, copy: copy, destroy: destroy,
      countsKeptBytes: countsKeptBytes)
  }

  @inlinable
  static func of<Delta: _UndoDelta>(_ type: Delta.Type) -> _UndoOperation {
    let owned = Accounting(
      exchange: { payload, offset, document, log in
        if Delta.ownsMemory { log.counts.bytes &-= unsafe payload[as: Delta.self].ownedBytes }
        unsafe payload[as: Delta.self].exchange(with: &document[as: Delta.Root.self], offset: offset)
        if Delta.ownsMemory { log.counts.bytes &+= unsafe payload[as: Delta.self].ownedBytes }
        if case .none = Delta.template { log.latest.edit = unsafe payload[as: Delta.self].edit(offset: offset) }
        assert(unsafe Delta.template.tells(of: payload[as: Delta.self], at: payload, offset: offset))
      },
      bytes: Delta.ownsMemory ? { payload in unsafe payload[as: Delta.self].ownedBytes } : nil)
    let kept = Accounting(
      exchange: { payload, offset, document, log in
        log.counts.bytes &-= unsafe payload[as: Delta.self].keptBytes
        unsafe payload[as: Delta.self].exchange(with: &document[as: Delta.Root.self], offset: offset)
        log.counts.bytes &+= unsafe payload[as: Delta.self].keptBytes
        if case .none = Delta.template { log.latest.edit = unsafe payload[as: Delta.self].edit(offset: offset) }
        assert(unsafe Delta.template.tells(of: payload[as: Delta.self], at: payload, offset: offset))
      },
      bytes: { payload in unsafe payload[as: Delta.self].keptBytes })
    return _UndoOperation(
      type: ObjectIdentifier(type),
      template: Delta.template,
      owned: owned,
      kept: Delta.keepsMemory ? kept : owned,
      copy: { source, target in unsafe target.initialize(to: source[as: Delta.self].copy()) },
      destroy: { payload in unsafe payload.deinitialize(as: Delta.self) })
  }
}

extension _UndoOperation {
  /// The operation of deltas that are a word.
  static var word: _UndoOperation {
    let nothing = Accounting(
      exchange: { payload, offset, document, _ in unsafe payload.exchangeWord(with: document, at: offset) }, bytes: nil)
    return _UndoOperation(
      type: ObjectIdentifier(UInt64.self),
      template: .value(size: 8),
      owned: nothing,
      kept: nothing,
      copy: { source, target in unsafe target.initialize(to: source[as: UInt64.self]) },
      destroy: { _ in })
  }
}

/// The operations of a log, numbered.
///
/// Never changes: to add one is to make another table. So a chunk can keep the table
/// that covers it, whichever thread lets go of it last.
@usableFromInline
final class _UndoOperations {
  private let operations: [_UndoOperation]
  /// The same, for those who know that they are alive.
  let table: _UnsafeOperationTable

  init(_ operations: [_UndoOperation]) {
    self.operations = operations
    table = _UnsafeOperationTable(operations)
  }

  deinit { table.deallocate(count: operations.count) }

  var count: Int { operations.count }

  func index(of type: ObjectIdentifier) -> Int? {
    operations.firstIndex { $0.type == type }
  }

  /// The same operations, of which none is found by its type.
  func withoutTypes(countingKeptBytes: Bool) -> _UndoOperations {
    _UndoOperations(
      operations.map { $0.with(type: ObjectIdentifier(Never.self), countsKeptBytes: countingKeptBytes) })
  }

  /// The same operations, which count what the deltas own, or what they keep alive.
  func counting(keptBytes: Bool) -> _UndoOperations {
    _UndoOperations(operations.map { $0.with(countsKeptBytes: keptBytes) })
  }

  func adding(_ operation: _UndoOperation) -> _UndoOperations {
    _UndoOperations(operations + [operation])
  }
}
