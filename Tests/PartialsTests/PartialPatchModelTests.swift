import Foundation
import Partials
import TestSupport
import XCTest

/// A form over an old record, whose differences are merged into the record that another client has made of it.
///
/// The oracle merges trees of names instead of partials.
final class PartialPatchModelTests: XCTestCase {
  private typealias Geo = PartialOptionalNestingTests.Geo
  private typealias Address = PartialOptionalNestingTests.Address
  private typealias Person = PartialOptionalNestingTests.Person

  /// A value, or an object with values by name; nil is null.
  private indirect enum Tree: Equatable {
    case null, leaf(String), object([String: Tree])

    init(_ geo: Geo?) {
      self = geo.map { .object(["latitude": .leaf("\($0.latitude)"), "longitude": .leaf("\($0.longitude)")]) } ?? .null
    }

    init(_ address: Address?) {
      guard let address else {
        self = .null
        return
      }
      let unit = address.unit.map { Tree.leaf("\($0)") } ?? .null
      let members: [String: Tree] = [
        "street": .leaf(address.street), "town": .leaf(address.town), "unit": unit, "geo": Tree(address.geo),
      ]
      self = .object(members)
    }

    init(_ person: Person) { self = .object(["name": .leaf(person.name), "address": Tree(person.address)]) }

    /// The values that a request has to send to make `self` of `base`; nil if nothing differs.
    func patch(over base: Tree) -> Tree? {
      guard case .object(let new) = self, case .object(let old) = base else { return self == base ? nil : self }
      let changed = new.reduce(into: [String: Tree]()) { $0[$1.key] = $1.value.patch(over: old[$1.key] ?? .null) }
      return changed.isEmpty ? nil : .object(changed)
    }

    /// Whether an object has all of its names, and so has each object in it.
    func isWhole(at path: String) -> Bool {
      guard case .object(let members) = self else { return true }
      return members.count == (path.hasSuffix("geo") ? 2 : 4) && members.allSatisfy { $0.value.isWhole(at: $0.key) }
    }

    /// Merges a patch, and returns the paths of the objects that it changes and that aren't there.
    ///
    /// A whole object replaces whatever is there.
    mutating func merge(_ patch: Tree, at path: String = "") -> [String] {
      guard case .object(let changed) = patch else {
        self = patch
        return []
      }
      guard case .object(var members) = self else {
        guard patch.isWhole(at: path) else { return [path] }
        self = patch
        return []
      }
      var lost: [String] = []
      for (name, value) in changed.sorted(by: { $0.key < $1.key }) {
        var member = members[name] ?? .null
        lost += member.merge(value, at: path.isEmpty ? name : "\(path).\(name)")
        members[name] = member
      }
      self = .object(members)
      return lost
    }
  }

  private static func randomAddress(_ random: inout SeededRandom) -> Address? {
    if random.chance(oneIn: 3) { return nil }
    let geo = random.chance(oneIn: 2) ? nil : Geo(latitude: Double(random.int(in: 0..<2)), longitude: 0)
    return Address(street: "s\(random.int(in: 0..<2))", town: "t\(random.int(in: 0..<2))", geo: geo)
  }

  private static func edit(_ form: inout Partial<Person>, _ random: inout SeededRandom) {
    let number = random.int(in: 0..<3)
    switch random.int(in: 0..<8) {
    case 0: form.name = "n\(number)"
    case 1: form.address = Self.randomAddress(&random)
    case 2: form.address??.town = "t\(number)"
    case 3: form.address??.unit = number == 0 ? nil : number
    case 4: form.address??.geo = number == 0 ? nil : Geo(latitude: Double(number), longitude: 1)
    case 5: form.address??.geo?.latitude = Double(number)
    case 6: form.town = "t\(number)"
    default: form.address = nil
    }
  }

  func testMergedDifferencesAreReadOrReported() throws {
    let other = Person(
      name: "m", address: Address(street: "x", town: "x", unit: 9, geo: Geo(latitude: 9, longitude: 9)))
    let losses = Counter()
    try withSeeds(3000) { random in
      let base = Person(name: "n", address: Self.randomAddress(&random))
      let theirs = Person(name: "m", address: Self.randomAddress(&random))
      var form = Partial(over: base)
      for _ in 0..<random.int(in: 1..<5) { Self.edit(&form, &random) }
      let mine = try Person(from: form)
      var expected = Tree(theirs)
      let patch = Tree(mine).patch(over: Tree(base)) ?? .object([:])
      let lost = expected.merge(patch)
      losses.add(lost.count)

      let sent = try JSONDecoder().decode(Partial<Person>.self, from: JSONEncoder().encode(form.differences))
      for differences in [form.differences, sent] {
        var merged = Partial(over: theirs)
        let keyPaths = merged.merge(differences)
        Self.check(try Person(from: merged), expected, keyPaths, lost)
        let issues = Partial<Person>.Validation().issues(in: merged)
        expectEqual(issues?.map { "\($0)" } ?? [], lost.map { "\($0) is missing" })
        expectEqual(merged.isDirty, Tree(theirs) != expected || !lost.isEmpty, "\(differences)")

        var applied = theirs
        let refused = differences.apply(to: &applied)
        Self.check(applied, expected, refused, lost)
        // Merged where they have a place again, they are all there.
        var again = Partial(over: other)
        expectEqual(again.merge(merged.differences).count, 0)
        for path in lost { expect("\(again.differences)".contains(path.hasSuffix("geo") ? "geo" : "address")) }
      }
    }
    XCTAssertGreaterThan(losses.count, 20)
  }

  private static func check(
    _ person: Person, _ expected: Tree, _ keyPaths: [PartialKeyPath<Person>], _ lost: [String]
  ) {
    let names = [\Person.address: "address", \Person.address!.geo: "address.geo"] as [PartialKeyPath<Person>: String]
    expectEqual(keyPaths.map { names[$0] ?? "\($0)" }, lost)
    expectEqual(Tree(person), expected)
  }
}
