import UndoHistories

extension Suite {
  /// Gestures: a thousand assignments in an open step, which records a leaf only once however often it is assigned.
  mutating func addGestures() {
    benchmark(
      "gesture.leaf", "assign a member 1,000 times in an open step", state: .fresh(upTo: 10), input: { $0 }
    ) { race in
      race.subject("UndoHistory", setUp: { _ in UndoHistory(initialValue: Handle()) }) { history, _, gestures in
        for gesture in gestures { resize(&history, gesture) }
        return history.width
      }
      race.peer("plainly recorded", setUp: { _ in UndoHistory(initialValue: Handle()) }) { history, _, gestures in
        for gesture in gestures {
          for i in 0..<Handle.events { history.edit.width = gesture &+ i }
        }
        return history.width
      }
    }

    benchmark(
      "gesture.leaves", "assign two members in turn, 1,000 times in all, in an open step", state: .fresh(upTo: 10),
      input: { $0 }
    ) { race in
      race.subject("UndoHistory", setUp: { _ in UndoHistory(initialValue: Handle()) }) { history, _, gestures in
        for gesture in gestures { move(&history, gesture) }
        return history.x &+ history.y
      }
      race.peer("plainly recorded", setUp: { _ in UndoHistory(initialValue: Handle()) }) { history, _, gestures in
        for gesture in gestures {
          for i in 0..<Handle.events / 2 {
            history.edit.x = gesture &+ i
            history.edit.y = gesture &- i
          }
        }
        return history.x &+ history.y
      }
    }
  }

  /// The names of these benchmarks.
  static let gestures = ["UndoHistory.gesture.leaf", "UndoHistory.gesture.leaves"]
}

/// The number of steps and records that a gesture adds to a log.
struct GestureCount: Equatable {
  var steps = 0
  var records = 0

  /// Counts a gesture that assigns 1 or 2 leaves in turn.
  init(leaves: Int) {
    var history = UndoHistory(initialValue: Handle())
    if leaves == 1 { resize(&history, 1) } else { move(&history, 1) }
    steps = history.undoCount
    while history.undo(onEdit: { _ in records += 1 }) != nil {}
  }
}

/// The document of a gesture.
private struct Handle {
  var (x, y, width, height) = (-1, -1, -1, -1)

  /// The number of assignments in a gesture.
  static let events = 1000
}

@inline(__always)
private func resize(_ history: inout UndoHistory<Handle>, _ gesture: Int) {
  let step = history.beginStep("Resize")
  for i in 0..<Handle.events { history.edit.width = gesture &+ i }
  history.endStep(step)
}

@inline(__always)
private func move(_ history: inout UndoHistory<Handle>, _ gesture: Int) {
  let step = history.beginStep("Move")
  for i in 0..<Handle.events / 2 {
    history.edit.x = gesture &+ i
    history.edit.y = gesture &- i
  }
  history.endStep(step)
}
