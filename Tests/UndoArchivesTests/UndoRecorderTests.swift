import TestSupport
import UndoArchives
import UndoHistories
import XCTest

/// The messages that a recorder writes about a history, in which it leaves no traces.
final class UndoRecorderTests: XCTestCase {
  private typealias Recorder = UndoRecorder<Outline>

  private func record(
    _ history: inout UndoHistory<Outline>, _ recorder: Recorder,
    _ body: (inout UndoHistory<Outline>) -> Void
  ) -> [UInt8] {
    history.observed(by: recorder, body)
    XCTAssertNil(recorder.error)
    return recorder.takeMessages()
  }

  // MARK: Bytes

  func testKeystrokeTakesTwoBytesBesidesItsText() {
    let recorder = UndoRecorder<String>(.json)
    for length in [0, 100_000] {
      var history = UndoHistory(initialValue: String(repeating: "x", count: length))
      recorder.begin(with: &history)
      history.observed(by: recorder) { $0.edit.insert("H", atUTF8: length / 2) }
      XCTAssertLessThanOrEqual(recorder.takeMessages().count, 10)
      for key in ["e", "l", "é"] {
        history.observed(by: recorder) { $0.edit.insert(key, atUTF8: $0.currentItem.utf8.count - length / 2) }
        XCTAssertEqual(recorder.takeMessages(), [17, UInt8(key.utf8.count)] + Array(key.utf8))
      }
      history.observed(by: recorder) { $0.edit.removeSubrange(utf8: 0..<0) }
      XCTAssertEqual(recorder.takeMessages(), [])
    }
  }

  func testKeystrokeInAnArrayElementTakesTwoBytesBesidesItsText() {
    var outline = Outline()
    outline.rows = (0..<9).map { _ in Outline.Row(title: String(repeating: "long ", count: 100)) }
    var history = UndoHistory(initialValue: outline)
    let recorder = Recorder(.json)
    recorder.begin(with: &history)
    XCTAssertEqual(
      record(&history, recorder) { $0.edit.rows[3].title.insert("a", atUTF8: 5) }, [16, 7, 8, 3, 1, 2, 5, 0, 1, 97])
    XCTAssertEqual(record(&history, recorder) { $0.edit.rows[3].title.insert("b", atUTF8: 6) }, [17, 1, 98])
    XCTAssertEqual(record(&history, recorder) { $0.edit.rows[3].value = -1 }, [16, 7, 8, 3, 3, 0, 1])
    XCTAssertEqual(record(&history, recorder) { $0.edit.frame.y = 0 }, [])
    XCTAssertEqual(record(&history, recorder) { $0.undo() }, [4])
    XCTAssertEqual(record(&history, recorder) { $0.redo() }, [5])
    XCTAssertEqual(record(&history, recorder) { $0.redo() }, [])
  }

  func testKeyOrMemberIsWrittenWithoutTheOthers() {
    var outline = Outline()
    for number in 0..<100 { outline.weights["key \(number)"] = number }
    outline.marks = Set(outline.weights.keys)
    var history = UndoHistory(initialValue: outline)
    let recorder = Recorder(.json)
    recorder.begin(with: &history)
    XCTAssertEqual(record(&history, recorder) { $0.edit.weights["a"] = 3 }, [16, 11, 10, 1, 97, 6])
    XCTAssertEqual(record(&history, recorder) { $0.edit.weights.removeValue(forKey: "a") }, [16, 11, 11, 1, 97])
    XCTAssertEqual(record(&history, recorder) { $0.edit.marks.insert("a") }, [16, 12, 10, 1, 97])
    XCTAssertEqual(record(&history, recorder) { $0.edit.marks.remove("a") }, [16, 12, 11, 1, 97])
  }

  /// The first record of the new chunk ends at the same offset as the record before it did in the old chunk, so the
  /// recorder must not confuse the two.
  func testKeystrokeInANewChunkTakesTwoBytesBesidesItsText() {
    let recorder = UndoRecorder<String>(.json)
    var history = UndoHistory(initialValue: "text")
    history.keepsBranches = true
    history.edit.append("a")
    history.undo()
    history.edit.append("b")
    // The chunk of the detached steps has that size.
    history.go(to: history.branches[0])
    recorder.begin(with: &history)
    history.observed(by: recorder) { $0.edit.insert("c", atUTF8: 0) }
    _ = recorder.takeMessages()
    history.observed(by: recorder) { $0.edit.insert("d", atUTF8: 1) }
    XCTAssertEqual(recorder.takeMessages(), [17, 1, 100])
  }

