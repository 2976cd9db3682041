import Drafts
import Observation
import XCTest

/// Observers are notified of changes, and of nothing else.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
final class ObservableDraftNotificationTests: XCTestCase {
  @Observable
  final class Model {
    var filter = Filter()
    var opaque = Opaque()
    var record = Record()
    var shy = Shy()
    var page = Page()
    var any: [Any] = []
    var fixed = Fixed()
    var counting = Counting()
  }

  /// Counts how often its number is set.
  struct Counting {
    var note = ""
    var sets = 0
    private var stored = 0
    var number: Int {
      get { stored }
      set { (stored, sets) = (newValue, sets + 1) }
    }
  }

  struct Fixed {
    var flag = false
    var numbers: InlineArray<2, Int> = [1, 2]
  }

  struct Opaque { var count = 0 }

  struct Page: Equatable {
    struct Row: Identifiable, Equatable {
      var id = 1
      var note = ""
    }

    var text = ""
    var price = Filter.Price()
    var rows = [Row()]
  }

  struct Record: Equatable {
    var id = 1
    var note = ""

    static func == (left: Record, right: Record) -> Bool { left.id == right.id }
  }

  struct Padded: Equatable {
    var flag = false
    var text: String
    var choice: String?
  }

  indirect enum Chain {
    case end
    case link(Int, Chain)
  }

  struct Shy: CustomReflectable {
    var id = 1
    var text = "a"
    var customMirror: Mirror { Mirror(self, children: ["id": id]) }
  }

  private final class Count: @unchecked Sendable {
    var value = 0
  }

  /// How many of four observers, each of another property of the draft, `change` notifies.
  private func notifications<Value>(
    of draft: ObservableDraft<Value>, during change: () throws -> Void
  ) rethrows -> Int {
    let count = Count()
    withObservationTracking {
      _ = draft.current
    } onChange: {
      count.value += 1
    }
    withObservationTracking {
      _ = draft.draft.base
    } onChange: {
      count.value += 1
    }
    withObservationTracking {
      _ = draft.isDirty
    } onChange: {
      count.value += 1
    }
    withObservationTracking {
      _ = draft.draft.isTouched
    } onChange: {
      count.value += 1
    }
    try change()
    return count.value
  }

  func testCallsWithoutEffectNotifyNoObserver() throws {
    let model = Model()
    let draft = ObservableDraft(Draft(of: model, \.filter))
    func check(line: UInt = #line) throws {
      XCTAssertEqual(notifications(of: draft) { try? draft.commit() }, 0, line: line)
      XCTAssertEqual(try notifications(of: draft) { try draft.commit(.overwrite) }, 0, line: line)
      XCTAssertEqual(try notifications(of: draft) { try draft.commit(.failOnConflict) }, 0, line: line)
      XCTAssertEqual(try notifications(of: draft) { try draft.commit(.merge(.init(\.text))) }, 0, line: line)
      XCTAssertEqual(notifications(of: draft) { draft.rollback() }, 0, line: line)
      XCTAssertEqual(notifications(of: draft) { draft.rollback(\.text) }, 0, line: line)
      XCTAssertEqual(notifications(of: draft) { _ = draft.rebase() }, 0, line: line)
      XCTAssertEqual(notifications(of: draft) { _ = draft.rebase(merging: .init(\.text, \.limit)) }, 0, line: line)
    }
    try check()
    draft.text = "hats"
    try draft.commit()
    try check()
    draft.text = "shoes"
    draft.rollback()
    try check()
    model.filter.text = "gloves"
    _ = draft.rebase(merging: .init(\.text))
    try check()
  }

  func testRebaseThatKeepsTheEditsNotifiesNoObserver() {
    let model = Model()
    let draft = ObservableDraft(Draft(of: model, \.filter))
    draft.text = "hats"
    XCTAssertEqual(notifications(of: draft) { _ = draft.rebase(merging: .init(\.text, \.limit)) }, 0)
    XCTAssertEqual(notifications(of: draft) { draft.rollback(\.limit) }, 0, "another member is edited")
    XCTAssertEqual(notifications(of: draft) { draft.rollback(\.text) }, 4)
  }

  func testRefusedCommitNotifiesNoObserver() {
    let model = Model()
    let draft = ObservableDraft(Draft(of: model, \.filter))
    draft.text = "mine"
    model.filter.text = "theirs"
    let count = notifications(of: draft) {
      do {
        try draft.commit(.failOnConflict)
        XCTFail("mine is not theirs")
      } catch {}
    }
    XCTAssertEqual(count, 0)
  }

