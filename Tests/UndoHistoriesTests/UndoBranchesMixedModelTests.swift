import Foundation
import TestSupport
import UndoArchives
import UndoHistories
import XCTest

/// Compares histories with branches, several origins, undo by origin, remote edits, saves, limits, archives and copies
/// with a tree of snapshots.
///
/// Remote edits change only the contents before a mark, and steps change only the contents after it. So each state
/// consists of all remote edits so far before the mark, and of the snapshot after it.
final class UndoBranchesMixedModelTests: XCTestCase {
  /// The number of histories. A debug build tests fewer, because each one takes many times as long.
  #if DEBUG
    private static let count = 300
  #else
    private static let count = 2_000
  #endif

  func testHistoryMatchesTreeOfSnapshots() {
    withSeeds(Self.count) { random in
      let (oracle, steps) = (MixedOracle(&random), random.int(in: 10..<60))
      for var oracle in randomCopies(of: oracle, steps: steps, using: &random, act: { $0.act(&$1) }) {
        oracle.walkThrough(&random)
      }
    }
  }
}

struct PushedDocument: UndoArchivable, Equatable {
  struct Row: UndoArchivable, Equatable {
    var name = "", count = 0

    static let undoParts = [UndoPart<Row>("name", \.name), UndoPart("count", \.count)]
  }

  var text = "|"
  var rows = [Row(name: "|")]
  var count = 0

  static let undoParts = [
    UndoPart<PushedDocument>("text", \.text), UndoPart("rows", \.rows), UndoPart("count", \.count),
  ]

  var pushedText: Int { text.utf8.prefix { $0 != UInt8(ascii: "|") }.count }
  var pushedRows: Int { rows.firstIndex { $0.name == "|" } ?? 0 }

  /// Whether the document already contains the number, so that an edit with it might change nothing.
  func has(_ number: Int) -> Bool {
    let name = "\(number)"
    return count == number || text.contains(name) || rows.contains { $0.name == name || $0.count == number }
  }

  /// The contents after the marks.
  var own: PushedDocument {
    var own = self
    own.text.removeFirst(pushedText)
    own.rows.removeFirst(pushedRows)
    return own
  }
}

private struct MixedOracle {
  typealias History = UndoHistory<PushedDocument>

  var history = History(initialValue: PushedDocument())
  var tree = SnapshotTree(PushedDocument())
  /// The contents before the marks.
  var (pushedText, pushedRows) = ("", [PushedDocument.Row]())
  /// The IDs of the steps that lead to the states.
  var ids: [Int: UndoStepID] = [:]
  static let origins: [UndoOrigin?] = ["agent", "server", nil]

  init(_ random: inout SeededRandom) {
    history.coalescing = .none
    keepBranches(true)
  }

  mutating func act(_ random: inout SeededRandom) {
    switch random.int(in: 0..<32) {
    case 0..<12: edit(&random)
    case 12..<15: walk(&random)
    case 15..<18: goToLeaf(&random)
    case 18..<22: takeBack(&random)
    case 22..<26: applyRemote(&random)
    case 26:
      history.markSaved()
      (tree.saved, tree.saves) = (tree.current, [])
    case 27:
      expectEqual(history.go(to: .savedPoint), tree.goToSaved())
    case 28: gesture(&random)
    case 29 where random.chance(oneIn: 2):
      history.limit = random.chance(oneIn: 2) ? .unlimited : .steps(random.int(in: 1..<30))
      tree.keepLimit(steps: history.limit.steps)
    case 30: archive(&random)
    default:
      guard random.chance(oneIn: 12) else { break }
      if random.chance(oneIn: 3) { keepBranches(!random.chance(oneIn: 2)) } else { removeAllSteps() }
    }
    check()
  }

  mutating func keepBranches(_ keepsBranches: Bool) {
    history.keepsBranches = keepsBranches
    tree.keepsBranches = keepsBranches
    if !keepsBranches { tree.dropBranches() }
  }

  private mutating func removeAllSteps() {
    history.removeAllSteps()
    tree.removeAllSteps()
  }

