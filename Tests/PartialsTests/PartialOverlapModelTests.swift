import Partials
import TestSupport
import XCTest

private typealias Tracked = LifetimeTracked<Int>

private struct Deep {
  var x: Int16
  var y: Tracked
  var z: UInt8
}

private struct Inner {
  var a: UInt8
  var deep: Deep
  // Lies in the bytes between the size of `deep` and its stride.
  var b: UInt8
  var c: Tracked
}

private struct Tag {
  var raw: Tracked
}

/// A root of three levels, with wholes that have padding and one that has none, values that own something, and bytes in three
/// words of presence.
private struct Tree {
  var flag: UInt8
  var inner: Inner
  var tag: Tag
  var pair: (UInt8, UInt8)
  var name: Tracked
}

/// A key path into `Tree`: which of its eleven leaves it spans, and how to use it, as a literal and as an object.
private struct Node {
  let leaves: Range<Int>
  let set: (inout Partial<Tree>, [Int], _ literally: Bool) -> Void
  let get: (Partial<Tree>) -> [Int]?
  let remove: (inout Partial<Tree>) -> [Int]?
  let modify: (inout Partial<Tree>, ([Int]?) -> [Int]?) -> Void

  init<Value>(
    _ keyPath: any KeyPath<Tree, Value> & Sendable, _ leaves: Range<Int>,
    make: @escaping ([Int]) -> Value, read: @escaping (Value) -> [Int],
    set: @escaping (inout Partial<Tree>, Value) -> Void, get: @escaping (Partial<Tree>) -> Value?
  ) {
    self.leaves = leaves
    self.set = { partial, numbers, literally in
      if literally { set(&partial, make(numbers)) } else { partial.update(keyPath, to: make(numbers)) }
    }
    self.get = { partial in
      let value = partial[keyPath].map(read)
      expectEqual(get(partial).map(read), value, "\(keyPath) as a literal")
      expectEqual(partial.contains(keyPath), value != nil, "contains \(keyPath)")
      return value
    }
    self.remove = { $0.removeValue(for: keyPath).map(read) }
    self.modify = { partial, change in
      func run(_ value: inout Value?) { value = change(value.map(read)).map(make) }
      run(&partial[keyPath])
    }
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
    return [
      Node(
        \.self, 0..<11,
        make: {
          Tree(
            flag: UInt8($0[0]), inner: inner(Array($0[1...6])), tag: Tag(raw: tracker.instance($0[7])),
            pair: (UInt8($0[8]), UInt8($0[9])), name: tracker.instance($0[10]))
        },
        read: {
          [Int($0.flag)] + read($0.inner) + [$0.tag.raw.payload, Int($0.pair.0), Int($0.pair.1), $0.name.payload]
        },
        set: { $0[\.self] = $1 }, get: { $0[\.self] }),
      Node(\.flag, 0..<1, make: byte, read: read, set: { $0.flag = $1 }, get: { $0.flag }),
      Node(\.inner, 1..<7, make: inner, read: read, set: { $0.inner = $1 }, get: { $0.inner }),
      Node(\.inner.a, 1..<2, make: byte, read: read, set: { $0[\.inner.a] = $1 }, get: { $0[\.inner.a] }),
      Node(\.inner.deep, 2..<5, make: deep, read: read, set: { $0[\.inner.deep] = $1 }, get: { $0[\.inner.deep] }),
      Node(
        \.inner.deep.x, 2..<3, make: { Int16($0[0]) }, read: { [Int($0)] }, set: { $0[\.inner.deep.x] = $1 },
        get: { $0[\.inner.deep.x] }),
      Node(
        \.inner.deep.y, 3..<4, make: tracked, read: read, set: { $0[\.inner.deep.y] = $1 },
        get: { $0[\.inner.deep.y] }),
      Node(
        \.inner.deep.z, 4..<5, make: byte, read: read, set: { $0[\.inner.deep.z] = $1 }, get: { $0[\.inner.deep.z] }),
      Node(\.inner.b, 5..<6, make: byte, read: read, set: { $0[\.inner.b] = $1 }, get: { $0[\.inner.b] }),
      Node(\.inner.c, 6..<7, make: tracked, read: read, set: { $0[\.inner.c] = $1 }, get: { $0[\.inner.c] }),
      Node(
        \.tag, 7..<8, make: { Tag(raw: tracker.instance($0[0])) }, read: { read($0.raw) }, set: { $0.tag = $1 },
        get: { $0.tag }),
      Node(\.tag.raw, 7..<8, make: tracked, read: read, set: { $0[\.tag.raw] = $1 }, get: { $0[\.tag.raw] }),
      Node(
        \.pair, 8..<10, make: { (UInt8($0[0]), UInt8($0[1])) }, read: { [Int($0.0), Int($0.1)] }, set: { $0.pair = $1 },
        get: { $0.pair }),
      Node(\.pair.0, 8..<9, make: byte, read: read, set: { $0[\.pair.0] = $1 }, get: { $0[\.pair.0] }),
      Node(\.pair.1, 9..<10, make: byte, read: read, set: { $0[\.pair.1] = $1 }, get: { $0[\.pair.1] }),
      Node(\.name, 10..<11, make: tracked, read: read, set: { $0.name = $1 }, get: { $0.name }),
    ]
  }
}

