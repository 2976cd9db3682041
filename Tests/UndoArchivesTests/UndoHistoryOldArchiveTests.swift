import Foundation
import TestSupport
import UndoHistories
import XCTest

/// Archives as versions 2 to 5 of the form have them, written by the library of then.
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
    for (file, carries) in [(version2, false), (version3, true), (version4, true)] {
      for archive in try decodedAndWrittenAgain(file) {
        var history = UndoHistory(initialValue: Page())
        if carries { history.carry(\.caret) }
        edit(&history)
        var restored = UndoHistory(initialValue: history.currentItem)
        if carries { restored.carry(\.caret) }
        try restored.restoreSteps(from: archive)
        XCTAssertTrue(restored.isAtSavedPoint)
        XCTAssertEqual(restored.steps.map(\.label), history.steps.map(\.label))
        expectSameDocuments(&restored, &history)
      }
    }
  }

  /// An archive as it was found, and as it comes back where that is written, which is as one of now.
  private func decodedAndWrittenAgain(_ file: String) throws -> [UndoHistory<Page>.Archive] {
    let archive = try JSONDecoder().decode(UndoHistory<Page>.Archive.self, from: Data(file.utf8))
    let file = try JSONEncoder().encode(archive)
    XCTAssertTrue(String(decoding: file, as: UTF8.self).contains("\"version\":6"))
    let copy = try JSONDecoder().decode(UndoHistory<Page>.Archive.self, from: file)
    return [archive, copy, try UndoHistory<Page>.Archive(archive.bytes(.json), .json)]
  }

  /// Walks through all steps of both, and leaves them at the beginning.
  private func expectSameDocuments(_ restored: inout UndoHistory<Page>, _ history: inout UndoHistory<Page>) {
    for end in [0, history.steps.count, 0] {
      while history.undoCount != end {
        _ = history.undoCount > end ? history.undo() : history.redo()
        _ = restored.undoCount > end ? restored.undo() : restored.redo()
        XCTAssertEqual(restored.currentItem, history.currentItem)
      }
    }
  }

  /// What was done to an empty page by several, with branches.
  private func editTogether(_ history: inout UndoHistory<Page>) {
    history.branches = .kept
    edit(&history)
    history[as: "agent"].lines[0].append("!")
    history.edit.title.insert("a", atUTF8: 2)
    history.absorb { $0.rows.append(Row(name: "theirs")) }
    history[as: "agent"].lines[0].insert("?", atUTF8: 0)
    history.absorb(saved: true) { $0.ages["Bob"] = 7 }
    history.edit.title.removeSubrange(utf8: 0..<1)
    history.undo()
  }

  func testAVersionWithAbsorbedEditsIsRead() throws {
    for archive in try decodedAndWrittenAgain(version5) {
      var history = UndoHistory(initialValue: Page())
      editTogether(&history)
      var restored = UndoHistory(initialValue: history.currentItem)
      restored.branches = .kept
      try restored.restoreSteps(from: archive)
      XCTAssertEqual(restored.steps.map(\.id), history.steps.map(\.id))
      XCTAssertEqual(restored.steps.map(\.origin), history.steps.map(\.origin))
      expectSameDocuments(&restored, &history)
      XCTAssertEqual(restored.currentItem.rows.map(\.name), ["theirs"])
      for history in [history, restored] {
        var history = history
        XCTAssertEqual(history.leaves.count, 1)
        for leaf in history.leaves { XCTAssertTrue(history.go(to: leaf)) }
        XCTAssertEqual(history.currentItem.title, "whole")
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
      for archive in try decodedAndWrittenAgain(changed) { expectChanged(archive, history.currentItem, old) }
    }
  }

  private func expectChanged(_ archive: UndoHistory<Page>.Archive, _ page: Page, _ message: String) {
    var restored = UndoHistory(initialValue: page)
    XCTAssertThrowsError(try restored.restoreSteps(from: archive), message) {
      XCTAssertEqual($0 as? UndoArchiveError, .changed)
    }
  }

  func testAChangedPlaceOfAnAbsorbedEditIsRefused() throws {
    var history = UndoHistory(initialValue: Page())
    editTogether(&history)
    // The last digit of the digest behind the places.
    let changed = version5.replacingOccurrences(of: "77rv32gE", with: "77rv32gA")
    XCTAssertNotEqual(changed, version5)
    for archive in try decodedAndWrittenAgain(changed) { expectChanged(archive, history.currentItem, "absorbed") }
  }

  /// The archive can be read, and is then known to be damaged; a copy of it is not.
  func testOneThatFitsNoDocumentIsNotWrittenAgain() throws {
    for (old, new) in [
      (#""count":1,"replacement":"""#, #""count":-1,"replacement":"""#), (#""second":2"#, #""second":\#(Int.max)"#),
      (#""replacement":"whole","start":0"#, #""replacement":"whole","start":\#(Int.max)"#),
    ] {
      let damaged = version2.replacingOccurrences(of: old, with: new)
      XCTAssertNotEqual(damaged, version2)
      let archive = try JSONDecoder().decode(UndoHistory<Page>.Archive.self, from: Data(damaged.utf8))
      XCTAssertThrowsError(try JSONEncoder().encode(archive)) { XCTAssertTrue($0 is EncodingError, "\($0)") }
      XCTAssertThrowsError(try archive.bytes(.json)) { XCTAssertEqual($0 as? UndoFormError, .damaged(offset: 0)) }
    }
  }

  func testASavedPointThatIsNoneIsWrittenAgainAsNone() throws {
    var history = UndoHistory(initialValue: Page())
    edit(&history)
    for saved in [-1, 19, Int.max] {
      let forged = version2.replacingOccurrences(of: #""saved":16"#, with: #""saved":\#(saved)"#)
      for archive in try decodedAndWrittenAgain(forged) {
        var restored = UndoHistory(initialValue: history.currentItem)
        try restored.restoreSteps(from: archive.forged())
        XCTAssertFalse(restored.isAtSavedPoint)
      }
    }
  }

  /// Whatever stands in an old archive: it is written again so that it can be read, or the error is a typed one.
  func testHostileOnesAreWrittenAgainOrRefused() throws {
    let numbers = ["-1", "0", "7", "\(Int.max)", "\(Int.min)", "281474976710656", "140737488355328"]
    var (copies, refusals) = (0, 0)
    withSeeds(3000) { random in
      let file = [version2, version3, version4, version5][random.int(in: 0..<4)]
      var hostile = Array(file.utf8)
      for _ in 0..<random.int(in: 1..<3) {
        let isOfDigits = random.chance(oneIn: 2)
        let places = hostile.indices.filter { isOfDigits ? hostile[$0].isDigit : (hostile[$0] | 32).isLetter }
        let place = places[random.int(in: 0..<places.count)]
        if isOfDigits {
          hostile.replaceSubrange(place...place, with: numbers[random.int(in: 0..<numbers.count)].utf8)
        } else {
          hostile[place] = Array("AEIQgw7x0".utf8)[random.int(in: 0..<9)]
        }
      }
      do {
        let archive = try JSONDecoder().decode(UndoHistory<Page>.Archive.self, from: Data(hostile))
        let copy = try JSONDecoder().decode(UndoHistory<Page>.Archive.self, from: JSONEncoder().encode(archive))
        expectEqual(copy.description, archive.description)
        copies += 1
      } catch {
        expectEqual(error is DecodingError || error is EncodingError, true, "\(error)")
        refusals += 1
      }
    }
    XCTAssertGreaterThan(min(copies, refusals), 20)
  }

  func testALaterVersionIsRefused() throws {
    let file = String(decoding: try JSONEncoder().encode(UndoHistory(initialValue: Page()).archive()), as: UTF8.self)
    let later = file.replacingOccurrences(of: "\"version\":6", with: "\"version\":7")
    XCTAssertNotEqual(later, file)
    expectDecodingError(UndoHistory<Page>.Archive.self, from: later, mentioning: "Version 7")
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

  private let version4 = #"""
    {"contents":18418257675613989348,"document":15212857276522513595,"pieces":[{"done":false,"name":"r"}],"steps":\#
    "AgYFdGl0bGUCBWxpbmVzAgRyb3dzAARhZ2VzAAV3aWR0aAAFY2FyZXQAAQR0ZXh0AgsCBgASCgYFAAAAAAAAAPg\/AQYAEgYAEgYECwNBZGEB\#
    BgASBgASBgIIAAECAAcEZm91cgEGABIGABIGAgIAAAIDdHdvA29uZQEGABIGABIGAgcEAAEGABIGABIGAgYAAgEGABIGABIGAwgAAAEBBgASBg\#
    ASDwVMaW5lcwMCAAEAAgIBBAACBAABBgASBgASBgECAAMBSAEGAAYGABIGAQIABAABBgAABgAGAgYBAgAGBXdob2xlAQYAEgYAEgYCBAABBgAS\#
    BgAS","version":4}
    """#

  private let version5 = #"""
    {"absorbed":"AgEXAAEVALvWlva77rv32gE","branchContents":6416379525566726836,"branches":"AgYFdGl0bGUCBWxpbmVzAgR\#
    yb3dzAARhZ2VzAAV3aWR0aAAFY2FyZXQAAQR0ZXh0AgAAAQAQAgQBAgAGBXdob2xlBAIEAA","contents":6217394151074163769,"docum\#
    ent":17119677924556653906,"origins":"AQVhZ2VudBkBAAACAAADAAAEAAAFAAAGAAAHAAAIAAAJAAAKAAALAAAMAAANAAAOAAAPAAAQA\#
    AATAAIUAAAWAAIYAAARAAASAACZzMzTy5PM16sB","pieces":[{"done":false,"name":"r"}],"steps":"AgYFdGl0bGUCBWxpbmVzAgR\#
    yb3dzAARhZ2VzAAV3aWR0aAAFY2FyZXQAAQR0ZXh0AgAAFQQCCAABAgABAAQECwNCb2IEAQICAQAEAwIBAQAEAggAAQIHAQAEBQAAAAAAAAD4P\#
    wQECwNBZGEEAggAAQIABwRmb3VyBAICAAACA3R3bwNvbmUEAgcEAAQCBgACBAMIAAABDQVMaW5lcwMCAAEAAgIBBAACBAAEBgAGBAECAAMBSAQ\#
    GAAQEAQIDAQAEBgACBAECAQIABAYAAAQBAgABAAEEAQIAAQA","version":5}
    """#
}

extension UInt8 {
  fileprivate var isDigit: Bool { 48..<58 ~= self }
  fileprivate var isLetter: Bool { 97..<123 ~= self }
}
