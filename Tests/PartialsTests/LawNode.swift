import Partials
import TestSupport

/// A difficult root: its `==` compares only one property, setters write other properties, a nested struct has
/// constants, and its schema is one of eight.
struct LawTree: Hashable, PartialSchemaProviding {
  struct Whole: Hashable, Codable, PartialSchemaProviding {
    let id: Int
    var town: Int
    var floor: Int { didSet { floor = min(floor, 2) } }

    static let partialSchema = Partial<Whole>.Schema(("id", \.id), ("town", \.town), ("floor", \.floor))
  }

  /// Equal to every value with the same `id`.
  struct Loose: Hashable, Codable {
    var id: Int
    var color: Int
    var size: Int { didSet { size = min(size, 2) } }

    static func == (left: Loose, right: Loose) -> Bool { left.id == right.id }
    func hash(into hasher: inout Hasher) { hasher.combine(id) }
  }

  let constant: Int
  var number: Int
  var whole: Whole
  var loose: Loose
  var name: Int { didSet { (slug, log) = (name / 2, (log &* 5 &+ name) % 1000) } }
  var slug: Int
  var observed: Int { didSet { (observed, shadow) = (min(observed, 2), observed) } }
  var shadow: Int
  /// A property that no key path of the test leads to.
  private(set) var log = 0
  var list: [Int]
  var table: [Int: Loose]
  var full: Int {
    get { number &+ slug }
    set { (number, name) = (newValue, newValue / 3) }
  }
  /// Sets an observed property, and then restores the property that the observer wrote.
  var both: Int {
    get { observed }
    set {
      let before = shadow
      observed = newValue
      shadow = before
      list[0] = newValue
    }
  }

  init(_ number: Int) {
    (constant, self.number, name, slug) = (number, number, number, number)
    whole = Whole(id: number, town: number, floor: number)
    loose = Loose(id: number, color: number, size: number)
    (observed, shadow, list) = (number, number, [number, number])
    table = [0: loose]
  }

  static func == (left: LawTree, right: LawTree) -> Bool { left.number == right.number }
  func hash(into hasher: inout Hasher) { hasher.combine(number) }

  var stored: [[Int]] {
    [
      [constant, number, whole.id, whole.town, whole.floor, loose.id, loose.color, loose.size, name, slug],
      [observed, shadow, log], list,
    ] + table.sorted { $0.key < $1.key }.map { [$0.key, $0.value.id, $0.value.color, $0.value.size] }
  }

  static let schemas: [Partial<LawTree>.Schema] = [
    .init(),
    .init(
      ("constant", \.constant), ("number", \.number), ("whole", \.whole), ("loose", \.loose), ("name", \.name),
      ("slug", \.slug), ("observed", \.observed), ("shadow", \.shadow), ("list", \.list), ("table", \.table),
      ("full", \.full)),
    .init(
      ("constant", \.constant), ("number", \.number), ("loose", \.loose), ("name", \.name), ("slug", \.slug),
      ("observed", \.observed), ("shadow", \.shadow), ("list", \.list), ("table", \.table)
    ).nesting("whole", \.whole),
    .init(("name", \.name), ("shadow", \.shadow), ("whole", \.whole), ("table", \.table)),
    .init(("observed", \.observed), ("number", \.number)).nesting("whole", \.whole),
    .init(("full", \.full), ("slug", \.slug), ("loose", \.loose), ("list", \.list)),
    .init(("constant", \.constant), ("shadow", \.shadow), ("list[1]", \.list[1]), ("whole.town", \.whole.town)),
    .init(
      ("name", \.name), ("both", \.both), ("whole.id", \.whole.id), ("whole.floor", \.whole.floor),
      ("loose.color", \.loose.color)),
  ]

  @TaskLocal static var schema = schemas[0]
  static var partialSchema: Partial<LawTree>.Schema { schema.ignored(\.self) }
}

/// A key path into `LawTree`.
struct LawNode: Sendable {
  let name: String
  let isConstant: Bool
  let set: @Sendable (inout Partial<LawTree>, Int) -> Void
  let get: @Sendable (Partial<LawTree>) -> AnyHashable?
  let remove: @Sendable (inout Partial<LawTree>) -> Void
  let read: @Sendable (LawTree) -> AnyHashable

  private init<Value: Hashable & Sendable>(
    _ name: String, _ keyPath: any WritableKeyPath<LawTree, Value> & Sendable, make: @escaping @Sendable (Int) -> Value
  ) {
    (self.name, isConstant) = (name, false)
    set = { $0.update(keyPath, to: make($1)) }
    get = { $0[keyPath].map { AnyHashable($0) } }
    remove = { $0.removeValue(for: keyPath) }
    read = { AnyHashable($0[keyPath: keyPath]) }
  }

  private init(constant name: String, _ keyPath: any KeyPath<LawTree, Int> & Sendable) {
    (self.name, isConstant) = (name, true)
    set = { $0.update(keyPath, to: $1) }
    get = { $0[keyPath].map { AnyHashable($0) } }
    remove = { $0.removeValue(for: keyPath) }
    read = { AnyHashable($0[keyPath: keyPath]) }
  }

  static let variables: [LawNode] = [
    LawNode("number", \.number) { $0 },
    LawNode("whole", \.whole) { LawTree.Whole(id: $0, town: $0 & 1, floor: $0 & 2) },
    LawNode("whole.town", \.whole.town) { $0 },
    LawNode("whole.floor", \.whole.floor) { $0 },
    LawNode("loose", \.loose) { LawTree.Loose(id: $0 & 1, color: $0, size: $0 & 2) },
    LawNode("loose.id", \.loose.id) { $0 },
    LawNode("loose.color", \.loose.color) { $0 },
    LawNode("loose.size", \.loose.size) { $0 },
    LawNode("name", \.name) { $0 },
    LawNode("slug", \.slug) { $0 },
    LawNode("observed", \.observed) { $0 },
    LawNode("shadow", \.shadow) { $0 },
    LawNode("list", \.list) { [$0, 1] },
    LawNode("list[0]", \.list[0]) { $0 },
    LawNode("list[1]", \.list[1]) { $0 },
    LawNode("table", \.table) { [0: LawTree.Loose(id: 1, color: $0, size: 1)] },
    LawNode("table[1]", \.table[1]) { $0 == 1 ? nil : LawTree.Loose(id: 1, color: $0, size: $0) },
    LawNode("table[0].color", \.table[0]!.color) { $0 },
    LawNode("full", \.full) { $0 },
    LawNode("both", \.both) { $0 },
  ]
  static let constants = [LawNode(constant: "constant", \.constant), LawNode(constant: "whole.id", \.whole.id)]
  static let root = LawNode("self", \.self) { LawTree($0) }
}