  func testCallsWithAnEffectNotifyEveryObserverOnce() throws {
    let model = Model()
    let draft = ObservableDraft(Draft(of: model, \.filter))
    draft.text = "hats"
    XCTAssertEqual(notifications(of: draft) { try? draft.commit() }, 4)
    draft.text = "shoes"
    XCTAssertEqual(try notifications(of: draft) { try draft.commit(.failOnConflict) }, 4)
    draft.text = "gloves"
    XCTAssertEqual(notifications(of: draft) { draft.rollback() }, 4)
    model.filter.limit = 3
    XCTAssertEqual(notifications(of: draft) { try? draft.commit() }, 4, "follows the source")
    model.filter.limit = 4
    XCTAssertEqual(notifications(of: draft) { draft.rollback() }, 4, "follows the source")
    model.filter.limit = 5
    XCTAssertEqual(notifications(of: draft) { _ = draft.rebase(merging: .init(\.limit)) }, 4)
    // The value is already set back. It stays, but no longer counts as touched.
    draft.limit = 5
    XCTAssertEqual(notifications(of: draft) { draft.rollback() }, 4)
    XCTAssertFalse(draft.draft.isTouched)
  }

  /// The same happens in an `@Observable` class: after a write in place the old value is gone, so it can't be compared.
  func testWritingTheSameValueNotifiesObservers() {
    let draft = ObservableDraft(Draft(of: Model(), \.filter))
    XCTAssertEqual(notifications(of: draft) { draft.limit = 10 }, 4)
    XCTAssertEqual(notifications(of: draft) { draft.current = Filter() }, 4)
    XCTAssertEqual(notifications(of: draft) { draft.current.limit += 0 }, 4)
  }

  func testValueThatIsNotEquatableNotifiesOnlyIfItChanged() {
    let model = Model()
    let draft = ObservableDraft(Draft(of: model, \.opaque))
    XCTAssertEqual(notifications(of: draft) { try? draft.commit() }, 0)
    XCTAssertEqual(notifications(of: draft) { draft.rollback(\.self) }, 0)
    XCTAssertEqual(notifications(of: draft) { draft.rollback(\.count) }, 0)
    draft.count = 1
    XCTAssertEqual(notifications(of: draft) { draft.rollback(\.count) }, 4)
    XCTAssertEqual(notifications(of: draft) { draft.rollback(\.count) }, 0, "nothing to roll back")
    model.opaque.count = 5
    XCTAssertEqual(notifications(of: draft) { try? draft.commit() }, 4, "follows the source")
  }

  /// An `==` that ignores a property does not prove that nothing changed.
  func testChangeThatEqualityIgnoresNotifiesObservers() {
    let model = Model()
    let draft = ObservableDraft(Draft(of: model, \.record))
    model.record.note = "pushed"
    XCTAssertEqual(notifications(of: draft) { draft.rollback() }, 4)
    XCTAssertEqual(draft.note, "pushed")
    model.record.note = "pushed again"
    XCTAssertEqual(notifications(of: draft) { try? draft.commit() }, 4)
    XCTAssertEqual(draft.note, "pushed again")
    model.record.note = "and again"
    XCTAssertEqual(notifications(of: draft) { _ = draft.rebase(merging: .init(\.id)) }, 4)
    XCTAssertEqual(draft.note, "and again")
    draft.note = "mine"
    XCTAssertEqual(notifications(of: draft) { draft.rollback(\.self) }, 4)
    XCTAssertEqual(draft.note, "and again")
  }

  /// Neither padding nor the storage of a text with the same characters counts.
  func testSameValueInOtherBytesNotifiesNoObserver() {
    func text() -> String { String(repeating: "long enough for a buffer ", count: 2) }
    let source = Draft.Source(get: { Padded(flag: true, text: text(), choice: .some(text())) }, set: { _ in })
    let draft = ObservableDraft(Draft(source: source))
    XCTAssertEqual(notifications(of: draft) { draft.rollback() }, 0)
    XCTAssertEqual(notifications(of: draft) { try? draft.commit() }, 0)
  }

  func testValueTooDeepToCompareNotifiesObservers() {
    let source = Draft<Chain>.Source(
      get: { (0..<5_000).reduce(Chain.end) { chain, number in .link(number, chain) } }, set: { _ in })
    let draft = ObservableDraft(Draft(source: source))
    XCTAssertEqual(notifications(of: draft) { draft.rollback() }, 4)
  }