  // MARK: Editing

  private mutating func edit(_ random: inout SeededRandom) {
    let origin = Self.origins.randomElement(using: &random)!
    let label = random.chance(oneIn: 3) ? "label" : nil
    let (count, isRefused) = (random.chance(oneIn: 3) ? random.int(in: 1..<4) : 1, random.chance(oneIn: 10))
    func make(_ editor: inout History.Editor, _ random: inout SeededRandom) throws {
      for _ in 0..<count { editor.edit(&random) }
      if isRefused { throw Refused() }
    }
    let state = history.droppedCount + history.undoCount
    if let origin {
      try? history.transaction(label, as: origin) { try make(&$0, &random) }
    } else {
      try? history.transaction(label) { try make(&$0, &random) }
    }
    if !isRefused, history.droppedCount + history.undoCount != state { add(label) }
  }

  private mutating func gesture(_ random: inout SeededRandom) {
    let state = history.droppedCount + history.undoCount
    let step = history.beginStep("gesture")
    for _ in 0..<random.int(in: 1..<3) { history.edit.edit(&random) }
    if history.limit == .unlimited, random.chance(oneIn: 2) {
      expect(history.cancelStep(step))
    } else {
      expect(history.endStep(step))
      if history.droppedCount + history.undoCount != state {
        add("gesture")
      } else if history.undoCount < tree.undoCount {
        // The open step changed nothing, but the limit dropped older steps to make space for it, even the only one.
        tree.keepLimit(steps: history.undoCount)
        tree.drop(branches: 0, steps: tree.undoCount - history.undoCount)
      } else if history.branches.count < tree.branches.count {
        // The same, but the limit dropped a branch.
        tree.keepLimit(steps: history.limit.steps - 1)
      }
    }
  }

  private mutating func add(_ label: String?) {
    tree.add(.init(document: history.currentItem.own, label: label))
    tree.keepLimit(steps: history.limit.steps)
  }

  private mutating func takeBack(_ random: inout SeededRandom) {
    let answer =
      switch random.int(in: 0..<4) {
      case 0: history.redo(by: Self.origins.randomElement(using: &random)!)
      case 1: history.steps.randomElement(using: &random)?.stepID.map { history.undo(step: $0) } ?? .nothing
      default: history.undo(by: Self.origins.randomElement(using: &random)!)
      }
    if case .undone = answer { add(history.undoLabel) }
  }

  // MARK: Remote edits

  private mutating func applyRemote(_ random: inout SeededRandom) {
    let isSaved = random.chance(oneIn: 2)
    let text = String(random.int(in: 0..<1_000))
    // Two edits that undo each other count as a change, because a history compares edits and not documents.
    var isChanged = false
    history.applyRemote(saved: isSaved) { editor in
      for _ in 0..<random.int(in: 1..<3) {
        let (oldText, oldRows) = (pushedText, pushedRows)
        if random.chance(oneIn: 2) {
          let range = random.range(upTo: pushedText.utf8.count)
          editor.text.replaceSubrange(utf8: range, with: text)
          pushedText.replace(range, with: text)
        } else {
          let range = random.range(upTo: pushedRows.count)
          let row = PushedDocument.Row(name: text)
          editor.rows.replaceSubrange(range, with: [row, row])
          pushedRows.replaceSubrange(range, with: [row, row])
        }
        if pushedText != oldText || pushedRows != oldRows { isChanged = true }
      }
    }
    expect(history.blockingRemoteEdit == nil)
    if !isChanged { return }
    // The limit didn't drop steps while all of them were redo steps. Now it does.
    if tree.undoCount > 0 { tree.keepLimit(steps: history.limit.steps) }
    if !isSaved { tree.forgetSaved() }
  }

  // MARK: Undo, redo and branches

  private mutating func walk(_ random: inout SeededRandom) {
    let position = random.int(in: 0..<tree.line.count)
    if random.chance(oneIn: 3) {
      expectEqual(history.undo() == nil, tree.undoCount == 0)
      tree.undo()
    } else {
      history.go(to: .step(position))
      tree.go(to: position)
    }
  }

