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
    await #expect(processExitsWith: .failure) {
      var history = UndoHistory(initialValue: [Int]())
      history.edit.removeFirst()
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
  func propertyOfAnObject() async {
    await #expect(processExitsWith: .failure) {
      final class Person { var age = 1 }
      struct Document { var person = Person() }
      var history = UndoHistory(initialValue: Document())
      history.edit.person.age = 5
    }
  }

  @Test
  func positionOutOfRange() async {
    await #expect(processExitsWith: .failure) {
      var history = UndoHistory(initialValue: [1])
      history.edit.append(2)
      history.go(to: 2)
    }
    await #expect(processExitsWith: .failure) {
      var history = UndoHistory(initialValue: [1])
      history.go(to: -1)
    }
    await #expect(processExitsWith: .failure) {
      let history = UndoHistory(initialValue: [1])
      _ = history.steps[history.steps.startIndex]
    }
  }

  @Test
  func partThatIsNotStored() async {
    await #expect(processExitsWith: .failure) {
      struct Document: Codable {
        var count = 0
        var half: Int {
          get { count / 2 }
          set { count = newValue * 2 }
        }
      }
      _ = UndoPart("half", \Document.half)
    }
  }

  @Test
  func staleIndexOfAStep() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var history = UndoHistory(initialValue: [0])
      for number in 1...10_000 { history.edit[0] = number }
      let index = history.steps.index(history.steps.startIndex, offsetBy: 9_000)
      history.removeAllSteps()
      history.edit[0] = 1
      _ = history.steps[index]
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains("A stale index"))
    await #expect(processExitsWith: .failure) {
      var history = UndoHistory(initialValue: [0])
      history.edit[0] = 1
      let index = history.steps.startIndex
      history.undo()
      _ = history.steps.index(after: index)
    }
    await #expect(processExitsWith: .failure) {
      var history = UndoHistory(initialValue: "")
      history.edit.append("a")
      let index = history.steps.startIndex
      history.edit.append("b")
      _ = history.steps[index]
    }
    await #expect(processExitsWith: .failure) {
      var history = UndoHistory(initialValue: [0])
      history.edit[0] = 1
      _ = history.steps[history.steps.endIndex]
    }
  }

  @Test
  func limitOfNothing() async {
    await #expect(processExitsWith: .failure) { _ = UndoLimit.steps(0) }
    await #expect(processExitsWith: .failure) { _ = UndoLimit.bytes(-1) }
  }
}
