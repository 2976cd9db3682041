import Testing
import UndoHistories

/// What a caller must not do ends the process.
@Suite
struct UndoHistoryTrapTests {
  @Test
  func indexOutOfRange() async {
    await #expect(processExitsWith: .failure) {
      var history = UndoHistory(initialValue: [1, 2, 3])
      history.edit[3] = 4
    }
    await #expect(processExitsWith: .failure) {
      var history = UndoHistory(initialValue: [1, 2, 3])
      history.edit.remove(at: -1)
    }
    await #expect(processExitsWith: .failure) {
      var history = UndoHistory(initialValue: [1, 2, 3])
      history.edit.move(from: 0, to: 3)
    }
    await #expect(processExitsWith: .failure) {
      var history = UndoHistory(initialValue: [Int]())
      history.edit.removeLast()
    }
  }

  @Test
  func offsetInsideOfAScalar() async {
    await #expect(processExitsWith: .failure) {
      var history = UndoHistory(initialValue: "aé")
      history.edit.insert("x", atUTF8: 2)
    }
    await #expect(processExitsWith: .failure) {
      var history = UndoHistory(initialValue: "aéb")
      history.edit.removeSubrange(utf8: 2..<4)
    }
  }

  @Test
  func offsetOutOfRange() async {
    await #expect(processExitsWith: .failure) {
      var history = UndoHistory(initialValue: "abc")
      history.edit.insert("x", atUTF8: 4)
    }
    await #expect(processExitsWith: .failure) {
      var history = UndoHistory(initialValue: "abc")
      history.edit.removeSubrange(utf8: -1..<2)
    }
  }

  @Test
  func computedPropertyEditedInPlace() async {
    await #expect(processExitsWith: .failure) {
      struct Document {
        var count = 0
        var digits: [Int] {
          get { [count] }
          set { count = newValue[0] }
        }
      }
      var history = UndoHistory(initialValue: Document())
      history.edit.digits.append(1)
    }
  }

  @Test
  func limitOfNothing() async {
    await #expect(processExitsWith: .failure) { _ = UndoLimit.steps(0) }
    await #expect(processExitsWith: .failure) { _ = UndoLimit.bytes(-1) }
  }
}
