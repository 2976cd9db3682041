import Foundation
import Sameness
import TestSupport
import UndoArchives
import UndoHistories
import XCTest

/// Messages that no recorder wrote.
final class UndoReplayerTests: XCTestCase {
  private static func recorded(_ random: inout SeededRandom) -> (header: [UInt8], messages: [UInt8]) {
    var history = UndoHistory(initialValue: Outline(title: "title"))
    let recorder = UndoRecorder<Outline>(.json)
    recorder.begin(with: &history)
    history.observed(by: recorder) { history in
      for _ in 0..<random.int(in: 1..<12) {
        switch random.int(in: 0..<8) {
        case 0: history.undo()
        case 1: history.redo()
        case 2: history.transaction("label") { edit in for _ in 0..<3 { edit.edit(&random) } }
        case 3: history.go(to: .step(0))
        case 4: _ = history.beginStep("step")
        default: history.edit.edit(&random)
        }
      }
    }
    return (recorder.header, recorder.takeMessages())
  }

  /// A forged log may drop the latest step and then continue it.
  ///
  /// The record of that step was destroyed, so nothing can join it.
  func testTypingDoesNotJoinARecordThatTheLogDropped() throws {
    let history = UndoHistory(initialValue: String(repeating: "0123456789", count: 20))
    let recorder = UndoRecorder<String>(.json)
    var recorded = history
    recorder.begin(with: &recorded)
    recorded.observed(by: recorder) { $0.edit.removeSubrange(utf8: 0..<64) }
    let (edit, dropped, deletedForward): ([UInt8], [UInt8], [UInt8]) = (recorder.takeMessages(), [13, 1], [19, 1])
    let (beginStep, cancelStep): ([UInt8], [UInt8]) = ([7], [9])
    for messages in [
      edit + dropped + deletedForward, edit + beginStep + edit + dropped + cancelStep + deletedForward,
    ] {
      var replayed = history
      var replayer = try UndoReplayer<String>(recorder.header, .json)
      try replayer.replay(messages, in: &replayed)
      replayer.finish(&replayed)
      XCTAssertEqual(replayed.currentItem.utf8.count, 135)
      XCTAssertEqual(replayed.undoCount, 1)
      replayed.undo()
      XCTAssertEqual(replayed.currentItem, recorded.currentItem)
    }
  }

  /// If any bytes are changed, cut or added, the history stays intact, and errors are typed.
  func testHostileBytesAreRefusedOrHarmless() {
    let refusals = Counter()
    withSeeds(300) { random in
      let (header, messages) = Self.recorded(&random)
      for _ in 0..<60 {
        var hostile = messages
        for _ in 0..<random.int(in: 1..<4) where !hostile.isEmpty {
          let index = random.int(in: 0..<hostile.count)
          switch random.int(in: 0..<4) {
          case 0: hostile.remove(at: index)
          case 1: hostile.insert(UInt8(random.int(in: 0..<256)), at: index)
          case 2: hostile.removeSubrange(index...)
          default: hostile[index] = UInt8(random.int(in: 0..<256))
          }
        }
        var history = UndoHistory(initialValue: Outline(title: "title"))
        guard var replayer = try? UndoReplayer<Outline>(header, .json) else { return fail("no header") }
        do { try replayer.replay(hostile, in: &history) } catch { refusals.next() }
        replayer.finish(&history)
        // The first walk settles the restored values, because a forged message may restore anything.
        func walk() { for end in [0, history.steps.count, position] { history.go(to: .step(end)) } }
        let position = history.undoCount
        walk()
        let document = history.currentItem
        walk()
        // A forged number may be NaN.
        expect(_areEqualOrSame(history.currentItem, document), "\(history.currentItem) is not \(document)")
      }
    }
    XCTAssertTrue(refusals.isUsed)
  }

  func testHostileHeadersDoNotTrap() {
    withSeeds(100) { random in
      let header = UndoRecorder<Outline>(.json).header
      for _ in 0..<50 {
        var hostile = header
        let index = random.int(in: 0..<hostile.count)
        if random.chance(oneIn: 3) {
          hostile.removeSubrange(index...)
        } else {
          hostile[index] = UInt8(random.int(in: 0..<256))
        }
        guard var replayer = try? UndoReplayer<Outline>(hostile, .json) else { continue }
        var history = UndoHistory(initialValue: Outline())
        try? replayer.replay([16, 7, 8, 0, 1, 2, 0, 0, 1, 97, 16, 1, 2, 0, 0, 1, 97, 17, 1, 98], in: &history)
      }
    }
  }

