import AllocationCounter
import UndoHistories

extension Suite {
  /// Goes from branch to branch: a thousand steps back to the fork, and a thousand forward to the tip of another
  /// branch.
  mutating func addBranches() {
    benchmark(
      "branch.walk", "undo 1,000 steps and redo those of another branch", state: .fresh(upTo: 500), input: { $0 }
    ) { race in
      race.subject("UndoHistory", setUp: { _ in Tree(branches: 8) }) { tree, _, walks in
        for walk in walks { tree.history.go(to: tree.leaves[walk % tree.leaves.count]) }
        return tree.history.count
      }
      race.peer("redo", setUp: { _ in Tree(branches: 1) }) { tree, _, walks in
        for _ in walks {
          tree.history.go(to: .step(Tree.fork))
          tree.history.go(to: .step(Tree.fork + Tree.steps))
        }
        return tree.history.count
      }
    }
  }

  /// The names of these benchmarks.
  static let branches = ["UndoHistory.branch.walk"]
}

/// A history with branches of equal length that have one fork.
private struct Tree {
  struct Item { var count = 0 }

  /// The number of steps to the fork, and the number from there to the tip of each branch.
  static let (fork, steps) = (100, 1000)

  var history = UndoHistory(initialValue: Item())
  /// All branches.
  ///
  /// The history is at the tip of the last one.
  var leaves: [UndoHistory<Item>.Branch] = []

  init(branches: Int) {
    history.keepsBranches = true
    for number in 0..<Tree.fork { history.edit.count = -1 - number }
    for _ in 0..<branches {
      history.go(to: .step(Tree.fork))
      for number in 1...Tree.steps { history.edit.count = number }
    }
    guard branches > 1 else { return }
    // Go to another branch, so that the last edited line becomes a branch too.
    leaves = history.branches
    history.go(to: leaves[0])
    leaves.append(history.branches[history.branches.count - 1])
  }
}

/// The memory and time that branches and origins take.
enum UndoCount {
  /// The bytes that a branch of one step takes besides its records, or nil if they cannot be counted.
  static func bytesOfABranch() -> Double? {
    guard MemoryPass.isSupported else { return nil }
    let count = 1000
    var history = UndoHistory(initialValue: 0)
    history.keepsBranches = true
    // Allocate what exists only once, such as the chunk of the main line.
    history.edit.set(-1)
    history.undo()
    let counted = MemoryPass.counting {
      for number in 0..<count {
        history.edit.set(number)
        history.undo()
      }
    }
    let records = history.branches.reduce(0) { $0 + $1.byteCount }
    return Double(Int(counted.live_bytes) - records) / Double(count)
  }

  /// How long it takes to undo the newest step of one origin below 10,000 steps of others, in seconds.
  ///
  /// The fastest of ten runs.
  static func undoByOrigin() -> Double? {
    var document = Shared()
    document.rows = (0..<1000).map { Shared.Row(name: "", count: $0) }
    var history = UndoHistory(initialValue: document)
    history[as: "agent"].rows.insert(Shared.Row(name: "", count: -1), at: 500)
    for number in 0..<10_000 {
      switch number % 3 {
      case 0: history.transaction(as: "guest") { $0.text.append("x") }
      case 1: history[as: "guest"].rows[number &* 7919 % 500].count = -number
      default: history[as: "guest"].count = number
      }
    }
    let clock = ContinuousClock()
    var fastest: Duration?
    for _ in 0..<10 {
      var copy = history
      copy.endCoalescing()
      copy.edit.count = -1
      let time = clock.measure { copy.undo(by: "agent") }
      guard copy.rows.count == 1000 else { return nil }
      fastest = min(fastest ?? time, time)
    }
    return fastest.map { $0 / .seconds(1) }
  }

  private struct Shared {
    struct Row { var name: String, count: Int }

    var (text, count) = ("", 0)
    var rows: [Row] = []
  }
}
