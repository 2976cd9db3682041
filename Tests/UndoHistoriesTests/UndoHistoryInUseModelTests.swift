import TestSupport
import UndoHistories
import XCTest

/// Compares random histories with snapshots while all features that add state to a step are in use.
///
/// These are restored values, times, labels and open steps.
final class UndoHistoryInUseModelTests: XCTestCase {
  func testHistoryWithRestoredValuesTimesAndOpenStepsMatchesSnapshots() {
    withSeeds(150) { random in
      let oracle = Oracle(&random)
      for var oracle in randomCopies(of: oracle, steps: 120, using: &random, act: { $0.act(&$1) }) {
        oracle.walkThrough()
      }
    }
  }
}

/// A time that only the test advances.
private final class Time: @unchecked Sendable {
  var seconds = 0
}

/// The restored values of a document.
private struct Restored: Equatable {
  var choice: Int?
  var numbers: [Int]

  init(_ document: Document, isWhole: Bool) {
    (choice, numbers) = (document.choice, isWhole ? document.numbers : [])
  }
}

private struct Oracle {
  struct Step {
    var number: Int
    /// The document before the step, or after it if it is a redo step.
    var document: Document
    var label: String?
    var before: Restored
    var after: Restored
    var time: Int
  }

  struct Open {
    var token: UndoHistory<Document>.OpenStep
    var label: String?
    var hasEdits = false
    var redoable: [Step]
    var savedState: Int?
    var state: Int
  }

  /// Whether the next assignment of a restored value belongs to the latest step.
  enum Belonging { case yes, no, unknown }

  var history = UndoHistory(initialValue: Document())
  var current = Document()
  var undoable: [Step] = []
  var redoable: [Step] = []
  var state = 0
  var newestState = 0
  var savedState: Int? = 0
  var open: Open?
  var staleTokens: [UndoHistory<Document>.OpenStep] = []
  var belongs = (choice: Belonging.no, numbers: Belonging.no)
  let time = Time()
  let restores: Bool
  /// Whether the numbers are restored as well, and not only `choice`, which is a plain value.
  let restoresNumbers: Bool
  let keepsTime: Bool

  init(_ random: inout SeededRandom) {
    restores = !random.chance(oneIn: 4)
    keepsTime = !random.chance(oneIn: 4)
    restoresNumbers = random.chance(oneIn: 2)
    if restores {
      history.restoreOnUndo(\.choice)
      if restoresNumbers { history.restoreOnUndo(\.numbers) }
    }
    if keepsTime { history.recordTimes { [time] in .seconds(time.seconds) } }
    if random.chance(oneIn: 2) { history.coalescing = .typing.values(within: .seconds(1000)) }
  }

  /// The contents that distinguish states, which are all but the restored values.
  func exact(_ document: Document) -> Exact {
    var document = document
    document.choice = nil
    if restoresNumbers { document.numbers = [] }
    return Exact(document)
  }

  func restored(_ document: Document) -> Restored { Restored(document, isWhole: restoresNumbers) }

  mutating func putRestored(_ restored: Restored) {
    current.choice = restored.choice
    if restoresNumbers { current.numbers = restored.numbers }
  }

  mutating func act(_ random: inout SeededRandom) {
    time.seconds += 1
    switch random.int(in: 0..<24) {
    case 0..<2: undo()
    case 2..<4: redo()
    case 4..<7: transaction(&random)
    case 7: trim(to: .steps(random.int(in: 1..<40), bytes: random.int(in: 200..<20_000)))
    case 8 where random.chance(oneIn: 3):
      end()
      history.markSaved()
      savedState = state
    case 9 where random.chance(oneIn: 3): go(to: random.int(in: 0..<(undoable.count + redoable.count + 1)))
    case 10 where random.chance(oneIn: 8):
      history.removeAllSteps()
      end()
      (undoable, redoable) = ([], [])
      forgetSavedState()
    case 11 where random.chance(oneIn: 2):
      var document = current
      document.mutate(&random)
      history.currentItem = document
      didEdit(document, mayJoin: true)
    case 12: begin(random.chance(oneIn: 2) ? "gesture \(random.int(in: 0..<9))" : nil)
    case 13:
      if let open {
        expect(history.endStep(open.token))
        if history.undoCount == undoable.count - 1, let last = undoable.last {
          expect(!restores && exact(current) == exact(last.document), "an open step with changes was removed")
          takeBack(open)
        }
        end()
      }
    case 14: cancel()
    case 15:
      if let token = staleTokens.randomElement(using: &random) {
        expect(
          !(random.chance(oneIn: 2) ? history.endStep(token) : history.cancelStep(token)),
          "a stale token ended or cancelled a step")
      }
    case 16..<18:
      var edited = current
      let (value, count) = (random.int(in: 0..<4), history.undoCount)
      history.edit.choice = value
      edited.choice = value
      if restores { expectEqual(history.undoCount, count, "an assignment of a restored value was recorded as a step") }
      didEdit(edited, mayJoin: true)
    case 18:
      // Several edits in a row, as when parts of one struct are edited in an open step.
      for _ in 0..<6 {
        var edited = current
        history.edit.editFrame(&edited.frame, &random)
        didEdit(edited, mayJoin: true)
      }
    case 19:
      end()
      var document = current
      for _ in 0..<random.int(in: 0..<4) { document.mutate(&random) }
      let label = random.chance(oneIn: 2) ? "Reload" : nil
      history.replaceDocument(with: document, label: label)
      didEdit(document, label: label, mayJoin: false)
      end()
    default:
      var edited = current
      history.edit.edit(&edited, &random)
      didEdit(edited, mayJoin: true)
    }
    check()
  }

