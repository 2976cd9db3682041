import Dirtyables
import Drafts
import XCTest

final class DraftCommittingTests: XCTestCase {
  private let shop = Shop()
  private lazy var draft = Draft(of: shop, \.filter)

  override func setUp() {
    // Makes the lazy draft before a test changes the shop.
    XCTAssertEqual(draft.current, Filter())
  }

  func testCommitWritesTheSourceOnce() throws {
    draft.text = "hats"
    XCTAssertNoThrow(try draft.commit())
    XCTAssertEqual(shop.filter.text, "hats")
    XCTAssertEqual(shop.writes, 1)
    XCTAssertFalse(draft.isDirty)
    XCTAssertFalse(draft.sourceChanged)
    XCTAssertEqual(draft.base.text, "hats")
    try draft.commit()
    XCTAssertEqual(shop.writes, 1)
  }

  func testCommitWithoutEditsFollowsTheSourceInsteadOfOverwritingIt() {
    shop.filter.text = "hats"
    XCTAssertNoThrow(try draft.commit())
    XCTAssertEqual(shop.filter.text, "hats")
    XCTAssertEqual(draft.text, "hats")
    XCTAssertEqual(shop.writes, 1)
    XCTAssertFalse(draft.sourceChanged)
  }

  func testCommitOfTheValueThatTheSourceHoldsWritesNothing() {
    draft.limit = 20
    shop.filter.limit = 20
    XCTAssertNoThrow(try draft.commit())
    XCTAssertEqual(shop.writes, 1)
    XCTAssertFalse(draft.isDirty)
    XCTAssertFalse(draft.sourceChanged)
  }

  func testFailOnConflictFollowsTheSourceWithoutEdits() throws {
    shop.filter.text = "hats"
    try draft.commit(.failOnConflict)
    XCTAssertEqual(draft.text, "hats")
    XCTAssertEqual(shop.writes, 1)
  }

  func testMergeRefusesAMemberChangedOnBothSides() {
    draft.limit = 20
    draft.text = "mine"
    shop.filter = Filter(text: "theirs", limit: 10, price: Filter.Price(from: 5, to: 6))
    XCTAssertThrowsError(try draft.commit(.merge(.init(\.text, \.limit, \.price)))) { error in
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

  func testConflictIsReportedResolvedAndCommitted() throws {
    draft.limit = 20
    draft.text = "mine"
    shop.filter.text = "theirs"
    XCTAssertThrowsError(try draft.commit(.merge(.init(\.text, \.limit))))

    let conflicts = draft.rebase(merging: .init(\.text, \.limit))
    XCTAssertEqual(conflicts.keyPaths, [\.text])
    XCTAssertEqual(conflicts[\.text]?.base, "")
    XCTAssertEqual(conflicts[\.text]?.mine, "mine")
    XCTAssertEqual(conflicts[\.text]?.theirs, "theirs")
    XCTAssertFalse(draft.sourceChanged)
    XCTAssertEqual(draft.current, Filter(text: "mine", limit: 20))

    draft.rollback(\.text)
    XCTAssertEqual(draft.text, "theirs")
    try draft.commit(.failOnConflict)
    XCTAssertEqual(shop.filter, Filter(text: "theirs", limit: 20))
  }

  func testMergePolicyCanBeUsedAgain() throws {
    let policy = Draft<Filter>.CommitPolicy.merge(Dirtyable<Filter>.Fields(\.text, \.limit))
    for limit in 1...3 {
      draft.limit = limit
      shop.filter.text += "a"
      try draft.commit(policy)
      XCTAssertEqual(shop.filter, Filter(text: String(repeating: "a", count: limit), limit: limit))
    }
  }

  func testDraftFollowsASourceThatClampsItsValue() throws {
    var stored = 10
    var draft = Draft(source: .init(get: { stored }, set: { stored = min($0, 100) }))
    draft.current = 500
    try draft.commit()
    XCTAssertEqual(stored, 100)
    XCTAssertFalse(draft.isDirty)
    XCTAssertFalse(draft.sourceChanged)
    XCTAssertEqual([draft.current, draft.base], [100, 100])
    // The source already holds the clamped value here.
    draft.current = 200
    try draft.commit()
    XCTAssertEqual(draft.current, 100)
  }

  func testSourceThatTrimsTextAcceptsEveryCommit() throws {
    final class Model {
      var name = "Ada" { didSet { if name.hasSuffix(" ") { name.removeLast() } } }
    }
    let model = Model()
    var draft = Draft(of: model, \.name)
    let policies: [Draft<String>.CommitPolicy?] = [nil, .failOnConflict, .overwrite, .merge(.init())]
    for (count, policy) in policies.enumerated() {
      draft.current = "Ada \(count) "
      if let policy { try draft.commit(policy) } else { XCTAssertNoThrow(try draft.commit()) }
      XCTAssertEqual([model.name, draft.current, draft.base], Array(repeating: "Ada \(count)", count: 3))
      XCTAssertFalse(draft.sourceChanged || draft.isDirty)
    }
  }

  func testObservableDraftFollowsASourceThatTrimsText() throws {
    guard #available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *) else { return }
    var stored = "Ada"
    var whileWritten: () -> Void = {}
    let draft = ObservableDraft(
      Draft<String>(
        source: .init(
          get: { stored },
          set: {
            stored = String($0.prefix { $0 != " " })
            whileWritten()
          })))
    draft.current = "Eve "
    try draft.commit()
    XCTAssertEqual([stored, draft.current, draft.draft.base], ["Eve", "Eve", "Eve"])
    draft.current = "Bob "
    whileWritten = { draft.current = "typed meanwhile" }
    try draft.commit(.failOnConflict)
    XCTAssertEqual([stored, draft.current, draft.draft.base], ["Bob", "typed meanwhile", "Bob"])
    XCTAssertTrue(draft.isDirty)
    XCTAssertFalse(draft.draft.sourceChanged)
  }

  func testNestedDraftCommitsIntoItsParentAsOneEdit() throws {
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
    try screen.price.commit()
    XCTAssertEqual(screen.edits, 1)
    XCTAssertEqual(screen.draft.price, Filter.Price(from: 20, to: 30))
    XCTAssertEqual(screen.shop.filter, Filter(), "the parent has not committed yet")
    try screen.draft.commit()
    XCTAssertEqual(screen.shop.filter, Filter(text: "hats", price: Filter.Price(from: 20, to: 30)))
    XCTAssertEqual(screen.shop.writes, 1)
  }

  func testNestedDraftSeesChangesOfItsParent() {
    final class Screen {
      let shop = Shop()
      lazy var draft = Draft(of: shop, \.filter)
    }
    let screen = Screen()
    var price = Draft(of: screen, \.draft.price)
    price.to = 30
    screen.draft.price.from = 7
    XCTAssertTrue(price.sourceChanged)
    XCTAssertNoThrow(try price.commit(.merge(.init(\.from, \.to))))
    XCTAssertEqual(screen.draft.price, Filter.Price(from: 7, to: 30))
    screen.draft.rollback()
    XCTAssertTrue(price.sourceChanged, "the parent was rolled back")
    price.rollback()
    XCTAssertEqual(price.current, Filter.Price())
  }
}