  func testBackwardAndForwardDeletionsAreWrittenAsCounts() {
    var history = UndoHistory(initialValue: Outline(title: "abcdef"))
    let recorder = Recorder(.json)
    recorder.begin(with: &history)
    _ = record(&history, recorder) { $0.edit.title.removeSubrange(utf8: 3..<4) }
    XCTAssertEqual(record(&history, recorder) { $0.edit.title.removeSubrange(utf8: 2..<3) }, [18, 1])
    XCTAssertEqual(history.title, "abef")
    _ = record(&history, recorder) { $0.edit.title.removeSubrange(utf8: 0..<1) }
    XCTAssertEqual(record(&history, recorder) { $0.edit.title.removeSubrange(utf8: 0..<2, as: .typing) }, [19, 2])
    XCTAssertEqual(history.title, "f")
  }

  /// The new text has as many bytes as the old one, so that the range of the record stays the same.
  func testRewrittenTextIsWrittenFromWhereItChanged() throws {
    var (history, replayed) = (UndoHistory(initialValue: Outline()), UndoHistory(initialValue: Outline()))
    let recorder = Recorder(.json)
    recorder.begin(with: &history)
    var messages: [UInt8] = []
    for (start, removed, text) in [(0, 0, "a"), (1, 0, "ㅎ"), (1, 3, "하"), (1, 3, "한"), (4, 0, "b")] {
      let new = record(&history, recorder) { $0.edit.title.replaceSubrange(utf8: start..<start + removed, with: text) }
      if removed > 0 { XCTAssertEqual(new, [144, 1, 2, 1, 3, 3] + Array(text.utf8)) }
      messages += new
    }
    for (removed, text) in [(0, "n"), (1, "ni"), (2, "你")] {
      messages += record(&history, recorder) {
        $0.edit.title.replaceSubrange(utf8: 5..<5 + removed, with: text, as: .composing)
      }
    }
    var replayer = try UndoReplayer<Outline>(recorder.header, .json)
    try replayer.replay(messages, in: &replayed)
    replayer.finish(&replayed)
    XCTAssertTrue(replayed == history)
    XCTAssertEqual([replayed.undoCount, replayed.byteCount], [2, history.byteCount])
    for title in ["a한b", ""] {
      replayed.undo()
      XCTAssertEqual(replayed.title, title)
    }
  }

  /// The text that joins the step is written once, and not again between the edits of the restored value.
  func testRestoredValuesOfAJoiningTransactionAreReplayed() throws {
    var (history, replayed) = (UndoHistory(initialValue: Outline()), UndoHistory(initialValue: Outline()))
    history.restoreOnUndo(\.selection)
    replayed.restoreOnUndo(\.selection)
    let recorder = Recorder(.json)
    recorder.begin(with: &history)
    _ = record(&history, recorder) { $0.edit.title.append("a") }
    var messages = record(&history, recorder) { history in
      history.joiningTransaction { edit in
        edit.title.append("b", as: .typing)
        edit.selection.append("x")
        edit.title.append("c")
        edit.selection.append("y")
      }
    }
    XCTAssertEqual(messages, [17, 2] + Array("bc".utf8) + [16, 16, 0, 2] + Array("xy".utf8))
    messages = [16, 1, 2, 0, 0, 1, 97] + messages
    var replayer = try UndoReplayer<Outline>(recorder.header, .json)
    try replayer.replay(messages, in: &replayed)
    for var history in [history, replayed] {
      history.edit.selection = "elsewhere"
      history.undo()
      history.redo()
      XCTAssertEqual(history.selection, "xy")
    }
    try replayer.replay(record(&history, recorder) { $0.edit.title.append("d") }, in: &replayed)
    replayer.finish(&replayed)
    XCTAssertEqual([history.undoCount, replayed.undoCount], [1, 1])
    XCTAssertEqual(replayed.currentItem, history.currentItem)
    XCTAssertTrue(replayed == history)
  }

