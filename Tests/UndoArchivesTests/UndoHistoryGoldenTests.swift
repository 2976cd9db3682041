import Foundation
import TestSupport
import UndoArchives
import UndoHistories
import XCTest

/// A history with its steps as version 1 of the archive has them.
///
/// If this test fails, the format has changed, and users have archives that this code can't read: `docs/releasing.md`
/// says what to do.
final class UndoHistoryGoldenTests: XCTestCase {
  private struct Page: UndoArchivable, Equatable, CustomStringConvertible {
    var title = ""
    var rows: [Row] = []
    var ages: [String: Int] = [:]
    var marks: Set<Int> = []
    var caret = 0
    static let undoParts = [
      UndoPart<Page>("title", \.title), UndoPart("rows", \.rows), UndoPart("ages", \.ages), UndoPart("marks", \.marks),
      UndoPart("caret", \.caret),
    ]

    var description: String {
      let rows = rows.map { "\($0.text)×\($0.count)" }.joined(separator: ",")
      let ages = ages.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
      return [title, rows, ages, "\(marks.sorted())", "\(caret)"].joined(separator: "|")
    }
  }

  private struct Row: UndoArchivable, Equatable {
    var text = ""
    var count = 0
    static let undoParts = [UndoPart<Row>("text", \.text), UndoPart("count", \.count)]
  }

  /// The JSON of the history that `remade()` returns.
  ///
  /// Run this test with `UNSAVED_GOLDEN=1` to print such bytes.
  private static let file = """
    eyJkb2N1bWVudCI6eyJhZ2VzIjp7IkFkYSI6MzZ9LCJjYXJldCI6NCwibWFya3MiOls3XSwicm93cyI6W3siY291bnQiOjEyLCJ0ZXh0IjoiRWdn
    cyJ9LHsiY291bnQiOjIsInRleHQiOiJGbG91ciJ9LHsiY291bnQiOjAsInRleHQiOiJPYXQgTWlsayJ9XSwidGl0bGUiOiJDYWbDqSJ9LCJzdGVw
    cyI6eyJwaWVjZXMiOltbXSx7fV0sInN0ZXBzIjoiQWV6K2pheXFtSytJYmdqTzQ0R0cxcTJIM3RFQkNXRm5aWE02ZTNNc2FaSERqTmlvczlYNnhB
    RUhZMkZ5WlhRNmFaR0d5SWVPK3RPZWRBaHRZWEpyY3pvOGFZNktzOCswZ3I3N0t3NXliM2R6TDJWc1pXMWxiblJ6SSsyZmh0ak5uTVdGSFJWeWIz
    ZHpMMlZzWlcxbGJuUnpMMk52ZFc1ME9tbWw2NlN1dElyWHVpNFpjbTkzY3k5bGJHVnRaVzUwY3k5MFpYaDBMM1JsZUhRNmM0S25rOXZlcVBLY1Z3
    eDBhWFJzWlM5MFpYaDBPbk91dm91cHdvWFlvcVVCQXdVSGRHbDBiR1U2Y3dJR2NtOTNjem9xQXdsaFoyVnpPbnR6TEdrQUNHMWhjbXR6T2p4cEFB
    ZGpZWEpsZERwcEFBRUdkR1Y0ZERwekFnSUdkR1Y0ZERwekFnZGpiM1Z1ZERwcEFBSUNGQUFJQmlnUUFRRVVBQWdVQUFnb0RBRUJGQUFJRkFBSUtB
    Z0lBUUlBQWdFVUFBZ1VBQWhNQ0VGa1pDQnliM2R6Q0FZQUFnZ0NBUUlBQVJRQUNCUUFDQ2dJQ0FBQkFnQUVBQUVVQUFnVUFBZ29CQUlBQlFBQkZB
    QUFGQUFJQXlnSUJ3QUNBUlFBQ0JRQUNDZ1ZDZ0VVQUFnVUFBZ29DQVFBQVJRQUNCUUFDQUlBQUFBQUFTZ2lBR0VnWW5KaGJtTm9BUlFBQUJRQUFB
    SUZZV2RsYm5RTEFRQUFBZ0FBQXdBQUJRQUNCZ0FBQndBQUNBQUFDUUFBQ2dBQUJBQUE4TnlsenNpOTJzTUoifX0=
    """

