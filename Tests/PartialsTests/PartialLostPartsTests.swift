import Foundation
import Partials
import TestSupport
import XCTest

private typealias Geo = PartialOptionalNestingTests.Geo
private typealias Address = PartialOptionalNestingTests.Address
private typealias Person = PartialOptionalNestingTests.Person
private typealias Team = PartialOptionalNestingTests.Team

extension PartialOptionalNestingTests.Person: PartialInitializable {
  init(from form: Partial<Self>) throws {
    name = form.name ?? ""
    address = form.value(for: \.address)
  }
}

/// Parts of an optional that is nil where they are merged: they are reported and kept, not dropped.
final class PartialLostPartsTests: XCTestCase {
  private let london = Person(
    name: "Ada", address: Address(street: "Old 1", town: "London", geo: Geo(latitude: 51, longitude: 0)))
  private let rules = Partial<Person>.Validation(.required(\.name, .notEmpty))

  private func json<Root: PartialSchemaProviding>(_ form: Partial<Root>) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(form), as: UTF8.self)
  }

  private func decoded<Root: PartialSchemaProviding>(_ json: String) throws -> Partial<Root> {
    try JSONDecoder().decode(Partial<Root>.self, from: Data(json.utf8))
  }

  private func townEdit() -> Partial<Person> {
    var form = Partial(over: london)
    form.address??.town = "Ockham"
    return form.differences
  }

  func testMergedTownOfARemovedAddressIsReportedAndKept() throws {
    var form = Partial(over: Person(name: "Ada"))
    XCTAssertEqual(form.merge(townEdit()), [\Person.address])
    XCTAssertEqual(form.address, .some(nil))
    XCTAssertTrue(form.isDirty)
    XCTAssertTrue(form.isDirty(\.address))
    XCTAssertFalse(form.isDirty(\.name))
    XCTAssertEqual(Person.partialSchema.names(setIn: form.differences), ["address.town"])
    XCTAssertEqual(try json(form.differences), #"{"address":{"town":"Ockham"}}"#)
    XCTAssertEqual(try json(form), #"{"address":{"town":"Ockham"}}"#)
    XCTAssertEqual(rules.issues(in: form), [\.address])
    XCTAssertEqual(rules.issues(in: form)?.first?.message, "address is missing")
    XCTAssertEqual(rules.named([\.address: "The address"]).issues(in: form)?.description, "The address is missing")
    var person = Person(name: "Ada")
    XCTAssertEqual(form.apply(to: &person), [\Person.address])

    var next = Partial(over: london)
    XCTAssertEqual(next.merge(form.differences), [], "the address is there again")
    XCTAssertEqual(next.address??.town, "Ockham")
    XCTAssertEqual(next.address??.street, "Old 1")
  }

  func testLostTownIsSettledByAnAddressOrDiscarded() throws {
    var form = Partial(over: Person(name: "Ada"))
    form.merge(townEdit())
    for discard: (inout Partial<Person>) -> Void in [
      { $0.address = nil }, { $0[\.self] = nil }, { $0.removeValue(for: \.address) }, { $0.removeAll() },
    ] {
      var form = form
      discard(&form)
      XCTAssertFalse(form.isDirty)
      XCTAssertNil(rules.issues(in: form))
    }
    for address in [nil, Address(town: "Bonn")] {
      var form = form
      form.address = address
      XCTAssertNil(rules.issues(in: form))
      var person = Person(name: "Ada")
      XCTAssertEqual(form.differences.apply(to: &person), [])
      XCTAssertEqual(person.address, address)
    }
  }

  func testDiscardedEditOfAMergedPartReadsAsTheOriginal() {
    var form = Partial(over: london)
    form.merge(townEdit())
    XCTAssertEqual(form.address??.town, "Ockham")
    form.address = nil
    XCTAssertEqual(form.address??.town, "London")
    XCTAssertFalse(form.isDirty)
    var team = Partial(over: Team(lead: london))
    var edit = Partial(over: Team(lead: london))
    edit[\.lead.address]??.town = "Ockham"
    team.merge(edit.differences)
    XCTAssertEqual(team.lead?.town, "Ockham")
    team.lead = nil
    XCTAssertEqual(team.lead?.town, "London")
  }

  func testPartsAreReportedAtEachDepth() throws {
    let patch: Partial<Person> = try decoded(#"{"address":{"geo":{"latitude":1},"town":"Ockham"}}"#)
    var form = Partial(over: Person(name: "Ada", address: Address(town: "Bonn")))
    XCTAssertEqual(form.merge(patch), [\Person.address!.geo])
    XCTAssertEqual(form.address??.town, "Ockham", "the town has a place, and is merged")
    XCTAssertEqual(try json(form.differences), #"{"address":{"geo":{"latitude":1},"town":"Ockham"}}"#)
    XCTAssertEqual(rules.issues(in: form)?.description, "address.geo is missing")
    XCTAssertEqual(rules.issues(in: form)?.contains(\.address!.geo), true)
    form.address = Address(town: "Bonn", geo: Geo())
    XCTAssertNil(rules.issues(in: form))

    let teamPatch: Partial<Team> = try decoded(#"{"lead":{"address":{"geo":{"latitude":1}}}}"#)
    var team = Partial(over: Team())
    XCTAssertEqual(team.merge(teamPatch), [\Team.lead.address])
    team = Partial(over: Team(lead: Person(address: Address())))
    XCTAssertEqual(team.merge(teamPatch), [\Team.lead.address!.geo])
    XCTAssertEqual(Partial<Team>.Validation().issues(in: team)?.description, "lead.address.geo is missing")
    team.lead = nil
    XCTAssertNil(Partial<Team>.Validation().issues(in: team))
  }

  func testAddressWithHalfAGeoIsNotAWhole() throws {
    let (other, body) = (Person(name: "Ada"), #"{"address":{"geo":{"latitude":1},"street":"a","town":"b","unit":3}}"#)
    var form = Partial(over: london)
    form.address??.street = "a"
    form.address??.town = "b"
    form.address??.unit = 3
    form.address??.geo?.latitude = 1
    XCTAssertEqual(try json(form.differences), body)
    for patch: Partial<Person> in [form.differences, try decoded(body)] {
      var person = other
      XCTAssertEqual(patch.apply(to: &person), [\Person.address])
      XCTAssertEqual(person, other)
      var merged = Partial(over: other)
      XCTAssertEqual(merged.merge(patch), [\Person.address])
    }
    form.address??.geo?.longitude = 2
    var person = other
    XCTAssertEqual(form.differences.apply(to: &person), [])
    XCTAssertEqual(
      person.address, Address(street: "a", town: "b", unit: 3, geo: Geo(latitude: 1, longitude: 2)), "all parts")
  }

  /// A server that merges a PATCH, validates, and builds what it stores.
  func testServerRefusesATownWithoutAnAddress() throws {
    let patch: Partial<Person> = try decoded(#"{"address":{"town":"Ockham"},"name":"Grace"}"#)
    let (none, whole) = (Partial<Person>(), Partial(Person(name: "Ada")))
    for var form in [none, whole, Partial(over: Person(name: "Ada"))] {
      form.merge(patch)
      XCTAssertEqual(rules.validate(form), .incomplete([\.address]))
      XCTAssertEqual(Partial<Person>.Validation(.required(\.address)).issues(in: form)?.count, 1, "reported once")
      form.address = Address(town: "Bonn")
      XCTAssertEqual(rules.validate(form), .valid(Person(name: "Grace", address: Address(town: "Bonn"))))
    }
    for var form in [Partial(london), Partial(over: london)] {
      XCTAssertEqual(form.merge(patch), [])
      var grace = london
      grace.name = "Grace"
      grace.address?.town = "Ockham"
      XCTAssertEqual(rules.validate(form), .valid(grace))
    }
    var added = whole
    XCTAssertEqual(added.merge(patch), [\Person.address])
    var waiting = none
    XCTAssertEqual(waiting.merge(patch), [], "the address may still come")
    var person = london
    XCTAssertEqual(waiting.apply(to: &person), [])
    XCTAssertEqual(person.address?.town, "Ockham")
  }

  func testPartMergedIntoANewRecordIsRead() throws {
    var form: Partial<Person> = try decoded(
      #"{"name":"Ada","address":{"geo":null,"street":"New 2","town":"Bonn","unit":null}}"#)
    form.merge(try decoded(#"{"address":{"town":"Ockham"}}"#))
    XCTAssertEqual(form.address??.town, "Ockham")
    let built = Person(name: "Ada", address: Address(street: "New 2", town: "Ockham"))
    XCTAssertEqual(rules.validate(form), .valid(built))
    form.merge(try decoded(#"{"address":{"geo":{"latitude":1},"street":"New 3"}}"#))
    XCTAssertEqual(form.address??.street, "New 3")
    XCTAssertEqual(rules.validate(form), .incomplete([\.address!.geo]))
    form.address??.geo = Geo(latitude: 1, longitude: 2)
    XCTAssertEqual(rules.issues(in: form), nil)
  }

  func testPartsThatHaveAPlaceAreAppliedAfterABoxedValue() throws {
    let bonn = Person(name: "Ada", address: Address(street: "Old 1", town: "Bonn"))
    var form = Partial(bonn)
    form[\.name.count] = 3
    XCTAssertEqual(
      form.merge(try decoded(#"{"address":{"geo":{"latitude":1},"street":"New 2"}}"#)), [\Person.address!.geo])
    XCTAssertEqual(form.address??.street, "New 2")
    var person = bonn
    XCTAssertEqual(form.apply(to: &person), [\Person.name.count, \Person.address!.geo])
    XCTAssertEqual(person.address?.street, "New 2")
  }

  /// The parts of one optional must not count as a later value of another one.
  func testLossOfOneOptionalIsReportedBesideThePartsOfAnother() throws {
    struct Couple: PartialSchemaProviding, Equatable, Sendable {
      var first: Address?
      var second: Address?
      static let partialSchema = Partial<Couple>.Schema()
        .nesting("first", \.first, Address.partialSchema).nesting("second", \.second, Address.partialSchema)
    }
    let couple = Couple(first: nil, second: Address(town: "Bonn"))
    for isWhole in [true, false] {
      var form = isWhole ? Partial(couple) : Partial(over: couple)
      let first: Partial<Couple> = try decoded(#"{"first":{"town":"Ockham"}}"#)
      let second: Partial<Couple> = try decoded(#"{"second":{"geo":{"latitude":1},"street":"New 2"}}"#)
      XCTAssertEqual(form.merge(first), [\Couple.first])
      XCTAssertEqual(form.merge(second), [\Couple.first, \Couple.second!.geo])
      XCTAssertEqual(Partial<Couple>.Validation().issues(in: form)?.count, 2)
      var applied = couple
      XCTAssertEqual(form.apply(to: &applied), [\Couple.first, \Couple.second!.geo], "\(isWhole)")
      XCTAssertEqual(applied.second?.street, "New 2")
    }
  }

  private struct Badge: PartialSchemaProviding, Codable, Hashable, Sendable {
    let id: Int
    var color = "red"
    static let partialSchema = Partial<Badge>.Schema(("id", \.id), ("color", \.color))
  }

  private struct Member: PartialSchemaProviding, Equatable, Sendable {
    var badge: Badge?
    let first: Badge?
    static let partialSchema = Partial<Member>.Schema()
      .nesting("badge", \.badge, Badge.partialSchema).nesting("first", \.first, Badge.partialSchema)
  }

  func testConstantsOfOptionalsAreReportedIfTheyWouldChange() throws {
    struct Holder: PartialSchemaProviding, Equatable, Sendable {
      var member: Badge?
      var size = 1
      static let partialSchema = Partial<Holder>.Schema(("size", \.size)).nesting("m", \.member, Badge.partialSchema)
    }
    let rules = Partial<Holder>.Validation()
    for (id, isLost) in [(1, false), (2, true)] {
      var form = Partial(over: Holder(member: Badge(id: 1)))
      // Without its color, the badge isn't decoded as a whole.
      let lost = form.merge(try decoded(#"{"m":{"id":\#(id)},"size":2}"#))
      XCTAssertEqual(lost, isLost ? [\Holder.member!.id] : [])
      XCTAssertEqual(rules.issues(in: form)?.description, isLost ? "member.id is invalid" : nil)
      XCTAssertEqual(try json(form.differences), isLost ? #"{"m":{"id":2},"size":2}"# : #"{"size":2}"#)
      var holder = Holder(member: Badge(id: 1))
      XCTAssertEqual(form.differences.apply(to: &holder), isLost ? [\Holder.member!.id] : [])
      XCTAssertEqual(holder, Holder(member: Badge(id: 1), size: 2))
    }
  }

  func testPartsOfAConstantOptionalAreReportedIfTheyWouldChange() throws {
    let member = Member(badge: Badge(id: 1), first: Badge(id: 1))
    for (color, lost) in [("red", []), ("blue", [\Member.first])] {
      var form = Partial(over: member)
      XCTAssertEqual(form.merge(try decoded(#"{"first":{"color":"\#(color)"}}"#)), lost)
      XCTAssertEqual(Partial<Member>.Validation().issues(in: form)?.count, lost.isEmpty ? nil : 1)
      var applied = member
      XCTAssertEqual(form.changes.apply(to: &applied), lost)
      XCTAssertEqual(applied, member)
    }
  }

  func testEnteredTextDoesNotHideLostParts() throws {
    for policy in [Partial<Person>.MergePolicy.replace, .keep] {
      var form = Partial(over: Person(name: "Ada"))
      form.enter("?", at: \.name) { _ in nil }
      XCTAssertEqual(form.merge(townEdit(), policy: policy), [\Person.address])
      XCTAssertEqual(rules.issues(in: form)?.map(\.kind), [.notUnderstood, .missing])
    }
  }
}
