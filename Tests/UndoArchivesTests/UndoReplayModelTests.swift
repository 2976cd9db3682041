import Foundation
import TestSupport
import UndoArchives
import UndoHistories
import XCTest

/// A history that is restored from an archive and replays the messages since then equals the recorded one.
final class UndoReplayModelTests: XCTestCase {
  /// A history with what a session keeps of it: the document and the steps at one moment, and the messages since then.
  private struct Recorded {
    var history: UndoHistory<Outline>
    let recorder = UndoRecorder<Outline>(.json)
    var document: Data
    /// Nil if the messages begin with a history without steps.
    var archive: UndoHistory<Outline>.Archive?
    var messages: [[UInt8]] = []
    var restores = false
    /// Whether branches were kept at the beginning.
    var keepsBranches = false
    /// Whether the messages began anew because they couldn't describe every change.
    var isAnew = false
    var openStep: UndoHistory<Outline>.OpenStep?
    var saves: [UndoHistory<Outline>.Save] = []

    init(_ outline: Outline, restores: Bool, _ random: inout SeededRandom) throws {
      history = UndoHistory(initialValue: outline)
      document = try UndoPieceCoding.encoder.encode(outline)
      self.restores = restores
      if restores { Recorded.restoreOnUndo(&history) }
      keepsBranches = random.chance(oneIn: 2)
      if keepsBranches { history.keepsBranches = true }
      history.coalescing = [.typing, .none, .typing.values(within: .seconds(9)), .typing(within: .seconds(9))]
        .randomElement(using: &random)!
      recorder.begin(with: &history)
    }

    static func restoreOnUndo(_ history: inout UndoHistory<Outline>) {
      history.restoreOnUndo(\.caret)
      history.restoreOnUndo(\.selection)
    }

    mutating func takeMessages() {
      if recorder.error != nil {
        // Messages can't describe every combination of changes made at once.
        isAnew = true
        expect((try? compact()) != nil)
      }
      let new = recorder.takeMessages()
      if !new.isEmpty { messages.append(new) }
    }

    /// Begins anew, as a session does if the messages have become long.
    mutating func compact() throws {
      let first = recorder.begin(with: &history)
      messages = first.isEmpty ? [] : [first]
      document = try UndoPieceCoding.encoder.encode(history.currentItem)
      var copy = history
      // The open step ends in the archive, but a limit must not drop steps because of that.
      copy.limit = .unlimited
      archive = try UndoHistory<Outline>.Archive(copy.archive(keepsWhole: true, fields: .json).bytes(.json), .json)
    }

    func replayed() throws -> UndoHistory<Outline> {
      var replayed = UndoHistory(initialValue: try UndoPieceCoding.decoder.decode(Outline.self, from: document))
      if restores { Recorded.restoreOnUndo(&replayed) }
      replayed.keepsBranches = archive?.keepsBranches ?? keepsBranches
      if let archive { try replayed.restore(archive) }
      var replayer = try UndoReplayer<Outline>(recorder.header, .json)
      for messages in messages { try replayer.replay(messages, in: &replayed) }
      replayer.finish(&replayed)
      return replayed
    }
  }

  func testReplayedHistoryMatchesTheRecordedOne() throws {
    try withSeeds(400) { random in
      var recorded = try Recorded(Outline(title: "t"), restores: random.chance(oneIn: 3), &random)
      for _ in 0..<random.int(in: 1..<120) {
        Self.act(on: &recorded, isNamed: false, absorbs: false, &random)
        if random.chance(oneIn: recorded.history.isStepOpen ? 6 : 60) { expect((try? recorded.compact()) != nil) }
      }
      Self.check(recorded, isIdentical: false)
    }
  }

  /// The records are identical, whether or not all edited parts have names.
  func testReplayedHistoryMatchesRecordByRecord() throws {
    try withSeeds(300) { random in
      var recorded = try Recorded(Outline(title: "t"), restores: random.chance(oneIn: 3), &random)
      let isNamed = random.chance(oneIn: 2)
      for _ in 0..<random.int(in: 1..<120) {
        Self.act(on: &recorded, isNamed: isNamed, absorbs: true, &random)
      }
      Self.check(recorded, isIdentical: true)
    }
  }

