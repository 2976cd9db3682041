import Foundation
import Testing
import UndoHistories

/// A cursor that comes back from a call as another one ends the process, before it could write beyond that call.
@Suite
struct UndoCursorExchangeTests {
  struct Note {
    var title = "", count = 0
    var lines = ["a", "b"], others = ["a"]
  }

  final class Model {
    var history = UndoHistory(initialValue: Note())
  }

  @Test
  func cursorsOfTwoTransactions() async {
    await #expect(processExitsWith: .failure) {
      var (first, second) = (UndoHistory(initialValue: Note()), UndoHistory(initialValue: Note()))
      first.transaction { a in
        second.transaction { b in exchange(&a, &b) }
        a.count = 1
        succeed()
      }
    }
  }

  @Test
  func cursorsOfTwoTransactionsOfWhichOneThrows() async {
    await #expect(processExitsWith: .failure) {
      struct Failure: Error {}
      var (first, second) = (UndoHistory(initialValue: Note()), UndoHistory(initialValue: Note()))
      first.transaction { a in
        try? second.transaction { b in
          exchange(&a, &b)
          throw Failure()
        }
        a.count = 1
        succeed()
      }
    }
  }

  @Test
  func cursorsOfTransactionAndAbsorbedEdit() async {
    await #expect(processExitsWith: .failure) {
      var (first, second) = (UndoHistory(initialValue: Note()), UndoHistory(initialValue: Note()))
      first.transaction { a in
        second.absorb { b in exchange(&a, &b) }
        a.count = 1
        succeed()
      }
    }
  }

  @Test
  func cursorsOfTwoHistories() async {
    await #expect(processExitsWith: .failure) {
      var (first, second) = (UndoHistory(initialValue: Note()), UndoHistory(initialValue: Note()))
      exchange(&first.edit, &second.edit)
      succeed()
    }
    await #expect(processExitsWith: .failure) {
      let (first, second) = (Model(), Model())
      exchange(&first.history.edit, &second.history.edit)
      succeed()
    }
    await #expect(processExitsWith: .failure) {
      var (first, second) = (UndoHistory(initialValue: Note()), UndoHistory(initialValue: Note()))
      exchange(&first[as: "a"], &second[as: "a"])
      succeed()
    }
  }

  @Test
  func cursorsAtMembers() async {
    await #expect(processExitsWith: .failure) {
      var (first, second) = (UndoHistory(initialValue: Note()), UndoHistory(initialValue: Note()))
      first.transaction { a in
        second.transaction { b in exchange(&a.title, &b.title) }
        succeed()
      }
    }
    await #expect(processExitsWith: .failure) {
      var (first, second) = (UndoHistory(initialValue: Note()), UndoHistory(initialValue: Note()))
      exchange(&first.edit.lines, &second.edit.others)
      succeed()
    }
  }

  @Test
  func cursorsAtElements() async {
    await #expect(processExitsWith: .failure) {
      var (first, second) = (UndoHistory(initialValue: Note()), UndoHistory(initialValue: Note()))
      exchange(&first.edit.lines[0], &second.edit.lines[1])
      succeed()
    }
  }

  @Test
  func cursorsThatAreGivenBackMayBeExchangedMeanwhile() {
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

/// What the compiler does not know to exchange cursors.
private func exchange<Value: ~Copyable>(_ a: inout Value, _ b: inout Value) { swap(&a, &b) }

/// Ends the process as if all were well.
private func succeed() -> Never { exit(EXIT_SUCCESS) }