  /// The text before the restored value continues.
  func testTypingContinuesAfterATransactionThatEndedWithARestoredValue() throws {
    let outline = Outline(rows: [Outline.Row()])
    var (history, replayed) = (UndoHistory(initialValue: outline), UndoHistory(initialValue: outline))
    history.restoreOnUndo(\.selection)
    replayed.restoreOnUndo(\.selection)
    let recorder = Recorder(.json)
    recorder.begin(with: &history)
    var messages = record(&history, recorder) { history in
      history.joiningTransaction { edit in
        edit.rows[0].title.append("a")
        edit.selection.append("x")
      }
    }
    let second = record(&history, recorder) { history in history.joiningTransaction { $0.rows[0].title.append("b") } }
    XCTAssertEqual(second, [17, 1, 98])
    let third = record(&history, recorder) { $0.edit.rows[0].title.append("c") }
    XCTAssertEqual(third, [17, 1, 99])
    messages += second + third
    try recorder.replay(messages, in: &replayed)
    XCTAssertEqual([history.undoCount, replayed.undoCount], [1, 1])
    XCTAssertTrue(replayed == history)
  }

  func testRolledBackEditsAreNotWritten() {
    var history = UndoHistory(initialValue: Outline())
    let recorder = Recorder(.json)
    recorder.begin(with: &history)
    let messages = record(&history, recorder) { history in
      try? history.transaction("none") { edit in
        edit.count = 7
        throw Refused()
      }
      history.transaction("some") { edit in
        edit.count = 1
        try? edit.transaction { edit in
          edit.count = 2
          throw Refused()
        }
      }
      history.transaction { _ in }
    }
    XCTAssertEqual(messages, [2, 4] + Array("some".utf8) + [16, 3, 0, 2, 3, 0])
    XCTAssertEqual(history.count, 1)
  }

  func testEditJoinedByATransactionInOneAccessIsWrittenOnce() throws {
    var history = UndoHistory(initialValue: Outline())
    history.restoreOnUndo(\.caret)
    let recorder = Recorder(.json)
    recorder.begin(with: &history)
    var repeated = history
    let messages = record(&history, recorder) { observed in
      observed.edit.title.append("a")
      observed.joiningTransaction { edit in
        edit.title.append("b", as: .typing)
        edit.title.append("c")
        edit.caret = 3
      }
    }
    try recorder.replay(messages, in: &repeated)
    XCTAssertEqual(repeated.currentItem, history.currentItem)
    XCTAssertEqual(repeated.undoCount, 1)
  }

  /// The limit drops the step of an edit at once, but the recorder has read the edit before.
  func testEditIsWrittenBeforeALimitDropsItsStep() throws {
    var (history, replayed) = (UndoHistory(initialValue: Outline()), UndoHistory(initialValue: Outline()))
    history.limit = .steps(0)
    let recorder = Recorder(.json)
    recorder.begin(with: &history)
    var messages = record(&history, recorder) { $0.edit.count = 1 }
    XCTAssertEqual(messages, [16, 3, 0, 2, 14])
    XCTAssertEqual(history.undoCount, 0)
    history.limit = .steps(1)
    messages += record(&history, recorder) { $0.edit.count = 2 }
    messages += record(&history, recorder) { $0.edit.count = 3 }
    XCTAssertEqual(messages.suffix(6), [16, 3, 0, 6, 13, 1])
    try recorder.replay(messages, in: &replayed)
    XCTAssertEqual(replayed.count, 3)
    XCTAssertEqual(replayed.undoCount, 1)
  }

  /// A limit of one step drops the only step when an open step begins, even if the edits of that step undo each other.
  func testOnlyStepIsDroppedForAnOpenStepWithoutAChange() throws {
    var (history, replayed) = (UndoHistory(initialValue: Outline()), UndoHistory(initialValue: Outline()))
    history.limit = .steps(1)
    let recorder = Recorder(.json)
    recorder.begin(with: &history)
    var messages = record(&history, recorder) { $0.edit.title.append("a", as: .typing) }
    messages += record(&history, recorder) { history in
      let step = history.beginStep("Move")
      history.edit.count = 1
      history.edit.count = 0
      history.endStep(step)
    }
    XCTAssertEqual(messages.suffix(2), [13, 1])
    XCTAssertFalse(history.canUndo)
    try recorder.replay(messages, in: &replayed)
    XCTAssertFalse(replayed.canUndo)
    messages = record(&history, recorder) { $0.edit.title.append("b", as: .typing) }
    try recorder.replay(messages, in: &replayed)
    XCTAssertEqual(replayed.currentItem, history.currentItem)
    XCTAssertEqual(replayed.steps.map(\.label), history.steps.map(\.label))
    XCTAssertEqual(replayed.undo(), history.undo())
    XCTAssertEqual(replayed.title, "a")
  }

