import TestSupport
import UndoHistories
import XCTest

/// Random edits and remote edits of a list in which every row is another one, so that the rows tell where a selection
/// belongs.
///
/// A second history, which restores the same values but doesn't move them, tells the rows of each state.
final class UndoRestoredRowModelTests: XCTestCase {
  func testSelectionsStayAtTheirRows() {
    withSeeds(600) { random in
      var model = ListModel(&random)
      for _ in 0..<random.int(in: 1..<60) {
        model.act(&random)
        model.check()
      }
      model.walk()
    }
  }
}

private struct List: Equatable {
  var rows: [Int] = []
  var selection = 0
  var marked: Int? = nil
  var title = 0
}

/// The two selected rows.
private struct Selected: Equatable {
  var selection = 0
  var marked: Int?

  /// Whether there are no such rows.
  func fixed(in rows: [Int]) -> [Bool] {
    [!rows.indices.contains(selection), !(marked.map { rows.indices.contains($0) } ?? false)]
  }
}

private struct ListModel {
  typealias History = UndoHistory<List>

  struct Step {
    var before: Selected
    var after: Selected
    /// The rows around the step.
    var old: [Int]
    var new: [Int]
    /// The numbers that weren't those of rows when the step was made; they stay as they are.
    var (fixedBefore, fixedAfter): ([Bool], [Bool])
    /// Whether a remote edit arrived while another one hid the step, so that such edits may reach it in another order.
    var isLoose = false

    init(before: Selected, after: Selected, old: [Int], new: [Int]) {
      (self.before, self.after, self.old, self.new) = (before, after, old, new)
      (fixedBefore, fixedAfter) = (before.fixed(in: old), after.fixed(in: new))
    }
  }

  private enum Edit {
    case replace(Range<Int>, [Int]), remove([Int]), swap(Int, Int), move(Int, Int), reverse

    func make(_ rows: inout UndoCursor<UndoDocumentPlace<List>, [Int]>) {
      switch self {
      case .replace(let range, let new) where range.isEmpty && new.count == 1: rows.insert(new[0], at: range.lowerBound)
      case .replace(let range, let new): rows.replaceSubrange(range, with: new)
      case .remove(let removed): rows.removeAll { removed.contains($0) }
      case .swap(let one, let other): rows.swapAt(one, other)
      case .move(let source, let target): rows.move(from: source, to: target)
      case .reverse: rows.reverse()
      }
    }
  }

  var history = History(initialValue: List())
  /// The history whose restored values stay as they are.
  var plain = History(initialValue: List())
  var undo: [Step] = []
  /// The steps to redo, the next one last.
  var redo: [Step] = []
  var live = Selected()
  var rowCount = 0

  init(_ random: inout SeededRandom) {
    let rows = newRows(random.int(in: 0..<5))
    (history, plain) = (History(initialValue: List(rows: rows)), History(initialValue: List(rows: rows)))
    history.restoreOnUndo(\.selection, in: \.rows)
    history.restoreOnUndo(\.marked, in: \.rows)
    plain.restoreOnUndo(\.selection)
    plain.restoreOnUndo(\.marked)
    if random.chance(oneIn: 2) { both { $0.keepsBranches = true } }
    both { $0.transaction(as: "agent") { _ in } }
  }

  private mutating func both(_ body: (inout History) -> Void) {
    body(&history)
    body(&plain)
  }

  private mutating func newRows(_ count: Int) -> [Int] {
    rowCount += count
    return (0..<count).map { rowCount - $0 }
  }

  mutating func act(_ random: inout SeededRandom) {
    switch random.int(in: 0..<16) {
    case 0..<3: step(by: -1)
    case 3..<5: step(by: 1)
    case 5..<9: transaction(&random)
    case 9:
      let selected = selected(&random)
      both { ($0.edit.selection, $0.edit.marked) = (selected.selection, selected.marked) }
      live = selected
    case 10: recordRemoteEdit()
    case 11:
      let (rows, count) = (plain.rows, plain.undoCount)
      both { $0.undo(by: "agent") }
      if plain.undoCount > count { didMakeStep(from: rows) }
    default:
      guard let edit = edit(&random) else { return }
      let rows = plain.rows
      both { history in history.applyRemote { edit.make(&$0.rows) } }
      redo.removeFirst(redo.count - plain.redoCount)
      live = moved(live, rows, plain.rows)
      moveSteps()
    }
  }

  private func selected(_ random: inout SeededRandom) -> Selected {
    // Sometimes there is no such row.
    func row(_ random: inout SeededRandom) -> Int { random.int(in: -1..<plain.rows.count + 2) }
    return Selected(selection: row(&random), marked: random.chance(oneIn: 4) ? nil : row(&random))
  }

