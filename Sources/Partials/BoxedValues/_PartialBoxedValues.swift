/// The boxed values of a partial: values whose key paths have no offset in the root, in the order in which they were
/// set.
///
/// Between them are the values that were set in the root's bytes.
///
/// A setter may write to the root's bytes, so both kinds are kept in the order in which they are applied:
/// ```
///  full = "Ada King", last = "Byron", level = 7, born = 1815
/// ┌─────────┬─────────┐ ┌─────────┬─────────┐ ┌─────────┐
/// │ nothing │ full    │ │ last    │ level   │ │ born    │
/// └─────────┴─────────┘ └─────────┴─────────┘ └─────────┘
///  before    box         before    box         afterwards
/// ```
/// Each pair is an assignment. The partial's own buffer also has all values set in bytes, for reading. The root's type
/// is erased here, so that the header of that buffer is one concrete type, laid out at compile time.
struct _PartialBoxedValues {
  /// A boxed value, and a buffer of the values set in the root's bytes since the previous boxed value.
  struct Assignment {
    var before: AnyObject?
    var box: any _PartialBox
  }

  private(set) var assignments: [Assignment] = []
  /// A buffer of the values set in the root's bytes after the last boxed value; nil while no value is boxed.
  var afterwards: AnyObject?
  private(set) var boxes: [AnyKeyPath: any _PartialBox] = [:]

  var count: Int { assignments.count }
  var isEmpty: Bool { assignments.isEmpty }
  var hasSetters: Bool { contains(.setter) }

  func contains(_ keyPath: AnyKeyPath) -> Bool { boxes[keyPath] != nil }

  /// Whether a value was set under `keyPath`, and not only shown.
  func writes(_ keyPath: AnyKeyPath) -> Bool { boxes[keyPath].map { $0.effect != .follows } ?? false }

  func contains(_ effect: _PartialBoxEffect) -> Bool { assignments.contains { $0.box.effect == effect } }

  func value<Root, Value>(for keyPath: KeyPath<Root, Value>) -> Value? {
    guard let box = boxes[keyPath] else { return nil }
    // Equal key paths have equal types, so the box under a key path always has its type.
    guard let boxed = box as? _PartialBoxedValue<Root, Value> else {
      preconditionFailure("A boxed value has the type of another")
    }
    return boxed.value
  }

  /// Appends a value whose key path has no boxed value yet.
  ///
  /// - Parameter before: The buffer of values set in the root's bytes so far, if this is the first boxed value.
  mutating func append(_ box: any _PartialBox, before: AnyObject?) {
    assignments.append(Assignment(before: isEmpty ? before : afterwards, box: box))
    afterwards = nil
    boxes[box.keyPath] = box
  }

  /// Replaces the value that was set last, if it has the same key path and effect.
  ///
  /// - Returns: Whether it was replaced.
  mutating func replaceLast(by box: any _PartialBox) -> Bool {
    guard afterwards == nil, let last = assignments.indices.last, assignments[last].box.keyPath == box.keyPath,
      assignments[last].box.effect == box.effect
    else { return false }
    assignments[last].box = box
    boxes[box.keyPath] = box
    return true
  }

  /// Replaces a value with another of the same key path.
  mutating func replace(_ box: any _PartialBox, by other: any _PartialBox) {
    for index in assignments.indices where assignments[index].box === box { assignments[index].box = other }
    boxes[other.keyPath] = other
  }

  /// Removes a value; the bytes before it are merged into the bytes before the next.
  ///
  /// - Parameter merge: Makes one buffer of two; the first was set before the second.
  mutating func remove(_ keyPath: AnyKeyPath, merge: (AnyObject, AnyObject) -> AnyObject) {
    guard let box = boxes.removeValue(forKey: keyPath) else { return }
    guard let index = assignments.firstIndex(where: { $0.box === box }) else {
      preconditionFailure("A boxed value without an assignment")
    }
    let before = assignments.remove(at: index).before
    func merged(_ next: AnyObject?) -> AnyObject? {
      guard let before, let next else { return before ?? next }
      return merge(before, next)
    }
    if index < assignments.endIndex {
      assignments[index].before = merged(assignments[index].before)
    } else {
      afterwards = isEmpty ? nil : merged(afterwards)
    }
  }