/// What the documented rules say about wholes and parts, leaf by leaf.
private struct Oracle {
  private struct Leaf {
    var number = 0
    /// The nodes around this leaf, outermost first, that were set, removed, set again, removed again, and so on.
    var nodes: [Range<Int>] = []

    var isPresent: Bool { nodes.count % 2 == 1 }

    mutating func set(_ node: Range<Int>) {
      nodes.removeAll { node.contains($0) }
      if !isPresent { nodes.append(node) }
    }

    mutating func remove(_ node: Range<Int>) {
      nodes.removeAll { node.contains($0) }
      if isPresent { nodes.append(node) }
    }

    mutating func merge(_ other: Leaf) {
      if other.isPresent { number = other.number }
      for pair in stride(from: 0, to: other.nodes.count, by: 2) {
        let before = nodes
        set(other.nodes[pair])
        guard pair + 1 < other.nodes.count else { return }
        // What the other has lost stays as it was before the whole around it was set.
        let lost = other.nodes[pair + 1]
        let around = before.prefix { $0.contains(lost) }
        if around.count % 2 == 0 { remove(lost) }
        nodes += before[around.count...]
      }
    }
  }

  private var leaves = [Leaf](repeating: Leaf(), count: 11)

  var count: Int { Set(leaves.compactMap(\.nodes.first)).count }

  func get(_ node: Range<Int>) -> [Int]? {
    let isPresent = leaves[node].allSatisfy { $0.isPresent && $0.nodes.last!.contains(node) }
    return isPresent ? leaves[node].map(\.number) : nil
  }

  mutating func set(_ node: Range<Int>, _ numbers: [Int]) {
    for (leaf, number) in zip(node, numbers) {
      leaves[leaf].number = number
      leaves[leaf].set(node)
    }
  }

  mutating func remove(_ node: Range<Int>) {
    for leaf in node { leaves[leaf].remove(node) }
  }

  mutating func merge(_ other: Oracle) {
    for leaf in leaves.indices { leaves[leaf].merge(other.leaves[leaf]) }
  }

  func applied(to root: [Int]) -> [Int] { zip(leaves, root).map { leaf, old in leaf.isPresent ? leaf.number : old } }
}

final class PartialOverlapModelTests: XCTestCase {
  func testWholesAndPartsFollowTheRules() {
    withSeeds(1_500) { random in
      withLifetimeTracking { tracker in
        let nodes = Node.all(tracker)
        var pairs = Array(repeating: (partial: Partial<Tree>(), oracle: Oracle()), count: 3)
        for _ in 0..<random.int(in: 1..<20) {
          let changed = random.int(in: 0..<pairs.count), other = random.int(in: 0..<pairs.count)
          let node = nodes[random.int(in: 0..<nodes.count)]
          let numbers = node.leaves.map { _ in random.int(in: 0..<100) }
          switch random.int(in: 0..<12) {
          case 0..<5:
            node.set(&pairs[changed].partial, numbers, random.chance(oneIn: 2))
            pairs[changed].oracle.set(node.leaves, numbers)
          case 5..<8:
            let removed = node.remove(&pairs[changed].partial)
            expectEqual(removed, pairs[changed].oracle.get(node.leaves), "removed value")
            pairs[changed].oracle.remove(node.leaves)
          case 8:
            let isRemoving = random.chance(oneIn: 2)
            let before = pairs[changed].oracle.get(node.leaves)
            node.modify(&pairs[changed].partial) { value in
              expectEqual(value, before, "value to modify")
              return isRemoving ? nil : numbers
            }
            if !isRemoving {
              pairs[changed].oracle.set(node.leaves, numbers)
            } else if before != nil {
              pairs[changed].oracle.remove(node.leaves)
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
            let root = (0..<11).map { 100 + $0 }
            var applied = Partial<Tree>()
            nodes[0].set(&applied, root, true)
            if var tree = applied[\.self] {
              expect(pairs[changed].partial.apply(to: &tree).isEmpty, "a stored property was not applied")
              applied[\.self] = tree
            }
            let expected = pairs[changed].oracle.applied(to: root)
            expectEqual(nodes[0].get(applied), expected, "applied")
            checkOverlay(of: pairs[changed], over: root, nodes)
          }
          check(pairs[changed], nodes)
        }
        for pair in pairs { check(pair, nodes) }
      }
    }
  }

  /// Over an original, reading answers what applying makes of it, and the changes are what was set.
  private func checkOverlay(of pair: (partial: Partial<Tree>, oracle: Oracle), over root: [Int], _ nodes: [Node]) {
    var original = Partial<Tree>()
    nodes[0].set(&original, root, true)
    guard let tree = original[\.self] else { return fail("the original is not there") }
    var partial = Partial(over: tree)
    partial.merge(pair.partial)
    let expected = pair.oracle.applied(to: root)
    for node in nodes { expectEqual(node.get(partial), Array(expected[node.leaves]), "over it, \(node.leaves)") }
    check((partial.changes, pair.oracle), nodes)
  }

  private func check(_ pair: (partial: Partial<Tree>, oracle: Oracle), _ nodes: [Node]) {
    for node in nodes { expectEqual(node.get(pair.partial), pair.oracle.get(node.leaves), "leaves \(node.leaves)") }
    expectEqual(pair.partial.count, pair.oracle.count, "count")
    expectEqual(pair.partial.isEmpty, pair.oracle.count == 0, "isEmpty")
  }
}
