import TestSupport
import UndoHistories
import XCTest

/// Compares histories with an array of snapshots, after random edits through every cursor.
final class UndoHistoryModelTests: XCTestCase {
  func testHistoryMatchesSnapshots() {
    withSeeds(200) { random in
      for var oracle in randomCopies(of: Oracle(), steps: 100, atMost: 4, using: &random, act: { $0.act(&$1) }) {
        oracle.walkThrough()
      }
    }
  }

  /// Limits are set and removed while there are redo steps, while there are copies, and before a transaction throws.
  func testLimitKeepsTheNewestSteps() {
    withSeeds(60) { random in
      for var pair in randomCopies(of: LimitedPair(), steps: 80, using: &random, act: { $0.act(&$1) }) {
        pair.walkThrough()
      }
    }
  }

  /// Makes the same edits with and without joining.
  ///
  /// The first history must restore a part of the states of the second.
  func testUndoOfJoinedStepsRestoresStatesOfUnjoinedSteps() {
    withSeeds(60) { random in
      var joined = UndoHistory(initialValue: Document())
      var apart = joined
      apart.coalescing = .none
      var (plain, sameRandom) = (Document(), random)
      for _ in 0..<80 {
        var again = plain
        joined.edit.edit(&plain, &random)
        apart.edit.edit(&again, &sameRandom)
      }
      expect(joined.undoCount <= apart.undoCount)
      for _ in 0..<2 {
        while joined.undo() != nil {
          while apart.canUndo, Exact(apart.currentItem) != Exact(joined.currentItem) { apart.undo() }
          expectEqual(Exact(apart.currentItem), Exact(joined.currentItem))
        }
        while joined.redo() != nil {
          while apart.canRedo, Exact(apart.currentItem) != Exact(joined.currentItem) { apart.redo() }
          expectEqual(Exact(apart.currentItem), Exact(joined.currentItem))
        }
      }
      expectEqual(Exact(joined.currentItem), Exact(plain))
    }
  }
}

/// A history with limits, and one without that receives the same edits.
///
/// The first one must have the newest steps of the second.
private struct LimitedPair {
  var limited = UndoHistory(initialValue: Document())
  var all = UndoHistory(initialValue: Document())
  var plain = Document()
  /// The number of steps of `all` that the limits have dropped.
  var dropped = 0

  mutating func act(_ random: inout SeededRandom) {
    switch random.int(in: 0..<16) {
    case 0: setLimit(.steps(random.int(in: 1..<12)))
    case 1: setLimit(.steps(random.int(in: 1..<40), bytes: random.int(in: 100..<4_000)))
    case 2: setLimit(.unlimited)
    case 3..<5 where limited.canUndo: expectEqual(limited.undo()?.edits, all.undo()?.edits)
    case 5..<7 where limited.canRedo: expectEqual(limited.redo()?.edits, all.redo()?.edits)
    case 7:
      let position = random.int(in: 0..<(limited.steps.count + 1))
      limited.go(to: .step(position))
      all.go(to: .step(dropped + position))
    case 8 where random.chance(oneIn: 8):
      limited.removeAllSteps()
      all.removeAllSteps()
      dropped = 0
    case 9..<12:
      let isRefused = random.chance(oneIn: 3)
      let label = random.chance(oneIn: 2) ? "a label that needs memory" : nil
      edit(&random) { editor, plain, random in
        try editor.transaction(label) { editor in
          editor.editNested(&plain, &random, depth: 0)
          if isRefused { throw Refused() }
        }
      }
    default: edit(&random) { editor, plain, random in editor.edit(&plain, &random) }
    }
    plain = all.currentItem
    check()
  }

  private mutating func edit(
    _ random: inout SeededRandom,
    _ body: (inout UndoHistory<Document>.Editor, inout Document, inout SeededRandom) throws -> Void
  ) {
    let before = [all.undoCount, all.byteCount]
    var sizes = limited.steps.prefix(limited.undoCount).map(\.byteCount)
    var (again, sameRandom) = (plain, random)
    try? body(&limited.edit, &again, &sameRandom)
    try? body(&all.edit, &plain, &random)
    if [all.undoCount, all.byteCount] == before { return }
    if all.undoCount == before[0] { sizes.removeLast() }
    drop(from: sizes + limited.steps.suffix(1).map(\.byteCount))
  }