  /// The buffers of values that were set in the root's bytes after this value.
  func bytes(after keyPath: AnyKeyPath) -> [AnyObject] {
    let later = assignments.drop { $0.box.keyPath as AnyKeyPath != keyPath }.dropFirst().map(\.before) + [afterwards]
    return later.compactMap { $0 }
  }

  /// Changes every buffer of values set in the root's bytes.
  mutating func changeBytes(_ body: (AnyObject) -> AnyObject?) {
    for index in assignments.indices { assignments[index].before = assignments[index].before.flatMap(body) }
    afterwards = afterwards.flatMap(body)
  }

  /// Sets all values in the root's bytes, which `bytes` holds, before the boxed values and again after them.
  mutating func putBytesAround(_ bytes: AnyObject?) {
    changeBytes { _ in nil }
    (assignments[0].before, afterwards) = (bytes, bytes)
  }
}

/// A boxed value whose type isn't known.
protocol _PartialBox: AnyObject {
  var keyPath: any AnyKeyPath & Sendable { get }
  var effect: _PartialBoxEffect { get }
  var erasedValue: Any { get }
  /// The box that is written: this one, or the box of the value that was set if this one is only shown; nil if none was
  /// set.
  var written: (any _PartialBox)? { get }
  /// Writes the value through the key path.
  ///
  /// - Returns: Whether the key path can be written.
  func write<Root>(to root: inout Root) -> Bool
  /// The value, if it is parts of an optional.
  var parts: (any _PartialOptionalParts)? { get }
  /// The same box, which is read and encoded, but not written.
  var withoutEffect: any _PartialBox { get }
}

/// The effect of writing a boxed value.
enum _PartialBoxEffect {
  /// A setter changes the root.
  case setter
  /// An object changes, and the root itself doesn't.
  case object
  /// The key path is read-only.
  case nothing
  /// Nothing was set: the value follows from others, and is only read and encoded.
  case follows
}

/// A value in its box, which never changes, so copies of a partial share it.
final class _PartialBoxedValue<Root, Value>: _PartialBox {
  let value: Value
  let keyPath: any AnyKeyPath & Sendable
  let effect: _PartialBoxEffect
  /// The box that is written instead, if this value is only shown in place of one that was set.
  private let source: (any _PartialBox)?

  convenience init(_ value: Value, for keyPath: any KeyPath<Root, Value> & Sendable) {
    let effect: _PartialBoxEffect =
      switch keyPath {
      case is ReferenceWritableKeyPath<Root, Value>: .object
      case is WritableKeyPath<Root, Value>: .setter
      default: .nothing
      }
    self.init(value, at: keyPath, effect: effect)
  }

  init(
    _ value: Value, at keyPath: any AnyKeyPath & Sendable, effect: _PartialBoxEffect, source: (any _PartialBox)? = nil
  ) {
    (self.value, self.keyPath, self.effect, self.source) = (value, keyPath, effect, source)
  }

  var erasedValue: Any { value }
  var written: (any _PartialBox)? { source ?? (effect == .follows ? nil : self) }

  func write<Target>(to root: inout Target) -> Bool {
    if let source { return source.write(to: &root) }
    guard effect != .follows, let keyPath = keyPath as? WritableKeyPath<Target, Value> else { return false }
    root[keyPath: keyPath] = value
    return true
  }

  var parts: (any _PartialOptionalParts)? { value as? any _PartialOptionalParts }
  var withoutEffect: any _PartialBox { _PartialBoxedValue(value, at: keyPath, effect: .nothing) }
}
