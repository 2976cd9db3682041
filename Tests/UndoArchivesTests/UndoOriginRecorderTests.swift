import TestSupport
import UndoHistories
import XCTest

/// Edits of several origins in messages, which another history repeats.
final class UndoOriginRecorderTests: XCTestCase {
  func testOriginsIdentitiesAndLinksAreRepeated() {
    withSeeds(300) { random in
      var history = UndoHistory(initialValue: Outline(title: "title"))
      for _ in 0..<random.int(in: 0..<4) { history.edit.edit(&random) }
      var repeated = history
      let recorder = UndoRecorder<Outline>(.json)
      recorder.begin(with: &history)
      repeated.settleForReplay()
      let origins: [UndoOrigin?] = ["agent", "server", nil]
      history.observed(by: recorder) { history in
        for _ in 0..<random.int(in: 1..<30) {
          let origin = origins.randomElement(using: &random)!
          switch random.int(in: 0..<8) {
          case 0: history.undo(by: origin)
          case 1: history.redo(by: origin)
          case 2: history.undo()
          case 3: history.redo()
          case 4:
            if let id = history.history.steps.map(\.id).randomElement(using: &random), let id { history.undo(step: id) }
          case 5:
            guard let origin else { break }
            history.transaction("label", as: origin) { edit in for _ in 0..<3 { edit.edit(&random) } }
          default:
            if let origin { history[as: origin].edit(&random) } else { history.edit.edit(&random) }
          }
        }
      }
      guard var replayer = try? UndoReplayer<Outline>(recorder.header, .json) else { return XCTFail("no header") }
      do { try replayer.replay(recorder.takeMessages(), in: &repeated) } catch { expect(false, "\(error)") }
      replayer.finish(&repeated)
      expectEqual(repeated.currentItem.title, history.currentItem.title)
      expectEqual(repeated.undoCount, history.undoCount)
      expectEqual(repeated.steps.map(\.id), history.steps.map(\.id))
      expectEqual(repeated.steps.map(\.origin), history.steps.map(\.origin))
      expectEqual(repeated.steps.map(\.undoneStep), history.steps.map(\.undoneStep))
      expectEqual(repeated.steps.map(\.label), history.steps.map(\.label))
      for origin in origins {
        let answers = (repeated.undo(by: origin), history.undo(by: origin))
        // Which steps are named may differ: what is known of those that were taken back is not in the messages.
        if case (.blocked, .blocked) = answers { continue }
        expectEqual(answers.0, answers.1)
      }
      expectEqual(repeated.currentItem.title, history.currentItem.title)
    }
  }

  /// It ends the latest step, to which the caret does not belong any more.
  func testTheCaretBehindAnUndoThatCameToNothingIsNoStepsEither() throws {
    var (history, repeated) = (UndoHistory(initialValue: Outline()), UndoHistory(initialValue: Outline()))
    history.carry(\.caret)
    repeated.carry(\.caret)
    try play(&history, againIn: &repeated) { history in
      history.edit.title = "a"
      XCTAssertEqual(history.undo(by: "agent"), .nothing)
      history.edit.caret = 7
    }
    for _ in 0..<2 {
      history.undo()
      history.redo()
      XCTAssertEqual(history.caret, 0)
      swap(&history, &repeated)
    }
  }

  func testALimitMayDropTheStepThatIsTakenBack() throws {
    var (history, repeated) = (UndoHistory(initialValue: Outline()), UndoHistory(initialValue: Outline()))
    try play(&history, againIn: &repeated) { history in
      history.limit = .steps(2)
      history[as: "agent"].title = "a"
      history.edit.count = 1
      history.undo(by: "agent")
    }
    XCTAssertEqual(history.undoCount, 2)
    XCTAssertEqual(repeated.steps.map(\.undoneStep), history.steps.map(\.undoneStep))
    XCTAssertEqual(repeated.currentItem, history.currentItem)
  }

  private func play(
    _ history: inout UndoHistory<Outline>, againIn other: inout UndoHistory<Outline>,
    _ body: (inout UndoHistory<Outline>.Observed) -> Void
  ) throws {
    let recorder = UndoRecorder<Outline>(.json)
    recorder.begin(with: &history)
    history.observed(by: recorder, body)
    var replayer = try UndoReplayer<Outline>(recorder.header, .json)
    try replayer.replay(recorder.takeMessages(), in: &other)
    replayer.finish(&other)
  }
}

extension UndoHistory {
  /// The latest step ends, as in the history that a recorder began with.
  fileprivate mutating func settleForReplay() { endCoalescing() }
}