  private mutating func setLimit(_ limit: UndoLimit) {
    // A limit of bytes that is never reached makes the copy count retained bytes, but drop no steps.
    var copy = limited
    copy.limit = limit.bytes == .max ? .unlimited : .bytes(.max - 1)
    limited.limit = limit
    drop(from: copy.steps.map(\.byteCount))
  }

  /// Drops as many of the oldest steps as the limit requires.
  private mutating func drop(from sizes: [Int]) {
    var sizes = sizes[...]
    while dropped < all.undoCount, sizes.count > 1,
      sizes.count > limited.limit.steps || sizes.reduce(0, +) > limited.limit.bytes
    {
      sizes.removeFirst()
      dropped += 1
    }
    expectEqual(limited.steps.map(\.byteCount), Array(sizes))
  }

  private func check() {
    expectEqual(limited.undoCount, all.undoCount - dropped)
    expectEqual(limited.redoCount, all.redoCount)
    expectEqual(limited.steps.map(\.label), all.steps.map(\.label).suffix(limited.steps.count))
    if limited.limit.bytes == .max {
      expectEqual(limited.steps.map(\.byteCount), all.steps.map(\.byteCount).suffix(limited.steps.count))
    }
    expectEqual(limited.byteCount, limited.steps.reduce(0) { $0 + $1.byteCount })
    expectEqual(Exact(limited.currentItem), Exact(all.currentItem))
  }

  /// Redoes all steps, then undoes all.
  mutating func walkThrough() {
    while limited.redo() != nil {
      all.redo()
      check()
    }
    while limited.undo() != nil {
      all.undo()
      check()
    }
  }
}

/// A history and the snapshots that it must restore.
private struct Oracle {
  struct Step {
    var state: Int
    var document: Document
    var label: String?
  }

  var history = UndoHistory(initialValue: Document())
  var current = Document()
  var undoable: [Step] = []
  var redoable: [Step] = []
  var state = 0
  var savedState: Int? = 0
  var newestState = 0
  /// The saves that were begun, with their states.
  ///
  /// Some have ended already.
  var saves: [(save: UndoHistory<Document>.Save, state: Int?, isInFlight: Bool)] = []

  mutating func act(_ random: inout SeededRandom) {
    switch random.int(in: 0..<21) {
    case 0..<4: undo()
    case 4..<7: redo()
    case 7..<10: transaction(&random)
    case 10: trim(to: .steps(random.int(in: 1..<40), bytes: random.int(in: 200..<20_000)))
    case 11:
      history.markSaved()
      savedState = state
      for index in saves.indices { saves[index].isInFlight = false }
    case 12 where random.chance(oneIn: 2):
      history.coalescing = random.chance(oneIn: 4) ? .none : .typing
    case 12: go(to: random.int(in: 0..<(undoable.count + redoable.count + 1)))
    case 13 where random.chance(oneIn: 8):
      history.removeAllSteps()
      (undoable, redoable) = ([], [])
      forgetSavedState()
    case 14:
      let document = other(&random)
      history.currentItem = document
      didEdit(document, label: nil, mayJoin: history.coalescing == .typing)
    case 15:
      saves.append((history.beginSave(id: .init(rawValue: random.next())), state, true))
    case 16:
      answerSave(&random)
    case 17:
      let document = random.chance(oneIn: 6) ? current : other(&random)
      let label = random.chance(oneIn: 2) ? "Reload" : nil
      history.replaceDocument(with: document, label: label)
      didEdit(document, label: label, mayJoin: false)
    default:
      var edited = current
      history.edit.edit(&edited, &random)
      didEdit(edited, label: nil, mayJoin: history.coalescing == .typing)
    }
    check()
  }

  /// A document that differs from the current one in one place or in several.
  private func other(_ random: inout SeededRandom) -> Document {
    var document = current
    if random.chance(oneIn: 2) {
      document.mutate(&random)
    } else {
      var scratch = UndoHistory(initialValue: document)
      for _ in 0..<random.int(in: 1..<4) { scratch.edit.edit(&document, &random) }
    }
    return document
  }

  mutating func transaction(_ random: inout SeededRandom) {
    let label = random.chance(oneIn: 2) ? "label \(random.int(in: 0..<1_000_000_000_000))" : nil
    var edited = current
    let isRefused = random.chance(oneIn: 4)
    do {
      try history.transaction(label) { edit in
        edit.editNested(&edited, &random, depth: 0)
        if isRefused { throw Refused() }
      }
      didEdit(edited, label: label, mayJoin: false)
    } catch {
      expectEqual(history.redoCount, redoable.count, "a transaction that threw dropped the redo steps")
    }
  }

