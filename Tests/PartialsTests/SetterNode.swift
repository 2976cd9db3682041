import Partials
import TestSupport

/// A root whose setters read and write its stored properties.
struct SetterTree: Equatable, PartialSchemaProviding {
  typealias Tracked = LifetimeTracked<Int>

  @propertyWrapper
  struct Clamped: Equatable {
    private var value = 0
    var wrappedValue: Int {
      get { value }
      set { value = min(max(newValue, 20), 60) }
    }
  }

  // A description of its own, because reflection would take most of the test's time.
  struct Pair: Equatable, CustomStringConvertible {
    var description: String { "\(x) \(level) \(y)" }
    var x: Int
    @Clamped var level: Int
    var y: UInt8
    /// Depends on `x`, and writes `y`.
    var sum: Int {
      get { x &+ Int(y) }
      set { y = UInt8(truncatingIfNeeded: newValue &- x) }
    }

    init(_ number: Int) {
      (x, y) = (number, UInt8(truncatingIfNeeded: number))
      level = number
    }
  }

  let constant: Int
  var number: Int
  var pair: Pair
  @Clamped var wrapped: Int
  var observed: Int { didSet { (observed, shadow) = (min(observed, 50), observed) } }
  var shadow: Int
  var table: [String: Int]
  var list: [Int]
  var tracked: Tracked
  var maybe: Pair?
  // Ignored by the schema.
  var forgotten: Int
  /// Writes two properties that lie apart; the schema ignores one of them.
  var both: Tracked {
    get { tracked }
    set { (tracked, forgotten) = (newValue, newValue.payload) }
  }
  /// Writes `number`, depending on `list`.
  var step: Int {
    get { number &- list[0] }
    set { number = list[0] &+ newValue }
  }

  init(_ number: Int, _ tracker: LifetimeTracker) {
    (constant, self.number, pair, observed, shadow) = (number, number, Pair(number), min(number, 50), number)
    (table, list, maybe) = (["a": number], [number, number, number], Pair(number))
    (tracked, forgotten) = (tracker.instance(number), number)
    wrapped = number
  }

  static let partialSchema = Partial<SetterTree>.Schema(
    ("constant", \.constant), ("number", \.number), ("x", \.pair.x), ("y", \.pair.y), ("level", \.pair.level),
    ("wrapped", \.wrapped), ("observed", \.observed), ("shadow", \.shadow), ("table", \.table), ("list", \.list)
  ).ignored(\.tracked, \.maybe, \.forgotten)

  /// This root, with the properties that the schema ignores taken from `other`.
  func named(over other: SetterTree) -> SetterTree {
    var named = self
    (named.tracked, named.maybe, named.forgotten) = (other.tracked, other.maybe, other.forgotten)
    return named
  }
}

/// A key path into `SetterTree`: how to use it in a partial, and what it means in plain Swift.
struct SetterNode {
  enum Kind { case stored, setter, readOnly, constant }

  let name: String
  let kind: Kind
  /// The stored nodes whose bytes lie in the bytes of this one.
  let parts: [String]
  let set: (inout Partial<SetterTree>, Int, _ inPlace: Bool) -> Void
  let get: (Partial<SetterTree>) -> String?
  let remove: (inout Partial<SetterTree>) -> String?
  let write: (inout SetterTree, Int) -> Void
  /// Copies the value from another root.
  let copy: (inout SetterTree, _ source: SetterTree) -> Void
  let read: (SetterTree) -> String
  let make: (Int) -> String

  init<Value: Sendable>(
    _ name: String, _ keyPath: any WritableKeyPath<SetterTree, Value> & Sendable, isStored: Bool = true,
    parts: [String] = [], make: @escaping (Int) -> Value
  ) {
    self.name = name
    kind = isStored ? .stored : .setter
    self.parts = parts
    set = { partial, number, inPlace in
      if !inPlace { return partial.update(keyPath, to: make(number)) }
      func change(_ value: inout Value?) { value = make(number) }
      change(&partial[keyPath])
    }
    get = { partial in
      expectEqual(partial.contains(keyPath), partial[keyPath] != nil, "contains \(name)")
      return partial[keyPath].map(Self.text)
    }
    remove = { $0.removeValue(for: keyPath).map(Self.text) }
    write = { $0[keyPath: keyPath] = make($1) }
    copy = { $0[keyPath: keyPath] = $1[keyPath: keyPath] }
    read = { Self.text($0[keyPath: keyPath]) }
    self.make = { Self.text(make($0)) }
  }

  init<Value: Sendable>(
    _ name: String, readOnly keyPath: any KeyPath<SetterTree, Value> & Sendable, isConstant: Bool,
    make: @escaping (Int) -> Value
  ) {
    self.name = name
    kind = isConstant ? .constant : .readOnly
    parts = []
    set = { partial, number, _ in partial.update(keyPath, to: make(number)) }
    get = { partial in partial[keyPath].map(Self.text) }
    remove = { $0.removeValue(for: keyPath).map(Self.text) }
    write = { _, _ in }
    copy = { _, _ in }
    read = { Self.text($0[keyPath: keyPath]) }
    self.make = { Self.text(make($0)) }
  }

  /// Equal values have equal texts.
  private static func text(_ value: some Any) -> String {
    (value as? [String: Int]).map { "\($0.sorted { $0.key < $1.key })" } ?? "\(value)"
  }

  static func all(_ tracker: LifetimeTracker) -> [SetterNode] {
    [
      SetterNode("number", \.number, make: { $0 }),
      SetterNode("pair", \.pair, parts: ["pair.x", "pair.y"], make: SetterTree.Pair.init),
      SetterNode("pair.x", \.pair.x, make: { $0 }),
      SetterNode("pair.y", \.pair.y, make: { UInt8(truncatingIfNeeded: $0) }),
      SetterNode("shadow", \.shadow, make: { $0 }),
      SetterNode("table", \.table, make: { ["a": $0, "b": 1] }),
      SetterNode("list", \.list, make: { [$0, 1, 2] }),
      SetterNode("tracked", \.tracked, make: { tracker.instance($0) }),
      SetterNode("maybe", \.maybe, make: { $0 % 2 == 0 ? nil : SetterTree.Pair($0) }),
      SetterNode("forgotten", \.forgotten, make: { $0 }),
      SetterNode("wrapped", \.wrapped, isStored: false, make: { $0 }),
      SetterNode("observed", \.observed, isStored: false, make: { $0 }),
      SetterNode("pair.level", \.pair.level, isStored: false, make: { $0 }),
      SetterNode("pair.sum", \.pair.sum, isStored: false, make: { $0 }),
      SetterNode("both", \.both, isStored: false, make: { tracker.instance($0) }),
      SetterNode("step", \.step, isStored: false, make: { $0 }),
      SetterNode("table[b]", \.table["b"], isStored: false, make: { $0 % 2 == 0 ? nil : $0 }),
      SetterNode("list[0]", \.list[0], isStored: false, make: { $0 }),
      SetterNode("list[2]", \.list[2], isStored: false, make: { $0 }),
      SetterNode("maybe.x", readOnly: \.maybe?.x, isConstant: false, make: { $0 }),
      SetterNode("constant", readOnly: \.constant, isConstant: true, make: { $0 }),
      SetterNode("self", \.self, make: { SetterTree($0, tracker) }),
    ]
  }
}
