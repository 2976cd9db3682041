import Foundation
import TestSupport
import Unsaved
import XCTest

// The recipes of the article "Undo in a text editor"; `testTheRecipesAreThoseOfTheArticle` compares.

/// Where these UTF-16 code units lie in a text, also within a character, where `Range(_:in:)` finds nothing.
func indices(of range: NSRange, in text: String) -> Range<String.Index>? {
  let units = text.utf16
  guard let start = units.index(units.startIndex, offsetBy: range.location, limitedBy: units.endIndex),
    let end = units.index(start, offsetBy: range.length, limitedBy: units.endIndex)
  else { return nil }
  return start..<end
}

/// What a view that shows the old text has to replace, when a step with these edits has led to the new one; nil for
/// nothing.
func replacement(for edits: [UndoEdit], from old: String, to new: String) -> (range: NSRange, text: String)? {
  // In the old text and in the new one, what lies between the first place that changed and the last.
  var changed: (old: Range<Int>, new: Range<Int>)?
  for edit in edits {
    guard case .range(let before, let after) = edit.kind else {
      return (NSRange(old.startIndex..., in: old), new)
    }
    // Offsets count in the text as this edit found it, where `span` is what the edits so far have left.
    let span = changed?.new ?? before
    let lower = min(span.lowerBound, before.lowerBound)
    let upper = max(span.upperBound, before.upperBound)
    let oldSpan = changed?.old ?? before
    changed = (
      oldSpan.lowerBound - (span.lowerBound - lower)..<oldSpan.upperBound + (upper - span.upperBound),
      lower..<upper + after.count - before.count
    )
  }
  guard let changed else { return nil }
  func indices(_ offsets: Range<Int>, in text: String) -> Range<String.Index> {
    let lower = text.utf8.index(text.startIndex, offsetBy: offsets.lowerBound)
    return lower..<text.utf8.index(lower, offsetBy: offsets.count)
  }
  return (NSRange(indices(changed.old, in: old), in: old), String(new[indices(changed.new, in: new)]))
}

/// A view that shows the text of a history, and is told of every undo and redo by the recipe of the article.
final class EditorViewTests: XCTestCase {
  /// Shows a text as views do: counted in UTF-16, and changed by what it is told alone.
  private struct View {
    // Not an NSMutableString: where there is no Objective-C, that replaces whole characters.
    private var units: [UInt16]

    init(_ text: String) { units = Array(text.utf16) }

    var text: String { String(decoding: units, as: UTF16.self) }

    mutating func show(_ change: UndoHistory<String>.Change?, leadingTo new: String) {
      guard let change, let replacement = replacement(for: change.edits, from: text, to: new) else { return }
      let start = replacement.range.location
      units.replaceSubrange(start..<start + replacement.range.length, with: replacement.text.utf16)
    }
  }

  func testTheViewShowsTheTextAfterEveryUndoAndRedo() {
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
      var view = View(history.currentItem)
      for _ in 0..<30 {
        let change = random.chance(oneIn: 2) ? history.undo() : history.redo()
        view.show(change, leadingTo: history.currentItem)
        guard expectEqual(Array(view.text.utf8), Array(history.currentItem.utf8)) else { return }
      }
    }
  }

  func testOnlyWhatLiesBetweenTheChangesIsReplaced() {
    var history = UndoHistory(initialValue: "one two three four")
    history.transaction { edit in
      edit.replaceSubrange(utf8: 8..<13, with: "3")
      edit.replaceSubrange(utf8: 4..<7, with: "2")
    }
    let undone = replacement(
      for: history.undo()!.edits, from: "one 2 3 four", to: history.currentItem)
    XCTAssertEqual(undone?.range, NSRange(location: 4, length: 3))
    XCTAssertEqual(undone?.text, "two three")
    let redone = replacement(
      for: history.redo()!.edits, from: "one two three four", to: history.currentItem)
    XCTAssertEqual(redone?.range, NSRange(location: 4, length: 9))
    XCTAssertEqual(redone?.text, "2 3")
  }

  func testTheDocumentTakesInWhatAViewReplacedWithinACharacter() {
    withSeeds(200) { random in
      var units = Array(random.text().utf16)
      var history = UndoHistory(initialValue: String(decoding: units, as: UTF16.self))
      for _ in 0..<10 {
        // Views leave the two halves of a scalar together.
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

  func testTheRecipesAreThoseOfTheArticle() throws {
    let here = URL(filePath: #filePath)
    let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let article = try String(
      contentsOf: root.appending(path: "Sources/Unsaved/Unsaved.docc/UndoInATextEditor.md"), encoding: .utf8)
    let test = try String(contentsOf: here, encoding: .utf8)
    for beginning in ["/// Where these UTF-16 code units lie", "/// What a view that shows the old text"] {
      let start = try XCTUnwrap(test.range(of: beginning))
      let end = try XCTUnwrap(test.range(of: "\n}\n", range: start.lowerBound..<test.endIndex))
      XCTAssertTrue(article.contains(test[start.lowerBound..<end.upperBound]), beginning)
    }
  }
}

extension SeededRandom {
  /// A text of characters that are of several lengths in every encoding.
  fileprivate mutating func text() -> String {
    let characters = ["a", "b", "\u{e9}", "e\u{301}", "가", "👩‍🚀", "\r\n", " "]
    return (0..<int(in: 0..<6)).map { _ in characters[int(in: 0..<characters.count)] }.joined()
  }
}

extension UndoCursor where Target == String {
  /// Makes a random edit.
  fileprivate func change(_ random: inout SeededRandom) {
    if random.chance(oneIn: 6) { return set(random.text()) }
    let scalars = Array(currentItem.unicodeScalars)
    let start = random.int(in: 0..<scalars.count + 1)
    let end = random.int(in: start..<scalars.count + 1)
    func length(_ part: ArraySlice<Unicode.Scalar>) -> Int { part.reduce(0) { $0 + UTF8.width($1) } }
    let lower = length(scalars[..<start])
    replaceSubrange(utf8: lower..<lower + length(scalars[start..<end]), with: random.text())
  }
}
