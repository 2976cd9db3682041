import Partials
import TestSupport
import XCTest

private typealias Tracked = LifetimeTracked<Int>

private struct Deep {
  let x: Int16
  var y: Tracked
  let z: UInt8
}

private struct Inner {
  var a: UInt8
  var deep: Deep
  // Lies in the bytes between the size of `deep` and its stride.
  var b: UInt8
  let c: Tracked
}

private struct Tag {
  let raw: Tracked
}

private struct Sides {
  var left: UInt8
  var right: UInt8
}

/// A root of three levels, with wholes that have padding and some that have none, values that own something, constants at every
/// level, and bytes in three words of presence.
private struct Tree {
  var flag: UInt8
  var inner: Inner
  var tag: Tag
  var pair: (UInt8, UInt8)
  let name: Tracked
  let sides: Sides
}

/// A key path into `Tree`: which of its leaves it spans, and how to use it, as a literal and as an object.
private struct Node {
  let keyPath: any PartialKeyPath<Tree> & Sendable
  let leaves: Range<Int>
  let isConstant: Bool
  let set: (inout Partial<Tree>, [Int], _ literally: Bool) -> Void
  let get: (Partial<Tree>) -> [Int]?
  let remove: (inout Partial<Tree>) -> [Int]?
  let modify: (inout Partial<Tree>, ([Int]?) -> [Int]?) -> Void

  static let leafCount = 13

  init<Value>(
    _ keyPath: any WritableKeyPath<Tree, Value> & Sendable, _ leaves: Range<Int>,
    make: @escaping ([Int]) -> Value, read: @escaping (Value) -> [Int],
    set: @escaping (inout Partial<Tree>, Value) -> Void, get: @escaping (Partial<Tree>) -> Value?
  ) {
    self.init(
      keyPath, leaves, isConstant: false, make: make, read: read, set: set, get: get,
      update: { $0.update(keyPath, to: $1) }, remove: { $0.removeValue(for: keyPath) },
      modify: { partial, change in change(&partial[keyPath]) })
  }

  init<Value>(
    constant keyPath: any KeyPath<Tree, Value> & Sendable, _ leaves: Range<Int>,
    make: @escaping ([Int]) -> Value, read: @escaping (Value) -> [Int],
    set: @escaping (inout Partial<Tree>, Value) -> Void, get: @escaping (Partial<Tree>) -> Value?
  ) {
    self.init(
      keyPath, leaves, isConstant: true, make: make, read: read, set: set, get: get,
      update: { $0.update(keyPath, to: $1) }, remove: { $0.removeValue(for: keyPath) },
      modify: { partial, change in change(&partial[keyPath]) })
  }

  private init<Value>(
    _ keyPath: any KeyPath<Tree, Value> & Sendable, _ leaves: Range<Int>, isConstant: Bool,
    make: @escaping ([Int]) -> Value, read: @escaping (Value) -> [Int],
    set: @escaping (inout Partial<Tree>, Value) -> Void, get: @escaping (Partial<Tree>) -> Value?,
    update: @escaping (inout Partial<Tree>, Value) -> Void, remove: @escaping (inout Partial<Tree>) -> Value?,
    modify: @escaping (inout Partial<Tree>, (inout Value?) -> Void) -> Void
  ) {
    self.keyPath = keyPath
    self.leaves = leaves
    self.isConstant = isConstant
    self.set = { partial, numbers, literally in
      if literally { set(&partial, make(numbers)) } else { update(&partial, make(numbers)) }
    }
    self.get = { partial in
      let value = partial[keyPath].map(read)
      expectEqual(get(partial).map(read), value, "\(keyPath) as a literal")
      expectEqual(partial.contains(keyPath), value != nil, "contains \(keyPath)")
      return value
    }
    self.remove = { partial in remove(&partial).map(read) }
    self.modify = { partial, change in modify(&partial) { value in value = change(value.map(read)).map(make) } }
  }

