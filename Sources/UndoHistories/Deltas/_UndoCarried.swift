/// The delta of a restored value: its values before and after the step.
///
///     | header | other | current |     24 bytes for an Int, of which the document has `current`
///
/// Both are copies. An exchange assigns `other` without looking at the document, because a restored value changes
/// between steps. The record isn't an edit: its argument is negative, the complement of the offset.
@usableFromInline
struct _UndoCarried<Root, Part>: _UndoDelta {
  @usableFromInline
  var other: Part
  @usableFromInline
  var current: Part

  @inlinable
  init(_ value: Part) {
    (other, current) = (value, value)
  }

  @inlinable
  mutating func exchange(with root: inout Root, offset: Int) {
    unsafe withUnsafePart(of: &root, at: ~offset, as: Part.self) { $0 = other }
    swap(&other, &current)
  }

  @inlinable
  var anchor: _UndoRoot<Root> { _UndoRoot() }

  @inlinable
  var change: _UndoChange { .value }

  @inlinable
  var ownedBytes: Int { _UndoWeight.ownedBytes(of: other) + _UndoWeight.ownedBytes(of: current) }

  @inlinable
  var retainedBytes: Int { _UndoWeight.retainedBytes(of: other) + _UndoWeight.retainedBytes(of: current) }
}

/// A property that the steps restore, as closures that know its type.
@usableFromInline
package final class _UndoCarrier {
  /// The bytes of the property in the document.
  package let bytes: Range<Int>
  /// The delta of its records.
  let delta: Any.Type
  /// Makes the operation of its records.
  let operation: () -> _UndoOperation
  /// Writes a record of the current value, as the value both before and after the step.
  let write: (inout _UndoLog, _UndoOperationIndex, _ document: _UnsafeUndoPointer) -> Void
  /// Makes the current value the value after the step.
  let update: (_ payload: _UnsafeUndoPointer, _ document: _UnsafeUndoPointer) -> Void
  /// Whether two documents have the same value.
  let isSame: (_UnsafeUndoPointer, _UnsafeUndoPointer) -> Bool
  /// Assigns the value at one address to that at another.
  let assign: (_ source: _UnsafeUndoPointer, _ target: _UnsafeUndoPointer) -> Void

  /// Whether the two values of a part fit into a record.
  @usableFromInline
  package static func canCarry<Part>(_ part: Part.Type) -> Bool {
    MemoryLayout<Part>.size <= 4000 && MemoryLayout<Part>.alignment <= 8
  }

  @inlinable
  package convenience init<Root, Part>(_ document: Root.Type, _ part: Part.Type, at offset: Int) {
    typealias Delta = _UndoCarried<Root, Part>
    self.init(
      bytes: offset..<offset + MemoryLayout<Part>.size,
      delta: Delta.self,
      operation: { .of(Delta.self) },
      write: { log, operation, document in
        let value = unsafe withUnsafePart(of: document[as: Root.self], at: offset, as: Part.self) { $0 }
        log.writeAside(Delta(value), operation: operation, argument: ~offset)
      },
      update: { payload, document in
        unsafe withUnsafePart(of: document[as: Root.self], at: offset, as: Part.self) {
          unsafe payload[as: Delta.self].current = $0
        }
      },
      isSame: { document, other in
        unsafe withUnsafePart(of: document[as: Root.self], at: offset, as: Part.self) { value in
          unsafe withUnsafePart(of: other[as: Root.self], at: offset, as: Part.self) {
            _UndoSameness.haveSameParts(value, $0)
          }
        }
      },
      assign: { source, target in unsafe target[as: Part.self] = source[as: Part.self] })
  }

  @usableFromInline
  init(
    bytes: Range<Int>, delta: Any.Type,
    operation: @escaping () -> _UndoOperation,
    write: @escaping (inout _UndoLog, _UndoOperationIndex, _UnsafeUndoPointer) -> Void,
    update: @escaping (_UnsafeUndoPointer, _UnsafeUndoPointer) -> Void,
    isSame: @escaping (_UnsafeUndoPointer, _UnsafeUndoPointer) -> Bool,
    assign: @escaping (_UnsafeUndoPointer, _UnsafeUndoPointer) -> Void
  ) {
    (self.bytes, self.delta, self.operation) = (bytes, delta, operation)
    (self.write, self.update, self.isSame, self.assign) = (write, update, isSame, assign)
  }

  /// Copies the value from one document to another.
  package func copy(_ source: _UnsafeUndoPointer, _ target: _UnsafeUndoPointer) {
    assign(source.part(at: bytes.lowerBound), target.part(at: bytes.lowerBound))
  }

  /// Whether both restore the same property.
  package func isSame(as other: _UndoCarrier) -> Bool { delta == other.delta && bytes == other.bytes }
}