  func testInlineArrayNotifiesOnlyIfItChanged() {
    let model = Model()
    let draft = ObservableDraft(Draft(of: model, \.fixed))
    XCTAssertEqual(notifications(of: draft) { draft.rollback() }, 0)
    draft.numbers[0] = 9
    XCTAssertEqual(notifications(of: draft) { draft.rollback(\.numbers) }, 4)
    model.fixed.numbers[1] = 7
    XCTAssertEqual(notifications(of: draft) { draft.rollback() }, 4, "follows the source")
    XCTAssertEqual(draft.numbers[1], 7)
  }

  func testChangeThatAMirrorHidesNotifiesObservers() {
    let model = Model()
    let draft = ObservableDraft(Draft(of: model, \.shy))
    XCTAssertEqual(notifications(of: draft) { draft.rollback() }, 0)
    model.shy.text = "b"
    XCTAssertEqual(notifications(of: draft) { draft.rollback() }, 4)
    model.any = [1]
    let any = ObservableDraft(Draft(of: model, \.any))
    XCTAssertEqual(notifications(of: any) { any.rollback() }, 0)
    model.any = [UInt(1)]
    XCTAssertEqual(notifications(of: any) { any.rollback() }, 4)
  }

  func testCommitOfAnUneditedChildNotifiesNoObserverOfItsParent() {
    let parent = ObservableDraft(Draft(of: Model(), \.filter))
    let child = parent.child(\.price)
    XCTAssertEqual(notifications(of: parent) { try? child.commit() }, 0)
    child.to = 1
    child.to = 100
    XCTAssertEqual(notifications(of: parent) { try? child.commit() }, 0, "set back")
    child.to = 1
    XCTAssertEqual(notifications(of: parent) { try? child.commit() }, 4)
  }

  /// Observers are notified before a child's commit writes its parent, so they may edit the parent first.
  func testCommitOfAChildKeepsWhatAnObserverEditsInItsParent() throws {
    let parent = ObservableDraft(Draft(of: Model(), \.page))
    func commit(_ commit: () throws -> Void) rethrows {
      let text = parent.text + "x"
      let (unsafe, count) = (Unchecked(value: parent), Count())
      withObservationTracking {
        _ = parent.isDirty
      } onChange: {
        // Its own edit notifies it, too.
        count.value += 1
        if count.value == 1 { unsafe.value.text = text }
      }
      try commit()
    }
    let child = parent.child(\.price)
    child.to = 1
    try commit { try child.commit() }
    XCTAssertEqual(parent.current, Page(text: "x", price: Filter.Price(to: 1)))
    let row = try XCTUnwrap(parent.child(\.rows, id: 1))
    row.note = "new"
    try commit { try row.commit() }
    XCTAssertEqual(parent.text, "xx")
    XCTAssertEqual(parent.rows.map(\.note), ["new"])
  }

  /// Observers are notified before a commit writes the source, so they may write it first.
  func testCommitSeesTheValueThatItsObserverWroteToTheSource() throws {
    let model = Model()
    let draft = ObservableDraft(Draft(of: model, \.filter))
    /// Runs `commit` of an edited text while an observer sets the limit of the source.
    func commit(_ commit: () throws -> Void) rethrows {
      draft.rollback()
      draft.text += "a"
      let limit = model.filter.limit + 1
      let unsafe = Unchecked(value: model)
      withObservationTracking {
        _ = draft.isDirty
      } onChange: {
        unsafe.value.filter.limit = limit
      }
      try commit()
    }
    XCTAssertThrowsError(try commit { try draft.commit(.failOnConflict) })
    XCTAssertEqual(model.filter, Filter(text: "", limit: 11))
    XCTAssertEqual(draft.text, "a", "a refused commit keeps the edits")
    try commit { try draft.commit(.merge(.init(\.text, \.limit))) }
    XCTAssertEqual(model.filter, Filter(text: "a", limit: 12))
    XCTAssertEqual(draft.current, model.filter)
    try commit { try draft.commit(.overwrite) }
    XCTAssertEqual(model.filter, Filter(text: "aa", limit: 12))
  }

  /// A setter may change other members as well.
  func testRollbackNotifiesIfTheSetterChangesAnotherMember() {
    let draft = ObservableDraft(Draft(of: Model(), \.counting))
    draft.note = "a"
    XCTAssertEqual(notifications(of: draft) { draft.rollback(\.number) }, 4)
    XCTAssertEqual(draft.sets, 1)
  }
}

private struct Unchecked<Value>: @unchecked Sendable {
  let value: Value
}
