/// The values whose key paths have no offset in the root, each kept in a box under its key path.
///
/// The root's type is erased here so that the header of a partial's buffer is one concrete type, laid out at compile time.
@usableFromInline
struct _PartialKeptValues {
  private var boxes: [AnyKeyPath: any _PartialKeptBox] = [:]
  private var lastOrder = 0

  init() {}

  var count: Int { boxes.count }

  /// The boxes in the order in which their key paths were first set.
  var inOrder: [any _PartialKeptBox] { boxes.values.sorted { $0.order < $1.order } }

  @usableFromInline
  func contains(_ keyPath: AnyKeyPath) -> Bool { boxes[keyPath] != nil }

  @usableFromInline
  func value<Root, Value>(for keyPath: KeyPath<Root, Value>) -> Value? {
    boxes[keyPath].map { Self.value(in: $0) }
  }

  mutating func set<Root, Value>(_ value: Value, for keyPath: any KeyPath<Root, Value> & Sendable) {
    boxes[keyPath] = _PartialKept(value, for: keyPath, order: order(of: keyPath))
  }

  mutating func removeValue<Root, Value>(for keyPath: KeyPath<Root, Value>) -> Value? {
    boxes.removeValue(forKey: keyPath).map { Self.value(in: $0) }
  }

  /// Takes the values of `other` over; where both have one, the other's only if it is to replace one's own.
  mutating func merge(_ other: _PartialKeptValues, isReplacing: Bool) {
    for box in other.inOrder where isReplacing || boxes[box.keyPath] == nil {
      boxes[box.keyPath] = box.reordered(order(of: box.keyPath))
    }
  }

  /// The place that a key path has, or gets when it is set now for the first time.
  private mutating func order(of keyPath: AnyKeyPath) -> Int {
    if let order = boxes[keyPath]?.order { return order }
    lastOrder += 1
    return lastOrder
  }

  private static func value<Value>(in box: any _PartialKeptBox) -> Value {
    // Equal key paths have equal value types, so that the box under one always holds its type.
    guard let kept = box as? _PartialKept<Value> else { preconditionFailure("A kept value has the type of another") }
    return kept.value
  }
}

/// A kept value whose type is not known.
protocol _PartialKeptBox: AnyObject {
  var keyPath: any AnyKeyPath & Sendable { get }
  /// The place in the order in which key paths were first set: the order in which values are applied.
  var order: Int { get }
  var erasedValue: Any { get }
  /// Writes the value through the key path, and answers whether the key path can be written.
  func write<Root>(to root: inout Root) -> Bool
  /// The same value at another place in the order.
  func reordered(_ order: Int) -> any _PartialKeptBox
}

/// A kept value, which never changes, so that copies of a partial share it.
private final class _PartialKept<Value>: _PartialKeptBox {
  let value: Value
  let keyPath: any AnyKeyPath & Sendable
  let order: Int

  init(_ value: Value, for keyPath: any AnyKeyPath & Sendable, order: Int) {
    self.value = value
    self.keyPath = keyPath
    self.order = order
  }

  var erasedValue: Any { value }

  func write<Root>(to root: inout Root) -> Bool {
    guard let keyPath = keyPath as? WritableKeyPath<Root, Value> else { return false }
    root[keyPath: keyPath] = value
    return true
  }

  func reordered(_ order: Int) -> any _PartialKeptBox { _PartialKept(value, for: keyPath, order: order) }
}
