import Drafts
import XCTest

/// Generic code must not write more than concrete code would.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
final class DraftGenericTests: XCTestCase {
  private func isDirty<Value>(_ draft: Draft<Value>) -> Bool { draft.isDirty }
  private func isDirty<Value>(_ draft: ObservableDraft<Value>) -> Bool { draft.isDirty }
  private func commit<Value>(_ draft: inout Draft<Value>) { try? draft.commit() }
  private func commit<Value>(_ draft: ObservableDraft<Value>) { try? draft.commit() }

  func testCommitWithoutEditsWritesNothing() {
    let shop = Shop()
    var draft = Draft(of: shop, \.filter)
    draft.limit = 50
    draft.limit = 10
    XCTAssertTrue(draft.isTouched)
    XCTAssertFalse(isDirty(draft))

    shop.filter.text = "newer"
    commit(&draft)
    XCTAssertEqual(shop.filter.text, "newer", "a stale value was written over it")
    XCTAssertEqual(shop.writes, 1)
    XCTAssertEqual(draft.text, "newer")
    XCTAssertFalse(draft.isTouched)
  }

  func testCommitOfAnObservableDraftWithoutEditsWritesNothing() {
    let shop = Shop()
    let draft = ObservableDraft(Draft(of: shop, \.filter))
    draft.limit = 50
    draft.limit = 10
    XCTAssertTrue(draft.draft.isTouched)
    XCTAssertFalse(isDirty(draft))

    shop.filter.text = "newer"
    commit(draft)
    XCTAssertEqual(shop.filter.text, "newer", "a stale value was written over it")
    XCTAssertEqual(shop.writes, 1)
    XCTAssertEqual(draft.text, "newer")
    XCTAssertFalse(draft.draft.isTouched)
  }

  func testUneditedNaNIsNotAnEdit() {
    struct Point: Equatable { var x = Double.nan, name = "" }
    final class Store { var point = Point() }
    let store = Store()
    var draft = Draft(of: store, \.point)
    draft.name = "a"
    draft.name = ""
    XCTAssertFalse(isDirty(draft))
    store.point.name = "theirs"
    commit(&draft)
    XCTAssertEqual(store.point.name, "theirs")
  }

  func testCommitWritesEditsOnce() {
    let shop = Shop()
    var draft = Draft(of: shop, \.filter)
    draft.limit = 50
    XCTAssertTrue(isDirty(draft))
    commit(&draft)
    XCTAssertEqual(shop.filter.limit, 50)
    XCTAssertEqual(shop.writes, 1)
    XCTAssertFalse(draft.isTouched)

    // A value that the source already holds is not written again.
    draft.limit = 60
    shop.filter.limit = 60
    commit(&draft)
    XCTAssertEqual(shop.writes, 2)
    XCTAssertFalse(draft.isDirty)

    let shared = ObservableDraft(Draft(of: shop, \.filter))
    shared.limit = 70
    XCTAssertTrue(isDirty(shared))
    commit(shared)
    XCTAssertEqual(shop.filter.limit, 70)
  }

  func testSettingANilOptionalToNilIsNotAnEdit() {
    final class Box { var name: String? }
    let box = Box()
    var draft = Draft(of: box, \.name)
    draft.current = nil
    XCTAssertFalse(isDirty(draft))
    box.name = "newer"
    commit(&draft)
    XCTAssertEqual(box.name, "newer")
  }

  /// Without `==`, a draft can't tell whether the value was set back.
  func testCommitWritesAValueThatIsNotEquatableOnceItWasSet() throws {
    struct Opaque { var count = 0 }
    final class Box {
      var opaque = Opaque() { didSet { writes += 1 } }
      var writes = 0
    }
    let box = Box()
    var draft = Draft(of: box, \.opaque)
    try draft.commit()
    XCTAssertEqual(box.writes, 0)
    draft.count = 0
    XCTAssertTrue(draft.isDirty)
    XCTAssertTrue(draft.isTouched)
    try draft.commit()
    XCTAssertEqual(box.writes, 1)
    box.opaque.count = 7
    try draft.commit()
    XCTAssertEqual(draft.count, 7)
    XCTAssertEqual(box.writes, 2, "only the write of the test was added")
  }
}
