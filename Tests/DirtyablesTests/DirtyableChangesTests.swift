import Dirtyables
import XCTest

final class DirtyableChangesTests: XCTestCase {
  func testDirtinessOfOneMember() {
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

  func testARowThatWasAddedOrRemovedIsDirty() {
    struct Row: Identifiable, Equatable { var id: Int, title = "" }
    struct List: Equatable { var items = [1, 2], rows = [Row(id: 1), Row(id: 2)] }
    var list = Dirtyable(List())
    XCTAssertFalse(list.isDirty(\.items, at: 2) || list.isDirty(\.rows, id: 3))
    list.items.append(3)
    XCTAssertEqual([-1, 0, 1, 2, 3].map { list.isDirty(\.items, at: $0) }, [false, false, false, true, false])
    list.items = [1]
    XCTAssertEqual([0, 1, 2].map { list.isDirty(\.items, at: $0) }, [false, true, false])
    list.rows = [Row(id: 3), Row(id: 2, title: "x"), Row(id: 1)]
    XCTAssertEqual([1, 2, 3, 4].map { list.isDirty(\.rows, id: $0) }, [false, true, true, false])
    list.rows.removeLast()
    XCTAssertTrue(list.isDirty(\.rows, id: 1))
    list.rollback()
    XCTAssertFalse(list.isDirty(\.items, at: 1) || list.isDirty(\.rows, id: 1))
  }

  func testChangeTellsOldAndNew() {
    var document = Dirtyable(Document())
    XCTAssertNil(document.change(for: \.count))
    document.count = 7
    XCTAssertEqual(document.change(for: \.count)?.old, 0)
    XCTAssertEqual(document.change(for: \.count)?.new, 7)
    XCTAssertNil(document.change(for: \.title))
    XCTAssertEqual(document.change(for: \.count).map(String.init(describing:)), "0 → 7")
  }

  func testChangeOfAnOptionalMemberToAndFromNil() {
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

  func testChangedKeyPathsComeInTheOrderAskedFor() {
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

  func testCommitOfOneMember() {
    var document = Dirtyable(Document())
    document.title = "One"
    document.count = 1
    document.commit(\.title)
    XCTAssertEqual(document.original.title, "One")
    XCTAssertEqual(document.original.count, 0)
    XCTAssertFalse(document.isDirty(\.title))
    XCTAssertTrue(document.isDirty(\.count))
    document.rollback()
    XCTAssertEqual(document.current, Document(title: "One"))
  }

  func testRollbackOfOneMember() {
    var document = Dirtyable(Document())
    document.title = "One"
    document.count = 1
    document.rollback(\.count)
    XCTAssertEqual(document.current, Document(title: "One"))
    XCTAssertTrue(document.isDirty)
    document.rollback(\.title)
    XCTAssertFalse(document.isDirty)
  }

  func testMembersDeepInside() {
    var document = Dirtyable(Document())
    document.address.city = "Leiden"
    document.address.number = 9
    document.commit(\.address.city)
    XCTAssertEqual(document.original.address, Document.Address(city: "Leiden", number: 1))
    document.rollback(\.address.number)
    XCTAssertFalse(document.isDirty)
  }
}
