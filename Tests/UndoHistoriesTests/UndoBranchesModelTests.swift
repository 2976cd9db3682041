import TestSupport
import UndoHistories
import XCTest

/// Compares histories with branches and copies with a tree of snapshots, after random edits.
final class UndoBranchesModelTests: XCTestCase {
  func testHistoryMatchesTreeOfSnapshots() {
    withSeeds(200) { random in
      let oracle = Oracle(&random)
      for var oracle in randomCopies(of: oracle, steps: 80, using: &random, act: { $0.act(&$1) }) {
        oracle.walkThrough(&random)
      }
    }
  }

  /// Makes so many steps that branches begin and end in chunks of every size.
  func testHistoryWithManyStepsMatchesTreeOfSnapshots() {
    withSeeds(4) { random in
      var oracle = Oracle(&random)
      for _ in 0..<12 {
        for _ in 0..<random.int(in: 1..<60) { oracle.edit(&random) }
        for _ in 0..<random.int(in: 1..<4) { oracle.walk(&random) }
      }
      oracle.walkThrough(&random)
    }
  }
}

/// A history and the tree of its expected states.
private struct Oracle {
  var history = UndoHistory(initialValue: Document())
  var tree = SnapshotTree(Document())
  var clock: ManualClock?

  init(_ random: inout SeededRandom) {
    if !random.chance(oneIn: 8) { keepBranches(true) }
    if random.chance(oneIn: 4) {
      let clock = ManualClock()
      history.recordTimes { clock.now.offset }
      self.clock = clock
    }
    if random.chance(oneIn: 4) { history.coalescing = .none }
  }

  mutating func act(_ random: inout SeededRandom) {
    switch random.int(in: 0..<24) {
    case 0..<9: walk(&random)
    case 9..<12: transaction(&random)
    case 12 where random.chance(oneIn: 4): setLimit(&random)
    case 13 where random.chance(oneIn: 8): keepBranches(!random.chance(oneIn: 3))
    case 14 where random.chance(oneIn: 12):
      history.removeAllSteps()
      tree.removeAllSteps()
    case 15:
      history.markSaved()
      (tree.saved, tree.saves) = (tree.current, [])
    case 16: tree.saves.append((history.beginSave(), tree.current))
    case 17: answerSave(&random)
    case 18:
      expectEqual(history.go(to: .savedPoint), tree.goToSaved())
      expectEqual(!history.isDirty, tree.saved != nil)
    case 19: gesture(&random)
    default: edit(&random)
    }
    check()
  }

  mutating func keepBranches(_ keepsBranches: Bool) {
    history.keepsBranches = keepsBranches
    tree.keepsBranches = keepsBranches
    if !keepsBranches { tree.dropBranches() }
  }

  // MARK: Editing

  mutating func edit(_ random: inout SeededRandom) {
    make(nil, &random) { history, document, random in history.edit.edit(&document, &random) }
    check()
  }

  private mutating func transaction(_ random: inout SeededRandom) {
    let label = random.chance(oneIn: 2) ? "label \(random.int(in: 0..<1_000_000_000_000))" : nil
    let isRefused = random.chance(oneIn: 3)
    make(label, &random) { history, document, random in
      let old = document
      do {
        try history.transaction(label) { edit in
          edit.editNested(&document, &random, depth: 0)
          if isRefused { throw Refused() }
        }
      } catch {
        document = old
      }
    }
  }

  /// Makes an open step of several edits, and ends or cancels it.
  private mutating func gesture(_ random: inout SeededRandom) {
    let label = random.chance(oneIn: 2) ? "a gesture with a label" : nil
    // Steps that a limit dropped for the open step are not restored when it is cancelled.
    let isCancelled = history.limit == .unlimited && random.chance(oneIn: 3)
    let answer = random.chance(oneIn: 3) ? tree.saves.indices.randomElement(using: &random) : nil
    let save = answer.map { tree.saves[$0].save }
    make(label, &random) { history, document, random in
      let (old, step) = (document, history.beginStep(label))
      for number in 0..<random.int(in: 0..<4) {
        history.edit.edit(&document, &random)
        if number == 1, let save { history.finishSave(save) }
      }
      if let save { history.finishSave(save) }
      expect(isCancelled ? history.cancelStep(step) : history.endStep(step))
      if isCancelled { document = old }
    }
    if let answer { tree.answer(answer, isSuccess: true) }
  }

