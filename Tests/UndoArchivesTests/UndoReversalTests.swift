import TestSupport
import UndoArchives
import UndoHistories
import XCTest

/// Reversed elements, the example of a new kind of edit, are recorded, shown, archived and transformed like any other.
final class UndoReversalTests: XCTestCase {
  private struct Sheet: Codable, Equatable, UndoArchivable {
    var title = ""
    var letters = ["a", "b", "c", "d", "e"]

    static var undoParts: [UndoPart<Sheet>] { [UndoPart("title", \.title), UndoPart("letters", \.letters)] }
  }

  private var history = UndoHistory(initialValue: Sheet())

  func testReversalIsUndoneAndRedone() {
    history.edit.letters.reverse()
    XCTAssertEqual(history.letters, ["e", "d", "c", "b", "a"])
    XCTAssertEqual(history.undo()?.edits.map(\.kind), [.elements(.range(old: 0..<5, new: 0..<5))])
    XCTAssertEqual(history.currentItem, Sheet())
    history.redo()
    XCTAssertEqual(history.letters, ["e", "d", "c", "b", "a"])
  }

  func testReversalThatChangesNothingIsNoStep() {
    var history = UndoHistory(initialValue: [[Int](), [1]])
    history.edit[0].reverse()
    history.edit[1].reverse()
    history.edit.append([1, 2, 1])
    history.undo()
    history.edit[1].reverse()
    XCTAssertTrue(history.canRedo)
    history.redo()
    history.edit[2].reverse()
    XCTAssertEqual(history.undoCount, 1, "the same backward")
  }

  func testReversalOfASliceStaysInTheSlice() {
    var history = UndoHistory(initialValue: [0, 1, 2, 3, 4][1..<4])
    history.edit.reverse()
    XCTAssertEqual(Array(history.currentItem), [3, 2, 1])
    history.undo()
    XCTAssertEqual(Array(history.currentItem), [1, 2, 3])
  }

  func testRecordOfAReversalHasNoElements() {
    var history = UndoHistory(initialValue: (0..<10_000).map { "element \($0)" })
    history.edit.reverse()
    XCTAssertEqual(history.byteCount, 24)
  }

  func testViewRepeatsAReversal() {
    history.edit.letters.reverse()
    var rows = history.letters
    history.undo { edit in
      for change in edit.elements(of: \.letters) {
        guard case .range(let old, let new) = change else { return XCTFail("\(change)") }
        rows.replaceSubrange(old, with: edit.currentItem.letters[new])
      }
    }
    XCTAssertEqual(rows, Sheet().letters)
  }

  func testReversalIsRestoredFromAnArchive() throws {
    history.edit.letters.reverse()
    history.edit.letters.append("f")
    history.edit.letters.reverse()
    history.undo()
    var restored = try history.restoredFromJSON()
    XCTAssertEqual([restored.undoCount, restored.redoCount], [2, 1])
    restored.redo()
    XCTAssertEqual(restored.letters, ["f", "a", "b", "c", "d", "e"])
    while restored.undo() != nil {}
    XCTAssertEqual(restored.currentItem, Sheet())
  }

  /// Undoes a reversal of each range below each edit of one or two elements: the edit stays, and finds its elements.
  func testReversalIsTransformedAcrossEveryOtherEdit() {
    let original = Array(0..<5)
    for start in 0..<5 {
      for end in start + 2..<6 where end <= 5 {
        let range = start..<end
        var reversed = UndoHistory(initialValue: original)
        reversed[as: "agent"].make(.reversed(range), [])
        for index in 0..<5 {
          let element = reversed[index]
          check(reversed, range, "\(index) = 9", { $0[index] = 9 }) {
            $0[original.firstIndex(of: element)!] = 9
          }
          check(reversed, range, "remove \(index)", isBlocked: range.contains(index), { $0.remove(at: index) }) {
            $0.removeAll { $0 == element }
          }
          for other in 0..<5 where other != index {
            check(reversed, range, "swap \(index), \(other)", { $0.swapAt(index, other) }) {
              $0.swapAt(original.firstIndex(of: element)!, original.firstIndex(of: reversed[other])!)
            }
            let gap = other > index ? other + 1 : other
            let isBlocked = range.contains(index) || range.lowerBound < gap && gap < range.upperBound
            check(
              reversed, range, "move \(index), \(other)", isBlocked: isBlocked, { $0.move(from: index, to: other) }
            ) {
              $0.insert($0.remove(at: index), at: other)
            }
          }
        }
        for index in 0...5 {
          let isBlocked = range.lowerBound < index && index < range.upperBound
          check(reversed, range, "insert at \(index)", isBlocked: isBlocked, { $0.insert(9, at: index) }) {
            $0.insert(9, at: index)
          }
        }
        for first in 0..<4 {
          let isBlocked = range.overlaps(first..<first + 2)
          check(
            reversed, range, "reverse \(first)", isBlocked: isBlocked, { $0.make(.reversed(first..<first + 2), []) }
          ) {
            $0.swapAt(first, first + 1)
          }
        }
      }
    }
  }

  private func check(
    _ reversed: UndoHistory<[Int]>, _ range: Range<Int>, _ name: String, isBlocked: Bool = false,
    _ edit: (inout UndoHistory<[Int]>.Editor) -> Void, _ expect: (inout [Int]) -> Void
  ) {
    var history = reversed
    history.transaction { edit(&$0) }
    let edited = history.currentItem
    guard history.undoCount == 2 else { return }
    guard case .undone = history.undo(by: "agent") else { return XCTAssertTrue(isBlocked, "\(range), \(name)") }
    XCTAssertFalse(isBlocked, "\(range), \(name)")
    var expected = Array(0..<5)
    expect(&expected)
    XCTAssertEqual(history.currentItem, expected, "\(range), \(name)")
    var other = history
    guard case .undone = other.undo(by: nil) else { return XCTFail("\(range), \(name)") }
    XCTAssertEqual(other.currentItem, Array(0..<5), "\(range), \(name): the other edit is undone as well")
    guard case .undone = history.redo(by: "agent") else { return XCTFail("\(range), \(name)") }
    XCTAssertEqual(history.currentItem, edited, "\(range), \(name)")
  }
}
