import Foundation
import TestSupport
import UndoHistories
import XCTest

/// Archives as versions 2 and 3 of the form have them, written by the library of then.
final class UndoHistoryOldArchiveTests: XCTestCase {
  private struct Row: Codable, Equatable {
    var name = ""
    var done = false
  }

  private struct Page: UndoArchivable, Equatable {
    var title = ""
    var lines: [String] = []
    var rows: [Row] = []
    var ages: [String: Int] = [:]
    var width = 1.5
    var caret = 0

    static let undoParts = [
      UndoPart<Page>("title", \.title), UndoPart("lines", \.lines), UndoPart("rows", \.rows), UndoPart("ages", \.ages),
      UndoPart("width", \.width), UndoPart("caret", \.caret),
    ]
  }

  /// What was done to an empty page then.
  private func edit(_ history: inout UndoHistory<Page>) {
    for key in ["H", "é", "y"] {
      history.edit.title.append(key)
      history.edit.caret += 1
    }
    history.edit.title.replaceSubrange(utf8: 0..<1, with: "Wow")
    history.edit.caret = 9
    history.transaction("Lines") { edit in
      edit.lines.append("one")
      edit.lines.append(contentsOf: ["two", "three", "four", "five"])
      edit.rows.append(Row(name: "r"))
    }
    history.edit.rows[0].name.append("ow")
    history.edit.lines.swapAt(0, 2)
    history.edit.lines.move(from: 0, to: 4)
    history.edit.lines.removeAll { $0 == "two" || $0 == "one" }
    history.edit.lines[0] = "changed"
    history.edit.ages["Ada"] = 36
    history.edit.width = -0.0
    history.markSaved()
    history.currentItem.title = "whole"
    history.edit.lines.remove(at: 0)
    history.undo()
    history.undo()
  }

  func testEachVersionIsRead() throws {
    for (file, carries) in [(version2, false), (version3, true)] {
      var history = UndoHistory(initialValue: Page())
      if carries { history.carry(\.caret) }
      edit(&history)
      var restored = UndoHistory(initialValue: history.currentItem)
      if carries { restored.carry(\.caret) }
      let archive = try JSONDecoder().decode(UndoHistory<Page>.Archive.self, from: Data(file.utf8))
      try restored.restoreSteps(from: archive)
      XCTAssertTrue(restored.isAtSavedPoint)
      XCTAssertEqual(restored.steps.map(\.label), history.steps.map(\.label))
      for end in [0, history.steps.count, 0] {
        while history.undoCount != end {
          _ = history.undoCount > end ? history.undo() : history.redo()
          _ = restored.undoCount > end ? restored.undo() : restored.redo()
          XCTAssertEqual(restored.currentItem, history.currentItem)
        }
      }
    }
  }

  func testAChangedOneIsRefused() throws {
    var history = UndoHistory(initialValue: Page())
    edit(&history)
    for (old, new) in [
      ("Lines", "Line"), ("\"saved\":16", "\"saved\":15"), ("\"whole\"", "\"while\""), ("\"first\":0", "\"first\":1"),
    ] {
      let changed = version2.replacingOccurrences(of: old, with: new)
      XCTAssertNotEqual(changed, version2, old)
      let archive = try JSONDecoder().decode(UndoHistory<Page>.Archive.self, from: Data(changed.utf8))
      var restored = UndoHistory(initialValue: history.currentItem)
      XCTAssertThrowsError(try restored.restoreSteps(from: archive), old) {
        XCTAssertEqual($0 as? UndoArchiveError, .changed)
      }
    }
  }

  func testALaterVersionIsRefused() throws {
    let file = String(decoding: try JSONEncoder().encode(UndoHistory(initialValue: Page()).archive()), as: UTF8.self)
    let later = file.replacingOccurrences(of: "\"version\":4", with: "\"version\":6")
    XCTAssertNotEqual(later, file)
    expectDecodingError(UndoHistory<Page>.Archive.self, from: later, mentioning: "Version 6")
  }

  /// The compact form takes a fraction of what names and braces took.
  func testAnArchiveIsSmall() throws {
    var history = UndoHistory(initialValue: "")
    for index in 0..<2000 { history.edit.insert("x", atUTF8: index / 3) }
    let size = try JSONEncoder().encode(history.archive()).count
    XCTAssertLessThan(size, 114_607 / 5, "which is what version 2 took")
  }

  // MARK: Files

