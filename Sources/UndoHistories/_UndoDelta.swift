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

  /// What can be told of that without the delta.
  static var shape: _UndoShape { get }

  /// Whether the delta is just another number of eight bytes for one that lies at the offset in the document. The log
  /// exchanges those without calling anything.
  static var isWord: Bool { get }

  /// Whether the delta is just another element for one of a document that is a collection. There is one such type for a
  /// document, so that it can be known by its number.
  static var isElement: Bool { get }

  /// An independent copy, for a history that is a copy.
  func copy() -> Self

  /// Whether the delta may own memory besides its own bytes, as far as that is counted without a limit.
  static var ownsMemory: Bool { get }

  /// How much of that it owns right now.
  var ownedBytes: Int { get }

  /// Whether the delta may keep anything alive besides its own bytes.
  static var keepsMemory: Bool { get }

  /// How much it keeps alive right now, as a limit of bytes counts it: it follows from what the delta holds alone.
  var keptBytes: Int { get }
}

extension _UndoDelta {
  @inlinable
  func copy() -> Self { self }

  @inlinable
  static var shape: _UndoShape { .told }

  @inlinable
  static var isWord: Bool { false }

  @inlinable
  static var isElement: Bool { false }

  @inlinable
  static var ownsMemory: Bool { false }

  @inlinable
  var ownedBytes: Int { 0 }

  @inlinable
  static var keepsMemory: Bool { ownsMemory }

  @inlinable
  var keptBytes: Int { ownedBytes }
}

/// What the exchanges of one type of delta do, as far as the type tells.
@frozen
@usableFromInline
enum _UndoShape {
  /// A value of this size is replaced, which lies in the document itself.
  case value(size: Int)
  /// An element changes, or something inside of one: of the collection of this size in the document to which the first
  /// word of the delta leads.
  case element(size: Int)
  /// The type does not tell: each exchange tells the log.
  case told
}

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
