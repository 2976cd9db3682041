import Testing
import UndoHistories

/// Programming errors that end the process.
@Suite
struct UndoHistoryTrapTests {
  private typealias Edit<Value> = @Sendable (inout UndoHistory<Value>.Editor) -> Void

  private static let editsOfNoElement: [Edit<[Int]>] = [
    { $0[3] = 4 }, { $0.remove(at: -1) }, { $0.move(from: 0, to: 3) }, { $0.move(fromOffsets: [3], toOffset: 0) },
    { $0.move(fromOffsets: [0], toOffset: 4) },
    {
      $0.removeAll()
      $0.removeFirst()
    },
    {
      $0.removeAll()
      $0.removeLast()
    },
  ]

  @Test(arguments: editsOfNoElement.indices)
  func indexOutOfRangeTraps(number: Int) async {
    await #expect(processExitsWith: .failure) { [number] in
      var history = UndoHistory(initialValue: [1, 2, 3])
      UndoHistoryTrapTests.editsOfNoElement[number](&history.edit)
    }
  }

  private static let editsOfNoText: [Edit<String>] = [
    // The offset is within a scalar.
    { $0.insert("x", atUTF8: 2) }, { $0.removeSubrange(utf8: 2..<4) },
    { $0.insert("x", atUTF8: 5) }, { $0.removeSubrange(utf8: -1..<1) },
  ]

  @Test(arguments: editsOfNoText.indices)
  func offsetInsideAScalarOrOutOfRangeTraps(number: Int) async {
    await #expect(processExitsWith: .failure) { [number] in
      var history = UndoHistory(initialValue: "aéb")
      UndoHistoryTrapTests.editsOfNoText[number](&history.edit)
    }
  }

  @Test
  func editingAComputedPropertyInPlaceTraps() async {
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
  func editingAPropertyOfAnObjectTraps() async {
    await #expect(processExitsWith: .failure) {
      final class Person { var age = 1 }
      struct Document { var person = Person() }
      var history = UndoHistory(initialValue: Document())
      history.edit.person.age = 5
    }
  }

  @Test
  func readingAStepOfAnEmptyHistoryTraps() async {
    await #expect(processExitsWith: .failure) {
      let history = UndoHistory(initialValue: [1])
      _ = history.steps[history.steps.startIndex]
    }
  }

  @Test
  func undoPartOfAComputedPropertyTraps() async {
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
  func staleIndexOfAStepTraps() async {
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
  func restoringAComputedOrObservedPropertyTraps() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      struct Document {
        var count = 0
        var half: Int {
          get { count / 2 }
          set { count = newValue * 2 }
        }
      }
      var history = UndoHistory(initialValue: Document())
      history.restoreOnUndo(\.half)
    }
    expectSaid("A computed or observed property cannot be restored", result)
    await #expect(processExitsWith: .failure) {
      struct Document {
        var count = 0 { didSet { print(count) } }
      }
      var history = UndoHistory(initialValue: Document())
      history.restoreOnUndo(\.count)
    }
    await #expect(processExitsWith: .failure) {
      var history = UndoHistory(initialValue: [0])
      history.restoreOnUndo(\.[0])
    }
  }

  @Test
  func restoringATooLargeOrTooStrictlyAlignedPropertyTraps() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      struct Document { var matrix = Matrix() }
      var history = UndoHistory(initialValue: Document())
      history.restoreOnUndo(\.matrix)
    }
    expectSaid("name a smaller part of it", result)
    await #expect(processExitsWith: .failure) {
      struct Document { var vector = SIMD4<Double>() }
      var history = UndoHistory(initialValue: Document())
      history.restoreOnUndo(\.vector)
    }
    await #expect(processExitsWith: .success) {
      struct Document { var matrix = Matrix(), count = 0 }
      var history = UndoHistory(initialValue: Document())
      history.restoreOnUndo(\.matrix.last)
      history.edit.count = 1
      history.undo()
    }
  }

  @Test
  func restoringMoreThan64PropertiesTraps() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var history = UndoHistory(initialValue: Matrix())
      for number in restoredNumbers.prefix(65) { history.restoreOnUndo(number) }
    }
    expectSaid("Too many properties are restored", result)
    await #expect(processExitsWith: .success) {
      var history = UndoHistory(initialValue: Matrix())
      for number in restoredNumbers.prefix(64) { history.restoreOnUndo(number) }
      history.edit.last = 1
      for number in restoredNumbers.prefix(64) { history.edit[dynamicMember: number] = 3 }
      let count = history.undoCount
      history.undo()
      precondition(count == 1 && restoredNumbers.allSatisfy { history.currentItem[keyPath: $0] == 0 })
      history.redo()
      precondition(restoredNumbers.prefix(64).allSatisfy { history.currentItem[keyPath: $0] == 3 })
    }
  }

  @Test
  func stringIndexInsideAScalarTraps() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var history = UndoHistory(initialValue: "a😀b")
      let half = history.currentItem.utf16.index(history.currentItem.startIndex, offsetBy: 2)
      history.edit.replaceSubrange(half..<history.currentItem.endIndex, with: "")
    }
    expectSaid("String index inside of a scalar", result)
    await #expect(processExitsWith: .failure) {
      var history = UndoHistory(initialValue: "a😀b")
      let half = history.currentItem.utf16.index(history.currentItem.startIndex, offsetBy: 2)
      history.edit.insert("x", at: half)
    }
    await #expect(processExitsWith: .failure) {
      var history = UndoHistory(initialValue: "a😀b")
      let half = history.currentItem.utf16.index(history.currentItem.startIndex, offsetBy: 2)
      history.edit.remove(at: half)
    }
    await #expect(processExitsWith: .success) {
      // An index within a character, or of the view of another encoding, is valid if it lies between scalars.
      var history = UndoHistory(initialValue: "ae\u{301}😀b")
      let text = history.currentItem
      history.edit.insert("x", at: text.unicodeScalars.index(text.startIndex, offsetBy: 2))
      history.edit.removeSubrange(text.utf16.index(text.startIndex, offsetBy: 1)..<text.endIndex)
      precondition(history.currentItem == "ab")
    }
  }

  @Test
  func negativeLimitTraps() async {
    await #expect(processExitsWith: .failure) { _ = UndoLimit.steps(-1) }
    await #expect(processExitsWith: .failure) { _ = UndoLimit.bytes(-1) }
  }
}

/// Expects that a process wrote this to its standard error.
///
/// A precondition prints no message in a release build.
private func expectSaid(
  _ message: String, _ result: ExitTest.Result?, sourceLocation: SourceLocation = #_sourceLocation
) {
  #if DEBUG
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains(message), sourceLocation: sourceLocation)
  #endif
}

/// Eighty properties of a matrix.
private var restoredNumbers: [WritableKeyPath<Matrix, Int>] {
  let rows: [WritableKeyPath<Matrix, Eight<Int>>] = [
    \.first.a.a, \.first.a.b, \.first.a.c, \.first.a.d, \.first.a.e, \.first.a.f, \.first.a.g, \.first.a.h,
    \.first.b.a, \.first.b.b,
  ]
  return rows.flatMap { row in Eight.keyPaths.map { row.appending(path: $0) } }
}
