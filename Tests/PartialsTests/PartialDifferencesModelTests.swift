import Foundation
import Partials
import TestSupport
import XCTest

/// Checks that differences have the effect of the edits, are empty only if nothing differs, and name every value that
/// differs.
final class PartialDifferencesModelTests: XCTestCase {
  func testDifferencesHaveTheEffectOfTheEdits() throws {
    try withSeeds(2000) { random in
      try LawTree.$schema.withValue(LawTree.schemas[random.int(in: 0..<LawTree.schemas.count)]) {
        let original = LawTree(1)
        let nodes = LawNode.variables + (random.chance(oneIn: 3) ? LawNode.constants : [])
        var partials = [Partial(over: original), Partial(over: original), Partial()]
        for _ in 0..<random.int(in: 1..<20) {
          let index = random.int(in: 0..<partials.count)
          Self.step(&partials[index], partials[random.int(in: 0..<partials.count)], nodes, &random)
        }
        try Self.checkAll(partials[random.int(in: 0..<2)], over: original)
      }
    }
  }

  private static func step(
    _ partial: inout Partial<LawTree>, _ other: Partial<LawTree>, _ nodes: [LawNode], _ random: inout SeededRandom
  ) {
    let node = random.chance(oneIn: 40) ? LawNode.root : nodes[random.int(in: 0..<nodes.count)]
    switch random.int(in: 0..<20) {
    case 0..<14: node.set(&partial, random.int(in: 0..<4))
    case 14..<18: node.remove(&partial)
    case 18: partial.merge(other, policy: random.chance(oneIn: 2) ? .replace : .keep)
    default: if random.chance(oneIn: 4) { partial.removeAll() } else { partial.merge(other.differences) }
    }
  }

  private static func checkAll(_ partial: Partial<LawTree>, over original: LawTree) throws {
    let differences = partial.differences
    var expected = original, applied = original
    let refused = partial.apply(to: &expected)
    let refusedDifferences = differences.apply(to: &applied)
    Self.expectSame(applied, expected, "the differences applied to the original: \(differences)")
    let nodes = LawNode.variables + LawNode.constants
    let readsOtherwise = nodes.filter { node in node.get(partial).map { $0 != node.read(original) } ?? false }
    if differences.isEmpty {
      Self.expectSame(expected, original, "no differences")
      expect(!readsOtherwise.contains { $0.isConstant }, "a constant without a difference")
    } else {
      let isRefused = !refusedDifferences.isEmpty
      expect(isRefused || expected.stored != original.stored, "nothing is different: \(differences)")
      expect(!isRefused || !refused.isEmpty, "refused only as a difference")
    }
    expectEqual(partial.isDirty, !differences.isEmpty)
    try Self.checkNames(of: partial, differences, over: original, expected)
    var merged = Partial(over: original)
    merged.merge(differences)
    for node in LawNode.constants where node.get(partial) != nil {
      expectEqual(node.get(merged), node.get(partial), "\(node.name) merged")
    }
    guard let root = merged[\.self], partial[\.self] != nil else { return }
    Self.expectSame(root, expected, "the differences merged")
  }

  /// Checks that every named value that differs is encoded, and that every encoded value is the one that is read.
  private static func checkNames(
    of partial: Partial<LawTree>, _ differences: Partial<LawTree>, over original: LawTree, _ expected: LawTree
  ) throws {
    let names = Set(LawTree.schema.names)
    guard !names.isEmpty else { return }
    let sent = try [partial, differences].map {
      try JSONDecoder().decode(Partial<LawTree>.self, from: JSONEncoder().encode($0))
    }
    for node in LawNode.variables + LawNode.constants where names.contains(node.name) {
      let read = node.get(partial) ?? node.read(expected)
      for sent in sent {
        let value = node.get(sent)
        expect(value == read || value == nil && read == node.read(original), "\(node.name) is sent as \(value as Any)")
      }
    }
  }

  /// Compares everything that is stored in two roots, except named values that are equal by their own `==`.
  private static func expectSame(_ root: LawTree, _ expected: LawTree, _ message: @autoclosure () -> String) {
    var root = root
    if LawTree.schema.names.contains("loose"), root.loose == expected.loose { root.loose = expected.loose }
    if LawTree.schema.names.contains("table"), root.table == expected.table { root.table = expected.table }
    expectEqual(root.stored, expected.stored, message())
  }
}
