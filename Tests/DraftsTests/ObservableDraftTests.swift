import Dirtyables
import Drafts
import Observation
import XCTest

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
final class ObservableDraftTests: XCTestCase {
  @Observable
  final class Model {
    var filter = Filter()
  }

  private final class Count: @unchecked Sendable {
    var value = 0
  }

  /// How often `change` notifies an observer of the properties that `read` reads.
  private func notifications(of read: () -> Void, during change: () throws -> Void) rethrows -> Int {
    let count = Count()
    withObservationTracking(read) { count.value += 1 }
    try change()
    return count.value
  }

  func testDraftIsEditedCommittedAndRolledBack() throws {
    let model = Model()
    let draft = ObservableDraft(Draft(of: model, \.filter))
    draft.text = "hats"
    draft.price.to += 1
    draft.limit = 3
    XCTAssertTrue(draft.isDirty)
    XCTAssertTrue(draft.draft.isDirty(\.price))
    XCTAssertEqual(draft.draft.edits.changedKeyPaths(among: \.limit, \.text), [\.limit, \.text])
    XCTAssertEqual(draft.draft.edits.change(for: \.limit)?.new, 3)
    XCTAssertEqual(model.filter, Filter())
    XCTAssertEqual("\(draft.draft.base.limit) \(draft.current.limit) \(model.filter.limit)", "10 3 10")
    draft.rollback(\.limit)
    XCTAssertNoThrow(try draft.commit())
    XCTAssertEqual(model.filter, Filter(text: "hats", price: Filter.Price(from: 0, to: 101)))
    draft.limit = 9
    draft.rollback()
    XCTAssertEqual(draft.limit, 10)
    XCTAssertFalse(draft.isDirty)
  }

  func testEveryChangeNotifiesItsObserver() throws {
    let model = Model()
    let draft = ObservableDraft(Draft(of: model, \.filter))
    XCTAssertEqual(notifications(of: { _ = draft.text }, during: { draft.text = "a" }), 1)
    XCTAssertEqual(notifications(of: { _ = draft.current }, during: { draft.price.to = 1 }), 1)
    XCTAssertEqual(notifications(of: { _ = draft.isDirty }, during: { draft.current.limit = 1 }), 1)
    XCTAssertEqual(notifications(of: { _ = draft.draft.isDirty(\.text) }, during: { try? draft.commit() }), 1)
    draft.text = "b"
    XCTAssertEqual(notifications(of: { _ = draft.text }, during: { draft.rollback() }), 1)
    draft.text = "c"
    XCTAssertEqual(try notifications(of: { _ = draft.draft.base }, during: { try draft.commit(.failOnConflict) }), 1)
    XCTAssertEqual(notifications(of: { _ = draft.text }, during: { draft.current = Filter() }), 1)
    XCTAssertEqual(notifications(of: { _ = draft.text }, during: { draft.rollback(\.text) }), 1)
  }

  /// `+=` reads the value that it adds to, so its caller observes the draft, as with any `@Observable` class.
  func testChangeInPlaceCountsAsARead() {
    let draft = ObservableDraft(Draft(of: Model(), \.filter))
    XCTAssertEqual(notifications(of: { draft.limit += 1 }, during: { draft.text = "a" }), 1)
  }

  func testChangeOfTheSourceNotifiesItsObserver() {
    let model = Model()
    let draft = ObservableDraft(Draft(of: model, \.filter))
    XCTAssertEqual(notifications(of: { _ = draft.draft.sourceChanged }, during: { model.filter.text = "a" }), 1)
    XCTAssertEqual(
      notifications(of: { _ = draft.draft.sourceChanged(in: \.limit) }, during: { model.filter.limit = 2 }), 1)
    XCTAssertEqual(notifications(of: { _ = draft.text }, during: { model.filter.text = "b" }), 0)
    XCTAssertTrue(draft.draft.sourceChanged)
    XCTAssertEqual(
      notifications(of: { _ = draft.text }, during: { XCTAssertTrue(draft.rebase(merging: .init(\.text)).isEmpty) }), 1)
    XCTAssertEqual(draft.text, "b")
    XCTAssertFalse(draft.draft.sourceChanged)
  }

  func testChildCommitsIntoItsParentAsOneEdit() throws {
    let model = Model()
    let parent = ObservableDraft(Draft(of: model, \.filter))
    let child = parent.child(\.price)
    child.from = 20
    child.to = 30
    XCTAssertFalse(parent.isDirty)
    XCTAssertTrue(child.isDirty)
    XCTAssertEqual(notifications(of: { _ = parent.text }, during: { try? child.commit() }), 1)
    XCTAssertEqual(parent.price, Filter.Price(from: 20, to: 30))
    XCTAssertEqual(model.filter, Filter())

    XCTAssertEqual(notifications(of: { _ = child.draft.sourceChanged }, during: { parent.price.from = 1 }), 1)
    child.from = 2
    XCTAssertThrowsError(try child.commit(.merge(.init(\.from, \.to))))
    XCTAssertEqual(child.rebase(merging: .init(\.from, \.to)).keyPaths, [\.from])
    child.rollback()
    try parent.commit()
    XCTAssertEqual(model.filter.price, Filter.Price(from: 1, to: 30))
  }