  static func all(_ tracker: LifetimeTracker) -> [Node] {
    func deep(_ n: [Int]) -> Deep { Deep(x: Int16(n[0]), y: tracker.instance(n[1]), z: UInt8(n[2])) }
    func inner(_ n: [Int]) -> Inner {
      Inner(a: UInt8(n[0]), deep: deep(Array(n[1...3])), b: UInt8(n[4]), c: tracker.instance(n[5]))
    }
    func read(_ deep: Deep) -> [Int] { [Int(deep.x), deep.y.payload, Int(deep.z)] }
    func read(_ inner: Inner) -> [Int] { [Int(inner.a)] + read(inner.deep) + [Int(inner.b), inner.c.payload] }
    func tracked(_ n: [Int]) -> Tracked { tracker.instance(n[0]) }
    func read(_ tracked: Tracked) -> [Int] { [tracked.payload] }
    func read(_ byte: UInt8) -> [Int] { [Int(byte)] }
    func byte(_ n: [Int]) -> UInt8 { UInt8(n[0]) }
    func sides(_ n: [Int]) -> Sides { Sides(left: UInt8(n[0]), right: UInt8(n[1])) }
    func read(_ sides: Sides) -> [Int] { [Int(sides.left), Int(sides.right)] }
    return [
      Node(
        \.self, 0..<leafCount,
        make: {
          Tree(
            flag: UInt8($0[0]), inner: inner(Array($0[1...6])), tag: Tag(raw: tracker.instance($0[7])),
            pair: (UInt8($0[8]), UInt8($0[9])), name: tracker.instance($0[10]), sides: sides(Array($0[11...])))
        },
        read: {
          [Int($0.flag)] + read($0.inner) + [$0.tag.raw.payload, Int($0.pair.0), Int($0.pair.1), $0.name.payload]
            + read($0.sides)
        },
        set: { $0[\.self] = $1 }, get: { $0[\.self] }),
      Node(\.flag, 0..<1, make: byte, read: read, set: { $0.flag = $1 }, get: { $0.flag }),
      Node(\.inner, 1..<7, make: inner, read: read, set: { $0.inner = $1 }, get: { $0.inner }),
      Node(\.inner.a, 1..<2, make: byte, read: read, set: { $0[\.inner.a] = $1 }, get: { $0[\.inner.a] }),
      Node(\.inner.deep, 2..<5, make: deep, read: read, set: { $0[\.inner.deep] = $1 }, get: { $0[\.inner.deep] }),
      Node(
        constant: \.inner.deep.x, 2..<3, make: { Int16($0[0]) }, read: { [Int($0)] },
        set: { $0[\.inner.deep.x] = $1 }, get: { $0[\.inner.deep.x] }),
      Node(
        \.inner.deep.y, 3..<4, make: tracked, read: read, set: { $0[\.inner.deep.y] = $1 },
        get: { $0[\.inner.deep.y] }),
      Node(
        constant: \.inner.deep.z, 4..<5, make: byte, read: read, set: { $0[\.inner.deep.z] = $1 },
        get: { $0[\.inner.deep.z] }),
      Node(\.inner.b, 5..<6, make: byte, read: read, set: { $0[\.inner.b] = $1 }, get: { $0[\.inner.b] }),
      Node(constant: \.inner.c, 6..<7, make: tracked, read: read, set: { $0[\.inner.c] = $1 }, get: { $0[\.inner.c] }),
      Node(
        \.tag, 7..<8, make: { Tag(raw: tracker.instance($0[0])) }, read: { read($0.raw) }, set: { $0.tag = $1 },
        get: { $0.tag }),
      Node(constant: \.tag.raw, 7..<8, make: tracked, read: read, set: { $0[\.tag.raw] = $1 }, get: { $0[\.tag.raw] }),
      Node(
        \.pair, 8..<10, make: { (UInt8($0[0]), UInt8($0[1])) }, read: { [Int($0.0), Int($0.1)] }, set: { $0.pair = $1 },
        get: { $0.pair }),
      Node(\.pair.0, 8..<9, make: byte, read: read, set: { $0[\.pair.0] = $1 }, get: { $0[\.pair.0] }),
      Node(\.pair.1, 9..<10, make: byte, read: read, set: { $0[\.pair.1] = $1 }, get: { $0[\.pair.1] }),
      Node(constant: \.name, 10..<11, make: tracked, read: read, set: { $0.name = $1 }, get: { $0.name }),
      Node(constant: \.sides, 11..<13, make: sides, read: read, set: { $0.sides = $1 }, get: { $0.sides }),
      Node(
        constant: \.sides.left, 11..<12, make: byte, read: read, set: { $0[\.sides.left] = $1 },
        get: { $0[\.sides.left] }),
      Node(
        constant: \.sides.right, 12..<13, make: byte, read: read, set: { $0[\.sides.right] = $1 },
        get: { $0[\.sides.right] }),
    ]
  }
}