  /// Several actions are read at once: messages tell the result, or an archive is needed.
  func testSeveralActionsOfAnAccessLoseNoEdit() throws {
    try withSeeds(300) { random in
      var recorded = try Recorded(Outline(title: "t"), restores: random.chance(oneIn: 3), &random)
      for _ in 0..<random.int(in: 1..<60) {
        Self.act(on: &recorded, isNamed: true, absorbs: random.chance(oneIn: 2), &random)
        let recorder = recorded.recorder
        recorded.history.observed(by: recorder) { history in
          for _ in 0..<random.int(in: 0..<4) { Self.actOnce(on: &history, &random) }
        }
        recorded.takeMessages()
        expectEqual(try? recorded.replayed().currentItem, recorded.history.currentItem)
      }
    }
  }

  private static func actOnce(on history: inout UndoHistory<Outline>, _ random: inout SeededRandom) {
    switch random.int(in: 0..<10) {
    case 0: history.undo()
    case 1: history.redo()
    case 2: history.redo(by: nil)
    case 3: history.undo(by: nil)
    case 4: history.edit.title = random.text()
    case 5: if let leaf = history.branches.randomElement(using: &random) { history.go(to: leaf) }
    case 6: history.markSaved()
    case 7:
      let step = history.beginStep()
      if random.chance(oneIn: 2) { history.edit.body.append("b") }
      if random.chance(oneIn: 2) { history.cancelStep(step) }
    case 8: history.limit = .steps(random.int(in: 1..<6))
    default: history.applyRemote { $0.count += 1 }
    }
  }

  /// No restored values are recorded with the steps, and copies share the chunks.
  func testReplayWithoutRestoredValuesMatchesRecordByRecord() throws {
    try withSeeds(300) { random in
      var recorded = try Recorded(Outline(title: "t"), restores: false, &random)
      let recorder = recorded.recorder
      recorded.history.coalescing = random.chance(oneIn: 4) ? .none : .typing
      func edit(_ editor: inout UndoHistory<Outline>.Editor, _ random: inout SeededRandom) {
        switch random.int(in: 0..<4) {
        case 0: editor.editNamed(&random)
        case 1: editor.body.append(random.text())
        case 2: editor.body.insert("a", atUTF8: 0)
        default:
          let count = editor.currentItem.body.utf8.count
          if count > 1, random.chance(oneIn: 2) { editor.body.set("") } else { editor.caret = count }
        }
      }
      for _ in 0..<random.int(in: 1..<120) {
        switch random.int(in: 0..<12) {
        case 0: recorded.history.observed(by: recorder) { _ = $0.undo() }
        case 1: recorded.history.observed(by: recorder) { _ = $0.redo() }
        case 2: recorded.history.observed(by: recorder) { $0.markSaved() }
        case 3: recorded.history.observed(by: recorder) { edit(&$0.edit, &random) }
        case 4:
          recorded.history.observed(by: recorder) { history in
            try? history.transaction("label") { try Self.nest(&$0, 0, edit, &random) }
          }
        default:
          recorded.history.observed(by: recorder) { history in
            try? history.joiningTransaction { try Self.join(&$0, edit, &random) }
          }
        }
        if random.chance(oneIn: 3) { recorded.takeMessages() }
        // A copy that shares the chunks is changed.
        if random.chance(oneIn: 8) {
          var copy = recorded.history
          copy.undo()
          copy.edit.title = "copy"
        }
      }
      recorded.takeMessages()
      Self.check(recorded, isIdentical: true)
    }
  }

  func testObservedEditsJoinLikeUnobservedOnes() {
    withSeeds(300) { random in
      let recorder = UndoRecorder<String>(.json)
      var (recorded, alone) = (UndoHistory(initialValue: "aabb"), UndoHistory(initialValue: "aabb"))
      recorder.begin(with: &recorded)
      for _ in 0..<random.int(in: 1..<200) {
        let count = recorded.currentItem.utf8.count
        let start = random.chance(oneIn: 2) ? count : random.int(in: 0..<count + 1)
        let range = random.chance(oneIn: 2) ? start..<start : max(0, start - 1)..<start
        let text = range.isEmpty || random.chance(oneIn: 5) ? random.chance(oneIn: 2) ? "a" : "b" : ""
        recorded.observed(by: recorder) { $0.joiningTransaction { $0.replaceSubrange(utf8: range, with: text) } }
        alone.joiningTransaction { $0.replaceSubrange(utf8: range, with: text) }
        guard expect(recorded == alone, "\(range) \(text)"), expectEqual(recorded.byteCount, alone.byteCount) else {
          return
        }
      }
    }
  }

