import Dirtyables
import XCTest

final class DirtyableChangesTests: XCTestCase {
  func testMemberIsDirtyOnlyIfItChanged() {
    var document = Dirtyable(Document())
    document.title = "One"
    XCTAssertTrue(document.isDirty(\.title))
    XCTAssertFalse(document.isDirty(\.count))
    XCTAssertTrue(document.isDirty(\.heading))
    XCTAssertTrue(document.isDirty(\.title.count))
    XCTAssertFalse(document.isDirty(\.address.city))
    document.address.city = "Leiden"
    XCTAssertTrue(document.isDirty(\.address.city))
    XCTAssertFalse(document.isDirty(\.address.number))
    XCTAssertTrue(document.isDirty(\.self))
    document.title = "Draft"
    XCTAssertFalse(document.isDirty(\.title))
  }

  func testAddedOrRemovedElementIsDirty() {
    struct Row: Identifiable, Equatable { var id: Int, title = "" }
    struct List: Equatable { var items = [1, 2], rows = [Row(id: 1), Row(id: 2)] }
    var list = Dirtyable(List())
    XCTAssertFalse(list.isDirty(\.items[2]) || list.isDirty(\.rows, id: 3))
    list.items.append(3)
    XCTAssertTrue(list.isDirty(\.items[2]))
    XCTAssertFalse(list.isDirty(\.items[-1]) || list.isDirty(\.items[1]) || list.isDirty(\.items[3]))
    list.items = [1]
    XCTAssertEqual([0, 1, 2].map { list.isDirty(\.items[$0]) }, [false, true, false])
    list.rows = [Row(id: 3), Row(id: 2, title: "x"), Row(id: 1)]
    XCTAssertEqual([1, 2, 3, 4].map { list.isDirty(\.rows, id: $0) }, [false, true, true, false])
    XCTAssertTrue(list.isDirty(\.rows[2].id) && !list.isDirty(\.rows[3].id))
    list.rows.removeLast()
    XCTAssertTrue(list.isDirty(\.rows, id: 1))
    list.rollback()
    XCTAssertFalse(list.isDirty(\.items[1]) || list.isDirty(\.rows, id: 1))
  }

  private struct Place: Equatable {
    struct Town: Equatable { var name = "Bonn", streets = ["Am Hof"] }
    var town: Town?
    var towns: [String: Town] = [:]
    var lists = [[1], [2]]
  }

  func testMemberOfAnAddedOrRemovedValueIsDirty() {
    var place = Dirtyable(Place())
    XCTAssertFalse(place.isDirty(\.town!.name) || place.isDirty(\.towns["b"]!.name))
    place.town = Place.Town()
    place.towns["b"] = Place.Town()
    place.lists[1] = []
    XCTAssertTrue(
      place.isDirty(\.town!.name) && place.isDirty(\.town!.streets[0]) && !place.isDirty(\.town!.streets[1]))
    XCTAssertTrue(place.isDirty(\.towns["b"]!.name) && !place.isDirty(\.towns["c"]!.name))
    XCTAssertTrue(place.isDirty(\.lists[1][0]) && !place.isDirty(\.lists[0][0]) && !place.isDirty(\.lists[2][0]))
    XCTAssertTrue(place.isDirty(\.town) && place.isDirty(\.town?.name))
  }

  func testChangeOfAnAddedOrRemovedElementHasNil() {
    struct List: Equatable { var items = [1, 2] }
    var list = Dirtyable(List())
    list.items = [1, 3, 4]
    XCTAssertNil(list.change(for: \.items[0]))
    XCTAssertEqual(list.change(for: \.items[1]).map { [$0.old, $0.new] }, [2, 3])
    XCTAssertEqual(list.change(for: \.items[2]).map { [$0.old, $0.new] }, [nil, 4])
    list.items = []
    XCTAssertEqual(list.change(for: \.items[1]).map { [$0.old, $0.new] }, [2, nil])
    XCTAssertNil(list.change(for: \.items[2]))
  }

  func testElementIsRolledBackOnlyIfBothVersionsHaveIt() {
    var place = Dirtyable(Place(town: Place.Town()))
    place.rollback(\.lists[0][0])
    XCTAssertFalse(place.isTouched)
    place.lists = [[5, 6], [7], [8]]
    place.town?.name = "Ulm"
    place.rollback(\.lists[0][0])
    place.rollback(\.lists[0][1])
    place.rollback(\.lists[2])
    place.rollback(\.town!.name)
    XCTAssertEqual(place.lists, [[1, 6], [7], [8]])
    XCTAssertEqual(place.town, Place.Town())
    place.town = nil
    place.rollback(\.town!.name)
    XCTAssertNil(place.town)
    XCTAssertEqual(place.original, Place(town: Place.Town()))
  }

  func testChangeHasTheOldAndTheNewValue() {
    var document = Dirtyable(Document())
    XCTAssertNil(document.change(for: \.count))
    document.count = 7
    XCTAssertEqual(document.change(for: \.count)?.old, 0)
    XCTAssertEqual(document.change(for: \.count)?.new, 7)
    XCTAssertNil(document.change(for: \.title))
  }

  func testChangesOfAMemberToAndFromNilAreReported() {
    struct Profile: Equatable { var nickname: String? = "Ada" }
    var profile = Dirtyable(Profile())
    profile.nickname = nil
    XCTAssertEqual(profile.change(for: \.nickname)?.old, "Ada")
    XCTAssertEqual(profile.change(for: \.nickname)?.new, .some(nil))
    XCTAssertTrue(profile.isDirty(\.nickname))
    profile.commit()
    profile.nickname = "Grace"
    XCTAssertTrue(profile.isDirty(\.nickname))
    XCTAssertEqual(profile.change(for: \.nickname)?.old, .some(nil))
  }

  func testChangedKeyPathsAreInTheOrderOfTheArguments() {
    var document = Dirtyable(Document())
    XCTAssertEqual(document.changedKeyPaths(among: \.title, \.count), [])
    document.count = 1
    document.items.removeLast()
    XCTAssertEqual(document.changedKeyPaths(among: \.title, \.items, \.count), [\.items, \.count])
    XCTAssertEqual(document.changedKeyPaths(among: \.count, \.address.city, \.items), [\.count, \.items])
    XCTAssertEqual(document.changedKeyPaths(), [])
    document.count = 0
    XCTAssertEqual(document.changedKeyPaths(among: \.title, \.items, \.count), [\.items])
  }

  func testNestedMembersAreCommittedAndRolledBack() {
    var document = Dirtyable(Document())
    document.address.city = "Leiden"
    document.address.number = 9
    document.commit(\.address.city)
    XCTAssertEqual(document.original.address, Document.Address(city: "Leiden", number: 1))
    document.rollback(\.address.number)
    XCTAssertFalse(document.isDirty)
  }
}
