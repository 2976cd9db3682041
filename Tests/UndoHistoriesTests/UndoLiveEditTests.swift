import TestSupport
import UndoHistories
import XCTest

/// The report of an edit about a part of the document while it is undone or redone.
final class UndoLiveEditTests: XCTestCase {
  private struct Row {
    var title = ""
    var tags: [String] = []
  }

  private enum Mode { case plain, text(String) }

  private struct Page {
    var title = ""
    var body = ""
    var note: String?
    var mode = Mode.plain
    var rows: [Row] = []
    var inner = Inner()
    var count = 0

    struct Inner { var text = "", numbers = [1, 2, 3] }

    var modeText: String {
      if case .text(let text) = mode { text } else { "" }
    }
  }

  private typealias PageEdit = UndoLiveEdit<Page>

  /// Makes the edits in one step, undoes it, and returns an answer for each edit that is undone.
  private func undone<Answer>(
    _ page: Page = Page(), _ edit: (inout UndoHistory<Page>.Editor) -> Void, _ ask: (borrowing PageEdit) -> Answer
  ) -> [Answer] {
    var history = UndoHistory(initialValue: page)
    history.transaction { edit(&$0) }
    var answers: [Answer] = []
    history.undo { answers.append(ask($0)) }
    return answers
  }

  func testEditedTextReportsItsRanges() {
    let answers = undone(Page(body: "e\u{301}🎉\r\nß")) {
      $0.body.replaceSubrange(utf8: 3..<8, with: "x")
    } _: { edit in
      let change = edit.text(at: \.body)!
      return "\(change) \(change.utf16Range) \(change.replacement.utf16.count) \(change.replaced)"
    }
    // The emoji and CR are replaced, and LF stays.
    expectEqual(answers, ["3..<4 -> \"🎉\\r\" 2..<3 3 x"])
  }

  func testEditTouchesOnlyItsOwnPart() {
    let answers = undone {
      $0.body.append("x")
      $0.count += 1
      $0.rows.append(Row())
    } _: { edit in
      [edit.touches(\.title), edit.touches(\.body), edit.touches(\.count), edit.touches(\.rows), edit.touches(\.self)]
    }
    expectEqual(
      answers,
      [
        [false, false, false, true, true], [false, false, true, false, true], [false, true, false, false, true],
      ])
  }

  func testReplacedContainerReportsTheDifferenceOfItsText() {
    let answers = undone {
      var inner = Page.Inner()
      inner.text = "Hello"
      $0.inner.set(inner)
      inner.text = "Hallo"
      $0.inner.set(inner)
      $0.set(Page(body: "b"))
    } _: { edit in
      edit.text(at: \.inner.text)?.description ?? "-"
    }
    expectEqual(answers, ["0..<0 -> \"Hallo\"", "1..<2 -> \"e\"", "0..<5 -> \"\""])
  }

  func testUnchangedTextInAReplacedValueIsNotReported() {
    let answers = undone(Page(title: "same", rows: [Row()])) {
      $0.set(Page(title: "same", body: "x"))
    } _: { edit in
      [edit.text(at: \.title)?.description, edit.text(at: \.body)?.description, edit.elements(of: \.rows).description]
    }
    expectEqual(answers.count, 1)
    expectEqual(answers[0][0], nil)
    expectEqual(answers[0][1], "0..<1 -> \"\"")
  }

  func testChangeOfAComputedTextIsFoundByComparison() {
    let answers = undone(Page(mode: .text("abc"))) {
      $0.mode.set(.text("axc"))
      $0.count += 1
    } _: { edit in
      edit.text(at: \.modeText)?.description ?? "-"
    }
    expectEqual(answers, ["-", "1..<2 -> \"b\""])
  }

  func testMissingOptionalTextCountsAsEmpty() {
    let answers = undone {
      $0.count += 1
      $0.note = "abc"
      $0.note = "abxc"
      $0.note = nil
    } _: { edit in
      edit.text(at: \.note)?.description ?? "-"
    }
    expectEqual(answers, ["0..<0 -> \"abxc\"", "2..<3 -> \"\"", "0..<3 -> \"\"", "-"])
  }