  func testReplayMatchesAcrossArchivesWithRemoteEdits() throws {
    try withSeeds(400) { try Self.replayAcrossArchivesWithRemoteEdits(&$0) }
  }

  /// In this history, an open step ends, a limit drops the branch that begins there, and a remote edit removes another.
  func testBranchThatALimitDroppedIsGoneBeforeARemoteEdit() throws {
    try withSeeds(1, from: 4_785_944_665_171_231_578) { try Self.replayAcrossArchivesWithRemoteEdits(&$0) }
  }

  /// The archive also contains remote edits and the steps that they hide.
  private static func replayAcrossArchivesWithRemoteEdits(_ random: inout SeededRandom) throws {
    var recorded = try Recorded(Outline(title: "t"), restores: random.chance(oneIn: 2), &random)
    // Edits without named parts are found again by comparison.
    let isNamed = random.chance(oneIn: 2)
    for _ in 0..<random.int(in: 1..<120) {
      Self.act(on: &recorded, isNamed: isNamed, absorbs: true, &random)
      if random.chance(oneIn: recorded.history.isStepOpen ? 6 : 20) { expect((try? recorded.compact()) != nil) }
    }
    Self.check(recorded, isIdentical: false)
  }

  /// Performs a random action on an observed history.
  private static func act(
    on recorded: inout Recorded, isNamed: Bool, absorbs: Bool, _ random: inout SeededRandom
  ) {
    let recorder = recorded.recorder
    func editOnce(_ editor: inout UndoHistory<Outline>.Editor, _ random: inout SeededRandom) {
      if isNamed { editor.editNamed(&random) } else { editor.edit(&random) }
    }
    func edit(_ editor: inout UndoHistory<Outline>.Editor, _ random: inout SeededRandom) {
      editOnce(&editor, &random)
      if random.chance(oneIn: 2) { editor.caret = random.int(in: 0..<50) }
    }
    // A text that may be a restored value, between other edits.
    func editBeside(_ editor: inout UndoHistory<Outline>.Editor, _ random: inout SeededRandom) {
      edit(&editor, &random)
      if random.chance(oneIn: 4) { editor.editSelection(&random) }
    }
    var (openStep, saves) = (recorded.openStep, recorded.saves)
    switch random.int(in: 0..<24) {
    case 0: recorded.history.limit = random.chance(oneIn: 2) ? .unlimited : .steps(random.int(in: 2..<20))
    case 1 where !isNamed:
      recorded.history.limit = random.chance(oneIn: 2) ? .unlimited : .bytes(random.int(in: 200..<4000))
    case 2: recorded.history.endCoalescing()
    default: break
    }
    recorded.history.observed(by: recorder) { history in
      switch random.int(in: 0..<(absorbs ? 49 : 41)) {
      case 0..<9:
        editOnce(&history.edit, &random)
        if random.chance(oneIn: 2) { history.edit.caret = random.int(in: 0..<50) }
      case 9: history.edit.editSelection(&random)
      case 10..<14: try? history.joiningTransaction { try Self.join(&$0, editBeside, &random) }
      case 14..<17:
        let label = random.chance(oneIn: 2) ? random.text() : nil
        try? history.transaction(label) { try Self.nest(&$0, 0, editBeside, &random) }
      case 17..<21: history.undo()
      case 21..<24: history.redo()
      case 24: history.go(to: .step(random.int(in: 0..<history.steps.count + 1)))
      case 25: history.go(to: .savedPoint)
      case 26: openStep = history.beginStep(random.chance(oneIn: 2) ? "step" : nil)
      case 27: if let step = openStep { history.endStep(step) }
      case 28: if let step = openStep { history.cancelStep(step) }
      case 29: history.markSaved()
      case 30: saves.append(history.beginSave())
      case 31: if let save = saves.randomElement(using: &random) { history.finishSave(save) }
      case 32: if let save = saves.popLast() { history.failSave(save) }
      case 33 where random.chance(oneIn: 2): history.currentItem.type(&random)
      case 33:
        if isNamed { history.currentItem.title = random.text() } else { history.currentItem.changeRow(&random) }
      case 34:
        history.currentItem.caret = 7
        if !isNamed { history.currentItem.selection = random.text() }
        history.currentItem.count += 1
      case 35..<39: if let leaf = history.branches.randomElement(using: &random) { history.go(to: leaf) }
      case 39:
        // Goes far back, so that the next edit starts another branch.
        history.go(to: .step(random.int(in: 0..<history.undoCount + 1)))
        editOnce(&history.edit, &random)
      case 41..<43: history.applyRemote(saved: random.chance(oneIn: 2)) { editor in editBeside(&editor, &random) }
      case 43: try? history.applyRemote { try Self.nest(&$0, 0, editBeside, &random) }
      case 44:
        var outline = history.currentItem
        outline.title = random.text()
        outline.count += random.int(in: 0..<2)
        if random.chance(oneIn: 4) { outline.selection = random.text() }
        if !isNamed { outline.changeView(&random) }
        history.applyRemote(outline, saved: random.chance(oneIn: 2))
      case 45..<48: history.recordRemoteEdit()
      default:
        if isNamed { break }
        var outline = history.currentItem
        outline.changeRow(&random)
        history.transaction("Rows") { $0.rows.set(outline.rows) }
      }
    }
    (recorded.openStep, recorded.saves) = (openStep, saves)
    recorded.takeMessages()
  }