  /// In an open step, an assignment makes no record if an older record covers it, alone or within a larger part.
  func testAnAssignmentWithoutARecordIsWritten() throws {
    var (history, replayed) = (UndoHistory(initialValue: Outline()), UndoHistory(initialValue: Outline()))
    let recorder = Recorder(.json)
    recorder.begin(with: &history)
    var messages = record(&history, recorder) { _ = $0.beginStep() }
    messages += record(&history, recorder) { history in
      history.edit.frame.set(Outline.Frame(x: 9, name: "frame"))
      history.edit.frame.x = 1
      history.edit.count = 1
    }
    let byteCount = history.byteCount
    let assigned = record(&history, recorder) { $0.edit.count = 2 }
    XCTAssertEqual(assigned, [16, 3, 0, 4])
    messages += assigned
    messages += record(&history, recorder) { $0.edit.frame.x = 2 }
    messages += record(&history, recorder) {
      $0.transaction { edit in
        edit.count = 3
        edit.frame.x = 3
      }
    }
    XCTAssertEqual(history.byteCount, byteCount)
    var replayer = try UndoReplayer<Outline>(recorder.header, .json)
    try replayer.replay(messages, in: &replayed)
    XCTAssertEqual(replayed.currentItem, history.currentItem)
    replayer.finish(&replayed)
    XCTAssertEqual(replayed.byteCount, byteCount)
    replayed.undo()
    XCTAssertEqual(replayed.currentItem, Outline())
  }

  /// Replayed as a transaction, the assignments would get records, because an element isn't searched for in one.
  func testSeveralAssignmentsOfOneAccessAreReplayedWithoutRecords() throws {
    var (history, replayed) = (UndoHistory(initialValue: Outline()), UndoHistory(initialValue: Outline()))
    let recorder = Recorder(.json)
    recorder.begin(with: &history)
    var messages = record(&history, recorder) { _ = $0.beginStep() }
    messages += record(&history, recorder) { history in
      history.edit.rows.append(Outline.Row())
      history.edit.rows[0].set(Outline.Row(title: "a"))
    }
    messages += record(&history, recorder) { history in
      history.edit.rows[0].set(Outline.Row(title: "b"))
      history.edit.rows[0].set(Outline.Row(title: "c"))
    }
    try recorder.replay(messages, in: &replayed)
    XCTAssertEqual(replayed, history)
    XCTAssertEqual(replayed.rows.map(\.title), ["c"])
  }

  /// The assignments replaced the redo steps, but left no step that messages could describe.
  func testStepThatReplacedRedoStepsAndWasRemovedIsReported() {
    var history = UndoHistory(initialValue: Outline())
    history.coalescing = .typing.values(within: .seconds(9))
    history.edit.title = "title"
    history.undo()
    let recorder = Recorder(.json)
    recorder.begin(with: &history)
    history.observed(by: recorder) { history in
      history.edit.count = 1
      history.edit.count = 0
    }
    XCTAssertEqual([history.undoCount, history.redoCount], [0, 0])
    XCTAssertNotNil(recorder.error)
  }

  func testRestoredValueOfATransactionInAnOpenStepIsWrittenOnce() {
    var history = UndoHistory(initialValue: Outline())
    history.restoreOnUndo(\.caret)
    let recorder = Recorder(.json)
    recorder.begin(with: &history)
    _ = record(&history, recorder) { _ = $0.beginStep() }
    _ = record(&history, recorder) { $0.edit.title = "a" }
    let messages = record(&history, recorder) { history in
      history.transaction {
        $0.title = "b"
        $0.caret = 5
      }
    }
    let caret = record(&history, recorder) { $0.edit.caret = 6 }.dropLast()
    XCTAssertEqual(messages.indices.count { messages[$0...].starts(with: caret) }, 1)
  }

