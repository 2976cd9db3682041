internal import Sameness

/// The functions of one type of delta, by which the log exchanges, copies, measures, compares and destroys payloads.
///
/// They are closures without captures, made where the type is known, so that each calls specialized code. (A witness
/// reached through a metatype would stay generic: 60 ns instead of 8.) All operations of a log are in
/// `_UndoOperations`.
@usableFromInline
final class _UndoOperation {
  /// Takes the payload, the offset, the document and the records.
  ///
  /// It adds the growth of the delta's own memory to the count of the records, and reports the edit there if the effect
  /// doesn't tell it.
  @usableFromInline
  typealias Exchange = (_UnsafeUndoPointer, Int, _UnsafeUndoPointer, inout _UndoRecords) -> Void

  /// The type of the delta, for requests that are so rare that unspecialized code may answer them.
  let delta: any _UndoDelta.Type
  let effect: _UndoEffect
  /// Whether edits with a delta of that type find the operation.
  let isFound: Bool
  let replaced: _UndoReplacedPart
  let exchange: Exchange
  /// Measures what a payload counts besides its own bytes; nil if that is always 0.
  let bytes: ((_UnsafeUndoPointer) -> Int)?
  let copy: (_UnsafeUndoPointer, _UnsafeUndoPointer) -> Void
  let destroy: (_UnsafeUndoPointer) -> Void
  /// Describes the next exchange of a payload with this argument.
  let edit: (_UnsafeUndoPointer, Int) -> _UndoEdit
  /// The variant of this operation that counts what deltas own; nil if this is that variant.
  private let owning: _UndoOperation?

  @usableFromInline
  init(
    delta: any _UndoDelta.Type,
    exchange: @escaping Exchange,
    bytes: ((_UnsafeUndoPointer) -> Int)?,
    copy: @escaping (_UnsafeUndoPointer, _UnsafeUndoPointer) -> Void,
    destroy: @escaping (_UnsafeUndoPointer) -> Void,
    edit: @escaping (_UnsafeUndoPointer, Int) -> _UndoEdit
  ) {
    (self.delta, effect, replaced) = (delta, delta.effect, _UndoReplacedPart(delta))
    (self.exchange, self.bytes) = (exchange, bytes)
    (self.copy, self.destroy, self.edit) = (copy, destroy, edit)
    (owning, isFound) = (nil, true)
  }

  /// Creates a variant that counts what deltas own or, under a limit on bytes, what they retain.
  private init(_ owning: _UndoOperation, countsRetainedBytes: Bool, isFound: Bool) {
    (delta, effect, replaced, self.isFound) = (owning.delta, owning.effect, owning.replaced, isFound)
    (copy, destroy, edit) = (owning.copy, owning.destroy, owning.edit)
    if countsRetainedBytes, owning.delta.retainsMemory {
      self.owning = owning
      bytes = { owning.delta.retainedBytes($0) }
      exchange = { payload, offset, document, records in
        let bytes = records.counts.bytes &- owning.delta.retainedBytes(payload)
        owning.exchange(payload, offset, document, &records)
        records.counts.bytes = bytes &+ owning.delta.retainedBytes(payload)
      }
    } else {
      (self.owning, exchange, bytes) = (nil, owning.exchange, owning.bytes)
    }
  }

  func with(countsRetainedBytes: Bool, isFound: Bool? = nil) -> _UndoOperation {
    _UndoOperation(owning ?? self, countsRetainedBytes: countsRetainedBytes, isFound: isFound ?? self.isFound)
  }

  /// Whether edits with a delta of this type find the operation.
  func isFound(by type: ObjectIdentifier) -> Bool { isFound && ObjectIdentifier(delta) == type }

  /// The operation of a type of delta, which may have its own way to exchange a payload.
  @inlinable
  static func of<Delta: _UndoDelta>(_ type: Delta.Type, exchange: Exchange? = nil) -> _UndoOperation {
    _UndoOperation(
      delta: type,
      exchange: exchange ?? { payload, offset, document, records in
        if Delta.ownsMemory { records.counts.bytes &-= unsafe payload[as: Delta.self].ownedBytes }
        unsafe payload[as: Delta.self].exchange(with: &document[as: Delta.Root.self], offset: offset)
        if Delta.ownsMemory { records.counts.bytes &+= unsafe payload[as: Delta.self].ownedBytes }
        switch Delta.effect {
        case .part, .dynamic: records.reportedEdit = unsafe payload[as: Delta.self].reportedEdit(offset: offset)
        case .value, .element, .member: break
        }
        assert(unsafe Delta.effect.tells(of: payload[as: Delta.self], at: payload, offset: offset))
      },
      bytes: Delta.ownsMemory ? { payload in unsafe payload[as: Delta.self].ownedBytes } : nil,
      copy: { source, target in unsafe target.initialize(to: source[as: Delta.self]) },
      destroy: { payload in unsafe payload.deinitialize(as: Delta.self) },
      edit: { payload, offset in unsafe payload[as: Delta.self].edit(offset: offset) })
  }

  /// The operation of deltas that replace a number of one word.
  static var word: _UndoOperation {
    of(_UndoReplacement<UndoDocumentPlace<UInt64>, UInt64>.self) { payload, offset, document, _ in
      unsafe payload.exchangeWord(with: document, at: offset)
    }
  }
}

// MARK: - Rare requests

/// Requests by the type that an operation knows, without a closure for each.
///
/// - Precondition: The payloads are deltas of this type.
extension _UndoDelta {
  /// Moves the next exchange of a payload to another edit of its kind; returns false, with the payload unusable, if it
  /// has no room.
  static func move(_ payload: _UnsafeUndoPointer, to edit: _UndoEdit) -> Bool {
    unsafe payload[as: Self.self].move(to: edit)
  }

  /// By how much the next exchange of a payload changes the length of a text or a collection.
  static func growth(_ payload: _UnsafeUndoPointer) -> Int { unsafe payload[as: Self.self].change.growth }

  /// The bytes of memory that a payload retains.
  static func retainedBytes(_ payload: _UnsafeUndoPointer) -> Int { unsafe payload[as: Self.self].retainedBytes }

  /// Whether two payloads are provably the same.
  static func areSame(_ payload: _UnsafeUndoPointer, _ other: _UnsafeUndoPointer) -> Bool {
    func areSame<Delta: _UndoDelta>(_ delta: Delta, _ other: any _UndoDelta) -> Bool {
      guard let other = other as? Delta else { return false }
      // If there are lazy properties, the result depends on the order, so both orders are tried.
      return _haveSameContents(delta, other) || _haveSameContents(other, delta)
    }
    let (delta, other) = unsafe (payload[as: Self.self], other[as: Self.self])
    // Mirrors of older systems of Apple don't look into the box.
    if let delta = delta as? _UndoBoxedDelta<Root>, let other = other as? _UndoBoxedDelta<Root> {
      return areSame(delta.delta, other.delta)
    }
    return areSame(delta, other)
  }

  /// The delta itself.
  static func read(_ payload: _UnsafeUndoPointer) -> any _UndoDelta { unsafe payload[as: Self.self] }

  /// Whether the document may again have the value that a payload replaced, as far as the delta can tell.
  static func mayBeRestored(_ payload: _UnsafeUndoPointer, in document: _UnsafeUndoPointer, offset: Int) -> Bool {
    unsafe payload[as: Self.self].mayBeRestored(in: document[as: Root.self], offset: offset)
  }
}