  private mutating func edit(_ random: inout SeededRandom) -> Edit? {
    let count = plain.rows.count
    let (one, other) = (random.int(in: 0..<max(1, count)), random.int(in: 0..<max(1, count)))
    switch random.int(in: 0..<8) {
    case 0 where one != other: return .swap(one, other)
    case 1 where one != other: return .move(one, other)
    case 2 where count > 1 && random.chance(oneIn: 3): return .reverse
    case 3 where count > 0:
      let removed = plain.rows.filter { _ in random.chance(oneIn: 3) }
      return removed.isEmpty ? nil : .remove(removed)
    case 4 where count > 0: return .replace(one..<one + 1, [])
    case 5: return .replace(min(one, other)..<min(count, max(one, other)), newRows(random.int(in: 1..<3)))
    default: return .replace(min(count, one)..<min(count, one), newRows(1))
    }
  }

  private mutating func transaction(_ random: inout SeededRandom) {
    let (rows, edit, before) = (plain.rows, edit(&random), live)
    let origin: UndoOrigin? = random.chance(oneIn: 3) ? "agent" : nil
    both { history in
      history.transaction("Edit", as: origin) {
        edit?.make(&$0.rows)
        $0.title += 1
      }
    }
    let after = selected(&random)
    both { history in
      (history.edit.selection, history.edit.marked) = (after.selection, after.marked)
      // This ends the step, so that every later assignment is a click.
      history.endStep(history.beginStep())
    }
    live = after
    undo.append(Step(before: before, after: after, old: rows, new: plain.rows))
    redo = []
  }

  private mutating func recordRemoteEdit() {
    guard plain.blockingRemoteEdit != nil else { return }
    both { $0.recordRemoteEdit() }
    var copy = plain
    copy.undo()
    let before = moved(live, plain.rows, copy.rows)
    undo.append(Step(before: before, after: live, old: copy.rows, new: plain.rows))
    undo[undo.count - 1].fixedBefore = copy.rows.isEmpty ? [true, true] : live.fixed(in: plain.rows)
    both { $0.endStep($0.beginStep()) }
    redo = []
    moveSteps()
  }

  private mutating func didMakeStep(from rows: [Int]) {
    let after = moved(live, rows, plain.rows)
    undo.append(Step(before: live, after: after, old: rows, new: plain.rows))
    both { $0.endStep($0.beginStep()) }
    live = after
    redo = []
  }

  // MARK: The rules

  private func moved(_ selected: Selected, _ old: [Int], _ new: [Int], fixed: [Bool]? = nil) -> Selected {
    let (fixed, index) = (fixed ?? selected.fixed(in: old), max(0, min(selected.selection, new.count - 1)))
    func moved(_ row: Int) -> Int? { new.firstIndex(of: old[row]) }
    return Selected(
      selection: fixed[0] ? selected.selection : moved(selected.selection) ?? index,
      marked: selected.marked.flatMap { fixed[1] ? $0 : moved($0) })
  }

  /// Moves the selections of all steps, after an edit of others has changed the rows around them.
  private mutating func moveSteps() {
    func moved(_ step: Step, _ old: [Int], _ new: [Int]) -> Step {
      var result = step
      result.before = self.moved(step.before, step.old, old, fixed: step.fixedBefore)
      result.after = self.moved(step.after, step.new, new, fixed: step.fixedAfter)
      if old.isEmpty { result.fixedBefore = [true, true] }
      if new.isEmpty { result.fixedAfter = [true, true] }
      (result.old, result.new) = (old, new)
      return result
    }
    var copy = plain
    for index in redo.indices.reversed() {
      let old = copy.rows
      copy.redo()
      redo[index] = moved(redo[index], old, copy.rows)
    }
    copy = plain
    var isHidden = false
    for index in undo.indices.reversed() {
      // A remote edit that blocks undo is recorded and undone first.
      while !copy.canUndo, copy.recordRemoteEdit() {
        copy.undo()
        isHidden = true
      }
      let new = copy.rows
      if copy.undo() == nil { return }
      undo[index] = moved(undo[index], copy.rows, new)
      undo[index].isLoose = undo[index].isLoose || isHidden
    }
  }

  // MARK: Undo and redo

  private mutating func step(by distance: Int) {
    guard distance < 0 ? plain.canUndo : plain.canRedo else { return }
    both { if distance < 0 { $0.undo() } else { $0.redo() } }
    guard let step = distance < 0 ? undo.popLast() : redo.popLast() else { return }
    if distance < 0 { redo.append(step) } else { undo.append(step) }
    live = distance < 0 ? step.before : step.after
    guard step.isLoose else { return }
    let fixed = distance < 0 ? step.fixedBefore : step.fixedAfter
    expect(fixed[0] || plain.rows.indices.contains(history.selection))
    expect(fixed[1] || history.marked.map { plain.rows.indices.contains($0) } ?? true)
    live = Selected(selection: history.selection, marked: history.marked)
  }

  func check() {
    expectEqual(history.rows, plain.rows)
    expectEqual([history.undoCount, history.redoCount], [plain.undoCount, plain.redoCount])
    expectEqual(history.redoCount, redo.count)
    expectEqual(history.selection, live.selection)
    expectEqual(history.marked, live.marked)
  }

  mutating func walk() {
    for distance in [-1, 1, -1] {
      while distance < 0 ? plain.canUndo || plain.blockingRemoteEdit != nil : plain.canRedo {
        if distance < 0, !plain.canUndo { recordRemoteEdit() }
        step(by: distance)
        check()
      }
    }
  }
}