  /// Messages don't tell the identity that the next step gets.
  func testRemovedStepThatTookAnIdentityIsReported() {
    for cancels in [false, true] {
      var history = UndoHistory(initialValue: Outline())
      history.coalescing = .typing.values(within: .seconds(9))
      history.edit.title = "title"
      history.applyRemote { $0.body = "body" }
      let recorder = Recorder(.json)
      recorder.begin(with: &history)
      history.observed(by: recorder) { history in
        let step = cancels ? history.beginStep() : nil
        history.edit.count = 1
        if let step { history.cancelStep(step) } else { history.edit.count = 0 }
      }
      XCTAssertEqual(history.undoCount, 1)
      XCTAssertNotNil(recorder.error)
    }
  }

  func testAnEncoderThatFailsIsReported() {
    struct Page: Codable, UndoArchivable {
      struct Size: Codable { var width = 0.0 }
      var size = Size()
      var text = ""
      static var undoParts: [UndoPart<Page>] { [UndoPart("size", \.size), UndoPart("text", \.text)] }
    }
    struct Failure: Error {}
    var history = UndoHistory(initialValue: Page())
    let recorder = UndoRecorder<Page>(
      UndoPieceCoding(encode: { _ in throw Failure() }, decode: { _, _ in throw Failure() }))
    recorder.begin(with: &history)
    history.observed(by: recorder) { $0.edit.text.append("a") }
    XCTAssertNil(recorder.error)
    history.observed(by: recorder) { $0.edit.size.width = 2 }
    XCTAssertTrue(recorder.error is Failure)
    recorder.begin(with: &history)
    XCTAssertNil(recorder.error)
  }

  // MARK: No traces in the history

  func testACopyIsNotObserved() {
    var history = UndoHistory(initialValue: Outline())
    let recorder = Recorder(.json)
    recorder.begin(with: &history)
    var (before, inside) = (history, history)
    let messages = record(&history, recorder) { observed in
      observed.edit.count = 1
      inside = observed
      inside.edit.count = 2
      inside.undo()
      observed.edit.count = 3
      before.edit.count = 4
    }
    XCTAssertEqual(messages, [16, 3, 0, 2, 16, 3, 0, 6])
    inside.edit.title.append("x")
    before.undo()
    XCTAssertEqual(recorder.takeMessages(), [])
    XCTAssertEqual([history.count, inside.count, before.count], [3, 1, 0])
  }

  func testHistoryDoesNotRetainTheRecorder() {
    weak var kept: Recorder?
    var history = UndoHistory(initialValue: Outline())
    var copy = history
    do {
      let recorder = Recorder(.json)
      kept = recorder
      recorder.begin(with: &history)
      struct Stop: Error {}
      XCTAssertThrowsError(
        try history.observed(by: recorder) { observed throws in
          copy = observed
          try observed.transaction { edit in
            edit.count = 1
            throw Stop()
          }
        })
      XCTAssertThrowsError(
        try history.observed(by: recorder) { observed throws in
          observed.edit.count = 5
          throw Stop()
        })
      XCTAssertEqual(recorder.takeMessages(), [16, 3, 0, 10])
    }
    XCTAssertNil(kept)
    XCTAssertEqual([history.count, copy.count], [5, 0])
  }

  /// After it was observed, a history takes its shortcuts and joins edits as before.
  func testObservedHistoryBehavesLikeAPlainOne() {
    let recorder = Recorder(.json)
    var (observed, plain) = (UndoHistory(initialValue: Outline()), UndoHistory(initialValue: Outline()))
    recorder.begin(with: &observed)
    for key in ["a", "b", "c"] {
      observed.observed(by: recorder) { $0.edit.title.append(key) }
      observed.edit.title.append(key)
      plain.edit.title.append(key + key, as: .typing)
    }
    observed.observed(by: recorder) { $0.edit.count = 1 }
    plain.edit.count = 1
    XCTAssertTrue(observed == plain)
    XCTAssertEqual([observed.undoCount, observed.byteCount], [plain.undoCount, plain.byteCount])
    XCTAssertEqual(observed.coalescing, plain.coalescing)
  }
}
