import Dirtyables
import Drafts
import Foundation
import XCTest

final class DraftCommittingTests: XCTestCase {
  private let shop = Shop()
  private lazy var draft = Draft(of: shop, \.filter)

  override func setUp() {
    // The draft must begin from the shop as it is now, before a test changes it.
    XCTAssertEqual(draft.current, Filter())
  }

  func testCommitWritesOnceAndGoesOnFromThere() {
    draft.text = "hats"
    XCTAssertNil(draft.commit())
    XCTAssertEqual(shop.filter.text, "hats")
    XCTAssertEqual(shop.writes, 1)
    XCTAssertFalse(draft.hasEdits)
    XCTAssertFalse(draft.sourceChanged)
    XCTAssertEqual(draft.base.text, "hats")
    draft.commit()
    XCTAssertEqual(shop.writes, 1)
  }

  func testCommitWithoutEditsFollowsTheSourceInsteadOfOverwritingIt() {
    shop.filter.text = "hats"
    XCTAssertNil(draft.commit())
    XCTAssertEqual(shop.filter.text, "hats")
    XCTAssertEqual(draft.text, "hats")
    XCTAssertEqual(shop.writes, 1)
    XCTAssertFalse(draft.sourceChanged)
  }

  func testCommitTellsWhatItOverwrote() {
    draft.limit = 20
    shop.filter.text = "hats"
    XCTAssertEqual(draft.commit(), Filter(text: "hats"))
    XCTAssertEqual(shop.filter, Filter(limit: 20))
    XCTAssertFalse(draft.hasEdits)
  }

  func testCommitOfWhatTheSourceHoldsAlreadyWritesNothing() {
    draft.limit = 20
    shop.filter.limit = 20
    XCTAssertNil(draft.commit())
    XCTAssertEqual(shop.writes, 1)
    XCTAssertFalse(draft.hasEdits)
    XCTAssertFalse(draft.sourceChanged)
  }

  func testFailOnConflictWritesWhereTheSourceStayed() throws {
    draft.limit = 20
    try draft.commit(.failOnConflict)
    XCTAssertEqual(shop.filter.limit, 20)
    XCTAssertFalse(draft.hasEdits)
  }

  func testFailOnConflictFollowsWhereNothingWasEdited() throws {
    shop.filter.text = "hats"
    try draft.commit(.failOnConflict)
    XCTAssertEqual(draft.text, "hats")
    XCTAssertEqual(shop.writes, 1)
  }

  func testFailOnConflictRefusesAndChangesNothing() {
    draft.limit = 20
    shop.filter.text = "hats"
    XCTAssertThrowsError(try draft.commit(.failOnConflict)) { error in
      XCTAssertEqual((error as? Draft<Filter>.CommitError)?.keyPaths, [\.self])
    }
    XCTAssertEqual(shop.filter, Filter(text: "hats"))
    XCTAssertEqual(draft.current, Filter(limit: 20))
    XCTAssertEqual(draft.base, Filter())
    XCTAssertTrue(draft.hasEdits)
    XCTAssertTrue(draft.sourceChanged)
  }

  func testOverwriteWritesWhateverTheSourceHolds() throws {
    draft.limit = 20
    shop.filter.text = "hats"
    try draft.commit(.overwrite)
    XCTAssertEqual(shop.filter, Filter(limit: 20))
  }

  func testMergeKeepsBothSides() throws {
    draft.limit = 20
    shop.filter.text = "hats"
    try draft.commit(.merge(\.text, \.limit))
    XCTAssertEqual(shop.filter, Filter(text: "hats", limit: 20))
    XCTAssertEqual(draft.current, shop.filter)
    XCTAssertFalse(draft.hasEdits)
    XCTAssertFalse(draft.sourceChanged)
  }

  func testMergeRefusesAMemberThatBothChanged() {
    draft.limit = 20
    draft.text = "mine"
    shop.filter = Filter(text: "theirs", limit: 10, price: Filter.Price(from: 5, to: 6))
    XCTAssertThrowsError(try draft.commit(.merge(\.text, \.limit, \.price))) { error in
      XCTAssertEqual((error as? Draft<Filter>.CommitError)?.keyPaths, [\.text])
      XCTAssertEqual(
        "\(error)",
        """
        The source changed since the draft began, and differently from the draft, at \\Filter.text. \
        Nothing was written. Call rebase to see both sides, or commit(.overwrite).
        """)
    }
    XCTAssertEqual(shop.writes, 1)
    XCTAssertEqual(draft.current, Filter(text: "mine", limit: 20))
  }