  func testElementEditsReportOffsets() {
    let rows = (0..<6).map { Row(title: "\($0)") }
    let answers = undone(Page(rows: rows)) {
      $0.rows.removeAll { $0.title == "1" || $0.title == "4" || $0.title == "5" }
      $0.rows.swapAt(0, 2)
      $0.rows.move(from: 0, to: 1)
      $0.rows.insert(Row(), at: 1)
      $0.rows[2].title.append("!")
      $0.rows.replaceSubrange(0..<2, with: [Row()])
      $0.rows.set([])
    } _: { edit in
      edit.elements(of: \.rows)
    }
    expectEqual(
      answers.reversed(),
      [
        [.range(old: 1..<1, new: 1..<2), .range(old: 4..<4, new: 4..<6)],
        [.swap(0, 2)],
        [.move(from: 1, to: 0)],
        [.range(old: 1..<2, new: 1..<1)],
        [.element(at: 2)],
        [.range(old: 0..<1, new: 0..<2)],
        [.range(old: 0..<0, new: 0..<3)],
      ])
  }

  func testRemovalsInSeveralRangesAreReportedBackToFront() {
    var history = UndoHistory(initialValue: [1, 2, 3, 4, 5, 1, 1, 6])
    history.edit.removeAll { $0 == 1 }
    history.undo()
    var changes: [UndoElementsChange] = []
    history.redo { changes += $0.elements }
    expectEqual(changes, [.range(old: 5..<7, new: 5..<5), .range(old: 0..<1, new: 0..<0)])
  }

  func testCollectionInAReplacedValueIsReportedAsReplaced() {
    let answers = undone {
      $0.inner.set(Page.Inner(numbers: [7]))
      $0.count = 3
    } _: { edit in
      edit.elements(of: \.inner.numbers)
    }
    expectEqual(answers, [[], [.range(old: 0..<1, new: 0..<3)]])
  }

  func testElementReportsTheEditsInsideIt() {
    let page = Page(rows: [Row(), Row(title: "ab", tags: ["x", "y"])])
    let answers = undone(page) {
      $0.rows[1].tags[0].append("z")
      $0.rows[1].title.append("c")
      $0.rows[1].set(Row(title: "aXbc", tags: ["xz", "y"]))
    } _: { edit in
      [
        edit[\.rows, 1].text(at: \.title)?.description ?? "-",
        "\(edit[\.rows, 1].elements(of: \.tags))",
        edit[\.rows, 1][\.tags, 0].text?.description ?? "-",
        "\(edit.indexPath) \(edit[\.rows, 1].indexPath) \(edit[\.rows, 0].kind == nil)",
        edit[\.rows, 0].text(at: \.title)?.description ?? "-",
        edit[\.rows, 99].text(at: \.title)?.description ?? "-",
      ]
    }
    expectEqual(
      answers,
      [
        ["1..<2 -> \"\"", "[0..<2 -> 0..<2]", "-", "[1] [] true", "-", "-"],
        ["2..<3 -> \"\"", "[]", "-", "[1] [] true", "-", "-"],
        ["-", "[element 0]", "1..<2 -> \"\"", "[1, 0] [0] true", "-", "-"],
      ])
  }

  func testKindIsThatOfTheInnermostPart() {
    let answers = undone(Page(rows: [Row()])) {
      $0.rows[0].title.append("ab")
      $0.count = 1
    } _: { edit in
      edit.kind
    }
    expectEqual(answers, [.value, .elements(.range(old: 0..<2, new: 0..<0))])
  }

  func testUndoAndRedoWithAClosureReturnTheLabel() {
    var history = UndoHistory(initialValue: "")
    history.transaction("Type") { $0.append("a") }
    var count = 0
    expectEqual(history.undo { _ in count += 1 }?.label, "Type")
    expectEqual(history.redo { _ in count += 1 }?.label, "Type")
    expect(history.redo { _ in count += 1 } == nil)
    expectEqual(count, 2)
  }

  /// An edit finds its answers by going to its other side and back, which must leave no trace.
  func testReadingALiveEditDoesNotChangeTheHistory() {
    var history = UndoHistory(initialValue: Page())
    history.edit.inner.set(Page.Inner(text: "a text that needs memory of its own", numbers: []))
    var copy = history
    copy.undo()
    history.undo { edit in
      for _ in 0..<3 { _ = (edit.text(at: \.inner.text), edit.elements(of: \.inner.numbers)) }
    }
    expectEqual(history.byteCount, copy.byteCount)
    expectEqual(history.currentItem.inner.numbers, [1, 2, 3])
    expectEqual(history.redone().inner.text, "a text that needs memory of its own")
  }
}
