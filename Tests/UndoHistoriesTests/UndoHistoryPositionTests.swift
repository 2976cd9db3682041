import TestSupport
import UndoArchives
import UndoHistories
import XCTest

/// Going to a position, such as the saved point, and asking which parts were touched since then.
final class UndoHistoryPositionTests: XCTestCase {
  private struct Contact {
    var name = ""
    var email = ""
    var age = 0
    var tags: [String] = []
    var home = Address()
    var vector = SIMD4<Double>(repeating: 0)
    var half: Int { age / 2 }
  }

  private struct Address {
    var street = ""
    var city = ""
  }

  // MARK: Going

  func testGoesToTheSavedPointByUndoAndByRedo() {
    var history = UndoHistory(initialValue: [0])
    history.edit.append(1)
    history.markSaved()
    history.edit.append(2)
    history.edit.append(3)
    var changes = 0
    XCTAssertTrue(history.go(to: .savedPoint) { _ in changes += 1 })
    XCTAssertEqual(history.currentItem, [0, 1])
    XCTAssertEqual(changes, 2)
    for number in [-1, history.steps.count + 1] {
      XCTAssertFalse(history.go(to: .step(number)))
      XCTAssertTrue(history.touches(\.self, since: .step(number)))
    }
    XCTAssertTrue(history.go(to: .step(0)))
    XCTAssertEqual(history.currentItem, [0])
    XCTAssertTrue(history.go(to: .savedPoint))
    XCTAssertFalse(history.isDirty)
    XCTAssertTrue(history.go(to: .step(3)))
    XCTAssertEqual(history.currentItem, [0, 1, 2, 3])
  }

  func testGoesToTheSavedPointAfterALimitDroppedSteps() {
    var history = UndoHistory(initialValue: [0])
    for number in 1...20 {
      history.edit.append(number)
      if number == 15 { history.markSaved() }
    }
    history.limit = .steps(8)
    XCTAssertTrue(history.go(to: .savedPoint))
    XCTAssertEqual(history.currentItem.count, 16)
    XCTAssertEqual([history.undoCount, history.redoCount], [3, 5])
  }

  // MARK: Touched parts

  func testFieldIsTouchedByEditsOfItselfOrItsContainer() {
    var history = UndoHistory(initialValue: Contact())
    XCTAssertFalse(history.touches(\.self, since: .savedPoint))
    history.edit.home.city = "London"
    XCTAssertTrue(history.touches(\.home.city, since: .savedPoint))
    XCTAssertTrue(history.touches(\.home, since: .savedPoint))
    XCTAssertTrue(history.touches(\.self, since: .savedPoint))
    XCTAssertFalse(history.touches(\.home.street, since: .savedPoint))
    XCTAssertFalse(history.touches(\.name, since: .savedPoint))
    history.edit.home.set(Address(street: "1", city: "2"))
    XCTAssertTrue(history.touches(\.home.street, since: .savedPoint))
    XCTAssertFalse(history.touches(\.home.street, since: .step(2)))
  }

  func testEditsInCollectionsAndBoxedValuesTouchTheirField() {
    var history = UndoHistory(initialValue: Contact(tags: ["a", "b"]))
    history.edit.tags[1] = "c"
    history.edit.tags.swapAt(0, 1)
    history.edit.vector.set(SIMD4(repeating: 1))
    for step in 0..<3 {
      XCTAssertEqual(
        history.changed(among: \.vector, \.name, \.tags, since: .step(step)),
        step < 2 ? [\.vector, \.tags] : [\.vector])
    }
  }

  func testComputedPropertyIsTouchedByAnyEdit() {
    var history = UndoHistory(initialValue: Contact())
    XCTAssertFalse(history.touches(\.half, since: .savedPoint))
    history.transaction("Name") { $0.name = "Ada" }
    XCTAssertTrue(history.touches(\.half, since: .savedPoint))
    XCTAssertEqual(history.changed(among: \.age, \.half, since: .savedPoint), [\.half])
  }

  func testFieldsEditedBeforeADroppedSavedPointCountAsTouched() {
    var history = UndoHistory(initialValue: Contact())
    history.edit.age = 1
    history.markSaved()
    history.undo()
    history.edit.tags.append("a")
    XCTAssertEqual(history.changed(among: \.age, \.name, \.tags, since: .savedPoint), [\.age, \.tags])
    XCTAssertEqual(history.changed(among: \.age, \.name, \.tags, since: .step(0)), [\.tags])
    history.undo()
    XCTAssertEqual(history.changed(among: \.age, \.name, \.tags, since: .savedPoint), [\.age])
    history.undo()
    history.edit.name = "Ada"
    history.markSaved()
    XCTAssertEqual(history.changed(among: \.age, \.name, \.tags, since: .savedPoint), [])
  }

