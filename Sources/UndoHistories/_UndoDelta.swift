/// One difference between a document and its state before or after an edit.
///
/// A delta holds the *other* side of the difference. Exchanging it with the document turns the document into that
/// other state, and the delta into what leads back: undo and redo are the same operation.
@usableFromInline
protocol _UndoDelta<Root> {
  associatedtype Root

  /// Exchanges what the delta holds with what the document holds.
  ///
  /// `offset` is the byte offset of the changed part in what the delta's anchor leads to.
  mutating func exchange(with root: inout Root, offset: Int)

  /// What the latest exchange did to the document.
  func edit(offset: Int) -> UndoEdit

  /// Whether the delta is just another number of eight bytes for one that lies at the offset in the document. The log
  /// exchanges those without calling anything.
  static var isWord: Bool { get }

  /// An independent copy, for a history that is a copy.
  func copy() -> Self

  /// Whether the delta may own memory besides its own bytes.
  static var ownsMemory: Bool { get }

  /// How much memory it owns right now.
  var ownedBytes: Int { get }
}

extension _UndoDelta {
  @inlinable
  func copy() -> Self { self }

  @inlinable
  static var isWord: Bool { false }

  @inlinable
  static var ownsMemory: Bool { false }

  @inlinable
  var ownedBytes: Int { 0 }
}

/// What the log knows about one type of delta: closures without captures, made where the type is known, so that each
/// calls specialised code. (A witness reached through a metatype would stay generic: 60 ns instead of 8.)
@usableFromInline
final class _UndoOperation {
  /// Takes the payload, the offset and the document; adds to the number what the delta owns more than before.
  @usableFromInline
  typealias Exchange = (_UndoPlace, Int, _UndoPlace, inout Int) -> UndoEdit

  let type: ObjectIdentifier
  @usableFromInline
  let exchange: Exchange
  let copy: (_UndoPlace, _UndoPlace) -> Void
  let destroy: (_UndoPlace) -> Void
  /// Nil where the delta never owns memory.
  let ownedBytes: ((_UndoPlace) -> Int)?

  @usableFromInline
  init(
    type: ObjectIdentifier,
    exchange: @escaping Exchange,
    copy: @escaping (_UndoPlace, _UndoPlace) -> Void,
    destroy: @escaping (_UndoPlace) -> Void,
    ownedBytes: ((_UndoPlace) -> Int)?
  ) {
    self.type = type
    self.exchange = exchange
    self.copy = copy
    self.destroy = destroy
    self.ownedBytes = ownedBytes
  }

  func withType(_ type: ObjectIdentifier) -> _UndoOperation {
    _UndoOperation(type: type, exchange: exchange, copy: copy, destroy: destroy, ownedBytes: ownedBytes)
  }

  @inlinable
  static func of<Delta: _UndoDelta>(_ type: Delta.Type) -> _UndoOperation {
    _UndoOperation(
      type: ObjectIdentifier(type),
      exchange: { payload, offset, document, byteCount in
        if Delta.ownsMemory { byteCount -= payload[as: Delta.self].ownedBytes }
        payload[as: Delta.self].exchange(with: &document[as: Delta.Root.self], offset: offset)
        if Delta.ownsMemory { byteCount += payload[as: Delta.self].ownedBytes }
        return payload[as: Delta.self].edit(offset: offset)
      },
      copy: { source, target in target.initialize(to: source[as: Delta.self].copy()) },
      destroy: { payload in payload.deinitialize(as: Delta.self) },
      ownedBytes: Delta.ownsMemory ? { payload in payload[as: Delta.self].ownedBytes } : nil)
  }
}

extension _UndoOperation {
  /// The operation of deltas that are a word.
  static var word: _UndoOperation {
    _UndoOperation(
      type: ObjectIdentifier(UInt64.self),
      exchange: { payload, offset, document, _ in
        payload.exchangeWord(with: document, at: offset)
        return .word(at: offset)
      },
      copy: { source, target in target.initialize(to: source[as: UInt64.self]) },
      destroy: { _ in },
      ownedBytes: nil)
  }
}

extension UndoEdit {
  @inlinable
  static func word(at offset: Int) -> UndoEdit { UndoEdit(.value, start: offset, size: 8) }
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
  var withoutTypes: _UndoOperations {
    _UndoOperations(operations.map { $0.withType(ObjectIdentifier(Never.self)) })
  }

  func adding(_ operation: _UndoOperation) -> _UndoOperations {
    _UndoOperations(operations + [operation])
  }
}