  func testAConflictIsSeenResolvedAndCommitted() throws {
    draft.limit = 20
    draft.text = "mine"
    shop.filter.text = "theirs"
    XCTAssertThrowsError(try draft.commit(.merge(\.text, \.limit)))

    let conflicts = draft.rebase(\.text, \.limit)
    XCTAssertEqual(conflicts.keyPaths, [\.text])
    XCTAssertEqual(conflicts[\.text]?.base, "")
    XCTAssertEqual(conflicts[\.text]?.mine, "mine")
    XCTAssertEqual(conflicts[\.text]?.theirs, "theirs")
    XCTAssertFalse(draft.sourceChanged)
    XCTAssertEqual(draft.current, Filter(text: "mine", limit: 20))

    draft.cancel(\.text)
    XCTAssertEqual(draft.text, "theirs")
    try draft.commit(.failOnConflict)
    XCTAssertEqual(shop.filter, Filter(text: "theirs", limit: 20))
  }

  func testMergeByAListMadeOnce() throws {
    let policy = Draft<Filter>.CommitPolicy.merge(Dirtyable<Filter>.Fields(\.text, \.limit))
    for limit in 1...3 {
      draft.limit = limit
      shop.filter.text += "a"
      try draft.commit(policy)
      XCTAssertEqual(shop.filter, Filter(text: String(repeating: "a", count: limit), limit: limit))
    }
  }

  func testCancelBeginsAgainFromTheSource() {
    draft.limit = 20
    shop.filter.text = "hats"
    draft.cancel()
    XCTAssertEqual(draft.current, Filter(text: "hats"))
    XCTAssertFalse(draft.hasEdits)
    XCTAssertFalse(draft.sourceChanged)
    XCTAssertEqual(shop.writes, 1)
  }

  /// A source that corrects what it is given has changed since: the draft does not pretend to have written that.
  func testASourceThatCorrectsWhatItIsGiven() {
    var stored = 10
    var draft = Draft(source: .init(get: { stored }, set: { stored = min($0, 100) }))
    draft.current = 500
    draft.commit()
    XCTAssertEqual(stored, 100)
    XCTAssertFalse(draft.hasEdits)
    XCTAssertTrue(draft.sourceChanged)
    draft.cancel()
    XCTAssertEqual(draft.current, 100)
  }

  func testADraftWithinADraftCommitsIntoItAsOneEdit() throws {
    final class Screen {
      let shop = Shop()
      lazy var draft = Draft(of: shop, \.filter)
      var edits = 0
      lazy var price = Draft(
        source: .init(
          get: { self.draft.price },
          set: {
            self.draft.price = $0
            self.edits += 1
          }))
    }
    let screen = Screen()
    screen.draft.text = "hats"
    screen.price.from = 20
    screen.price.to = 30
    XCTAssertEqual(screen.draft.price, Filter.Price())
    screen.price.commit()
    XCTAssertEqual(screen.edits, 1)
    XCTAssertEqual(screen.draft.price, Filter.Price(from: 20, to: 30))
    XCTAssertEqual(screen.shop.filter, Filter(), "the parent has not committed yet")
    screen.draft.commit()
    XCTAssertEqual(screen.shop.filter, Filter(text: "hats", price: Filter.Price(from: 20, to: 30)))
    XCTAssertEqual(screen.shop.writes, 1)
  }

  func testAChildIsAPlaceInItsParent() {
    final class Screen {
      let shop = Shop()
      lazy var draft = Draft(of: shop, \.filter)
    }
    let screen = Screen()
    var price = Draft(of: screen, \.draft.price)
    price.to = 30
    screen.draft.price.from = 7
    XCTAssertTrue(price.sourceChanged)
    XCTAssertNoThrow(try price.commit(.merge(\.from, \.to)))
    XCTAssertEqual(screen.draft.price, Filter.Price(from: 7, to: 30))
    screen.draft.cancel()
    XCTAssertTrue(price.sourceChanged, "the parent was cancelled under its child")
    price.cancel()
    XCTAssertEqual(price.current, Filter.Price())
  }

