import Drafts
import Observation
import XCTest

/// Observers hear of what changed, and of nothing else.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
final class ObservableDraftNotificationTests: XCTestCase {
  @Observable
  final class Model {
    var filter = Filter()
    var opaque = Opaque()
    var record = Record()
    var shy = Shy()
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

  /// How many of four observers, of all that a draft can be asked, hear of `change`.
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

  func testWhatHasNothingToDoTellsNobody() throws {
    let model = Model()
    let draft = ObservableDraft(of: model, \.filter)
    func check(line: UInt = #line) throws {
      XCTAssertEqual(notifications(of: draft) { try? draft.commit() }, 0, line: line)
      XCTAssertEqual(try notifications(of: draft) { try draft.commit(.overwrite) }, 0, line: line)
      XCTAssertEqual(try notifications(of: draft) { try draft.commit(.failOnConflict) }, 0, line: line)
      XCTAssertEqual(try notifications(of: draft) { try draft.commit(.merge(\.text)) }, 0, line: line)
      XCTAssertEqual(notifications(of: draft) { draft.rollback() }, 0, line: line)
      XCTAssertEqual(notifications(of: draft) { draft.rollback(\.text) }, 0, line: line)
      XCTAssertEqual(notifications(of: draft) { _ = draft.rebase() }, 0, line: line)
      XCTAssertEqual(notifications(of: draft) { _ = draft.rebase(\.text, \.limit) }, 0, line: line)
    }
    try check()
    draft.text = "hats"
    try draft.commit()
    try check()
    draft.text = "shoes"
    draft.rollback()
    try check()
    model.filter.text = "gloves"
    _ = draft.rebase(\.text)
    try check()
  }

  func testEditsThatARebaseLeavesAloneTellNobody() {
    let model = Model()
    let draft = ObservableDraft(of: model, \.filter)
    draft.text = "hats"
    XCTAssertEqual(notifications(of: draft) { _ = draft.rebase(\.text, \.limit) }, 0)
    XCTAssertEqual(notifications(of: draft) { draft.rollback(\.limit) }, 0, "another member is edited")
    XCTAssertEqual(notifications(of: draft) { draft.rollback(\.text) }, 4)
  }

