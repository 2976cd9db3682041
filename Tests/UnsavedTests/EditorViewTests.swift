import Foundation
import TestSupport
import Unsaved
import XCTest

// The editor of the article "Undo in a text editor". `testArticleShowsTheTestedEditor` compares them.

struct EditorView {
  var history = UndoHistory(initialValue: "")
  var view: [UInt16] = []
  var caret = 0
  private var bridge = TextViewBridge()

  /// The view replaces a range of its text, for a key, a paste or an input method.
  mutating func replace(_ range: Range<Int>, with text: String, isMarked: Bool = false) {
    view.replaceSubrange(range, with: text.utf16)
    caret = range.lowerBound + text.utf16.count
    bridge.didEdit(range.lowerBound..<caret, changeInLength: text.utf16.count - range.count)
    show(bridge.record(view, marked: isMarked ? range.lowerBound..<caret : nil, in: &history.edit))
  }

  /// A command changes the document, and the view shows it.
  mutating func perform(_ label: String, _ command: (inout UndoHistory<String>.Editor) -> Void) {
    history.transaction(label, command)
    show(bridge.update(from: view, to: history.currentItem))
  }

  mutating func undo() {
    if let update = bridge.undo(&history, text: \.self) { show(update) }
  }

  mutating func redo() {
    if let update = bridge.redo(&history, text: \.self) { show(update) }
  }

  private mutating func show(_ update: TextViewBridge.Update) {
    for change in update.replacements { view.replaceSubrange(change.range, with: change.text.utf16) }
    if let selection = update.selection { caret = selection.lowerBound }
  }
}

/// The view of the article's editor shows the text of its history, whatever the user and the code do.
final class EditorViewTests: XCTestCase {
  func testViewShowsTheTextAfterEveryEdit() {
    withSeeds(500) { random in
      var editor = EditorView()
      var texts = [""]
      for _ in 0..<random.int(in: 1..<20) {
        switch random.int(in: 0..<8) {
        case 0: editor.undo()
        case 1: editor.redo()
        case 2:
          editor.perform("Change") { edit in
            for _ in 0..<random.int(in: 1..<5) { edit.change(&random) }
          }
        case 3:
          // Text views may cut surrogate pairs.
          editor.replace(random.range(upTo: editor.view.count), with: random.text())
        case 4: editor.replace(random.range(upTo: editor.view.count), with: random.text(), isMarked: true)
        default: editor.replace(editor.caret..<editor.caret, with: "x")
        }
        guard expectEqual(editor.view, Array(editor.history.currentItem.utf16)) else { return }
        guard expect(editor.caret <= editor.view.count) else { return }
        let count = editor.history.undoCount
        if editor.history.canRedo {
          expectEqual(editor.history.currentItem, texts[count])
        } else {
          texts.removeSubrange(min(count, texts.count)...)
          texts.append(editor.history.currentItem)
        }
      }
      while editor.history.canUndo {
        editor.undo()
        guard expectEqual(editor.view, Array(editor.history.currentItem.utf16)) else { return }
        guard expectEqual(editor.history.currentItem, texts[editor.history.undoCount]) else { return }
      }
    }
  }

  func testUndoAndRedoReplaceOnlyTheChangedText() {
    var history = UndoHistory(initialValue: "one two three four")
    history.transaction { edit in
      edit.replaceSubrange(utf8: 8..<13, with: "3")
      edit.replaceSubrange(utf8: 4..<7, with: "2")
    }
    var ranges: [Range<Int>?] = []
    history.undo { ranges.append($0.text?.utf16Range) }
    history.redo { ranges.append($0.text?.utf16Range) }
    XCTAssertEqual(ranges, [4..<5, 8..<9, 8..<13, 4..<7])
  }

  func testArticleShowsTheTestedEditor() throws {
    let here = URL(filePath: #filePath)
    let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let article = try String(
      contentsOf: root.appending(path: "Sources/Unsaved/Unsaved.docc/UndoInATextEditor.md"), encoding: .utf8)
    let test = try String(contentsOf: here, encoding: .utf8)
    let start = try XCTUnwrap(test.range(of: "struct EditorView {"))
    let end = try XCTUnwrap(test.range(of: "\n}\n", range: start.lowerBound..<test.endIndex))
    XCTAssertTrue(article.contains(test[start.lowerBound..<end.upperBound]))
  }
}

extension SeededRandom {
  /// A text of characters of several lengths in every encoding.
  fileprivate mutating func text() -> String {
    let characters = ["a", "b", "\u{e9}", "e\u{301}", "가", "👩‍🚀", "\r\n", " "]
    return (0..<int(in: 0..<6)).map { _ in characters[int(in: 0..<characters.count)] }.joined()
  }
}

extension UndoCursor where Target == String {
  /// Makes a random edit.
  fileprivate mutating func change(_ random: inout SeededRandom) {
    if random.chance(oneIn: 6) { return set(random.text()) }
    let scalars = Array(currentItem.unicodeScalars)
    let start = random.int(in: 0..<scalars.count + 1)
    let end = random.int(in: start..<scalars.count + 1)
    func length(_ part: ArraySlice<Unicode.Scalar>) -> Int { part.reduce(0) { $0 + UTF8.width($1) } }
    let lower = length(scalars[..<start])
    replaceSubrange(utf8: lower..<lower + length(scalars[start..<end]), with: random.text())
  }
}
