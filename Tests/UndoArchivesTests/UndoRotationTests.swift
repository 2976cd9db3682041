import TestSupport
import UndoArchives
import UndoHistories
import XCTest

/// An edit that a single file defines is recorded, joined, shown, archived and transformed like any other.
final class UndoRotationTests: XCTestCase {
  private struct Sheet: Codable, Equatable, UndoArchivable {
    struct Row: Codable, Equatable { var cells = [1, 2, 3, 4] }

    var title = ""
    var letters = ["a", "b", "c", "d", "e", "f"]
    var rows = [Row(), Row()]

    static var undoParts: [UndoPart<Sheet>] {
      [UndoPart("title", \.title), UndoPart("letters", \.letters), UndoPart("rows", \.rows)]
    }
  }

  private var history = UndoHistory(initialValue: Sheet())

  func testARotationIsUndoneAndRedone() {
    history.edit.letters.rotate(1..<5, by: 1)
    history.edit.rows[1].cells.rotate(0..<4, by: 3)
    XCTAssertEqual(history.letters, ["a", "c", "d", "e", "b", "f"])
    XCTAssertEqual(history.rows[1].cells, [4, 1, 2, 3])
    XCTAssertEqual(history.undo()?.edits.map(\.kind), [.elements(.element(at: 1))])
    XCTAssertEqual(history.undo()?.edits.map(\.kind), [.elements(.range(old: 1..<5, new: 1..<5))])
    XCTAssertEqual(history.currentItem, Sheet())
    while history.redo() != nil {}
    XCTAssertEqual(history.letters, ["a", "c", "d", "e", "b", "f"])
    XCTAssertEqual(history.rows[1].cells, [4, 1, 2, 3])
  }

  func testRotationsOfOneRangeJoin() {
    for _ in 0..<3 { history.edit.letters.rotate(1..<5, by: 1) }
    XCTAssertEqual(history.letters, ["a", "e", "b", "c", "d", "f"])
    XCTAssertEqual(history.undoCount, 1)
    history.edit.letters.rotate(0..<5, by: 1)
    XCTAssertEqual(history.undoCount, 2)
    history.undo()
    history.undo()
    XCTAssertEqual(history.currentItem, Sheet())
    history.coalescing = .none
    for _ in 0..<2 { history.edit.letters.rotate(1..<5, by: 1) }
    XCTAssertEqual(history.undoCount, 2)
  }

  func testAViewRepeatsARotation() {
    history.edit.letters.rotate(1..<5, by: 1)
    var rows = history.letters
    func follow(_ edit: borrowing UndoLiveEdit<Sheet>) {
      for change in edit.elements(of: \.letters) {
        guard case .range(let old, let new) = change else { return XCTFail("\(change)") }
        rows.replaceSubrange(old, with: edit.currentItem.letters[new])
      }
    }
    history.undo { edit in follow(edit) }
    XCTAssertEqual(rows, Sheet().letters)
    history.redo { edit in follow(edit) }
    XCTAssertEqual(rows, ["a", "c", "d", "e", "b", "f"])
  }

  func testRotationIsTransformedAcrossOtherEdits() {
    history[as: "agent"].letters.rotate(1..<5, by: 1)
    history.edit.letters.insert("x", at: 0)
    history.edit.letters[6] = "F"
    history.edit.letters.insert("y", at: 3)
    history.edit.letters[4] = "D"
    history.applyRemote { $0.letters.insert("z", at: 0) }
    XCTAssertEqual(history.letters, ["z", "x", "a", "c", "y", "D", "e", "b", "F"])
    guard case .undone = history.undo(by: "agent") else { return XCTFail("it is blocked") }
    XCTAssertEqual(history.letters, ["z", "x", "a", "b", "c", "y", "D", "e", "F"])
    guard case .undone = history.redo(by: "agent") else { return XCTFail("it is blocked") }
    XCTAssertEqual(history.letters, ["z", "x", "a", "c", "y", "D", "e", "b", "F"])
    while history.undo() != nil {}
    XCTAssertEqual(history.letters, ["z"] + Sheet().letters)
  }

  func testRotationIsRestoredFromAnArchive() throws {
    history.edit.letters.rotate(1..<5, by: 1)
    history.edit.title = "rotated"
    history.edit.rows[1].cells.rotate(0..<4, by: 3)
    history.undo()
    var restored = try history.restoredFromJSON()
    XCTAssertEqual([restored.undoCount, restored.redoCount], [2, 1])
    restored.redo()
    XCTAssertEqual(restored.rows[1].cells, [4, 1, 2, 3])
    while restored.undo() != nil {}
    XCTAssertEqual(restored.currentItem, Sheet())
  }

  func testRandomRotationsMatchPlainArrays() {
    withSeeds(100) { random in
      var history = UndoHistory(initialValue: Array(0..<8))
      var snapshots = [history.currentItem]
      history.coalescing = .none
      for number in 8..<random.int(in: 9..<40) {
        let count = history.count
        switch random.int(in: 0..<4) {
        case 0: history.edit.insert(number, at: random.int(in: 0..<count + 1))
        case 1 where count > 3: history.edit.remove(at: random.int(in: 0..<count))
        default:
          let range = random.range(upTo: count)
          guard range.count > 1 else { continue }
          let old = history.currentItem
          let step = random.int(in: 1..<range.count)
          history.edit.rotate(range, by: step)
          let expected =
            old[..<range.lowerBound] + old[range].dropFirst(step) + old[range].prefix(step) + old[range.upperBound...]
          expectEqual(history.currentItem, Array(expected))
        }
        snapshots.append(history.currentItem)
      }
      for snapshot in snapshots.dropLast().reversed() {
        history.undo()
        expectEqual(history.currentItem, snapshot)
      }
      for snapshot in snapshots.dropFirst() {
        history.redo()
        expectEqual(history.currentItem, snapshot)
      }
    }
  }
}
