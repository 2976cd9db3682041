import Foundation
import Partials
import TestSupport
import XCTest

/// The assignments to a partial, which are replayed on a root in plain Swift.
private struct Script {
  struct Assignment {
    let node: SetterNode
    let number: Int
    /// The parts of the value that were removed since.
    var removed: [SetterNode] = []
  }

  var assignments: [Assignment] = []

  mutating func set(_ node: SetterNode, _ number: Int) { append(Assignment(node: node, number: number)) }

  mutating func append(_ assignment: Assignment) {
    // A key path that the root does not store has one value, in the order of its last assignment.
    if assignment.node.kind != .stored { assignments.removeAll { $0.node.name == assignment.node.name } }
    assignments.append(assignment)
  }

  mutating func remove(_ node: SetterNode) {
    assignments.removeAll { $0.node.name == node.name || node.parts.contains($0.node.name) }
    for index in assignments.indices where assignments[index].node.parts.contains(node.name) {
      assignments[index].removed.append(node)
    }
  }

  mutating func merge(_ other: Script) {
    for assignment in other.assignments { append(assignment) }
  }

  func last(_ name: String) -> Assignment? { assignments.last { $0.node.name == name } }

  func played(on root: SetterTree) -> SetterTree {
    assignments.reduce(into: root) { root, assignment in
      let before = root
      assignment.node.write(&root, assignment.number)
      for part in assignment.removed { part.copy(&root, before) }
    }
  }
}

private struct Pair {
  var partial: Partial<SetterTree>
  var script = Script()
  let original: SetterTree?

  init(over original: SetterTree?) {
    self.original = original
    partial = original.map { Partial(over: $0) } ?? Partial()
  }
}

/// Compares partials with the same assignments to a copy of the original in plain Swift.
final class PartialSetterModelTests: XCTestCase {
  func testPartialReadsLikeTheOriginalAfterTheSameAssignments() throws {
    try withSeeds(1000) { random in
      try withLifetimeTracking { tracker in
        let nodes = SetterNode.all(tracker).dropLast()
        let roots = [SetterTree(30, tracker), SetterTree(31, tracker)]
        var pairs = [Pair(over: roots[0]), Pair(over: roots[0]), Pair(over: roots[1]), Pair(over: nil)]
        for _ in 0..<random.int(in: 1..<30) {
          let index = random.int(in: 0..<pairs.count)
          // A set constant hides the root, so it is set less often than the others.
          let node = nodes[random.chance(oneIn: 12) ? nodes.count - 1 : random.int(in: 0..<nodes.count - 1)]
          var pair = pairs[index]
          // The array keeps a copy of the pair or not, so that storage is sometimes shared.
          if random.chance(oneIn: 2) { pairs[index] = Pair(over: nil) }
          withHiddenCopies(if: random.chance(oneIn: 4), of: &pair.partial, contents: \.debugDescription) { partial in
            switch random.int(in: 0..<16) {
            case 0..<9:
              let number = random.int(in: 0..<100)
              node.set(&partial, number, random.chance(oneIn: 3))
              pair.script.set(node, number)
            case 9..<13:
              _ = node.remove(&partial)
              pair.script.remove(node)
            case 13: Self.merge(pairs[random.int(in: 0..<pairs.count)], into: &partial, &pair.script, &random)
            case 14:
              partial.removeAll()
              pair.script = Script()
            default:
              if let other = pairs.randomElement(using: &random), other.original == pair.original {
                (partial, pair.script) = (other.partial, other.script)
              }
            }
          }
          pairs[index] = pair
          // Values are compared as texts, which takes longer than many steps.
          if random.chance(oneIn: 8) { Self.check(pair, nodes, roots[1]) }
        }
        let pair = pairs[random.int(in: 0..<pairs.count)]
        Self.check(pair, nodes, roots[1])
        try Self.checkDifferences(of: pair)
      }
    }
  }

  func testWholeRootIsSetLikeAnyProperty() {
    withSeeds(1000) { random in
      withLifetimeTracking { tracker in
        let nodes = SetterNode.all(tracker).filter { $0.kind != .constant && $0.kind != .readOnly }
        let root = SetterTree(30, tracker)
        var partial = Partial(over: root)
        var expected = root
        var setOnce: Set<String> = [], isWholeSet = false
        for _ in 0..<random.int(in: 1..<20) {
          let node = nodes[random.int(in: 0..<nodes.count)], number = random.int(in: 0..<100)
          // A key path that is not stored comes last when it is set again, unless its setter ran on a root that was
          // set.
          if node.name == "self" { isWholeSet = true }
          if node.kind == .setter, !isWholeSet, !setOnce.insert(node.name).inserted { continue }
          node.set(&partial, number, random.chance(oneIn: 2))
          node.write(&expected, number)
          if random.chance(oneIn: 10) {
            partial[\.self] = nil
            partial.removeAll()
            (expected, setOnce, isWholeSet) = (root, [], false)
          }
          expectEqual(partial[\.self], expected)
          if random.chance(oneIn: 8) { expectEqual(partial.isDirty, expected != root) }
        }
        expectEqual(partial.isDirty, expected != root)
        var applied = root
        expectEqual(partial.apply(to: &applied), [])
        expectEqual(applied, expected)
      }
    }
  }

  private static func merge(
    _ other: Pair, into partial: inout Partial<SetterTree>, _ script: inout Script, _ random: inout SeededRandom
  ) {
    if random.chance(oneIn: 2) {
      partial.merge(other.partial)
      script.merge(other.script)
    } else {
      partial.merge(other.partial, policy: .keep)
      var merged = other.script
      merged.merge(script)
      script = merged
    }
  }

  private static func check(_ pair: Pair, _ nodes: ArraySlice<SetterNode>, _ other: SetterTree) {
    var applied = other
    pair.partial.apply(to: &applied)
    expectEqual(applied, pair.script.played(on: other), "applied to another root")
    guard let original = pair.original else { return }
    let root = pair.script.played(on: original)
    let constant = pair.script.last("constant")
    expectEqual(pair.partial[\.self], constant == nil ? root : nil, "the whole root")
    expectEqual(pair.partial.original, original, "the original")
    for node in nodes {
      let assignment = pair.script.last(node.name)
      let expected: String? =
        switch node.kind {
        case .readOnly, .constant: assignment.map { node.make($0.number) }
        case .setter where constant != nil && assignment == nil: nil
        default: node.read(root)
        }
      let isAbsent = node.kind == .readOnly && constant != nil
      let isUnanswered = node.kind == .setter || isAbsent
      expectEqual(node.get(pair.partial), expected ?? (isUnanswered ? nil : node.read(root)), node.name)
    }
    let isEdited = root != original || pair.script.last("maybe.x") != nil
    let isDifferent = isEdited || constant.map { $0.number != original.constant } ?? false
    expectEqual(pair.partial.isDirty, isDifferent, "isDirty")
  }

  private static func checkDifferences(of pair: Pair) throws {
    guard let original = pair.original else { return }
    let expected = pair.script.played(on: original)
    var root = original
    pair.partial.differences.apply(to: &root)
    expectEqual(root, expected, "the differences applied")
    for var partial in [pair.partial, pair.partial.differences] {
      if pair.script.last("maybe.x") != nil {
        XCTAssertThrowsError(try JSONEncoder().encode(partial), "it is read-only and has no name")
        partial.removeValue(for: \.maybe?.x)
      }
      let body = try JSONEncoder().encode(partial)
      root = original
      try JSONDecoder().decode(Partial<SetterTree>.self, from: body).apply(to: &root)
      expectEqual(root, expected.named(over: original), "the sent values")
    }
  }
}
