import TestSupport
import UndoHistories
import XCTest

/// Copies of histories, and the lifetimes of the values that they contain.
final class UndoHistoryLifetimeTests: XCTestCase {
  final class Owner {}

  struct Reference {
    weak var owner: Owner?
    var number = 0
  }

  func testCopiesOfCopiesThatShareChunksAreIndependent() {
    var history = UndoHistory(initialValue: [0])
    for number in 1...20_000 { history.edit[0] = number }
    var forks = [history, history, history]
    history.removeAllSteps()
    for index in forks.indices {
      for _ in 0..<(index * 9_000) { forks[index].undo() }
      forks.append(forks[index])
      forks[index].edit[0] = -index
      forks[index].limit = .steps(5_000)
    }
    for index in 0..<3 {
      XCTAssertEqual(forks[index].undoCount, min(5_000, 20_001 - index * 9_000))
      XCTAssertEqual(forks[index + 3].undoCount, 20_000 - index * 9_000)
      while forks[index].canUndo { forks[index].undo() }
      XCTAssertEqual(forks[index].currentItem, [max(0, 20_000 - index * 9_000 - 4_999)])
      while forks[index + 3].canRedo { forks[index + 3].redo() }
      XCTAssertEqual(forks[index + 3].currentItem, [20_000])
      while forks[index + 3].canUndo { forks[index + 3].undo() }
      XCTAssertEqual(forks[index + 3].currentItem, [0])
    }
  }

  func testCopiesCanBeEditedOnManyThreads() async {
    var history = UndoHistory(initialValue: ["start"])
    history.coalescing = .none
    for number in 0..<5_000 { history.edit[0] = "a text that needs memory: \(number)" }
    let original = history
    await withTaskGroup(of: Int.self) { group in
      for task in 0..<4 {
        group.addTask {
          var fork = original
          for _ in 0..<(task * 1_000) { fork.undo() }
          fork.edit.append("fork \(task)")
          var steps = 0
          while fork.canUndo {
            fork.undo()
            steps += 1
          }
          return fork.currentItem == ["start"] ? steps + task * 1_000 : -1
        }
      }
      for await steps in group { XCTAssertEqual(steps, 5_001) }
    }
  }

  /// A transaction keeps the redo steps until it ends.
  ///
  /// Then their memory must be used again.
  func testTransactionsAfterUndoingKeepTheLogCompact() {
    var history = UndoHistory(initialValue: ["0"])
    for round in 1...3_000 {
      history.edit[0] = "a text that needs memory: \(round)"
      history.transaction("taken back") { edit in
        edit.append("x")
        edit.append("a text that needs memory")
      }
      history.undo()
      XCTAssertThrowsError(
        try history.transaction { edit in
          edit.append("refused")
          throw Refused()
        })
      XCTAssertEqual(history.redoLabel, "taken back")
      if round % 2 == 0 { history.transaction("kept") { $0.append("y") } }
    }
    XCTAssertEqual(history.undoCount, 4_500)
    history.go(to: .step(2_250))
    XCTAssertEqual(history.currentItem.count, 751)
    history.go(to: .step(0))
    XCTAssertEqual(history.currentItem, ["0"])
  }

  func testValuesAreReleasedExactlyOnce() {
    withLifetimeTracking { tracker in
      typealias Item = LifetimeTracked<Int>
      var history = UndoHistory(initialValue: tracker.instances(0..<4))
      history.edit[0].set(tracker.instance(7))
      history.edit.append(tracker.instance(8))
      history.edit.remove(at: 1)
      history.edit.insert(contentsOf: tracker.instances(20..<23), at: 2)
      history.edit.removeSubrange(1..<4)
      history.edit.swapAt(0, 1)
      history.edit.move(from: 0, to: 2)
      history.currentItem[1] = tracker.instance(9)
      let fork = history
      while history.canUndo { history.undo() }
      while history.canRedo { history.redo() }
      for _ in 0..<4 { history.undo() }
      let other = history
      try? history.transaction("Refused, with steps that can be redone") { edit in
        edit.append(tracker.instance(12))
        throw Refused()
      }
      history.redo()
      history.undo()
      history.transaction("Kept, with steps that can be redone") { $0.append(tracker.instance(13)) }
      history.undo()
      history.edit.append(tracker.instance(10))
      try? history.transaction("Refused") { edit in
        edit.append(tracker.instance(11))
        edit.set([])
        throw Refused()
      }
      history.transaction("Kept") { edit in
        edit.append(tracker.instance(11))
        edit.removeAll()
      }
      history.limit = .steps(2)
      XCTAssertEqual(fork.currentItem.count, 4)
      XCTAssertEqual(other.undoCount, 4)
    }
  }

  func testDroppedStepsReleaseTheirValues() {
    withLifetimeTracking { tracker in
      var history = UndoHistory(initialValue: [tracker.instance(0)])
      history.limit = .steps(3)
      for number in 1...100 { history.edit[0].set(tracker.instance(number)) }
      XCTAssertEqual(tracker.liveCount, 4)
      history.undo()
      history.undo()
      history.edit[0].set(tracker.instance(200))
      XCTAssertEqual(tracker.liveCount, 3)
      history.removeAllSteps()
      XCTAssertEqual(tracker.liveCount, 1)
    }
  }

  func testWeakReferencesSurviveUndoAndRedo() {
    var owners = [Owner(), Owner()]
    var history = UndoHistory(initialValue: [Reference(owner: owners[0]), Reference()])
    history.edit[0].set(Reference(owner: owners[1]))
    history.edit.append(Reference(owner: owners[0], number: 3))
    for _ in 0..<1_000 { history.edit.swapAt(0, 2) }
    let fork = history
    while history.canUndo { history.undo() }
    XCTAssertTrue(history.currentItem[0].owner === owners[0])
    while history.canRedo { history.redo() }
    XCTAssertTrue(history.currentItem[0].owner === owners[1])
    owners = []
    while history.canUndo { history.undo() }
    XCTAssertNil(history.currentItem[0].owner)
    XCTAssertNil(fork.currentItem[2].owner)
  }

  func testElementsOfSizeZeroAreEdited() {
    struct Nothing {}
    var history = UndoHistory(initialValue: [Nothing()])
    history.edit.append(Nothing())
    history.edit.insert(contentsOf: [Nothing(), Nothing()], at: 0)
    history.edit.remove(at: 0)
    history.currentItem.removeLast()
    XCTAssertEqual(history.currentItem.count, 2)
    XCTAssertEqual(history.allUndone().count, 1)
  }

  func testLargeOrStrictlyAlignedValuesAreBoxed() {
    var vectors = UndoHistory(initialValue: [SIMD8<Double>(repeating: 1)])
    vectors.edit[0].set(SIMD8(repeating: 2))
    vectors.edit.append(SIMD8(repeating: 3))
    let fork = vectors
    XCTAssertEqual(vectors.allUndone(), [SIMD8(repeating: 1)])
    XCTAssertEqual(fork.currentItem.count, 2)

    var matrix = Matrix()
    var history = UndoHistory(initialValue: matrix)
    matrix.last = 7
    history.edit.set(matrix)
    XCTAssertGreaterThan(history.byteCount, MemoryLayout<Matrix>.size)
    XCTAssertEqual(history.undone().last, 0)
    XCTAssertEqual(history.redone().last, 7)
  }
}