  /// A text, elements, a field, a dictionary, a set, labels, an origin, a branch, a restored value and redo steps.
  private func remade() throws -> [UInt8] {
    var history = UndoHistory(initialValue: Page(rows: [Row(text: "Milk")]))
    history.keepsBranches = true
    history.restoreOnUndo(\.caret)
    history.edit.title.append("a branch")
    history.undo()
    history.edit.title.append("Caf\u{e9}")
    history.edit.caret = 4
    history.markSaved()
    history.edit.rows[0].text.insert("Oat ", atUTF8: 0)
    history.transaction("Add rows") { edit in
      edit.rows.append(contentsOf: [Row(text: "Flour", count: 1), Row(text: "Eggs", count: 12)])
      edit.rows.swapAt(0, 2)
    }
    history[as: "agent"].rows[1].count = 2
    history.edit.ages["Ada"] = 36
    history.edit.marks.insert(7)
    history.edit.rows.move(from: 0, to: 2)
    history.edit.title.set("")
    history.edit.rows.remove(at: 0)
    for _ in 0..<3 { history.undo() }
    let encoder = JSONEncoder()
    encoder.userInfo[.undoSteps] = true
    encoder.outputFormatting = .sortedKeys
    return Array(try encoder.encode(history))
  }

  func testHistoryOfVersion1IsReadWithAllSteps() async throws {
    let golden = try await GoldenFile(Self.file, remade: remade)
    var history = try JSONDecoder().decode(UndoHistory<Page>.self, from: Data(golden.bytes))
    let now = "Caf\u{e9}|Eggs×12,Flour×2,Oat Milk×0|Ada=36|[7]|4"
    XCTAssertEqual(history.currentItem.description, now)
    XCTAssertEqual([history.undoCount, history.redoCount, history.branches.count], [6, 3, 1])
    XCTAssertEqual(history.steps.map(\.label), [nil, nil, "Add rows"] + Array(repeating: nil, count: 6))
    XCTAssertEqual(history.steps.map(\.origin), [nil, nil, nil, "agent"] + Array(repeating: nil, count: 5))
    let last = history
    var texts: [String] = []
    while history.redo() != nil { texts.append(history.currentItem.description) }
    let redone = [
      "Caf\u{e9}|Flour×2,Oat Milk×0,Eggs×12|Ada=36|[7]|4", "|Flour×2,Oat Milk×0,Eggs×12|Ada=36|[7]|4",
      "|Oat Milk×0,Eggs×12|Ada=36|[7]|4",
    ]
    XCTAssertEqual(texts, redone)
    texts = []
    while history.undo() != nil { texts.append(history.currentItem.description) }
    XCTAssertEqual(
      texts,
      [
        redone[1], redone[0], now, "Caf\u{e9}|Eggs×12,Flour×2,Oat Milk×0|Ada=36|[]|4",
        "Caf\u{e9}|Eggs×12,Flour×2,Oat Milk×0||[]|4", "Caf\u{e9}|Eggs×12,Flour×1,Oat Milk×0||[]|4",
        "Caf\u{e9}|Oat Milk×0||[]|4", "Caf\u{e9}|Milk×0||[]|4", "|Milk×0||[]|0",
      ])
    XCTAssertTrue(history.go(to: .savedPoint))
    XCTAssertEqual(history.currentItem.description, "Caf\u{e9}|Milk×0||[]|4")
    history = last
    history.go(to: history.branches[0])
    XCTAssertEqual(history.currentItem.description, "a branch|Milk×0||[]|0")
  }
}
