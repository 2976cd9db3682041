import Dirtyables
import Drafts
import TestSupport
import XCTest

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
final class DraftTests: XCTestCase {
  func testEditOfAMemberIsReportedAndRolledBack() {
    let shop = Shop()
    var draft = Draft(of: shop, \.filter)
    draft.price.to = 50
    XCTAssertTrue(draft.isDirty(\.price))
    XCTAssertTrue(draft.isDirty(\.price.to))
    XCTAssertFalse(draft.isDirty(\.price.from))
    XCTAssertEqual(draft.edits.changedKeyPaths(among: \.text, \.price), [\.price])
    XCTAssertEqual(draft.edits.change(for: \.price.to)?.old, 100)
    XCTAssertNil(draft.edits.change(for: \.text))
    draft.rollback(\.price)
    XCTAssertFalse(draft.isDirty)
  }

  func testWholeValueIsSetAndUpdated() {
    let shop = Shop()
    var draft = Draft(of: shop, \.filter)
    draft.current = Filter(text: "a")
    draft.update { swap(&$0.price.from, &$0.price.to) }
    XCTAssertEqual(draft.current, Filter(text: "a", price: Filter.Price(from: 100, to: 0)))
    XCTAssertEqual(draft.base, Filter())
  }

  func testElementsAreWrittenInPlace() throws {
    final class Box { var items = Array(0..<1000) }
    let box = Box()
    var draft = Draft(of: box, \.items)
    draft[dynamicMember: \.[0]] += 1
    let owned = storage(of: draft.current)
    for index in 0..<1000 { draft.current[index] += 1 }
    XCTAssertEqual(storage(of: draft.current), owned)
    try draft.commit()
    XCTAssertEqual(storage(of: box.items), owned, "the source takes the draft's storage over")
  }

  func testReadsAndWritesOfMembersNeverReadTheSource() {
    var reads = 0
    var draft = Draft(
      source: .init(
        get: {
          reads += 1
          return Filter()
        }, set: { _ in }))
    XCTAssertEqual(reads, 1)
    draft.text = "a"
    _ = (draft.text, draft.current, draft.base, draft.isDirty, draft.isDirty(\.text))
    XCTAssertEqual(reads, 1)
  }

  func testEveryCommitReadsTheSourceBeforeAndAfterItsWrite() throws {
    var stored = Filter()
    var reads = 0
    var draft = Draft(
      source: .init(
        get: {
          reads += 1
          return stored
        }, set: { stored = $0 }))
    for policy in [Draft<Filter>.CommitPolicy.failOnConflict, .overwrite, .merge(.init(\.text, \.limit))] {
      draft.limit += 1
      reads = 0
      try draft.commit(policy)
      XCTAssertEqual(reads, 2, "\(policy)")
    }
    draft.limit += 1
    reads = 0
    try draft.commit()
    XCTAssertEqual(reads, 2)
  }

  func testDraftRetainsItsObjectAndReleasesIt() throws {
    try withLifetimeTracking { tracker in
      final class Holder {
        var value: LifetimeTracked<Int>
        init(_ value: LifetimeTracked<Int>) { self.value = value }
      }
      var draft: Draft<LifetimeTracked<Int>>? = Draft(of: Holder(tracker.instance(1)), \.value)
      draft?.current = tracker.instance(2)
      expectEqual(tracker.liveCount, 2)
      try draft?.commit()
      expectEqual(tracker.liveCount, 1)
      draft = nil
      expectEqual(tracker.liveCount, 0)
    }
  }

  func testDraftOfAValueThatIsNotEquatableCommitsAndRollsBack() throws {
    struct Opaque { var count = 0 }
    final class Box {
      var opaque = Opaque()
      var writes = 0
    }
    let box = Box()
    var draft = Draft(
      source: .init(
        get: { box.opaque },
        set: {
          box.opaque = $0
          box.writes += 1
        }))
    try draft.commit()
    XCTAssertEqual(box.writes, 0, "an untouched draft has nothing to write")
    box.opaque.count = 9
    try draft.commit()
    XCTAssertEqual(draft.count, 9, "it follows its source")
    draft.count = 0
    XCTAssertTrue(draft.isDirty)
    draft.count = 5
    try draft.commit()
    XCTAssertEqual(box.opaque.count, 5)
    XCTAssertEqual(box.writes, 1)
    XCTAssertFalse(draft.isDirty)
    draft.count = 6
    draft.rollback()
    XCTAssertEqual(draft.count, 5)
    XCTAssertFalse(draft.isDirty)
  }

  /// The members of `Draft` hide those of the model, but views show `description`, so that must not be hidden.
  func testMemberNamedDescriptionIsReadFromTheModel() {
    struct Product: Equatable, CustomStringConvertible {
      var description = "A teapot"
    }
    final class Shop { var product = Product() }
    let shop = Shop()
    var draft = Draft(of: shop, \.product)
    draft.description = "Two teapots"
    XCTAssertEqual(draft.description, "Two teapots")
    let shared = ObservableDraft(Draft(of: shop, \.product))
    shared.description += "s"
    XCTAssertEqual(shared.description, "A teapots")
    XCTAssertEqual("\(shared)", "ObservableDraft(A teapot → A teapots)")
  }

  func testDraftHasTheIdentityOfItsValue() {
    struct Row: Identifiable { let id: Int; var title = "" }
    final class Table { var row = Row(id: 7) }
    func identity<Element: Identifiable>(of element: Element) -> Element.ID { element.id }
    let table = Table()
    XCTAssertEqual(identity(of: Draft(of: table, \.row)), 7)
    XCTAssertEqual(identity(of: ObservableDraft(Draft(of: table, \.row))), 7)
  }

  func testDraftOfARemovedElementCanBeDumped() {
    final class List { var rows = [1, 2] }
    let list = List()
    let draft = Draft(of: list, \.rows[1])
    list.rows.removeLast()
    var text = ""
    dump(draft, to: &text)
    XCTAssertTrue(text.contains("current: 2"))
    XCTAssertEqual("\(draft)", "Draft(2)")
  }

  func testDescriptionAndMirrorShowBaseAndCurrent() {
    let shop = Shop()
    var draft = Draft(of: shop, \.filter.limit)
    XCTAssertEqual("\(draft)", "Draft(10)")
    draft.current = 11
    shop.filter.limit = 12
    XCTAssertEqual("\(draft)", "Draft(10 → 11)")
    let children = Dictionary(
      uniqueKeysWithValues: Mirror(reflecting: draft).children.map { ($0.label ?? "", $0.value) })
    XCTAssertEqual(children["base"] as? Int, 10)
    XCTAssertEqual(children["current"] as? Int, 11)
    XCTAssertEqual(children.count, 2)
  }
}