  func testAListedMemberThatTheValuesEqualityLeavesOutIsWritten() throws {
    struct Item: Identifiable, Equatable {
      var id = 1, name = "old"
      static func == (left: Item, right: Item) -> Bool { left.id == right.id }
    }
    final class Store { var item = Item() }
    let store = Store()
    var draft = Draft(of: store, \.item)
    draft.name = "new"
    try draft.commit(.merge(\.name))
    XCTAssertEqual([store.item.name, draft.base.name, draft.current.name], ["new", "new", "new"])
    XCTAssertFalse(draft.sourceChanged(in: \.name))
  }

  private struct Point: Equatable { var x = Double.nan, tags = ["a"].map(\.self), name = "" }
  private final class Plane { var point = Point() }

  func testWhatEqualsNothingIsNoEditWhereItIsSetBack() {
    let model = Plane()
    var draft = Draft(of: model, \.point)
    draft.name = "a"
    XCTAssertTrue(draft.hasEdits)
    draft.name = ""
    XCTAssertFalse(draft.hasEdits)
    model.point.name = "elsewhere"
    XCTAssertNil(draft.commit())
    XCTAssertEqual(model.point.name, "elsewhere")
    XCTAssertEqual(draft.name, "elsewhere")
  }

  func testWhatEqualsNothingWasEditedByNobody() {
    var draft = Draft(of: Plane(), \.point)
    draft.name = "a"
    XCTAssertFalse(draft.hasEdits(in: \.x))
    XCTAssertNil(draft.change(for: \.x))
    XCTAssertEqual(draft.changedKeyPaths(among: \.x, \.name), [\.name])
    draft.x = 5
    XCTAssertEqual(draft.changedKeyPaths(among: \.x, \.name), [\.x, \.name])
    XCTAssertEqual(draft.change(for: \.x)?.new, 5)
  }

  /// As a decoder makes it anew with each reading.
  func testWhatIsNotANumberIsNoChangeAlsoBesideElementsInOtherStorage() throws {
    final class Decoded {
      var name = ""
      var point: Point {
        get { Point(name: name) }
        set { name = newValue.name }
      }
    }
    let store = Decoded()
    var draft = Draft(of: store, \.point)
    XCTAssertFalse(draft.sourceChanged)
    draft.name = "new"
    try draft.commit(.failOnConflict)
    XCTAssertEqual(store.name, "new")
  }

  func testAMemberThatEqualityLeavesOutIsWrittenWhereTheSourceIsAsItWas() throws {
    struct Item: Equatable {
      let id: Int
      var title = ""
      static func == (a: Item, b: Item) -> Bool { a.id == b.id }
    }
    final class Store { var item = Item(id: 1) }
    let store = Store()
    var draft = Draft(of: store, \.item)
    draft.title = "typed"
    try draft.commit(.failOnConflict)
    XCTAssertEqual(draft.title, "typed")
    XCTAssertEqual(store.item.title, "typed")
    draft.title = "mine"
    store.item.title = "theirs"
    XCTAssertThrowsError(try draft.commit(.failOnConflict))
    XCTAssertEqual([draft.title, store.item.title], ["mine", "theirs"])
  }

  private struct Item: Equatable {
    let id: Int
    var revision = 1, title = "", tags: [Tag] = []
    static func == (a: Item, b: Item) -> Bool { a.id == b.id && a.revision == b.revision }
  }
  private struct Tag: Equatable { let name: String }
  private final class Items { var item = Item(id: 1) }