  func testGrandchildCommitsOnlyIntoItsParent() throws {
    let model = Model()
    let root = ObservableDraft(Draft(of: model, \.self.filter))
    let to = root.child(\.price).child(\.to)
    to.current = 7
    try to.commit()
    XCTAssertEqual(root.price.to, 100, "one level at a time")
    XCTAssertEqual(to.draft.base, 7)
  }

  func testSetterOfTheSourceMayReadTheDraftDuringACommit() throws {
    final class Owner {
      var stored = 0
      var seen: [Int] = []
      lazy var draft: ObservableDraft<Int> = ObservableDraft(
        Draft(
          source: .init(
            get: { self.stored },
            set: {
              self.seen.append(self.draft.current)
              self.stored = $0
            })))
    }
    let owner = Owner()
    owner.draft.current = 5
    try owner.draft.commit()
    XCTAssertEqual(owner.stored, 5)
    XCTAssertEqual(owner.seen, [5])
  }

  /// Such an edit starts from the committed value, so the commit must neither include nor discard it.
  func testEditMadeDuringACommitStays() throws {
    final class Owner {
      var stored = Filter()
      lazy var draft: ObservableDraft<Filter> = ObservableDraft(
        Draft(
          source: .init(
            get: { self.stored },
            set: {
              self.stored = $0
              self.draft.limit += 1
            })))
    }
    let owner = Owner()
    func check(_ commit: () throws -> Void) rethrows {
      owner.draft.rollback()
      owner.draft.text += "a"
      let committed = owner.draft.current
      try commit()
      XCTAssertEqual(owner.stored, committed)
      XCTAssertEqual(owner.draft.draft.base, committed)
      XCTAssertEqual(owner.draft.limit, committed.limit + 1)
    }
    check { try? owner.draft.commit() }
    try check { try owner.draft.commit(.overwrite) }
    try check { try owner.draft.commit(.failOnConflict) }
    try check { try owner.draft.commit(.merge(.init(\.text, \.limit))) }
  }

  func testReadingTheDraftIsObservedLikeReadingAMember() throws {
    let model = Model()
    let draft = ObservableDraft(Draft(of: model, \.filter))
    XCTAssertFalse(draft.draft.isTouched)
    XCTAssertEqual(notifications(of: { _ = draft.draft }, during: { draft.text = "a" }), 1)
    XCTAssertEqual(draft.draft.text, "a")
    XCTAssertTrue(draft.draft.isTouched)

    // A copy is independent, but has the same source.
    var copy = draft.draft
    copy.limit = 3
    XCTAssertEqual(draft.limit, 10)
    try copy.commit(.failOnConflict)
    XCTAssertEqual(model.filter, Filter(text: "a", limit: 3))
    XCTAssertTrue(draft.isDirty)
    XCTAssertTrue(draft.draft.sourceChanged)
  }

  func testMemberAccessThatThrowsIsAnObservedEdit() {
    struct Refused: Error {}
    func change(_ limit: inout Int) throws {
      limit = 5
      throw Refused()
    }
    let draft = ObservableDraft(Draft(of: Model(), \.filter))
    XCTAssertEqual(notifications(of: { _ = draft.isDirty }, during: { try? change(&draft.limit) }), 1)
    XCTAssertEqual(draft.limit, 5)
    XCTAssertTrue(draft.isDirty)
  }

  func testDraftOfAValueThatIsNotEquatableIsCommitted() throws {
    struct Opaque { var count = 0 }
    final class Box { var opaque = Opaque() }
    let box = Box()
    let draft = ObservableDraft(Draft(of: box, \.opaque))
    draft.count = 3
    XCTAssertTrue(draft.isDirty)
    try draft.commit()
    XCTAssertEqual(box.opaque.count, 3)
    XCTAssertFalse(draft.isDirty)
    XCTAssertEqual("\(draft)", "ObservableDraft(Opaque(count: 3))")
    XCTAssertEqual(Mirror(reflecting: draft).children.map(\.label), ["base", "current"])
  }

  /// `Observations` can follow a draft on every platform that has them.
  @MainActor
  func testChangesArriveAsASequence() async {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
    let draft = ObservableDraft(Draft(of: Model(), \.filter))
    let texts = Observations { draft.text }
    var seen: [String] = []
    let listening = Task {
      for await text in texts { seen.append(text) }
    }
    // The number of turns is bounded, so that a missing change fails the test instead of hanging it.
    for count in 1...3 {
      for _ in 0..<100_000 where seen.count < count { await Task.yield() }
      if count < 3 { draft.text += "a" }
    }
    listening.cancel()
    await listening.value
    XCTAssertEqual(seen, ["", "a", "aa"])
  }
}
