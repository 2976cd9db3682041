import Partials
import TestSupport
import XCTest

/// A partial and its model.
private struct Pair {
  var partial = Partial<OverlapTree>()
  /// The model of the changes.
  var changes = OverlapOracle()
  /// The model of the original, if there is one.
  private var original: OverlapOracle?

  init() {}

  /// A pair over a root whose leaves are `numbers`.
  init(over root: OverlapTree, _ numbers: [Int], _ nodes: [OverlapNode]) {
    partial = Partial(over: root)
    original = OverlapOracle(nodes[0], numbers)
  }

  /// The model of the values that are read: the changes merged into the original.
  var oracle: OverlapOracle {
    guard var merged = original else { return changes }
    merged.merge(changes)
    return merged
  }
}

final class PartialOverlapModelTests: XCTestCase {
  func testOverlappingPropertiesFollowTheDocumentedRules() {
    withSeeds(400) { random in
      withLifetimeTracking { tracker in
        let nodes = OverlapNode.all(tracker)
        let numbers = (0..<OverlapNode.leafCount).map { 100 + $0 }
        let root = OverlapTree(numbers, tracker)
        var pairs = [Pair(), Pair(), Pair(over: root, numbers, nodes), Pair(over: root, numbers, nodes)]
        for _ in 0..<random.int(in: 1..<20) {
          let changed = random.int(in: 0..<pairs.count), other = random.int(in: 0..<pairs.count)
          let node = nodes[random.int(in: 0..<nodes.count)]
          switch random.int(in: 0..<12) {
          case 0..<5: Self.set(node, in: &pairs[changed], &random)
          case 5..<8: Self.remove(node, from: &pairs[changed])
          case 8: Self.modify(node, in: &pairs[changed], &random)
          case 9: Self.merge(pairs[other], into: &pairs[changed], &random)
          case 10: pairs[changed] = pairs[other]
          default: Self.apply(pairs[changed], to: root, numbers, nodes)
          }
          Self.check(pairs[changed], nodes)
        }
        for pair in pairs {
          Self.check(pair, nodes)
          Self.checkValidation(of: pair, nodes)
        }
      }
    }
  }

  private static func set(_ node: OverlapNode, in pair: inout Pair, _ random: inout SeededRandom) {
    let numbers = node.numbers(&random)
    node.set(&pair.partial, numbers, random.chance(oneIn: 2))
    pair.changes.set(node, numbers)
  }

  private static func remove(_ node: OverlapNode, from pair: inout Pair) {
    expectEqual(node.remove(&pair.partial), pair.changes.get(node), "removed value")
    pair.changes.remove(node)
  }

  private static func modify(_ node: OverlapNode, in pair: inout Pair, _ random: inout SeededRandom) {
    let numbers = random.chance(oneIn: 2) ? nil : node.numbers(&random)
    let before = pair.oracle.get(node)
    node.modify(&pair.partial) { value in
      expectEqual(value, before, "value to modify")
      return numbers
    }
    if let numbers { pair.changes.set(node, numbers) } else if before != nil { pair.changes.remove(node) }
  }

  private static func merge(_ other: Pair, into pair: inout Pair, _ random: inout SeededRandom) {
    if random.chance(oneIn: 2) {
      pair.partial.merge(other.partial)
      pair.changes.merge(other.changes)
    } else {
      pair.partial.merge(other.partial, policy: .keep)
      var merged = other.changes
      merged.merge(pair.changes)
      pair.changes = merged
    }
  }

  private static func apply(_ pair: Pair, to root: OverlapTree, _ numbers: [Int], _ nodes: [OverlapNode]) {
    var root = root
    let refused = pair.partial.apply(to: &root)
    expectEqual(refused.isEmpty, pair.changes.isApplied, "all was applied")
    expectEqual(nodes[0].get(Partial(root)), pair.changes.applied(to: numbers), "applied")
  }

  private static func check(_ pair: Pair, _ nodes: [OverlapNode]) {
    let oracle = pair.oracle
    for node in nodes {
      expectEqual(node.get(pair.partial), oracle.get(node), "\(node.keyPath)")
      expectEqual(node.get(pair.partial.changes), pair.changes.get(node), "\(node.keyPath) of the changes")
    }
    expectEqual(pair.partial.count, pair.changes.count, "count")
    expectEqual(pair.partial.isEmpty, pair.changes.count == 0, "isEmpty")
  }

  private static func checkValidation(of pair: Pair, _ nodes: [OverlapNode]) {
    let oracle = pair.oracle
    let missing = nodes.filter { oracle.get($0) == nil }.map { $0.keyPath as AnyKeyPath }
    let issues = Partial<OverlapTree>.Validation(nodes.map { .required($0.keyPath) }).issues(in: pair.partial)
    expectEqual(issues?.missing.map { $0 as AnyKeyPath } ?? [], missing, "missing")
  }
}