  func testARefusedCommitTellsNobody() {
    let model = Model()
    let draft = ObservableDraft(of: model, \.filter)
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

  func testWhatHasSomethingToDoTellsEverybodyOnce() throws {
    let model = Model()
    let draft = ObservableDraft(of: model, \.filter)
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
    XCTAssertEqual(notifications(of: draft) { _ = draft.rebase(\.limit) }, 4)
    // Set back: the value stays, and it no more counts as written.
    draft.limit = 5
    XCTAssertEqual(notifications(of: draft) { draft.rollback() }, 4)
    XCTAssertFalse(draft.draft.isTouched)
  }

  /// As with a member of a struct in an `@Observable` class: after a write in place there is nothing to compare with.
  func testAWriteTellsEvenIfToTheSameValue() {
    let draft = ObservableDraft(of: Model(), \.filter)
    XCTAssertEqual(notifications(of: draft) { draft.limit = 10 }, 4)
    XCTAssertEqual(notifications(of: draft) { draft.current = Filter() }, 4)
    XCTAssertEqual(notifications(of: draft) { draft.update { _ in } }, 4)
  }

  func testValuesThatCannotBeCompared() {
    let model = Model()
    let draft = ObservableDraft(of: model, \.opaque)
    XCTAssertEqual(notifications(of: draft) { try? draft.commit() }, 0)
    XCTAssertEqual(notifications(of: draft) { draft.rollback(\.self) }, 0)
    XCTAssertEqual(notifications(of: draft) { draft.rollback(\.count) }, 0)
    draft.count = 1
    XCTAssertEqual(notifications(of: draft) { draft.rollback(\.count) }, 4)
    XCTAssertEqual(notifications(of: draft) { draft.rollback(\.count) }, 0, "as it was")
    model.opaque.count = 5
    XCTAssertEqual(notifications(of: draft) { try? draft.commit() }, 4, "follows the source")
  }

  /// An `==` that compares less than everything proves nothing.
  func testWhatAnEqualityLeavesOutIsTold() {
    let model = Model()
    let draft = ObservableDraft(of: model, \.record)
    model.record.note = "pushed"
    XCTAssertEqual(notifications(of: draft) { draft.rollback() }, 4)
    XCTAssertEqual(draft.note, "pushed")
    model.record.note = "pushed again"
    XCTAssertEqual(notifications(of: draft) { try? draft.commit() }, 4)
    XCTAssertEqual(draft.note, "pushed again")
    model.record.note = "and again"
    XCTAssertEqual(notifications(of: draft) { _ = draft.rebase(\.id) }, 4)
    XCTAssertEqual(draft.note, "and again")
    draft.note = "mine"
    XCTAssertEqual(notifications(of: draft) { draft.rollback(\.self) }, 4)
    XCTAssertEqual(draft.note, "and again")
  }

  /// The bytes between stored properties mean nothing, nor where a text is kept, if its characters are the same.
  func testValuesThatAreTheSameInOtherBytesTellNobody() {
    func text() -> String { String(repeating: "long enough for a buffer ", count: 2) }
    let source = Draft.Source(get: { Padded(flag: true, text: text(), choice: .some(text())) }, set: { _ in })
    let draft = ObservableDraft(source: source)
    XCTAssertEqual(notifications(of: draft) { draft.rollback() }, 0)
    XCTAssertEqual(notifications(of: draft) { try? draft.commit() }, 0)
  }

  func testAListThatIsVeryDeepIsTold() {
    let source = Draft<Chain>.Source(
      get: { (0..<5_000).reduce(Chain.end) { chain, number in .link(number, chain) } }, set: { _ in })
    let draft = ObservableDraft(source: source)
    XCTAssertEqual(notifications(of: draft) { draft.rollback() }, 4)
  }

  func testAnArrayOfAFixedSize() {
    let model = Model()
    let draft = ObservableDraft(of: model, \.fixed)
    XCTAssertEqual(notifications(of: draft) { draft.rollback() }, 0)
    draft.numbers[0] = 9
    XCTAssertEqual(notifications(of: draft) { draft.rollback(\.numbers) }, 4)
    model.fixed.numbers[1] = 7
    XCTAssertEqual(notifications(of: draft) { draft.rollback() }, 4, "follows the source")
    XCTAssertEqual(draft.numbers[1], 7)
  }

  func testWhatAMirrorDoesNotShowIsTold() {
    let model = Model()
    let draft = ObservableDraft(of: model, \.shy)
    XCTAssertEqual(notifications(of: draft) { draft.rollback() }, 0)
    model.shy.text = "b"
    XCTAssertEqual(notifications(of: draft) { draft.rollback() }, 4)
    model.any = [1]
    let any = ObservableDraft(of: model, \.any)
    XCTAssertEqual(notifications(of: any) { any.rollback() }, 0)
    model.any = [UInt(1)]
    XCTAssertEqual(notifications(of: any) { any.rollback() }, 4)
  }

  func testAChildWithNothingToDoTellsNobodyOfItsParent() {
    let parent = ObservableDraft(of: Model(), \.filter)
    let child = parent.child(\.price)
    XCTAssertEqual(notifications(of: parent) { try? child.commit() }, 0)
    child.to = 1
    child.to = 100
    XCTAssertEqual(notifications(of: parent) { try? child.commit() }, 0, "set back")
    child.to = 1
    XCTAssertEqual(notifications(of: parent) { try? child.commit() }, 4)
  }

  /// An observer of a commit is told before the source is written, and may write it.
  func testACommitSeesWhatItsOwnObserverWroteToTheSource() throws {
    let model = Model()
    let draft = ObservableDraft(of: model, \.filter)
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
    try commit { try draft.commit(.merge(\.text, \.limit)) }
    XCTAssertEqual(model.filter, Filter(text: "a", limit: 12))
    XCTAssertEqual(draft.current, model.filter)
    try commit { try draft.commit(.overwrite) }
    XCTAssertEqual(model.filter, Filter(text: "aa", limit: 12))
  }

  /// A setter may change more than the member that it is called for.
  func testACancelOfAnUneditedMemberTellsWhatItsSetterChanged() {
    let draft = ObservableDraft(of: Model(), \.counting)
    draft.note = "a"
    XCTAssertEqual(notifications(of: draft) { draft.rollback(\.number) }, 4)
    XCTAssertEqual(draft.sets, 1)
  }
}

private struct Unchecked<Value>: @unchecked Sendable {
  let value: Value
}