  func testAnEditThatEqualityLeavesOutIsNotLostOverANewerSource() {
    for edit in [{ $0.title = "mine" }, { $0.tags = [Tag(name: "mine")] }] as [(inout Item) -> Void] {
      let store = Items()
      var draft = Draft(of: store, \.item)
      draft.update(edit)
      let mine = draft.current
      store.item.revision = 2
      XCTAssertThrowsError(try draft.commit(.failOnConflict))
      XCTAssertEqual([draft.title, "\(draft.tags)"], [mine.title, "\(mine.tags)"])
      XCTAssertEqual([store.item.title, "\(store.item.revision)"], ["", "2"])
      XCTAssertNoThrow(try draft.commit(.merge(\.revision)))
      XCTAssertEqual([store.item.title, "\(store.item.tags)"], [mine.title, "\(mine.tags)"])
      XCTAssertEqual(store.item.revision, 2)
    }
  }

  func testANewerSourceThatDiffersInWhatEqualityLeavesOutIsNotOverwritten() {
    for policy in [.failOnConflict, .merge(\.revision)] as [Draft<Item>.CommitPolicy] {
      let store = Items()
      var draft = Draft(of: store, \.item)
      draft.revision = 5
      store.item.title = "theirs"
      let isMerged = (try? draft.commit(policy)) != nil
      XCTAssertEqual(store.item.title, "theirs")
      XCTAssertEqual([draft.revision, store.item.revision], isMerged ? [5, 5] : [5, 1])
    }
  }

  func testBothSidesThatComeToEqualValuesAreInConflictByWhatEqualityLeavesOut() {
    let store = Items()
    var draft = Draft(of: store, \.item)
    draft.update { ($0.revision, $0.title) = (2, "mine") }
    store.item = Item(id: 1, revision: 2, title: "theirs")
    XCTAssertThrowsError(try draft.commit(.failOnConflict))
    XCTAssertEqual([draft.title, store.item.title], ["mine", "theirs"])
  }

  func testWhatConflictedIsOverwrittenAlsoWhereEqualityLeavesItOut() throws {
    for revision in [1, 2] {
      let store = Items()
      var draft = Draft(of: store, \.item)
      draft.update { ($0.revision, $0.title) = (revision, "mine") }
      store.item = Item(id: 1, revision: 2, title: "theirs")
      XCTAssertThrowsError(try draft.commit(.failOnConflict))
      try draft.commit(.overwrite)
      XCTAssertEqual([store.item.title, draft.title], ["mine", "mine"])
    }
  }

  func testMembersWithoutEqualityOfTheirOwnAreLookedInto() {
    struct Meta { var note = "" }
    enum State { case idle, loading, failed(Meta) }
    struct Page: Equatable {
      var revision = 1
      var meta: Meta?
      var state = State.idle
      static func == (a: Page, b: Page) -> Bool { a.revision == b.revision }
    }
    final class Store { var page = Page() }
    let edits: [(inout Page) -> Void] = [
      { $0.meta = Meta(note: "new") }, { $0.state = .loading }, { $0.state = .failed(Meta()) },
    ]
    for edit in edits {
      let store = Store()
      var draft = Draft(of: store, \.page)
      draft.revision = 5
      edit(&store.page)
      XCTAssertThrowsError(try draft.commit(.failOnConflict))
      XCTAssertEqual(store.page.revision, 1)
    }
    for edit in edits {
      let store = Store()
      var draft = Draft(of: store, \.page)
      draft.update(edit)
      let mine = draft.current
      store.page.revision = 2
      XCTAssertThrowsError(try draft.commit(.failOnConflict))
      XCTAssertTrue(draft.rebase(\.revision).isEmpty)
      XCTAssertNoThrow(try draft.commit(.merge(\.revision)))
      XCTAssertEqual("\(store.page.meta as Any) \(store.page.state)", "\(mine.meta as Any) \(mine.state)")
      XCTAssertEqual(store.page.revision, 2)
    }
  }