  mutating func transaction(_ random: inout SeededRandom) {
    let label = random.chance(oneIn: 2) ? "label \(random.int(in: 0..<1_000_000_000))" : nil
    var edited = current
    let isRefused = random.chance(oneIn: 4)
    do {
      try history.transaction(label) { edit in
        edit.editNested(&edited, &random, depth: 0)
        if isRefused { throw Refused() }
      }
      let before = undoable.count
      didEdit(edited, label: label, isTransaction: true, mayJoin: false)
      if restores, undoable.count > before || open?.hasEdits == true {
        belongs = (.unknown, .unknown)
      }
    } catch {}
  }

  /// Registers an edit, which may have changed nothing, recorded a step, joined the latest step, or changed only
  /// restored values.
  mutating func didEdit(_ document: Document, label: String? = nil, isTransaction: Bool = false, mayJoin: Bool) {
    defer { current = document }
    if history.undoCount == undoable.count - 1, let last = undoable.popLast() {
      // Joined assignments gave the leaves of the step their old values again, so the step was removed.
      expect(
        mayJoin && !restores && open?.hasEdits != true && exact(document) == exact(last.document),
        "a step with changes was removed")
      state = last.number
      return
    }
    if history.undoCount == undoable.count + 1 {
      if open != nil {
        expect(open?.hasEdits == false, "an edit of an open step was a step of its own")
        open?.hasEdits = true
      }
      undoable.append(
        Step(
          number: state, document: current, label: open == nil ? label : open?.label, before: restored(current),
          after: restored(document), time: time.seconds))
      redoable = []
      belongs = (.yes, .yes)
    } else if exact(document) == exact(current) {
      didEditUnseen(document, mayJoin)
      if restores { return didAssignRestored(restored(document), isTransaction) }
      if Exact(document) == Exact(current) { return }
      didJoin(document, mayJoin)
    } else {
      didJoin(document, mayJoin)
    }
    newestState += 1
    state = newestState
    forgetSavedState()
  }

  /// Registers an edit that left the document equal, but may still have been recorded, such as a swap of two equal
  /// elements.
  private mutating func didEditUnseen(_ document: Document, _ mayJoin: Bool) {
    guard let last = undoable.indices.last else { return }
    if keepsTime, history.steps.map(\.time)[last] == .seconds(time.seconds) { undoable[last].time = time.seconds }
    // If the edit joined the step, then redo of this step restores the current values.
    let after = restored(document)
    guard restores, restored(current) == after else { return }
    if undoable[last].after != after {
      var latest = history
      guard latest.undo() != nil, latest.redo() != nil, restored(latest.currentItem) == after else { return }
      undoable[last].after = after
      belongs = (.unknown, .unknown)
    } else if mayJoin, !keepsTime || undoable[last].time == time.seconds {
      // It's unknown whether the edit joined the step. The next assignment of a restored value will show it.
      if belongs.choice == .no { belongs.choice = .unknown }
      if belongs.numbers == .no { belongs.numbers = .unknown }
    }
  }

  private mutating func didJoin(_ document: Document, _ mayJoin: Bool) {
    let isOpen = open?.hasEdits == true
    expect(isOpen || mayJoin && redoable.isEmpty && state != savedState && !undoable.isEmpty, "an edit joined a step")
    guard !undoable.isEmpty else { return }
    undoable[undoable.count - 1].after = restored(document)
    undoable[undoable.count - 1].time = time.seconds
    belongs = (.yes, .yes)
  }