  /// Makes one edit, or several nested ones, as the closure of a transaction does.
  private static func join(
    _ editor: inout UndoHistory<Outline>.Editor,
    _ edit: (inout UndoHistory<Outline>.Editor, inout SeededRandom) -> Void, _ random: inout SeededRandom
  ) throws {
    if random.chance(oneIn: 3) { return try Self.nest(&editor, 0, edit, &random) }
    edit(&editor, &random)
  }

  private static func nest(
    _ editor: inout UndoHistory<Outline>.Editor, _ depth: Int,
    _ edit: (inout UndoHistory<Outline>.Editor, inout SeededRandom) -> Void, _ random: inout SeededRandom
  ) throws {
    for _ in 0..<random.int(in: 0..<5) {
      if depth < 2, random.chance(oneIn: 4) {
        try? editor.transaction { try Self.nest(&$0, depth + 1, edit, &random) }
      } else {
        edit(&editor, &random)
      }
    }
    if random.chance(oneIn: 4) { throw Refused() }
  }

  private static func check(_ recorded: Recorded, isIdentical: Bool) {
    var original = recorded.history
    original.limit = .unlimited
    // Going to the current position ends an open step, as the end of the messages does.
    original.go(to: .step(original.undoCount))
    var replayed: UndoHistory<Outline>
    do { replayed = try recorded.replayed() } catch {
      expect(false, "\(error)")
      return
    }
    guard expectEqual([replayed.undoCount, replayed.redoCount], [original.undoCount, original.redoCount]) else {
      return
    }
    expectEqual(replayed.currentItem, original.currentItem)
    expectEqual(!replayed.isDirty, !original.isDirty)
    expectEqual(replayed.steps.map(\.label), original.steps.map(\.label))
    if isIdentical, !recorded.isAnew { expect(replayed == original, "the records differ") }
    expectEqual(replayed.keepsBranches, original.keepsBranches)
    expectEqual(replayed.branches.map(\.label), original.branches.map(\.label))
    expectEqual(replayed.branches.map(\.position), original.branches.map(\.position))
    expectEqual(replayed.branches.map(\.stepCount), original.branches.map(\.stepCount))
    expectEqual(replayed.go(to: .savedPoint), original.go(to: .savedPoint))
    expectEqual(replayed.undoCount, original.undoCount, "the saved point")
    for index in original.branches.indices {
      // A remote edit may block the way, or discard branches.
      guard expectEqual(replayed.branches.count, original.branches.count), index < original.branches.count else {
        break
      }
      let (leaf, expectedLeaf) = (replayed.branches[index], original.branches[index])
      expectEqual(replayed.go(to: leaf), original.go(to: expectedLeaf), "\(leaf), \(expectedLeaf)")
      expectEqual(replayed.currentItem, original.currentItem, "branch \(index)")
    }
    // Goes to both ends from the current position, so that restored values come from the same steps.
    for isBack in [true, false, true] {
      while true {
        guard expectEqual(replayed.blockingRemoteEdit, original.blockingRemoteEdit) else { return }
        let isOver = (isBack ? original.undo() : original.redo()) == nil
        guard expectEqual((isBack ? replayed.undo() : replayed.redo()) == nil, isOver) else { return }
        if isOver {
          guard expectEqual(replayed.recordRemoteEdit(), original.recordRemoteEdit()), isBack, original.canUndo else {
            break
          }
        }
        guard expectEqual(replayed.currentItem, original.currentItem, "step \(original.undoCount)") else { return }
      }
    }
    expectEqual(replayed.steps.map(\.stepID), original.steps.map(\.stepID))
  }
}