  private mutating func goToLeaf(_ random: inout SeededRandom) {
    guard let index = history.branches.indices.randomElement(using: &random) else { return }
    expect(history.go(to: history.branches[index]))
    tree.goToBranch(at: index)
  }

  // MARK: Archives

  /// Replaces the history by one that is restored from its archive.
  private mutating func archive(_ random: inout SeededRandom) {
    do {
      let archive = try JSONDecoder().decode(History.Archive.self, from: JSONEncoder().encode(history.archive()))
      var restored = History(initialValue: history.currentItem)
      (restored.limit, restored.coalescing, restored.keepsBranches) = (history.limit, .none, history.keepsBranches)
      try restored.restoreSteps(from: archive)
      // The limit didn't drop steps while all of them were redo steps. Now it does.
      tree.keepLimit(steps: history.limit.steps)
      expectEqual(restored.steps.map(\.stepID), history.steps.suffix(restored.steps.count).map(\.stepID))
      history = restored
      (tree.ids, tree.saves) = ([:], [])
    } catch {
      expect(false, "\(error)")
    }
  }

  // MARK: Checking

  private mutating func check() {
    let document = history.currentItem
    expectEqual(document.own, tree.document)
    expectEqual(document.text.utf8.prefix(document.pushedText).elementsEqual(pushedText.utf8), true)
    expectEqual(Array(document.rows.prefix(document.pushedRows)), pushedRows)
    tree.check(history)
    // Remote edits count as well.
    expect(history.byteCount >= (history.steps.map(\.byteCount) + history.branches.map(\.byteCount)).reduce(0, +))
    checkIdentities()
  }

  /// Checks that each step keeps its ID on the main line and on branches, and that no other step has this ID.
  private mutating func checkIdentities() {
    for (state, step) in zip(tree.line.dropFirst(), history.steps) {
      guard let id = step.stepID else { continue }
      if let known = ids[state] { expectEqual(id, known) }
      ids[state] = id
    }
    expectEqual(Set(ids.values).count, ids.count)
  }

  mutating func walkThrough(_ random: inout SeededRandom) {
    for _ in 0..<(2 * tree.branches.count) {
      goToLeaf(&random)
      check()
    }
    for isBackward in [true, false] {
      for _ in 0..<tree.line.count {
        _ = isBackward ? history.undo() : history.redo()
        isBackward ? tree.undo() : tree.redo()
        check()
      }
    }
  }
}

extension UndoCursor where Target == PushedDocument {
  /// Makes one edit after the marks that changes the document.
  fileprivate mutating func edit(_ random: inout SeededRandom) {
    let document = currentItem
    var text = random.int(in: 10..<1_000_000)
    while document.has(text) { text = random.int(in: 10..<1_000_000) }
    switch random.int(in: 0..<8) {
    case 0: self.count = text
    case 1..<4:
      let start = document.pushedText + 1
      let range = random.range(upTo: document.text.utf8.count - start)
      self.text.replaceSubrange(utf8: range.lowerBound + start..<range.upperBound + start, with: "\(text)")
    default: editRows(&random, start: document.pushedRows + 1, end: document.rows.count, "\(text)")
    }
  }

  private mutating func editRows(_ random: inout SeededRandom, start: Int, end: Int, _ text: String) {
    guard end - start > 1 else { return self.rows.insert(.init(name: text), at: start) }
    let (i, j) = (random.int(in: start..<end), random.int(in: start..<end))
    switch random.int(in: 0..<6) {
    case 0: self.rows.insert(.init(name: text), at: i)
    case 1: self.rows.remove(at: i)
    case 2: self.rows[i].name.append(text)
    case 3: if i == j { self.rows[i].name.set(text) } else { self.rows.swapAt(i, j) }
    case 4: self.rows.replaceSubrange(min(i, j)..<max(i, j), with: [.init(name: text)])
    default: self.rows[i].count = Int(text) ?? 0
    }
  }
}