  func testEverythingIsTouchedWhenALimitDropsTheSavedPoint() {
    var history = UndoHistory(initialValue: Contact())
    history.limit = .steps(1)
    history.edit.age = 1
    history.edit.age = 2
    XCTAssertEqual(history.changed(among: \.age, \.name, since: .savedPoint), [\.age, \.name])
    XCTAssertEqual(history.changed(among: \.age, \.name, since: .step(0)), [\.age])
  }

  func testTouchesIncludesStepsRestoredFromAnArchive() throws {
    var history = UndoHistory(initialValue: [1, 2, 3])
    history.edit.append(4)
    history.edit.swapAt(0, 1)
    history.undo()
    var restored = UndoHistory(initialValue: history.currentItem)
    try restored.restoreSteps(from: history.archive())
    XCTAssertTrue(restored.touches(\.self, since: .step(0)))
    XCTAssertTrue(restored.touches(\.self, since: .step(2)))
    XCTAssertFalse(restored.touches(\.self, since: .step(1)))
  }

  // MARK: Model

  /// The expected answers come from the changes that a copy reports while it goes to the position.
  func testTouchesMatchesTheChangesReportedOnTheWay() {
    withSeeds(40) { random in
      var histories = [(history: UndoHistory(initialValue: Document()), saved: Document())]
      for _ in 0..<60 {
        let index = histories.indices.randomElement(using: &random)!
        if histories.count < 4, random.chance(oneIn: 15) { histories.append(histories[index]) }
        Self.act(&histories[index].history, &random)
        let history = histories[index].history
        if !history.isDirty { histories[index].saved = history.currentItem }
        let number = random.int(in: 0..<history.steps.count + 1)
        Self.check(history, .step(number), number)
        if let number = Self.savedPoint(of: history) { Self.check(history, .savedPoint, number) }
        Self.checkDifferences(history, from: histories[index].saved)
      }
    }
  }

  private static func act(_ history: inout UndoHistory<Document>, _ random: inout SeededRandom) {
    var plain = history.currentItem
    switch random.int(in: 0..<12) {
    case 0: history.undo()
    case 1: history.go(to: .step(random.int(in: 0..<history.steps.count + 1)))
    case 2: history.limit = random.chance(oneIn: 2) ? .unlimited : .steps(random.int(in: 1..<30), bytes: 20_000)
    case 3 where random.chance(oneIn: 4): history.removeAllSteps()
    case 4 where random.chance(oneIn: 3): history.markSaved()
    case 5..<8:
      let isRefused = random.chance(oneIn: 3)
      try? history.transaction(random.chance(oneIn: 2) ? "label" : nil) { edit in
        edit.editNested(&plain, &random, depth: 0)
        if isRefused { throw Refused() }
      }
    default: history.edit.edit(&plain, &random)
    }
  }

  /// The position of the saved point, found by going to each state.
  private static func savedPoint(of history: UndoHistory<Document>) -> Int? {
    var copy = history
    return (0...history.steps.count).first { position in
      copy.go(to: .step(position))
      return !copy.isDirty
    }
  }

  /// Checks that each part that differs from the saved document is touched, even if the saved point is out of reach.
  private static func checkDifferences(_ history: UndoHistory<Document>, from saved: Document) {
    func checkPart<Part: Equatable>(_ keyPath: KeyPath<Document, Part>) {
      if history.currentItem[keyPath: keyPath] != saved[keyPath: keyPath] {
        expect(history.touches(keyPath, since: .savedPoint), "\(keyPath) differs")
      }
    }
    checkPart(\.count)
    checkPart(\.choice)
    checkPart(\.text)
    checkPart(\.numbers)
    checkPart(\.names)
    checkPart(\.matrix.last)
    checkPart(\.vector)
  }

  private static func check(_ history: UndoHistory<Document>, _ position: UndoPosition, _ number: Int) {
    var copy = history
    var changes: [UndoHistory<Document>.Change] = []
    copy.go(to: .step(number)) { changes.append($0) }
    func expected<Part>(_ keyPath: KeyPath<Document, Part>) -> Bool {
      changes.contains { $0.touches(keyPath) }
    }
    let all: [(PartialKeyPath<Document>, Bool)] = [
      (\.count, expected(\.count)), (\.ratio, expected(\.ratio)), (\.isDone, expected(\.isDone)),
      (\.choice, expected(\.choice)), (\.text, expected(\.text)), (\.sections, expected(\.sections)),
      (\.numbers, expected(\.numbers)), (\.names, expected(\.names)), (\.matrix.last, expected(\.matrix.last)),
      (\.vector, expected(\.vector)), (\.half, expected(\.half)),
    ]
    let touched = history.changed(
      among: \.count, \.ratio, \.isDone, \.choice, \.text, \.sections, \.numbers, \.names, \.matrix.last, \.vector,
      \.half, since: position)
    expectEqual(touched, all.filter(\.1).map(\.0))
    expectEqual(history.touches(\.text, since: position), expected(\.text))
    expectEqual(history.touches(\.numbers, since: position), expected(\.numbers))
  }
}
