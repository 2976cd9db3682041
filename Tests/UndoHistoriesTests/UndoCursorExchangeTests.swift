import Foundation
import Testing
import UndoHistories

private struct Note {
  var title = "", count = 0
  var lines = ["a", "b"], others = ["a"]
}

private final class Model {
  var history = UndoHistory(initialValue: Note())
}

private let exchanges: [@Sendable (inout UndoHistory<Note>, inout UndoHistory<Note>) -> Void] = [
  { first, second in
    first.transaction { a in
      second.transaction { b in exchange(&a, &b) }
      a.count = 1
      succeed()
    }
  },
  { first, second in
    first.transaction { a in
      try? second.transaction { b in
        exchange(&a, &b)
        throw CancellationError()
      }
      a.count = 1
      succeed()
    }
  },
  { first, second in
    first.transaction { a in
      second.applyRemote { b in exchange(&a, &b) }
      a.count = 1
      succeed()
    }
  },
  { exchange(&$0.edit, &$1.edit) },
  { _, _ in
    let (first, second) = (Model(), Model())
    exchange(&first.history.edit, &second.history.edit)
  },
  { exchange(&$0[as: "a"], &$1[as: "a"]) },
  { first, second in
    first.transaction { a in
      second.transaction { b in exchange(&a.title, &b.title) }
      succeed()
    }
  },
  { exchange(&$0.edit.lines, &$1.edit.others) },
  { exchange(&$0.edit.lines[0], &$1.edit.lines[1]) },
]

/// A call whose cursor was replaced by another one ends the process, because that cursor could be used after its call.
@Suite
struct UndoCursorExchangeTests {
  @Test(arguments: exchanges.indices)
  func exchangingCursorsOfTwoCallsEndsTheProcess(number: Int) async {
    await #expect(processExitsWith: .failure) { [number] in
      var (first, second) = (UndoHistory(initialValue: Note()), UndoHistory(initialValue: Note()))
      exchanges[number](&first, &second)
      succeed()
    }
  }

  @Test
  func cursorsMayBeExchangedIfTheyAreExchangedBack() {
    var (first, second) = (UndoHistory(initialValue: Note()), UndoHistory(initialValue: Note()))
    first.transaction { a in
      second.transaction { b in
        exchange(&a, &b)
        a.title.append("b")
        exchange(&a, &b)
      }
      a.title.append("a")
    }
    #expect(first.title == "a")
    #expect(second.title == "b")
    #expect(first.undoCount == 1)
    #expect(second.undoCount == 1)
  }
}

/// Exchanges cursors through a generic function, so that the compiler doesn't see what is exchanged.
private func exchange<Value: ~Copyable>(_ a: inout Value, _ b: inout Value) { swap(&a, &b) }

/// Ends the process successfully, which fails a test that expects the process to crash.
private func succeed() -> Never { exit(EXIT_SUCCESS) }