  /// Makes an edit, which may change nothing, record a step, or join the latest step.
  private mutating func make(
    _ label: String?, _ random: inout SeededRandom,
    _ body: (inout UndoHistory<Document>, inout Document, inout SeededRandom) -> Void
  ) {
    clock?.advance(by: .seconds(1))
    // The same edit of a copy without a limit shows whether it records a step.
    var (copy, copied, sameRandom) = (history, tree.document, random)
    copy.limit = .unlimited
    let stepCount = copy.undoCount
    body(&copy, &copied, &sameRandom)
    var document = tree.document
    body(&history, &document, &random)
    if copy.undoCount > stepCount {
      tree.add(SnapshotTree<Document>.Node(document: document, label: label, time: clock?.now.offset))
      keepLimit()
    } else if copy.undoCount < stepCount, copy.redoCount == 0 {
      // The edit joined the latest step and undid it, so that step is gone.
      tree.removeLatest()
    } else if Exact(document) != Exact(tree.document) {
      expect(history.coalescing == .typing && tree.redoCount == 0 && tree.saved != tree.current)
      tree.change(to: document, time: clock?.now.offset)
    } else if history.undoCount > 0 {
      // An edit that changes nothing can join the latest step. That updates the time of the step.
      tree.change(to: document, time: Array(history.steps)[history.undoCount - 1].time)
    }
  }

  private mutating func setLimit(_ random: inout SeededRandom) {
    switch random.int(in: 0..<4) {
    case 0: history.limit = .unlimited
    case 1:
      history.limit = .bytes(random.int(in: 200..<20_000))
      follow()
      history.limit = .unlimited
    default: history.limit = .steps(random.int(in: 1..<30))
    }
    keepLimit()
  }

  private mutating func keepLimit() { tree.keepLimit(steps: history.limit.steps) }

  /// Drops the same steps as a limit of bytes did.
  ///
  /// The tree doesn't know the sizes of the steps.
  private mutating func follow() {
    let isKept = history.byteCount <= history.limit.bytes
    expect(isKept || history.branches.isEmpty && (history.undoCount == 0 || history.steps.count == 1))
    expect(history.branches.isEmpty || history.undoCount == tree.undoCount, "a step was dropped before a branch")
    tree.drop(branches: tree.branches.count - history.branches.count, steps: tree.undoCount - history.undoCount)
  }

  private mutating func answerSave(_ random: inout SeededRandom) {
    guard let index = tree.saves.indices.randomElement(using: &random) else { return }
    let isSuccess = random.chance(oneIn: 2)
    let save = tree.saves[index].save
    expect(isSuccess ? history.finishSave(save) : history.failSave(save))
    tree.answer(index, isSuccess: isSuccess)
  }

  // MARK: Undo, redo and branches

  mutating func walk(_ random: inout SeededRandom) {
    switch random.int(in: 0..<6) {
    case 0..<2:
      expectEqual(history.undo() == nil, tree.undoCount == 0)
      tree.undo()
    case 2:
      expectEqual(history.redo() == nil, tree.redoCount == 0)
      tree.redo()
    case 3:
      let position = random.int(in: 0..<history.steps.count + 1)
      history.go(to: .step(position))
      tree.go(to: position)
    default:
      guard let index = history.branches.indices.randomElement(using: &random) else { return }
      goToLeaf(index)
    }
    check()
  }

  private mutating func goToLeaf(_ index: Int) {
    let leaf = history.branches[index]
    var steps = 0
    let distance = history.undoCount - leaf.position
    expect(history.go(to: leaf) { _ in steps += 1 })
    expectEqual(steps, abs(distance) + leaf.stepCount)
    tree.goToBranch(at: index)
    // Going there again succeeds and changes nothing.
    if leaf.stepCount % 2 == 0 { expect(history.go(to: leaf)) }
  }

  // MARK: Checking

  mutating func check() {
    expectEqual(Exact(history.currentItem), Exact(tree.document))
    tree.check(history)
    expectEqual(history.savesInFlight, tree.saves.map(\.save))
    let newest = tree.saves.isEmpty ? tree.saved : tree.saves[tree.saves.count - 1].state
    expectEqual(history.needsSave, newest != tree.current)
    expect(history.byteCount >= history.steps.reduce(0) { $0 + $1.byteCount })
    expectEqual(history.byteCount == 0, tree.stepCount == 0)
  }

  /// Goes to random branches, then undoes and redoes all steps.
  mutating func walkThrough(_ random: inout SeededRandom) {
    for _ in 0..<(2 * tree.branches.count) {
      goToLeaf(random.int(in: 0..<tree.branches.count))
      check()
    }
    for isBackward in [true, false] {
      for _ in 0...(tree.undoCount + tree.redoCount) {
        _ = isBackward ? history.undo() : history.redo()
        isBackward ? tree.undo() : tree.redo()
        check()
      }
    }
    keepBranches(false)
    expectEqual(history.byteCount, history.steps.reduce(0) { $0 + $1.byteCount })
    check()
  }
}