  /// Registers an edit, which may have changed nothing, recorded a step, or joined the latest step.
  mutating func didEdit(_ document: Document, label: String?, mayJoin: Bool) {
    if history.undoCount == undoable.count + 1 {
      undoable.append(Step(state: state, document: current, label: label))
      redoable = []
    } else if Exact(document) == Exact(current) {
      return
    } else {
      let isSaving = saves.contains { $0.isInFlight && $0.state == state }
      expect(mayJoin && redoable.isEmpty && state != savedState && !isSaving, "an edit joined the step before it")
    }
    newestState += 1
    state = newestState
    current = document
    forgetSavedState()
  }

  mutating func trim(to limit: UndoLimit) {
    history.limit = limit
    expect(history.undoCount + history.redoCount <= limit.steps || history.undoCount == 0)
    expect(history.byteCount <= limit.bytes || history.undoCount + history.redoCount <= 1 || history.undoCount == 0)
    history.limit = .unlimited
    undoable.removeFirst(max(0, undoable.count - history.undoCount))
    forgetSavedState()
  }

  /// Forgets the saved states, and the states of saves in flight, that undo and redo can no longer reach.
  mutating func forgetSavedState() {
    let reachable = Set((undoable + redoable).map(\.state) + [state])
    if let state = savedState, !reachable.contains(state) { savedState = nil }
    for index in saves.indices {
      if let state = saves[index].state, !reachable.contains(state) { saves[index].state = nil }
    }
  }

  /// Finishes or fails a save, which may have ended before.
  mutating func answerSave(_ random: inout SeededRandom) {
    guard let index = saves.indices.randomElement(using: &random) else { return }
    let answered = saves[index]
    if random.chance(oneIn: 3) {
      expectEqual(history.failSave(answered.save), answered.isInFlight)
      saves[index].isInFlight = false
    } else {
      expectEqual(history.finishSave(answered.save), answered.isInFlight)
      guard answered.isInFlight else { return }
      savedState = answered.state
      for index in saves[...index].indices { saves[index].isInFlight = false }
    }
  }

  mutating func undo() {
    let change = history.undo()
    expectEqual(change == nil, undoable.isEmpty)
    if let step = undoable.last { expectEqual(change?.label, step.label) }
    takeBack()
  }

  mutating func redo() {
    let change = history.redo()
    expectEqual(change == nil, redoable.isEmpty)
    if let step = redoable.last { expectEqual(change?.label, step.label) }
    takeAgain()
  }

  private mutating func takeBack() {
    guard let step = undoable.popLast() else { return }
    redoable.append(Step(state: state, document: current, label: step.label))
    (state, current) = (step.state, step.document)
  }

  private mutating func takeAgain() {
    guard let step = redoable.popLast() else { return }
    undoable.append(Step(state: state, document: current, label: step.label))
    (state, current) = (step.state, step.document)
  }

  mutating func go(to position: Int) {
    var steps = 0
    let distance = abs(position - undoable.count)
    history.go(to: .step(position)) { _ in steps += 1 }
    expectEqual(steps, distance)
    while undoable.count > position { takeBack() }
    while undoable.count < position { takeAgain() }
  }

  func check() {
    expectEqual(Exact(history.currentItem), Exact(current))
    expectEqual(history.undoCount, undoable.count)
    expectEqual(history.redoCount, redoable.count)
    expectEqual(history.undoLabel, undoable.last?.label)
    expectEqual(history.redoLabel, redoable.last?.label)
    expectEqual(!history.isDirty, savedState == state)
    expectEqual(history.savesInFlight, saves.filter(\.isInFlight).map(\.save))
    let newest = saves.last(where: \.isInFlight)
    expectEqual(history.isSaving, newest != nil)
    expectEqual(history.needsSave, (newest == nil ? savedState : newest?.state) != state)
    expectEqual(history.byteCount == 0, undoable.isEmpty && redoable.isEmpty)
    guard newestState % 4 == 0 else { return }
    expectEqual(history.steps.map(\.label), undoable.map(\.label) + redoable.reversed().map(\.label))
    expectEqual(history.steps.reduce(0) { $0 + $1.byteCount }, history.byteCount)
  }

  /// Undoes all steps, redoes all, and undoes all again.
  mutating func walkThrough() {
    for isBackward in [true, false, true] {
      for _ in 0...(undoable.count + redoable.count) {
        if isBackward { undo() } else { redo() }
        check()
      }
    }
  }
}