  /// An object that nobody can look into is the value's own affair, whose `==` tells.
  func testAValueThatCopiesItsStorageIsEditedOnlyWhereItDiffers() throws {
    struct Message: Equatable {
      private final class Storage { var x = 0, y = 0 }
      private var storage = Storage()
      var x: Int {
        get { storage.x }
        set { change { $0.x = newValue } }
      }
      var y: Int {
        get { storage.y }
        set { change { $0.y = newValue } }
      }
      private mutating func change(_ change: (Storage) -> Void) {
        let new = Storage()
        (new.x, new.y) = (x, y)
        change(new)
        storage = new
      }
      static func == (a: Message, b: Message) -> Bool { a.x == b.x && a.y == b.y }
    }
    struct Page: Equatable { var message = Message(), title = "" }
    final class Store { var page = Page() }
    for policy in [.overwrite, .failOnConflict, .merge(\.message.x)] as [Draft<Page>.CommitPolicy] {
      let store = Store()
      var draft = Draft(of: store, \.page)
      draft.message.x = 1
      draft.message.x = 0
      store.page.message.y = 2
      try draft.commit(policy)
      XCTAssertEqual([store.page.message.y, draft.message.y], [2, 2])
    }
    let store = Store()
    var draft = Draft(of: store, \.page)
    draft.message.x = 1
    store.page.message.y = 2
    try draft.commit(.merge(\.message.x))
    XCTAssertEqual([store.page.message.x, store.page.message.y], [1, 2])
    draft.message.x = 3
    store.page.message.x = 3
    XCTAssertTrue(draft.rebase(\.message.x).isEmpty)
    XCTAssertFalse(draft.hasEdits)
    store.page.title = "theirs"
    XCTAssertNoThrow(try draft.commit(.failOnConflict))
    XCTAssertEqual(draft.title, "theirs")
  }

  func testAnObjectThatWasAssignedIsWrittenWhereTheSourceIsAsItWas() throws {
    final class Box {}
    struct Page: Equatable {
      var text = "", box = Box()
      static func == (a: Page, b: Page) -> Bool { a.text == b.text }
    }
    final class Store { var page = Page() }
    for policy in [.overwrite, .failOnConflict, .merge(\.text)] as [Draft<Page>.CommitPolicy] {
      let store = Store()
      var draft = Draft(of: store, \.page)
      let box = Box()
      draft.box = box
      try draft.commit(policy)
      XCTAssertTrue(store.page.box === box)
    }
  }

  func testEqualTextsInOtherFormsAreNoChangeOfAnybodys() throws {
    struct Page: Equatable { var name = "caf\u{e9}", note = "a", price = Decimal(1), text = NSString(string: "a") }
    final class Store { var page = Page() }
    let store = Store()
    var draft = Draft(of: store, \.page)
    draft.name = "cafe\u{301}"
    store.page.note = "b"
    XCTAssertNoThrow(try draft.commit(.merge(\.name)))
    XCTAssertEqual(draft.note, "b")
    draft.note = "c"
    store.page.text = NSMutableString(string: "a")
    store.page.price = Decimal(string: "1.0")!
    XCTAssertNoThrow(try draft.commit(.failOnConflict))
    XCTAssertEqual(store.page.note, "c")
  }

  /// As one that is decoded anew with each reading.
  func testAnObjectOfWhichNothingIsKnownIsNoChange() throws {
    final class Cache {}
    struct Page: Equatable {
      var text = "", cache = Cache()
      var filled: Cache?
      static func == (a: Page, b: Page) -> Bool { a.text == b.text }
    }
    final class Decoded {
      var text = ""
      var page: Page {
        get { Page(text: text) }
        set { text = newValue.text }
      }
    }
    let store = Decoded()
    var draft = Draft(of: store, \.page)
    draft.text = "new"
    draft.filled = Cache()
    try draft.commit(.failOnConflict)
    XCTAssertEqual(store.text, "new")
    draft.text = "newer"
    XCTAssertNoThrow(try draft.commit(.failOnConflict))
  }

  func testWhatIsNotANumberIsNoChangeOfAnybodys() throws {
    for policy in [.failOnConflict, .merge(\.x, \.name)] as [Draft<Point>.CommitPolicy] {
      let store = Plane()
      var draft = Draft(of: store, \.point)
      XCTAssertFalse(draft.sourceChanged || draft.sourceChanged(in: \.x))
      draft.name = "new"
      XCTAssertNoThrow(try draft.commit(policy))
      XCTAssertEqual(store.point.name, "new")
      draft.name = "newer"
      XCTAssertNil(draft.commit())
      // But a number in its place is one.
      store.point.x = 5
      XCTAssert(draft.sourceChanged && draft.sourceChanged(in: \.x))
    }
  }
}