/// What the documented rules say about wholes and parts, leaf by leaf.
private struct Oracle {
  /// A property around a leaf, or the leaf itself, which was set or removed.
  private struct Layer {
    let keyPath: AnyKeyPath
    let leaves: Range<Int>
    let isSet: Bool
    let isConstant: Bool

    init(_ node: Node, isSet: Bool) {
      keyPath = node.keyPath
      leaves = node.leaves
      self.isSet = isSet
      isConstant = node.isConstant
    }

    private init(setting layer: Layer) {
      keyPath = layer.keyPath
      leaves = layer.leaves
      isSet = true
      isConstant = layer.isConstant
    }

    /// The same property set.
    var set: Layer { Layer(setting: self) }
  }

  private struct Leaf {
    var number = 0
    /// What was set or removed around this leaf, outermost first, unless what came later speaks for it.
    var layers: [Layer] = []

    var isPresent: Bool { layers.last?.isSet ?? false }

    /// Something set through a read-only key path is never one with what is around it.
    mutating func set(_ layer: Layer, isConstant: Bool) {
      layers.removeAll { layer.leaves.contains($0.leaves) }
      if isConstant || !isPresent { layers.append(layer) }
    }

    mutating func remove(_ layer: Layer) {
      layers.removeAll { layer.leaves.contains($0.leaves) }
      if isPresent { layers.append(layer) }
    }

    /// Whether a value of the node is of one piece here.
    func has(_ node: Node) -> Bool {
      guard let last = layers.last, last.isSet, last.leaves.contains(node.leaves) else { return false }
      return !last.isConstant || last.leaves != node.leaves || last.keyPath == node.keyPath
    }

    mutating func merge(_ other: Leaf) {
      if other.isPresent { number = other.number }
      var before = layers
      for layer in other.layers {
        if layer.isSet { set(layer, isConstant: layer.isConstant) }
        guard !layer.isSet else { continue }
        // What the other has lost stays as it was before the whole around it was set.
        remove(layer)
        let around = before.prefix { $0.leaves.contains(layer.leaves) }
        if let own = around.last, own.isSet {
          let isOwnConstant = own.leaves == layer.leaves && own.isConstant
          layers.removeAll { layer.leaves.contains($0.leaves) }
          if isOwnConstant { layers.append(own) } else if layer.isConstant { layers.append(layer.set) }
        }
        layers += before[around.count...]
        before = layers
      }
    }
  }

  private var leaves = [Leaf](repeating: Leaf(), count: Node.leafCount)

  var count: Int { Set(leaves.compactMap { $0.layers.first?.leaves }).count }

  func get(_ node: Node) -> [Int]? {
    leaves[node.leaves].allSatisfy { $0.has(node) } ? leaves[node.leaves].map(\.number) : nil
  }

  mutating func set(_ node: Node, _ numbers: [Int]) {
    for (leaf, number) in zip(node.leaves, numbers) {
      leaves[leaf].number = number
      leaves[leaf].set(Layer(node, isSet: true), isConstant: node.isConstant)
    }
  }

  mutating func remove(_ node: Node) {
    for leaf in node.leaves { leaves[leaf].remove(Layer(node, isSet: false)) }
  }

  mutating func merge(_ other: Oracle) {
    for leaf in leaves.indices { leaves[leaf].merge(other.leaves[leaf]) }
  }

  /// The leaves of those values that were not set through a read-only key path, and of which no constant was set or removed.
  var appliedLeaves: [Bool] {
    let refused = leaves.filter { $0.layers.contains(where: \.isConstant) }.map { $0.layers[0].leaves }
    return leaves.indices.map { leaf in leaves[leaf].isPresent && !refused.contains { $0.contains(leaf) } }
  }

  var isApplied: Bool { !leaves.contains { $0.layers.contains(where: \.isConstant) } }

