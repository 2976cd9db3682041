/// What the log knows about one type of delta: closures without captures, made where the type is known, so that each
/// calls specialised code. (A witness reached through a metatype would stay generic: 60 ns instead of 8.)
@usableFromInline
final class _UndoOperation {
  /// Takes the payload, the offset, the document and the log, in which it counts what the delta owns more than before,
  /// and tells what it did if the shape does not.
  @usableFromInline
  typealias Exchange = (_UndoPlace, Int, _UndoPlace, inout _UndoLog) -> Void

  /// The part that depends on what is counted.
  @frozen
  @usableFromInline
  struct Accounting {
    @usableFromInline
    let exchange: Exchange
    /// Nil where there is never anything to count.
    @usableFromInline
    let bytes: ((_UndoPlace) -> Int)?

    @inlinable
    init(exchange: @escaping Exchange, bytes: ((_UndoPlace) -> Int)?) {
      self.exchange = exchange
      self.bytes = bytes
    }
  }

  let type: ObjectIdentifier
  let shape: _UndoShape
  /// The one in force.
  @usableFromInline
  let exchange: Exchange
  let bytes: ((_UndoPlace) -> Int)?
  let copy: (_UndoPlace, _UndoPlace) -> Void
  let destroy: (_UndoPlace) -> Void
  /// What a delta owns, and what it keeps alive.
  let (owned, kept): (Accounting, Accounting)

  @usableFromInline
  init(
    type: ObjectIdentifier,
    shape: _UndoShape,
    owned: Accounting,
    kept: Accounting,
    copy: @escaping (_UndoPlace, _UndoPlace) -> Void,
    destroy: @escaping (_UndoPlace) -> Void,
    countsWhatIsKept: Bool = false
  ) {
    self.type = type
    self.shape = shape
    (self.owned, self.kept) = (owned, kept)
    self.copy = copy
    self.destroy = destroy
    let accounting = countsWhatIsKept ? kept : owned
    (exchange, bytes) = (accounting.exchange, accounting.bytes)
  }

  func with(type: ObjectIdentifier? = nil, countsWhatIsKept: Bool) -> _UndoOperation {
    _UndoOperation(
      type: type ?? self.type, shape: shape, owned: owned, kept: kept, copy: copy, destroy: destroy,
      countsWhatIsKept: countsWhatIsKept)
  }

  @inlinable
  static func of<Delta: _UndoDelta>(_ type: Delta.Type) -> _UndoOperation {
    let owned = Accounting(
      exchange: { payload, offset, document, log in
        if Delta.ownsMemory { log.byteCount &-= payload[as: Delta.self].ownedBytes }
        payload[as: Delta.self].exchange(with: &document[as: Delta.Root.self], offset: offset)
        if Delta.ownsMemory { log.byteCount &+= payload[as: Delta.self].ownedBytes }
        if case .told = Delta.shape { log.told = payload[as: Delta.self].edit(offset: offset) }
      },
      bytes: Delta.ownsMemory ? { payload in payload[as: Delta.self].ownedBytes } : nil)
    let kept = Accounting(
      exchange: { payload, offset, document, log in
        log.byteCount &-= payload[as: Delta.self].keptBytes
        payload[as: Delta.self].exchange(with: &document[as: Delta.Root.self], offset: offset)
        log.byteCount &+= payload[as: Delta.self].keptBytes
        if case .told = Delta.shape { log.told = payload[as: Delta.self].edit(offset: offset) }
      },
      bytes: { payload in payload[as: Delta.self].keptBytes })
    return _UndoOperation(
      type: ObjectIdentifier(type),
      shape: Delta.shape,
      owned: owned,
      kept: Delta.keepsMemory ? kept : owned,
      copy: { source, target in target.initialize(to: source[as: Delta.self].copy()) },
      destroy: { payload in payload.deinitialize(as: Delta.self) })
  }
}

extension _UndoOperation {
  /// The operation of deltas that are a word.
  static var word: _UndoOperation {
    let nothing = Accounting(
      exchange: { payload, offset, document, _ in payload.exchangeWord(with: document, at: offset) }, bytes: nil)
    return _UndoOperation(
      type: ObjectIdentifier(UInt64.self),
      shape: .value(size: 8),
      owned: nothing,
      kept: nothing,
      copy: { source, target in target.initialize(to: source[as: UInt64.self]) },
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
  /// The same, for whoever knows that they are alive.
  let table: _UndoTable

  init(_ operations: [_UndoOperation]) {
    self.operations = operations
    table = _UndoTable(operations)
  }

  deinit { table.deallocate(count: operations.count) }

  var count: Int { operations.count }

  func index(of type: ObjectIdentifier) -> Int? {
    operations.firstIndex { $0.type == type }
  }

  /// The same operations, of which none is found by its type.
  func withoutTypes(countingWhatIsKept: Bool) -> _UndoOperations {
    _UndoOperations(
      operations.map { $0.with(type: ObjectIdentifier(Never.self), countsWhatIsKept: countingWhatIsKept) })
  }

  /// The same operations, which count what the deltas own, or what they keep alive.
  func counting(whatIsKept: Bool) -> _UndoOperations {
    _UndoOperations(operations.map { $0.with(countsWhatIsKept: whatIsKept) })
  }

  func adding(_ operation: _UndoOperation) -> _UndoOperations {
    _UndoOperations(operations + [operation])
  }
}