  private let version2 = #"""
    {"contents":14888123694826084229,"document":15212857276522513595,"redo":[{"edits":[{"edit":{"range":{"count":6\#
    ,"replacement":"whole","start":0}},"part":"title"}]},{"edits":[{"edit":{"range":{"count":1,"replacement":[],"s\#
    tart":0}},"part":"lines"}]}],"saved":16,"undo":[{"edits":[{"edit":{"value":{"_0":1.5}},"part":"width"}]},{"edi\#
    ts":[{"edit":{"value":{"_0":{}}},"part":"ages"}]},{"edits":[{"edit":{"range":{"count":1,"replacement":["four"]\#
    ,"start":0}},"part":"lines"}]},{"edits":[{"edit":{"range":{"count":0,"replacement":["two","one"],"start":0}},"\#
    part":"lines"}]},{"edits":[{"edit":{"move":{"from":4,"to":0}},"part":"lines"}]},{"edits":[{"edit":{"swap":{"fi\#
    rst":0,"second":2}},"part":"lines"}]},{"edits":[{"edit":{"range":{"count":1,"replacement":[{"done":false,"name\#
    ":"r"}],"start":0}},"part":"rows"}]},{"edits":[{"edit":{"range":{"count":1,"replacement":[],"start":0}},"part"\#
    :"rows"},{"edit":{"range":{"count":4,"replacement":[],"start":1}},"part":"lines"},{"edit":{"range":{"count":1,\#
    "replacement":[],"start":0}},"part":"lines"}],"label":"Lines"},{"edits":[{"edit":{"value":{"_0":3}},"part":"ca\#
    ret"}]},{"edits":[{"edit":{"range":{"count":3,"replacement":"H","start":0}},"part":"title"}]},{"edits":[{"edit\#
    ":{"value":{"_0":2}},"part":"caret"}]},{"edits":[{"edit":{"range":{"count":1,"replacement":"","start":3}},"par\#
    t":"title"}]},{"edits":[{"edit":{"value":{"_0":1}},"part":"caret"}]},{"edits":[{"edit":{"range":{"count":2,"re\#
    placement":"","start":1}},"part":"title"}]},{"edits":[{"edit":{"value":{"_0":0}},"part":"caret"}]},{"edits":[{\#
    "edit":{"range":{"count":1,"replacement":"","start":0}},"part":"title"}]}],"version":2}
    """#

  private let version3 = #"""
    {"carried":[{"edit":{"value":{"_0":9}},"part":"caret"}],"contents":10965807545181473632,"document":15212857276\#
    522513595,"redo":[{"carried":{"after":[{"edit":{"value":{"_0":9}},"part":"caret"}],"before":[{"edit":{"value":\#
    {"_0":9}},"part":"caret"}]},"edits":[{"edit":{"range":{"count":6,"replacement":"whole","start":0}},"part":"tit\#
    le"}]},{"carried":{"after":[{"edit":{"value":{"_0":9}},"part":"caret"}],"before":[{"edit":{"value":{"_0":9}},"\#
    part":"caret"}]},"edits":[{"edit":{"range":{"count":1,"replacement":[],"start":0}},"part":"lines"}]}],"saved":\#
    10,"undo":[{"carried":{"after":[{"edit":{"value":{"_0":9}},"part":"caret"}],"before":[{"edit":{"value":{"_0":9\#
    }},"part":"caret"}]},"edits":[{"edit":{"value":{"_0":1.5}},"part":"width"}]},{"carried":{"after":[{"edit":{"va\#
    lue":{"_0":9}},"part":"caret"}],"before":[{"edit":{"value":{"_0":9}},"part":"caret"}]},"edits":[{"edit":{"valu\#
    e":{"_0":{}}},"part":"ages"}]},{"carried":{"after":[{"edit":{"value":{"_0":9}},"part":"caret"}],"before":[{"ed\#
    it":{"value":{"_0":9}},"part":"caret"}]},"edits":[{"edit":{"range":{"count":1,"replacement":["four"],"start":0\#
    }},"part":"lines"}]},{"carried":{"after":[{"edit":{"value":{"_0":9}},"part":"caret"}],"before":[{"edit":{"valu\#
    e":{"_0":9}},"part":"caret"}]},"edits":[{"edit":{"range":{"count":0,"replacement":["two","one"],"start":0}},"p\#
    art":"lines"}]},{"carried":{"after":[{"edit":{"value":{"_0":9}},"part":"caret"}],"before":[{"edit":{"value":{"\#
    _0":9}},"part":"caret"}]},"edits":[{"edit":{"move":{"from":4,"to":0}},"part":"lines"}]},{"carried":{"after":[{\#
    "edit":{"value":{"_0":9}},"part":"caret"}],"before":[{"edit":{"value":{"_0":9}},"part":"caret"}]},"edits":[{"e\#
    dit":{"swap":{"first":0,"second":2}},"part":"lines"}]},{"carried":{"after":[{"edit":{"value":{"_0":9}},"part":\#
    "caret"}],"before":[{"edit":{"value":{"_0":9}},"part":"caret"}]},"edits":[{"edit":{"range":{"count":1,"replace\#
    ment":[{"done":false,"name":"r"}],"start":0}},"part":"rows"}]},{"carried":{"after":[{"edit":{"value":{"_0":9}}\#
    ,"part":"caret"}],"before":[{"edit":{"value":{"_0":9}},"part":"caret"}]},"edits":[{"edit":{"range":{"count":1,\#
    "replacement":[],"start":0}},"part":"rows"},{"edit":{"range":{"count":4,"replacement":[],"start":1}},"part":"l\#
    ines"},{"edit":{"range":{"count":1,"replacement":[],"start":0}},"part":"lines"}],"label":"Lines"},{"carried":{\#
    "after":[{"edit":{"value":{"_0":9}},"part":"caret"}],"before":[{"edit":{"value":{"_0":3}},"part":"caret"}]},"e\#
    dits":[{"edit":{"range":{"count":3,"replacement":"H","start":0}},"part":"title"}]},{"carried":{"after":[{"edit\#
    ":{"value":{"_0":3}},"part":"caret"}],"before":[{"edit":{"value":{"_0":0}},"part":"caret"}]},"edits":[{"edit":\#
    {"range":{"count":4,"replacement":"","start":0}},"part":"title"}]}],"version":3}
    """#
}
