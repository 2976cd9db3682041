import TestSupport
import Testing
import UndoHistories

/// Remote edits count in the limit, and those that block no step aren't recorded.
@Suite
struct UndoRemoteEditsLimitTests {
  @Test
  func remoteEditsThatBlockAStepCountInTheLimit() {
    var history = UndoHistory(initialValue: "")
    history.limit = .bytes(50_000)
    history.edit.append("mine")
    for number in 0..<300 {
      history.applyRemote { $0.set(String(repeating: "\(number % 10)", count: 1_000)) }
      #expect(history.byteCount <= 50_000)
    }
    #expect(history.currentItem == String(repeating: "9", count: 1_000))
    history.edit.append("!")
    history.undo()
    #expect(history.currentItem == String(repeating: "9", count: 1_000))
  }

  @Test
  func remoteEditsBetweenStepsCountInTheLimit() {
    struct Form { var title = "", body = "" }
    var history = UndoHistory(initialValue: Form())
    history.limit = .bytes(50_000)
    for number in 0..<10 {
      history.transaction("\(number)") { $0.title.set("\(number)") }
      for _ in 0..<30 { history.applyRemote { $0.body.set(String(repeating: "\(number)", count: 1_000)) } }
      #expect(history.byteCount <= 50_000)
    }
    let count = history.undoCount
    #expect(count > 0)
    while history.undo() != nil {}
    #expect(history.title == (count == 10 ? "" : "\(9 - count)"))
    #expect(history.body == String(repeating: "9", count: 1_000))
  }

  @Test
  func restoredValuesStayWhenALimitDropsTheirStep() {
    struct Note { var text = "", caret = 0 }
    var history = UndoHistory(initialValue: Note())
    history.restoreOnUndo(\.caret)
    history.limit = .bytes(20_000)
    for round in 1...5 {
      history.edit.text.set("mine \(round)")
      history.currentItem.caret = round
      for number in 0..<50 {
        history.applyRemote { $0.text.set(String(repeating: "\(number % 10)", count: 1_000)) }
        history.currentItem.caret = number
      }
      #expect(history.byteCount <= 20_000)
      #expect(history.caret == 49)
    }
    history.edit.text.append("!")
    history.undo()
    #expect(history.text == String(repeating: "9", count: 1_000))
  }

  /// A remote edit isn't a step, even if there are no other steps, so it can't be undone.
  @Test
  func remoteEditThatBlocksNoStepIsNotRecorded() {
    var history = UndoHistory(initialValue: "one")
    history.applyRemote { $0.set("theirs") }
    let isAdopted = history.recordRemoteEdit()
    #expect(!isAdopted && !history.canUndo && history.blockingRemoteEdit == nil)
    history.transaction("Reload") { $0.set("garbage") }
    history.undo()
    #expect(history.currentItem == "theirs")
  }

  /// A remote edit moves below all steps if it commutes with them, or if they were undone.
  @Test
  func remoteEditBelowAllStepsIsNotRecorded() {
    struct Form { var title = "", body = "one" }
    for isUndone in [false, true] {
      var history = UndoHistory(initialValue: Form())
      history.edit.title.set("mine")
      if isUndone { history.undo() }
      history.applyRemote { $0.body.set("theirs") }
      history.undo()
      let isAdopted = history.recordRemoteEdit()
      #expect(!isAdopted && !history.canUndo && history.redoCount == 1)
      #expect(history.title.isEmpty && history.body == "theirs")
      history.redo()
      #expect(history.title == "mine" && history.body == "theirs")
    }
  }
}
