import Foundation
import TestSupport
import Unsaved
import XCTest

// The recipes of the article "Undo in a text editor". `testArticleShowsTheTestedRecipes` compares them.

/// Where these UTF-16 code units lie in a text, also within a character, where `Range(_:in:)` finds nothing.
///
/// Nil if they are not there, or begin or end between the two halves of a surrogate pair.
func indices(of range: NSRange, in text: String) -> Range<String.Index>? {
  let (units, scalars) = (text.utf16, text.unicodeScalars)
  guard let start = units.index(units.startIndex, offsetBy: range.location, limitedBy: units.endIndex),
    let end = units.index(start, offsetBy: range.length, limitedBy: units.endIndex),
    let first = start.samePosition(in: scalars), let last = end.samePosition(in: scalars)
  else { return nil }
  return first..<last
}

/// Replaces in a view what an undo or a redo replaced in the document.
func show(_ edit: borrowing UndoLiveEdit<String>, in view: inout String) {
  guard let change = edit.text, let range = indices(of: NSRange(change.utf16Range), in: view) else { return }
  view.replaceSubrange(range, with: change.replacement)
}

/// A view that shows the text of a history, and follows every undo and redo by the recipe of the article.
final class EditorViewTests: XCTestCase {
  func testViewShowsTheTextAfterEveryUndoAndRedo() {
    withSeeds(500) { random in
      var history = UndoHistory(initialValue: random.text())
      for _ in 0..<random.int(in: 1..<8) {
        switch random.int(in: 0..<4) {
        case 0: history.currentItem = random.text()
        case 1: for letter in ["a", "\u{e9}", "x"] { history.edit.append(letter) }
        default:
          history.transaction { edit in
            for _ in 0..<random.int(in: 1..<5) { edit.change(&random) }
          }
        }
      }
      var view = history.currentItem
      for _ in 0..<30 {
        if random.chance(oneIn: 2) {
          history.undo { edit in show(edit, in: &view) }
        } else {
          history.redo { edit in show(edit, in: &view) }
        }
        guard expectEqual(Array(view.utf8), Array(history.currentItem.utf8)) else { return }
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

  func testDocumentFollowsReplacementsWithinACharacter() {
    withSeeds(200) { random in
      var units = Array(random.text().utf16)
      var history = UndoHistory(initialValue: String(decoding: units, as: UTF16.self))
      for _ in 0..<10 {
        // Views do not split surrogate pairs.
        let ends = units.indices.filter { !UTF16.isTrailSurrogate(units[$0]) } + [units.count]
        let start = ends[random.int(in: 0..<ends.count)]
        let end = ends.filter { $0 >= start }.randomElement(using: &random) ?? start
        let text = random.text()
        guard let replaced = indices(of: NSRange(start..<end), in: history.currentItem) else {
          return fail("not found")
        }
        history.edit.replaceSubrange(replaced, with: text)
        units.replaceSubrange(start..<end, with: text.utf16)
        guard expectEqual(Array(history.currentItem.utf16), units) else { return }
      }
      expect(indices(of: NSRange(location: units.count, length: 1), in: history.currentItem) == nil)
      expect(indices(of: NSRange(location: units.count + 1, length: 0), in: history.currentItem) == nil)
    }
  }

  /// A view that deletes a surrogate pair unit by unit is refused each time, so it never differs from the document.
  func testHalfOfASurrogatePairIsRefused() {
    var history = UndoHistory(initialValue: "a😀b")
    var view = Array("a😀b".utf16)
    for unit in [2, 1] {
      guard let range = indices(of: NSRange(location: unit, length: 1), in: history.currentItem) else { continue }
      history.edit.replaceSubrange(range, with: "")
      view.remove(at: unit)
    }
    for range in [NSRange(location: 2, length: 0), NSRange(location: 0, length: 2), NSRange(location: 2, length: 2)] {
      XCTAssertNil(indices(of: range, in: history.currentItem))
    }
    XCTAssertEqual(String(decoding: view, as: UTF16.self), "a😀b")
    XCTAssertEqual(history.currentItem, "a😀b")
    XCTAssertFalse(history.canUndo)
  }

  func testArticleShowsTheTestedRecipes() throws {
    let here = URL(filePath: #filePath)
    let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let article = try String(
      contentsOf: root.appending(path: "Sources/Unsaved/Unsaved.docc/UndoInATextEditor.md"), encoding: .utf8)
    let test = try String(contentsOf: here, encoding: .utf8)
    for beginning in ["/// Where these UTF-16 code units lie", "/// Replaces in a view what an undo"] {
      let start = try XCTUnwrap(test.range(of: beginning))
      let end = try XCTUnwrap(test.range(of: "\n}\n", range: start.lowerBound..<test.endIndex))
      XCTAssertTrue(article.contains(test[start.lowerBound..<end.upperBound]), beginning)
    }
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
