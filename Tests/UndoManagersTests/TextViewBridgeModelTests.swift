import TestSupport
import UndoHistories
import UndoManagers
import XCTest

/// Random users of a text view, with the calls of the delegate in random orders.
///
/// After each event, the view shows the document. The texts of all steps are those that the view had.
final class TextViewBridgeModelTests: XCTestCase {
  func testRandomEventsKeepViewAndDocumentEqual() {
    withSeeds(800) { random in
      let user = RandomUser(&random)
      for _ in 0..<60 where user.isRight { user.act(&random) }
      user.finish()
    }
  }
}

private final class RandomUser {
  typealias Edit = TextViewDouble.Edit

  let view: TextViewDouble
  let driver: UndoDriver
  /// The text after each number of steps.
  var texts: [[UInt16]]
  var actions: [String] = []
  var isRight = true

  init(_ random: inout SeededRandom) {
    view = TextViewDouble(random.text())
    view.repairReports = TextViewDouble.RepairReports.allCases.randomElement(using: &random)!
    driver = UndoDriver(view, \.history)
    texts = [view.units]
    view.didRecord = { [unowned self] in takeTexts() }
  }

  func act(_ random: inout SeededRandom) {
    var order = TextViewDouble.Order()
    if random.chance(oneIn: 2) { order = TextViewDouble.Order.all.randomElement(using: &random)! }
    if random.chance(oneIn: 4) { view.clock.advance(by: .milliseconds(600)) }
    view.allows = { _, _, _ in true }
    switch random.int(in: 0..<16) {
    case 0..<3:
      note("type")
      view.type(["a", "é", "한", "😀", "\r\n", "\u{301}", " "].randomElement(using: &random)!, order: order)
    case 3:
      note("click")
      view.caret = random.int(in: 0..<view.units.count + 1)
    case 4:
      note("backspace")
      if view.caret > 0 { view.event([Edit(view.caret - 1..<view.caret, "")], order: order) }
    case 5, 6:
      note("replace")
      view.event(edits(1, &random), order: order)
    case 7:
      note("replace several")
      view.event(edits(random.int(in: 2..<5), &random), order: order)
    case 8..<11:
      note("compose")
      view.compose(["n", "ni", "你", "한ㄱ", "😀", ""].randomElement(using: &random)!, order: order)
    case 11:
      note("commit")
      view.commit(random.chance(oneIn: 2) ? nil : random.text(), order: order)
    case 12:
      note("mark")
      let range = random.range(upTo: view.units.count)
      view.event([], marked: range.isEmpty ? nil : range, order: order)
    case 13:
      note("refuse")
      var answers = random.int(in: 0..<4)
      view.allows = { _, _, _ in
        answers -= 1
        return answers >= 0
      }
      view.event(edits(2, &random), marked: random.chance(oneIn: 3) ? 0..<2 : nil, order: order)
    case 14:
      note("undo and redo")
      undoAndRedo(&random)
    default:
      note("change the document")
      view.endEvent()
      view.history.transaction { $0.body.set(random.text()) }
      view.show(view.bridge.update(from: view.units, to: view.history.body))
      takeTexts()
    }
    // The marked text may be reported late.
    if random.chance(oneIn: 8) { view.record() }
    isRight = isRight && view.expectSame(trace)
  }

  private func undoAndRedo(_ random: inout SeededRandom) {
    for _ in 0..<random.int(in: 1..<4) {
      switch random.int(in: 0..<4) {
      case 0: view.redo()
      case 1:
        view.endEvent()
        driver.undo()
        view.show(view.bridge.update(from: view.units, to: view.history.body))
      default: view.undo()
      }
      takeTexts()
    }
  }

  /// Keeps the text of the latest step, which typing may have joined, and compares it after an undo.
  private func takeTexts() {
    let count = view.history.undoCount
    if view.history.canRedo {
      isRight = isRight && expectEqual(view.units, texts[count], trace)
    } else {
      isRight = isRight && expect(count <= texts.count, "more than one step: \(trace)")
      // A composition that was canceled leaves the text as it was before.
      texts.removeSubrange(min(count, texts.count)...)
      texts.append(view.units)
    }
  }

  private func edits(_ count: Int, _ random: inout SeededRandom) -> [Edit] {
    var length = view.units.count
    return (0..<count).map { _ in
      let range = random.range(upTo: length)
      var units = Array(random.text().utf16)
      // A half of a surrogate pair.
      if random.chance(oneIn: 4) { units.insert([0xD83D, 0xDE00].randomElement(using: &random)!, at: units.count / 2) }
      length += units.count - range.count
      return Edit(range, units)
    }
  }

  /// Undoes and redoes every step.
  func finish() {
    view.marked = nil
    view.endEvent()
    while isRight, view.undo() { check() }
    isRight = isRight && expectEqual(view.history.undoCount, 0)
    while isRight, view.redo() { check() }
  }

  private func check() {
    isRight = view.expectSame(trace) && expectEqual(view.units, texts[view.history.undoCount], trace)
  }

  private func note(_ action: String) { actions.append(action) }
  private var trace: String { actions.suffix(6).joined(separator: ", ") }
}
