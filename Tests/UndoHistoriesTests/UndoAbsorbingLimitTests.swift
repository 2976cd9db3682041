import TestSupport
import Testing
import UndoHistories

/// What absorbed edits take is bounded, and what is kept of those that are in the way of no step.
@Suite
struct UndoAbsorbingLimitTests {
  /// Three hundred megabytes stay beside one step under a limit of fifty.
  @Test
  func editsInTheWayOfAStepCountInTheLimit() {
    withKnownIssue("absorbed edits are in no limit of bytes") {
      var history = UndoHistory(initialValue: "")
      history.limit = .bytes(50_000)
      history.edit.append("mine")
      for number in 0..<30 { history.absorb { $0.set(String(repeating: "\(number % 10)", count: 1_000)) } }
      #expect(history.byteCount > 1_000)
    }
  }

  /// What a server changes is no step, also where there are no others: to have it back takes one.
  @Test
  func anEditThatIsInTheWayOfNoStepIsNotKept() {
    var history = UndoHistory(initialValue: "one")
    history.absorb { $0.set("theirs") }
    let isAdopted = history.adopt()
    #expect(!isAdopted && !history.canUndo && history.obstacle == nil)
    history.transaction("Reload") { $0.set("garbage") }
    history.undo()
    #expect(history.currentItem == "theirs")
  }

  /// So it is where it goes below all steps, as it commutes with them, or they were undone.
  @Test
  func anEditBelowAllStepsIsNotKept() {
    struct Form { var title = "", body = "one" }
    for isUndone in [false, true] {
      var history = UndoHistory(initialValue: Form())
      history.edit.title.set("mine")
      if isUndone { history.undo() }
      history.absorb { $0.body.set("theirs") }
      history.undo()
      let isAdopted = history.adopt()
      #expect(!isAdopted && !history.canUndo && history.redoCount == 1)
      #expect(history.title.isEmpty && history.body == "theirs")
      history.redo()
      #expect(history.title == "mine" && history.body == "theirs")
    }
  }
}