  func testInvalidMessagesAreRefused() throws {
    var header = UndoRecorder<Outline>(.json).header
    var history = UndoHistory(initialValue: Outline(title: "é"))
    let messages: [([UInt8], String)] = [
      ([0], "no message"), ([22], "no message"), ([0x90], "an edit that is cut off"), ([0x84], "an undo that joins"),
      ([17, 1, 97], "typing after nothing"), ([16, 1, 2, 1, 0, 1, 97], "inside of a scalar"),
      ([16, 1, 2, 3, 0, 1, 97], "behind the text"), ([16, 1, 2, 0, 3, 0], "more than there is"),
      ([16, 1, 2, 0, 0, 1, 0xff], "no UTF-8"), ([16, 9, 4, 0], "no element"), ([16, 9, 5, 0], "no ranges"),
      ([16, 9, 6, 0, 1], "no elements to swap"), ([16, 9, 8, 0, 0, 0, 2], "no element to edit"),
      ([16, 99, 0, 0], "no part"), ([16, 1, 99], "no kind"), ([16, 3, 0, 0xff], "a number that goes on"),
      ([16, 3, 0] + Array(repeating: 0xff, count: 12), "a number too large"),
      ([16, 9, 2, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f], "more elements than bytes"),
      ([16, 1, 2, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f], "more text than bytes"), ([6, 1], "no such step"),
      ([1], "a transaction without end"), ([1, 4], "an undo within a transaction"), ([3, 0], "an end of nothing"),
      ([4], "no step to undo"), ([5], "no step to redo"), ([9], "no step to cancel"),
      ([11, 2, 0], "no such saved point"), ([11, 1, 1], "no step that is open"),
      ([12], "no message"), ([13, 1], "no step to drop"),
    ]
    for (messages, name) in messages {
      var replayer = try UndoReplayer<Outline>(header, .json)
      XCTAssertThrowsError(try replayer.replay(messages, in: &history), name) {
        guard case .damaged? = $0 as? UndoFormError else { return XCTFail("\($0)") }
      }
      XCTAssertEqual([history.undoCount, history.redoCount], [0, 0], name)
      XCTAssertEqual(history.title, "é")
    }
    // Endless nesting must not overflow the stack.
    for depth in [500, 200_000] {
      var replayer = try UndoReplayer<Outline>(header, .json)
      let messages: [UInt8] = [16, 14, 8, 0] + (0..<depth).flatMap { _ in [2, 8, 0] as [UInt8] } + [1, 0, 0]
      XCTAssertThrowsError(try replayer.replay(messages, in: &history)) {
        guard case .damaged(let offset)? = $0 as? UndoFormError else { return XCTFail("\($0)") }
        XCTAssertLessThan(offset, 2000)
      }
    }
    header[0] = 2
    XCTAssertThrowsError(try UndoReplayer<Outline>(header, .json)) {
      XCTAssertEqual($0 as? UndoFormError, .newer(version: 2))
    }
  }

  /// If the undo were ignored, the document would be wrong from there on.
  func testBlockedUndoMessageIsRefused() throws {
    var history = UndoHistory(initialValue: Outline(title: "a"))
    let recorder = UndoRecorder<Outline>(.json)
    recorder.begin(with: &history)
    history.observed(by: recorder) { history in
      history.transaction("mine") { $0.title.append("b") }
      history.transaction("more") { $0.title.append("c") }
    }
    history.observed(by: recorder) { history in history.applyRemote { $0.title.set("theirs") } }
    XCTAssertFalse(history.canUndo)
    let messages = recorder.takeMessages()
    for way: [UInt8] in [[], [4], [6, 0], [6, 1]] {
      var replayed = UndoHistory(initialValue: Outline(title: "a"))
      var replayer = try UndoReplayer<Outline>(recorder.header, .json)
      let isReplayed = (try? replayer.replay(messages + way, in: &replayed)) != nil
      XCTAssertEqual(isReplayed, way.isEmpty, "\(way)")
      XCTAssertEqual(replayed.title, "theirs")
    }
  }

  /// An observed history with an edited open step and a redo step before it, after another access; and its replay.
  private func replayed(
    limit: UndoLimit = .unlimited, _ act: (inout UndoHistory<Outline>) -> Void
  ) throws -> (UndoHistory<Outline>, replayed: UndoHistory<Outline>) {
    var history = UndoHistory(initialValue: Outline(title: "a"))
    (history.keepsBranches, history.coalescing) = (true, .none)
    var replayed = history
    let recorder = UndoRecorder<Outline>(.json)
    recorder.begin(with: &history)
    for title in ["b", "c"] { history.observed(by: recorder) { $0.edit.title = title } }
    history.observed(by: recorder) { _ = $0.undo() }
    history.observed(by: recorder) { _ = $0.beginStep() }
    history.observed(by: recorder) { $0.edit.title = "d" }
    history.limit = limit
    history.observed(by: recorder, act)
    XCTAssertNil(recorder.error)
    try recorder.replay(recorder.takeMessages(), in: &replayed)
    XCTAssertEqual(replayed.currentItem, history.currentItem)
    XCTAssertEqual(replayed.steps.map(\.stepID), history.steps.map(\.stepID))
    return (history, replayed)
  }