  private mutating func didAssignRestored(_ restored: Restored, _ isTransaction: Bool) {
    guard let last = undoable.indices.last else { return }
    var latest = history
    let isRedoable = latest.undo() != nil && latest.redo() != nil
    if restored.choice != current.choice {
      resolve(&belongs.choice, isTransaction, isRedoable && latest.choice == restored.choice)
      if belongs.choice == .yes { undoable[last].after.choice = restored.choice }
      belongs.choice = belongs.choice == .yes && open?.hasEdits == true ? .yes : .no
    } else if isTransaction, belongs.choice == .yes, open?.hasEdits != true {
      // The transaction may have changed the value and changed it back.
      belongs.choice = .unknown
    }
    if restoresNumbers, restored.numbers != current.numbers {
      resolve(&belongs.numbers, isTransaction, isRedoable && latest.numbers == restored.numbers)
      if belongs.numbers == .yes { undoable[last].after.numbers = restored.numbers }
      belongs.numbers = belongs.numbers == .yes && open?.hasEdits == true ? .yes : .no
    } else if belongs.numbers == .yes, open?.hasEdits != true {
      // The edit may have swapped two equal numbers.
      belongs.numbers = .unknown
    }
  }

  private func resolve(_ belonging: inout Belonging, _ isTransaction: Bool, _ isKept: Bool) {
    if isTransaction { belonging = isKept ? .yes : .no }
    if belonging == .unknown { belonging = isKept ? .yes : .no }
  }

  // MARK: Open steps

  mutating func begin(_ label: String?) {
    end()
    let token = history.beginStep(label)
    open = Open(token: token, label: label, redoable: redoable, savedState: savedState, state: state)
  }

  /// Registers that the open step has ended, for whatever reason.
  mutating func end() {
    if let open { staleTokens.append(open.token) }
    open = nil
    belongs = (.no, .no)
  }

  private mutating func didStep() {
    if let token = open?.token {
      expect(!history.endStep(token), "a step was open after an undo or a redo")
      // Replaces the open step, which would otherwise be open again at the state where it began.
      history.endStep(history.beginStep())
    }
    end()
  }

  mutating func cancel() {
    guard let open else { return }
    expect(history.cancelStep(open.token))
    takeBack(open)
    end()
  }

  /// Registers that an open step was rolled back, because it was cancelled or because it changed nothing.
  private mutating func takeBack(_ open: Open) {
    guard open.hasEdits, let step = undoable.popLast() else { return }
    current = step.document
    if restores { putRestored(step.before) }
    (state, redoable, savedState) = (open.state, open.redoable, open.savedState)
    forgetSavedState()
  }

  // MARK: Steps

  mutating func trim(to limit: UndoLimit) {
    history.limit = limit
    history.limit = .unlimited
    undoable.removeFirst(max(0, undoable.count - history.undoCount))
    forgetSavedState()
  }

  mutating func forgetSavedState() {
    let reachable = (undoable + redoable + (open?.redoable ?? [])).map(\.number) + [state]
    if let state = savedState, !reachable.contains(state) { savedState = nil }
    if let open, open.savedState != open.state, let saved = open.savedState, !reachable.contains(saved) {
      self.open?.savedState = nil
    }
  }

  mutating func undo() {
    let change = history.undo()
    expectEqual(change == nil, undoable.isEmpty)
    if let step = undoable.last { expectEqual(change?.label, step.label) }
    if change != nil || open != nil { didStep() }
    takeBack()
  }

  mutating func redo() {
    let change = history.redo()
    expectEqual(change == nil, redoable.isEmpty)
    if let step = redoable.last { expectEqual(change?.label, step.label) }
    if change != nil || open != nil { didStep() }
    takeAgain()
  }

  private mutating func takeBack() {
    guard var step = undoable.popLast() else { return }
    let restored = restores ? step.before : restored(step.document)
    swap(&step.document, &current)
    swap(&step.number, &state)
    putRestored(restored)
    redoable.append(step)
  }

  private mutating func takeAgain() {
    guard var step = redoable.popLast() else { return }
    let restored = restores ? step.after : restored(step.document)
    swap(&step.document, &current)
    swap(&step.number, &state)
    putRestored(restored)
    undoable.append(step)
  }

  mutating func go(to position: Int) {
    history.go(to: .step(position))
    if open != nil || position != undoable.count { end() }
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
    guard newestState % 4 == 0 else { return }
    let steps = undoable + redoable.reversed()
    expectEqual(history.steps.map(\.label), steps.map(\.label))
    if keepsTime { expectEqual(history.steps.map(\.time), steps.map { .seconds($0.time) }) }
  }

  /// Undoes all steps and redoes all, twice.
  mutating func walkThrough() {
    for _ in 0..<2 {
      while !undoable.isEmpty {
        undo()
        check()
      }
      while !redoable.isEmpty {
        redo()
        check()
      }
    }
  }
}
