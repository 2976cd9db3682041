import TestSupport
import UndoHistories
import UndoManagers
import XCTest

/// A text view can cut a surrogate pair, and a Swift string can't: view and document stay equal all the same.
final class TextViewSurrogateTests: XCTestCase {
  typealias Edit = TextViewDouble.Edit

  private let halves: (high: UInt16, low: UInt16) = (0xD83D, 0xDE00)

  func testHalfOfAPairIsDeletedWithTheOther() {
    for half in [1..<2, 2..<3] {
      for order in TextViewDouble.Order.all {
        let view = TextViewDouble("a😀b")
        view.event([Edit(half, "")], order: order)
        XCTAssertEqual(view.text, "ab")
        XCTAssertTrue(view.isEqual, "\(order)")
        XCTAssertEqual(view.undoAll(), ["a😀b"])
        XCTAssertTrue(view.isEqual, "\(order)")
        view.redo()
        XCTAssertEqual(view.text, "ab")
      }
    }
  }

  func testBothHalvesDeletedInOneEventAreOneDeletion() {
    for edits in [[Edit(2..<3, ""), Edit(1..<2, "")], [Edit(1..<2, ""), Edit(1..<2, "")]] {
      let view = TextViewDouble("a😀b")
      view.event(edits)
      XCTAssertEqual(view.text, "ab")
      XCTAssertEqual(view.repairs, [])
      XCTAssertTrue(view.isEqual)
      XCTAssertEqual(view.undoAll(), ["a😀b"])
    }
  }

  func testHalvesDeletedOneByOneNeverDivideViewAndDocument() {
    for halves in [[2, 1], [1, 1]] {
      let view = TextViewDouble("a😀b😀c")
      for half in halves {
        view.event([Edit(half..<half + 1, "")])
        XCTAssertTrue(view.isEqual)
      }
      XCTAssertEqual(view.history.body, halves[0] == 2 ? "a😀c" : "a😀c")
      _ = view.undoAll()
      XCTAssertEqual(view.text, "a😀b😀c")
      XCTAssertTrue(view.isEqual)
    }
  }

  func testTextBetweenTheHalvesReplacesThePair() {
    for order in TextViewDouble.Order.all {
      let view = TextViewDouble("a😀b")
      view.event([Edit(2..<2, "x")], order: order)
      XCTAssertEqual(view.text, "axb")
      XCTAssertTrue(view.isEqual, "\(order)")
      XCTAssertEqual(view.undoAll(), ["a😀b"])
    }
  }

  func testOneHalfExchangedKeepsAWholePair() {
    for order in TextViewDouble.Order.all {
      let view = TextViewDouble("a😀b")
      view.event([Edit(2..<3, [halves.low + 1])], order: order)
      XCTAssertEqual(view.text, "a😁b")
      XCTAssertEqual(view.repairs, [])
      XCTAssertTrue(view.isEqual, "\(order)")
    }
  }

  func testInsertedHalvesAreRemovedUnlessTheyArriveTogether() {
    let view = TextViewDouble("ab")
    view.event([Edit(1..<1, [halves.high])])
    XCTAssertEqual(view.text, "ab")
    view.event([Edit(1..<1, [0x78, halves.low, 0x79, halves.high])])
    XCTAssertEqual(view.text, "axyb")
    view.event([Edit(1..<1, [halves.high]), Edit(2..<2, [halves.low])])
    XCTAssertEqual(view.text, "a😀xyb")
    XCTAssertTrue(view.isEqual)
  }

  func testHalfBesideAPairIsRemoved() {
    for (offset, half) in [(1, halves.high), (1, halves.low), (3, halves.high), (3, halves.low)] {
      let view = TextViewDouble("a😀b")
      view.event([Edit(offset..<offset, [half])])
      XCTAssertEqual(view.text, "a😀b")
      XCTAssertTrue(view.isEqual && !view.history.canUndo)
    }
  }
}