  /// A remote edit first ends the open step, and then gives identities to the remaining steps.
  func testBranchThatALimitDropsAtARemoteEditHasNoIdentity() throws {
    let (history, replayed) = try replayed(limit: .steps(2)) { history in history.applyRemote { $0.count = 1 } }
    XCTAssertEqual([history.undoCount, history.branches.count], [2, 0])
    XCTAssertEqual([replayed.undoCount, replayed.branches.count], [2, 0])
  }

  func testRedoByNoOriginGivesNoIdentities() throws {
    for isOpen in [true, false] {
      let (history, _) = try replayed { history in
        if !isOpen { history.settle() }
        history.redo(by: nil)
      }
      XCTAssertEqual(history.steps.map(\.stepID), [nil, nil])
    }
  }

  /// Messages tell what several actions of one access did together, and can't tell these.
  func testActionsOfAnAccessThatMessagesCannotTellAreReported() {
    typealias Act = (inout UndoHistory<Outline>) -> Void
    let accesses: [(String, [Act])] = [
      (
        "a canceled step detached a redo step of the same access",
        [
          {
            $0.edit.title = "b"
            $0.undo()
            let step = $0.beginStep()
            $0.edit.title = "c"
            $0.cancelStep(step)
          }
        ]
      ),
      (
        "an undo between a remote edit and a new step",
        [
          { $0.edit.title = "b" },
          {
            $0.applyRemote { $0.count = 1 }
            $0.undo()
            $0.edit.title = "c"
          },
        ]
      ),
      (
        "a step that stays open while the latest step ends",
        [
          { $0.edit.title = "b" }, { _ = $0.beginStep() },
          {
            $0.undo()
            $0.redo()
          },
        ]
      ),
      (
        "a redo before a branch begins",
        [
          { $0.edit.title = "b" }, { $0.edit.title = "c" }, { $0.go(to: .step(0)) },
          {
            $0.redo()
            $0.edit.title = "d"
          },
        ]
      ),
      (
        "a redo to the latest state but one, whose restored value differs from that of an undo",
        [
          { $0.edit.title = "b" }, { $0.markSaved() }, { $0.edit.caret = 7 }, { $0.edit.title = "c" },
          {
            $0.undo()
            $0.undo()
            $0.redo()
          },
        ]
      ),
      (
        "a limit drops the step that typing has joined",
        [
          { $0.limit = .steps(1) }, { $0.edit.body.append("b") },
          {
            $0.edit.body.append("c")
            $0.edit.title = "d"
          },
        ]
      ),
    ]
    for (name, acts) in accesses {
      var history = UndoHistory(initialValue: Outline(title: "a"))
      (history.keepsBranches, history.coalescing) = (name.contains("branch"), name.contains("typing") ? .typing : .none)
      if name.contains("latest") { history.restoreOnUndo(\.caret) }
      let recorder = UndoRecorder<Outline>(.json)
      recorder.begin(with: &history)
      for (index, act) in acts.enumerated() {
        history.observed(by: recorder, act)
        XCTAssertEqual(recorder.error != nil, index == acts.count - 1, name)
      }
    }
  }

  func testPartsAreFoundByNameInALaterVersion() throws {
    struct Old: UndoArchivable {
      var a = ""
      var b = 0
      static var undoParts: [UndoPart<Old>] { [UndoPart("a", \.a), UndoPart("b", \.b)] }
    }
    struct New: UndoArchivable {
      var b = 0
      var c = 0.5
      var a = ""
      static var undoParts: [UndoPart<New>] { [UndoPart("c", \.c), UndoPart("b", \.b), UndoPart("a", \.a)] }
    }
    struct Less: UndoArchivable {
      var a = ""
      static var undoParts: [UndoPart<Less>] { [UndoPart("a", \.a)] }
    }
    var old = UndoHistory(initialValue: Old())
    let recorder = UndoRecorder<Old>(.json)
    recorder.begin(with: &old)
    old.observed(by: recorder) { history in
      history.edit.a.append("x")
      history.edit.b = 7
    }
    let messages = recorder.takeMessages()
    var new = UndoHistory(initialValue: New())
    var replayer = try UndoReplayer<New>(recorder.header, .json)
    try replayer.replay(messages, in: &new)
    XCTAssertEqual(new.a, "x")
    XCTAssertEqual(new.b, 7)
    var less = UndoHistory(initialValue: Less())
    var lessReplayer = try UndoReplayer<Less>(recorder.header, .json)
    try lessReplayer.replay(messages, in: &less)
    XCTAssertEqual(less.a, "x")
    XCTAssertEqual(lessReplayer.lostCount, 1)
    XCTAssertEqual(less.undoCount, 2, "a lost edit leaves an empty step")
  }
}
