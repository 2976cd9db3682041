/// The values whose key paths have no offset in the root, each kept in a box under its key path, in the order in which they
/// were set; and between them, what was set in the root's bytes.
///
/// A setter may write what lies in the root's bytes, so that the order of both is the order in which they are applied:
/// ```
///  full = "Ada King", last = "Byron", level = 7, born = 1815
/// ┌─────────┬─────────┐ ┌─────────┬─────────┐ ┌─────────┐
/// │ nothing │ full    │ │ last    │ level   │ │ born    │
/// └─────────┴─────────┘ └─────────┴─────────┘ └─────────┘
///  before, box: a step   a step                afterwards
/// ```
/// The partial's own buffer has all that was set in bytes besides, to be read. The root's type is erased here so that the
/// header of that buffer is one concrete type, laid out at compile time.
@usableFromInline
struct _PartialKeptValues {
  /// A kept value, and a buffer of what was set in the root's bytes between the value before it and this one.
  struct Step {
    var before: AnyObject?
    var box: any _PartialKeptBox
  }

  private(set) var steps: [Step] = []
  /// A buffer of what was set in the root's bytes after the last value; nothing while no value is kept.
  private(set) var afterwards: AnyObject?
  private(set) var boxes: [AnyKeyPath: any _PartialKeptBox] = [:]
  /// How many of the values have a setter to run.
  private(set) var setterCount = 0

  init() {}

  var count: Int { steps.count }
  var isEmpty: Bool { steps.isEmpty }
  var hasSetters: Bool { setterCount > 0 }

  @usableFromInline
  func contains(_ keyPath: AnyKeyPath) -> Bool { boxes[keyPath] != nil }

  func contains(_ effect: _PartialKeptEffect) -> Bool { steps.contains { $0.box.effect == effect } }

  @usableFromInline
  func value<Root, Value>(for keyPath: KeyPath<Root, Value>) -> Value? {
    guard let box = boxes[keyPath] else { return nil }
    // Equal key paths have equal types, so that the box under one always holds its type.
    guard let kept = box as? _PartialKept<Root, Value> else {
      preconditionFailure("A kept value has the type of another")
    }
    return kept.value
  }

  /// Appends a value that is not there yet.
  ///
  /// - Parameter before: What was set in the root's bytes until now, where this is the first value.
  mutating func append(_ box: any _PartialKeptBox, before: AnyObject?) {
    steps.append(Step(before: isEmpty ? before : afterwards, box: box))
    afterwards = nil
    boxes[box.keyPath] = box
    if box.effect == .setter { setterCount += 1 }
  }

  /// Replaces the value that was set last, and answers whether it was that of the same key path.
  mutating func replaceLast(by box: any _PartialKeptBox) -> Bool {
    guard afterwards == nil, let last = steps.indices.last, steps[last].box.keyPath == box.keyPath,
      steps[last].box.effect == box.effect
    else { return false }
    steps[last].box = box
    boxes[box.keyPath] = box
    return true
  }

  /// Lets `value` be read under `keyPath`, while what was set there, if anything, is what is written.
  ///
  /// - Parameter before: What was set in the root's bytes until now, where this is the first value.
  mutating func show<Root, Value>(
    _ value: Value, for keyPath: any KeyPath<Root, Value> & Sendable, before: AnyObject?
  ) {
    guard let box = boxes[keyPath] else {
      return append(_PartialShown(value, for: keyPath, source: nil), before: before)
    }
    replace(box, by: _PartialShown(value, for: keyPath, source: box.written))
  }

  /// Puts `other`, of the same key path, in the place of a value.
  mutating func replace(_ box: any _PartialKeptBox, by other: any _PartialKeptBox) {
    for index in steps.indices where steps[index].box === box { steps[index].box = other }
    boxes[other.keyPath] = other
  }