  func applied(to root: [Int]) -> [Int] {
    zip(zip(leaves, appliedLeaves), root).map { leaf, old in leaf.1 ? leaf.0.number : old }
  }
}

final class PartialOverlapModelTests: XCTestCase {
  func testWholesAndPartsFollowTheRules() {
    withSeeds(600) { random in
      withLifetimeTracking { tracker in
        let nodes = Node.all(tracker)
        let validation = Partial<Tree>.Validation(nodes.map { .required($0.keyPath) })
        var pairs = Array(repeating: (partial: Partial<Tree>(), oracle: Oracle()), count: 3)
        for _ in 0..<random.int(in: 1..<20) {
          let changed = random.int(in: 0..<pairs.count), other = random.int(in: 0..<pairs.count)
          let node = nodes[random.int(in: 0..<nodes.count)]
          let numbers = node.leaves.map { _ in random.int(in: 0..<100) }
          switch random.int(in: 0..<12) {
          case 0..<5:
            node.set(&pairs[changed].partial, numbers, random.chance(oneIn: 2))
            pairs[changed].oracle.set(node, numbers)
          case 5..<8:
            let removed = node.remove(&pairs[changed].partial)
            expectEqual(removed, pairs[changed].oracle.get(node), "removed value")
            pairs[changed].oracle.remove(node)
          case 8:
            let isRemoving = random.chance(oneIn: 2)
            let before = pairs[changed].oracle.get(node)
            node.modify(&pairs[changed].partial) { value in
              expectEqual(value, before, "value to modify")
              return isRemoving ? nil : numbers
            }
            if !isRemoving {
              pairs[changed].oracle.set(node, numbers)
            } else if before != nil {
              pairs[changed].oracle.remove(node)
            }
          case 9:
            if random.chance(oneIn: 2) {
              pairs[changed].partial.merge(pairs[other].partial)
              pairs[changed].oracle.merge(pairs[other].oracle)
            } else {
              var merged = pairs[other].oracle
              merged.merge(pairs[changed].oracle)
              pairs[changed].partial.merge(pairs[other].partial, policy: .keep)
              pairs[changed].oracle = merged
            }
          case 10:
            pairs[changed] = pairs[other]
          default:
            let root = (0..<Node.leafCount).map { 100 + $0 }
            var applied = Partial<Tree>()
            nodes[0].set(&applied, root, true)
            if var tree = applied[\.self] {
              let refused = pairs[changed].partial.apply(to: &tree)
              expectEqual(refused.isEmpty, pairs[changed].oracle.isApplied, "all was applied")
              applied[\.self] = tree
            }
            let expected = pairs[changed].oracle.applied(to: root)
            expectEqual(nodes[0].get(applied), expected, "applied")
            checkOverlay(of: pairs[changed], over: root, nodes)
          }
          check(pairs[changed], nodes)
        }
        for pair in pairs {
          check(pair, nodes)
          let missing = nodes.filter { pair.oracle.get($0) == nil }.map { $0.keyPath as AnyKeyPath }
          expectEqual(
            validation.shortfall(of: pair.partial)?.missing.map { $0 as AnyKeyPath } ?? [], missing, "missing")
        }
      }
    }
  }

  /// Over an original, reading answers as if what was set were merged into it, and the changes are what was set.
  private func checkOverlay(of pair: (partial: Partial<Tree>, oracle: Oracle), over root: [Int], _ nodes: [Node]) {
    var original = Partial<Tree>()
    nodes[0].set(&original, root, true)
    guard let tree = original[\.self] else { return fail("the original is not there") }
    var partial = Partial(over: tree)
    partial.merge(pair.partial)
    var expected = Oracle()
    expected.set(nodes[0], root)
    expected.merge(pair.oracle)
    for node in nodes { expectEqual(node.get(partial), expected.get(node), "over it, \(node.keyPath)") }
    check((partial.changes, pair.oracle), nodes)
  }

  private func check(_ pair: (partial: Partial<Tree>, oracle: Oracle), _ nodes: [Node]) {
    for node in nodes { expectEqual(node.get(pair.partial), pair.oracle.get(node), "\(node.keyPath)") }
    expectEqual(pair.partial.count, pair.oracle.count, "count")
    expectEqual(pair.partial.isEmpty, pair.oracle.count == 0, "isEmpty")
  }
}