  /// Removes a value, of which the bytes before it become those before the next.
  ///
  /// - Parameter join: Makes one buffer of two, of which the second was set after the first.
  mutating func remove(_ keyPath: AnyKeyPath, join: (AnyObject, AnyObject) -> AnyObject) {
    guard let box = boxes.removeValue(forKey: keyPath) else { return }
    guard let index = steps.firstIndex(where: { $0.box === box }) else {
      preconditionFailure("A kept value without a step")
    }
    let before = steps.remove(at: index).before
    if box.effect == .setter { setterCount -= 1 }
    func joined(_ next: AnyObject?) -> AnyObject? {
      guard let before, let next else { return before ?? next }
      return join(before, next)
    }
    if index < steps.endIndex {
      steps[index].before = joined(steps[index].before)
    } else {
      afterwards = isEmpty ? nil : joined(afterwards)
    }
  }

  /// Takes out the buffer of what was set after the last value, so that nobody else holds it.
  mutating func takeAfterwards() -> AnyObject? {
    defer { afterwards = nil }
    return afterwards
  }

  mutating func putBackAfterwards(_ buffer: AnyObject) { afterwards = buffer }

  /// Changes every buffer of what was set in the root's bytes.
  mutating func changeBytes(_ body: (AnyObject) -> AnyObject?) {
    for index in steps.indices { steps[index].before = steps[index].before.flatMap(body) }
    afterwards = afterwards.flatMap(body)
  }

  /// Lets all that was set in the root's bytes, which is in this buffer, be set before the values, and again after them.
  mutating func putBytesAround(_ bytes: AnyObject?) {
    changeBytes { _ in nil }
    (steps[0].before, afterwards) = (bytes, bytes)
  }
}

/// A kept value whose type is not known.
protocol _PartialKeptBox: AnyObject {
  var keyPath: any AnyKeyPath & Sendable { get }
  var effect: _PartialKeptEffect { get }
  var erasedValue: Any { get }
  /// What is written: this itself, or for what is only shown, what was set; nil where nothing was.
  var written: (any _PartialKeptBox)? { get }
  /// Writes the value through the key path, and answers whether the key path can be written.
  func write<Root>(to root: inout Root) -> Bool
}

/// What writing a kept value does.
enum _PartialKeptEffect {
  /// The root is changed by a setter.
  case setter
  /// An object is changed, and the root itself is not.
  case object
  /// The key path is read-only.
  case nothing
  /// Nothing was set: the value follows from others, and is there to be read and coded.
  case follows
}

/// A kept value, which never changes, so that copies of a partial share it.
class _PartialKept<Root, Value>: _PartialKeptBox {
  final let value: Value
  final let keyPath: any AnyKeyPath & Sendable
  final let effect: _PartialKeptEffect

  init(_ value: Value, for keyPath: any KeyPath<Root, Value> & Sendable) {
    self.value = value
    self.keyPath = keyPath
    effect =
      switch keyPath {
      case is ReferenceWritableKeyPath<Root, Value>: .object
      case is WritableKeyPath<Root, Value>: .setter
      default: .nothing
      }
  }

  fileprivate init(_ value: Value, for keyPath: any KeyPath<Root, Value> & Sendable, effect: _PartialKeptEffect) {
    (self.value, self.keyPath, self.effect) = (value, keyPath, effect)
  }

  final var erasedValue: Any { value }
  var written: (any _PartialKeptBox)? { self }

  func write<Target>(to root: inout Target) -> Bool {
    guard let keyPath = keyPath as? WritableKeyPath<Target, Value> else { return false }
    root[keyPath: keyPath] = value
    return true
  }
}

/// A value to be read and coded in the place of one that was set, which is what is written, or of none.
private final class _PartialShown<Root, Value>: _PartialKept<Root, Value> {
  private let source: (any _PartialKeptBox)?
  override var written: (any _PartialKeptBox)? { source }

  init(_ value: Value, for keyPath: any KeyPath<Root, Value> & Sendable, source: (any _PartialKeptBox)?) {
    self.source = source
    super.init(value, for: keyPath, effect: source?.effect ?? .follows)
  }

  override func write<Target>(to root: inout Target) -> Bool { source?.write(to: &root) ?? false }
}
