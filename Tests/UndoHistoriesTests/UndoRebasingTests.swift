import TestSupport
import UndoArchives
import UndoHistories
import XCTest

/// A store that gets a new value while a document has unsaved edits.
final class UndoRebasingTests: XCTestCase {
  private struct Contact: UndoArchivable, Equatable {
    var name = ""
    var email = ""
    var lines: [String] = []
    var version = 0

    static let undoParts = [
      UndoPart<Contact>("name", \.name), UndoPart("email", \.email), UndoPart("lines", \.lines),
      UndoPart("version", \.version),
    ]
  }

  private var history = UndoHistory(initialValue: Contact(name: "Ada"))

  private var touched: [PartialKeyPath<Contact>] {
    history.changed(among: \.name, \.email, \.lines, \.version, since: .savedPoint)
  }

  // MARK: Pushes

  func testUneditedPropertiesTakeTheStoresValues() {
    history.edit.name = "Grace"
    history.rebase(onto: Contact(name: "Ada", email: "ada@example.com", version: 2))
    XCTAssertEqual(history.currentItem, Contact(name: "Grace", email: "ada@example.com", version: 2))
    XCTAssertEqual(touched, [\.name])
    XCTAssertEqual(history.undone(), Contact(name: "Ada", email: "ada@example.com", version: 2))
    XCTAssertFalse(history.isDirty)
  }

  /// The version, which the store counts, has no archive name.
  private struct Numbered: UndoArchivable, Equatable {
    var version = 1
    var name = ""
    var email = ""

    static let undoParts = [UndoPart<Numbered>("name", \.name), UndoPart("email", \.email)]
  }

  func testWholeDocumentStepThatIncludesAPushCanBeArchived() throws {
    for isSaved in [true, false] {
      var history = UndoHistory(initialValue: Numbered())
      history.currentItem = Numbered(version: 2, name: "A")
      if isSaved { history.markSaved() }
      history.rebase(onto: Numbered(version: 3, name: "A"))
      if !isSaved {
        history.applyRemote(Numbered(version: 4, name: "A"))
        history.recordRemoteEdit()
      }
      var restored = UndoHistory(initialValue: history.currentItem)
      try restored.restoreSteps(from: history.archive())
      while history.undo() != nil {
        XCTAssertEqual(restored.undone(), history.currentItem)
      }
      XCTAssertFalse(restored.canUndo)
    }
  }

  func testNumbersOfADocumentAreMergedIndividually() {
    struct Settings: Equatable { var version = 1, volume = 0, brightness = 0 }
    struct Named: Equatable { var name = "", settings = Settings() }
    var nested = UndoHistory(initialValue: Named())
    nested.edit.settings.brightness = 5
    nested.rebase(onto: Named(settings: Settings(version: 2, volume: 7)))
    XCTAssertEqual(nested.settings, Settings(version: 2, volume: 7, brightness: 5))
    var history = UndoHistory(initialValue: Settings())
    history.edit.brightness = 5
    history.rebase(onto: Settings(version: 2, volume: 7))
    XCTAssertEqual(history.currentItem, Settings(version: 2, volume: 7, brightness: 5))
    history.applyRemote(Settings(version: 3, volume: 8, brightness: 5))
    XCTAssertEqual(history.undone(), Settings(version: 3, volume: 8))
  }

  func testPropertyWithoutAnArchiveNameIsMergedIndividually() throws {
    var history = UndoHistory(initialValue: Numbered())
    history.edit.name = "Ada"
    let save = history.beginSave()
    history.edit.email = "x"
    history.finishSave(save, stored: Numbered(version: 2, name: "Ada L."))
    XCTAssertEqual(history.currentItem, Numbered(version: 2, name: "Ada L.", email: "x"))
    XCTAssertFalse(history.touches(\.version, since: .savedPoint))
    var restored = UndoHistory(initialValue: history.currentItem)
    try restored.restoreSteps(from: history.archive())
    for var history in [history, restored] {
      XCTAssertEqual(history.undone(), Numbered(version: 2, name: "Ada L."))
      XCTAssertFalse(history.isDirty)
      history.redo()
      history.applyRemote(Numbered(version: 3, name: "Ada L.", email: "x"))
      XCTAssertTrue(history.canUndo)
      history.applyRemote { $0.version = 4 }
      XCTAssertNoThrow(try history.archive())
      XCTAssertEqual(history.undone(), Numbered(version: 4, name: "Ada L."))
    }
  }

  func testConflictingEditStaysAndUndoGivesTheStoresValue() {
    history.edit.name = "Grace"
    history.edit.email = "grace@example.com"
    history.edit.name = "Grace H."
    history.rebase(onto: Contact(name: "Theirs"))
    XCTAssertEqual(history.currentItem, Contact(name: "Grace H.", email: "grace@example.com"))
    XCTAssertEqual(touched, [\.name, \.email])
    XCTAssertNil(history.blockingRemoteEdit)
    XCTAssertEqual(history.undone().name, "Grace")
    history.undo()
    XCTAssertEqual(history.undone(), Contact(name: "Theirs"))
    XCTAssertFalse(history.isDirty)
    XCTAssertEqual(history.allRedone(), Contact(name: "Grace H.", email: "grace@example.com"))
  }

  func testElementsThatBothSidesAppendedAreKept() {
    typealias Edit = (inout UndoHistory<Contact>.Editor) -> Void
    let edits: [(Edit, [String])] = [
      ({ $0.lines.append("mine") }, ["one", "theirs", "mine"]),
      ({ $0.lines.append(contentsOf: ["mine", "too"]) }, ["one", "theirs", "mine", "too"]),
      ({ $0.lines.set(["one", "mine"]) }, ["one", "theirs", "mine"]),
      ({ $0.lines.insert("mine", at: 0) }, ["mine", "one", "theirs"]),
    ]
    for (edit, expected) in edits {
      history = UndoHistory(initialValue: Contact(lines: ["one"]))
      history.edit.name = "Grace"
      history.transaction { edit(&$0) }
      history.rebase(onto: Contact(lines: ["one", "theirs"], version: 2))
      XCTAssertEqual(history.lines, expected)
      XCTAssertEqual(touched, [\.name, \.lines])
      history.edit.lines.append("last")
      // Elements after theirs move with the next push as well.
      history.rebase(onto: Contact(lines: ["one", "theirs", "again"], version: 3))
      XCTAssertEqual(history.lines, expected.flatMap { $0 == "theirs" ? [$0, "again"] : [$0] } + ["last"])
      history.undo()
      XCTAssertEqual(history.undone().lines, ["one", "theirs", "again"])
      history.undo()
      XCTAssertFalse(history.isDirty)
      for _ in 0..<3 { history.redo() }
      XCTAssertEqual(history.lines.last, "last")
      XCTAssertNil(history.blockingRemoteEdit)
    }
  }

  func testSameElementAppendedByBothSidesIsKeptOnce() {
    typealias Edit = (inout UndoHistory<Contact>.Editor) -> Void
    let edits: [Edit] = [
      { $0.lines.append("same") }, { $0.lines.append(contentsOf: ["same"]) }, { $0.lines.set(["one", "same"]) },
    ]
    for edit in edits {
      history = UndoHistory(initialValue: Contact(lines: ["one"]))
      edit(&history.edit)
      history.rebase(onto: Contact(lines: ["one", "same"]))
      XCTAssertEqual(history.lines, ["one", "same"])
      XCTAssertEqual(history.undone().lines, ["one", "same"])
      XCTAssertFalse(history.isDirty)
    }
  }

  func testSameTagAddedToDifferentRowsIsKeptInBoth() {
    struct Row: Identifiable, Equatable { var id: Int, tags: [String] = [] }
    var history = UndoHistory(initialValue: [Row(id: 0), Row(id: 1)])
    history.transaction { edit in
      edit[0].tags.append("a")
      edit.append(Row(id: 2))
    }
    history.rebase(onto: [Row(id: 0), Row(id: 1, tags: ["a"]), Row(id: 3)])
    XCTAssertEqual(history.currentItem.map(\.id), [0, 1, 3, 2])
    XCTAssertEqual(history.currentItem.map(\.tags), [["a"], ["a"], [], []])
  }

  func testElementsThatBothSidesAppendedToAnEmptyListAreKept() {
    history.edit.lines.append("mine")
    history.rebase(onto: Contact(name: "Ada", lines: ["theirs"]))
    XCTAssertEqual(history.lines, ["theirs", "mine"])
  }

  /// Both sides insert anywhere, also at the same place, and some insertions are undone before.
  func testRebasingLosesNoInsertedElement() {
    withSeeds(1_000) { random in
      let base = (0..<random.int(in: 0..<4)).map { "base \($0)" }
      var history = UndoHistory(initialValue: Contact(lines: base))
      var number = 0
      var store = base
      for _ in 0..<random.int(in: 1..<5) {
        for _ in 0..<random.int(in: 0..<5) {
          if random.chance(oneIn: 4) { history.edit.name.append("x") }
          if random.chance(oneIn: 4) { history.undo() }
          let place = random.int(in: 0..<history.lines.count + 1)
          let new = (0..<random.int(in: 1..<3)).map { "mine \(number + $0)" }
          number += new.count
          history.edit.lines.insert(contentsOf: new, at: place)
        }
        let mine = history.lines.filter { $0.hasPrefix("mine") }
        // As one range, because a push is compared by what lies between the common ends.
        let place = random.int(in: 0..<store.count + 1)
        let new = (0..<random.int(in: 0..<3)).map { "theirs \(number + $0)" }
        number += new.count
        store.insert(contentsOf: new, at: place)
        history.rebase(onto: Contact(lines: store))
        expectEqual(history.lines.filter { $0.hasPrefix("mine") }, mine)
        expectEqual(history.lines.filter { !$0.hasPrefix("mine") }, store)
        expectEqual(history.blockingRemoteEdit, nil)
      }
      let (lines, count) = (history.lines, history.undoCount)
      while history.undo() != nil {}
      expectEqual(history.currentItem, Contact(lines: store))
      for _ in 0..<count { history.redo() }
      expectEqual(history.lines, lines)
    }
  }

  func testUndoAfterRebasingReportsTheActualEdits() {
    history.edit.name.append("!")
    history.rebase(onto: Contact(name: "Theirs"))
    XCTAssertEqual(history.name, "Ada!")
    let change = history.undo()
    XCTAssertEqual(change?.edits.count, 2)
    XCTAssertEqual(history.name, "Theirs")
    XCTAssertEqual(history.redo()?.edits.count, 2)
    XCTAssertEqual(history.name, "Ada!")
  }

  func testUndoOfASavedStepAlsoUndoesAConflictingPush() {
    history.edit.name = "Grace"
    history.markSaved()
    history.rebase(onto: Contact(name: "Theirs", version: 2))
    XCTAssertEqual(history.currentItem, Contact(name: "Theirs", version: 2))
    XCTAssertNil(history.blockingRemoteEdit)
    XCTAssertEqual(touched, [])
    XCTAssertFalse(history.isDirty)
    XCTAssertEqual(history.undone(), Contact(name: "Ada", version: 2))
    XCTAssertEqual(touched, [\.name])
    XCTAssertEqual(history.redone().name, "Theirs")
    XCTAssertFalse(history.isDirty)
  }

  func testUndoSkipsThePartOfAPushThatDoesNotConflict() {
    history.edit.lines.append("mine")
    history.edit.name = "Grace"
    history.edit.email = "x"
    history.markSaved()
    history.rebase(onto: Contact(name: "Theirs", email: "y", lines: ["theirs", "mine"]))
    XCTAssertEqual(history.undone(), Contact(name: "Theirs", lines: ["theirs", "mine"]))
    XCTAssertEqual(history.undone(), Contact(name: "Ada", lines: ["theirs", "mine"]))
    XCTAssertEqual(history.undone(), Contact(name: "Ada", lines: ["theirs"]))
    XCTAssertEqual(history.allRedone(), Contact(name: "Theirs", email: "y", lines: ["theirs", "mine"]))
  }

  func testRebasingBeforeTheSavedPointKeepsTheRedoSteps() {
    history.edit.name = "Grace"
    history.edit.email = "grace@example.com"
    history.markSaved()
    history.edit.version = 7
    while history.undo() != nil {}
    history.rebase(onto: Contact(name: "Theirs", email: "grace@example.com", lines: ["new"]))
    XCTAssertEqual(history.currentItem, Contact(name: "Ada", lines: ["new"]))
    XCTAssertEqual(history.redoCount, 3)
    XCTAssertEqual(touched, [\.name, \.email])
    XCTAssertEqual(history.redone().name, "Theirs")
    history.redo()
    XCTAssertFalse(history.isDirty)
    XCTAssertEqual(
      history.currentItem, Contact(name: "Theirs", email: "grace@example.com", lines: ["new"]))
    XCTAssertEqual(history.redone().version, 7)
    XCTAssertEqual(history.allUndone(), Contact(name: "Ada", lines: ["new"]))
  }

  func testStepsKeepTheirLabelsAfterRebasing() {
    history.transaction("Saved") { $0.name = "Grace" }
    history.markSaved()
    history.transaction("Mine") { $0.name = "Mine" }
    history.rebase(onto: Contact(name: "Theirs"))
    XCTAssertEqual(history.steps.map(\.label), ["Saved", "Mine"])
    XCTAssertEqual(history.undoLabel, "Mine")
    XCTAssertEqual(history.undo()?.label, "Mine")
    XCTAssertEqual([history.undoLabel, history.redoLabel], ["Saved", "Mine"])
    XCTAssertEqual(history.undo()?.label, "Saved")
    XCTAssertEqual(history.redoLabel, "Saved")
    history.redo()
    XCTAssertEqual([history.undoLabel, history.redoLabel], ["Saved", "Mine"])
  }

  func testCollectionsMergeTheEditsOfBothSides() {
    history.edit.lines.append("mine")
    history.rebase(onto: Contact(name: "Ada", lines: []))
    history.markSaved()
    history.edit.lines.append("later")
    history.rebase(onto: Contact(name: "Ada", lines: ["theirs", "mine"]))
    XCTAssertEqual(history.lines, ["theirs", "mine", "later"])
    history.undo()
    XCTAssertFalse(history.isDirty)
    XCTAssertEqual(history.undone().lines, ["theirs"])
  }

  func testTypingJoinsAcrossAPushOfAnotherProperty() {
    history.edit.name.append("a")
    history.rebase(onto: Contact(name: "Ada", version: 2))
    history.edit.name.append("b")
    XCTAssertEqual(history.undoCount, 1)
    XCTAssertEqual(history.undone(), Contact(name: "Ada", version: 2))
  }

  func testUndoGivesTheValueOfTheLatestPush() {
    history.edit.name = "Mine"
    history.rebase(onto: Contact(name: "First"))
    history.rebase(onto: Contact(name: "Second"))
    history.rebase(onto: Contact(name: "Second", version: 3))
    XCTAssertEqual(history.name, "Mine")
    XCTAssertEqual(history.undone(), Contact(name: "Second", version: 3))
    XCTAssertEqual(history.redone().name, "Mine")
  }

  func testRebasingKeepsRestoredValues() {
    history.restoreOnUndo(\.version)
    history.edit.name = "Mine"
    history.currentItem.version = 5
    history.rebase(onto: Contact(name: "Ada", email: "x"))
    XCTAssertEqual(history.currentItem, Contact(name: "Mine", email: "x", version: 5))
    history.undo()
    XCTAssertFalse(history.isDirty)
    history.redo()
    history.currentItem.version = 9
    history.rebase(onto: Contact(name: "Theirs", email: "x", version: 100))
    XCTAssertEqual(history.currentItem, Contact(name: "Mine", email: "x", version: 9))
    XCTAssertEqual(history.undone().name, "Theirs")
    XCTAssertFalse(history.isDirty)
  }

  func testRebasingDoesNotAffectCopies() {
    for number in 1...40 { history.edit.name = "\(number)" }
    let copy = history
    history.rebase(onto: Contact(name: "Theirs"))
    while history.undo() != nil {}
    XCTAssertEqual(history.name, "Theirs")
    var walked = copy
    while walked.undo() != nil {}
    XCTAssertEqual(walked.name, "Ada")
    XCTAssertEqual(walked.allRedone(), copy.currentItem)
  }

  func testRebasingWorksAcrossManyChunks() {
    history.coalescing = .none
    for number in 1...3_000 { history.edit.name = "number \(number)" }
    history.go(to: .step(1_500))
    history.markSaved()
    history.rebase(onto: Contact(name: "Theirs", version: 1))
    XCTAssertEqual([history.undoCount, history.redoCount], [1_500, 1_500])
    while history.redo() != nil {}
    XCTAssertEqual(history.name, "number 3000")
    history.go(to: .step(1_500))
    XCTAssertEqual(history.name, "Theirs")
    XCTAssertEqual(history.undone().name, "number 1499")
    history.go(to: .step(0))
    XCTAssertEqual(history.currentItem, Contact(name: "Ada", version: 1))
  }

  func testStepsKeepTheirIDsAfterRebasing() {
    history[as: "agent"].name = "Agent"
    history.edit.email = "x"
    let ids = history.steps.map(\.stepID)
    history.rebase(onto: Contact(name: "Theirs"))
    XCTAssertEqual(history.steps.map(\.stepID), ids)
    XCTAssertEqual(history.name, "Agent")
    guard case .undone = history.undo(by: "agent") else { return XCTFail("it is blocked") }
    XCTAssertEqual(history.currentItem, Contact(name: "Theirs", email: "x"))
  }

  // MARK: Saves

  func testFinishSaveMergesTheStoredValue() {
    history.edit.name = "Grace "
    let save = history.beginSave()
    history.edit.email = "x"
    XCTAssertTrue(history.finishSave(save, stored: Contact(name: "Grace", version: 2)))
    XCTAssertEqual(history.currentItem, Contact(name: "Grace", email: "x", version: 2))
    XCTAssertEqual(touched, [\.email])
    history.undo()
    XCTAssertFalse(history.isDirty)
    XCTAssertEqual(history.undone(), Contact(name: "Ada", version: 2))
    XCTAssertFalse(history.finishSave(save, stored: Contact(name: "again")))
    XCTAssertEqual(history.name, "Ada")
  }

  func testEditDuringASaveWinsOverTheStoredValueAndIsDirty() {
    history.edit.name = "Grace "
    let save = history.beginSave()
    history.edit.name = "Grace H."
    history.finishSave(save, stored: Contact(name: "Grace"))
    XCTAssertEqual(history.name, "Grace H.")
    XCTAssertEqual(touched, [\.name])
    XCTAssertEqual(history.undone().name, "Grace")
    XCTAssertFalse(history.isDirty)
  }

  func testPushDuringASaveCountsAsSaved() {
    history.edit.name = "Grace"
    let save = history.beginSave()
    history.rebase(onto: Contact(name: "Ada", version: 5))
    XCTAssertFalse(history.needsSave, "a push is not an edit")
    var other = history
    history.finishSave(save)
    XCTAssertEqual(touched, [])
    XCTAssertEqual(history.currentItem, Contact(name: "Grace", version: 5))
    other.failSave(save)
    XCTAssertEqual(other.changed(among: \.name, \.version, since: .savedPoint), [\.name])
  }

  /// A store that notifies all its clients may push a saved value before it answers the save.
  func testPushOfTheValueBeingSavedIsNotAConflict() {
    history.edit.name = "Grace"
    let save = history.beginSave()
    history.rebase(onto: Contact(name: "Grace", version: 2))
    XCTAssertEqual(touched, [\.name], "the save is not finished")
    history.finishSave(save, stored: Contact(name: "Grace", version: 2))
    XCTAssertEqual(touched, [])
    XCTAssertFalse(history.isDirty)
    XCTAssertEqual(history.undone(), Contact(name: "Ada", version: 2))
  }

  func testEditUndoneDuringItsSaveIsDirty() {
    history.edit.name = "Grace"
    let save = history.beginSave()
    history.undo()
    history.rebase(onto: Contact(name: "Grace", version: 2))
    XCTAssertEqual(history.name, "Ada")
    history.finishSave(save, stored: Contact(name: "Grace", version: 2))
    XCTAssertEqual(history.name, "Ada")
    XCTAssertEqual(touched, [\.name])
  }

  // MARK: Touched parts

  func testEditThatDropsTheSavedPointTouchesTheStepsThatLedToIt() {
    history.edit.name = "Grace"
    history.markSaved()
    history.undo()
    history.edit.email = "x"
    XCTAssertEqual(touched, [\.name, \.email])
    XCTAssertTrue(history.isDirty)
    history.undo()
    XCTAssertEqual(touched, [\.name])
    XCTAssertTrue(history.isDirty)
    XCTAssertTrue(history.needsSave)
    XCTAssertFalse(history.go(to: .savedPoint))
    history.rebase(onto: Contact(name: "Theirs", version: 2))
    XCTAssertEqual(history.currentItem, Contact(name: "Ada", version: 2))
    XCTAssertEqual(touched, [\.name])
    history.rebase(onto: Contact(name: "Ada", version: 3))
    XCTAssertEqual(touched, [], "the store has the value to which undo led")
    XCTAssertFalse(history.isDirty)
  }

  func testTransactionThatThrowsKeepsTheSavedPoint() {
    history.edit.name = "Grace"
    history.markSaved()
    history.undo()
    XCTAssertThrowsError(
      try history.transaction { edit in
        edit.email = "x"
        throw Refused()
      })
    XCTAssertEqual(touched, [\.name])
    history.redo()
    XCTAssertFalse(history.isDirty)
  }

  func testRemoteEditThatIsNotSavedIsTouched() {
    history.applyRemote { $0.email = "x" }
    XCTAssertEqual(touched, [\.email])
    history.edit.name = "Grace"
    history.applyRemote(saved: true) { $0.version = 2 }
    XCTAssertEqual(touched, [\.name, \.email])
  }

  func testSavedRemoteEditThatBlocksUndoIsNotCountedAsTouched() {
    history.edit.email = "x"
    history.edit.name = "Grace"
    history.applyRemote(saved: true) { edit in
      edit.name = "Theirs"
      edit.version = 2
    }
    XCTAssertNotNil(history.blockingRemoteEdit)
    XCTAssertEqual(touched, [\.name, \.email], "hidden steps count as well")
    history.rebase(onto: Contact(name: "Theirs", lines: ["new"], version: 2))
    XCTAssertEqual(
      history.currentItem, Contact(name: "Theirs", email: "x", lines: ["new"], version: 2))
    XCTAssertEqual(touched, [\.email])
  }

  func testRecordingASavedRemoteEditDoesNotMakeTheDocumentDirty() {
    history.edit.name = "Grace"
    history.markSaved()
    history.applyRemote(saved: true) { $0.name = "Theirs" }
    history.recordRemoteEdit()
    XCTAssertFalse(history.isDirty)
    XCTAssertEqual(touched, [])
    XCTAssertEqual(history.undone().name, "Grace")
    XCTAssertEqual(touched, [\.name])
  }

  func testUndoingARecordedSavedEditMakesTheDocumentDirty() {
    history.edit.name = "Grace"
    history.applyRemote(saved: true) { edit in
      edit.name = "Theirs"
      edit.version = 2
    }
    history.recordRemoteEdit()
    history.undo()
    XCTAssertEqual(history.undone(), Contact(name: "Ada"))
    XCTAssertEqual(touched, [\.name, \.version])
    XCTAssertTrue(history.isDirty)
  }

  func testRebasingChangesNothingIfTheSavedPointWasDropped() {
    history.limit = .steps(1)
    history.edit.name = "Grace"
    history.edit.email = "x"
    XCTAssertEqual(touched.count, 4)
    history.rebase(onto: Contact(name: "Grace", version: 2))
    XCTAssertEqual(history.currentItem, Contact(name: "Grace", email: "x"))
    XCTAssertEqual(touched, [\.email, \.version], "the parts that differ from the store")
  }

  /// No step of the archive has an edit of the push's kind, so that the restored log doesn't know its operation yet.
  func testPushOfANewKindBecomesPartOfARestoredStep() throws {
    history = UndoHistory(initialValue: Contact(name: "Ada", lines: ["a", "b"]))
    history.edit.lines[0].append("!")
    history.edit.name = "Grace"
    history.markSaved()
    history.rebase(onto: Contact(name: "Grace"))
    var restored = UndoHistory(initialValue: history.currentItem)
    try restored.restoreSteps(from: history.archive())
    for lines in [[], ["a", "b"]] as [[String]] {
      XCTAssertEqual(history.undone().lines, lines)
      XCTAssertEqual(restored.undone(), history.currentItem)
    }
    for _ in 0..<2 {
      history.redo()
      XCTAssertEqual(restored.redone(), history.currentItem)
    }
  }

  /// Ending an open step may detach the steps that led to the saved point.
  func testRebasingEndsTheOpenStepFirst() {
    struct Frame: Equatable { var width = 0, height = 0 }
    var history = UndoHistory(initialValue: Frame())
    history.keepsBranches = true
    history.edit.width = 1
    history.markSaved()
    history.undo()
    _ = history.beginStep()
    history.edit.height = 5
    history.rebase(onto: Frame())
    XCTAssertEqual(history.undone(), Frame())
    XCTAssertFalse(history.isDirty, "the store has this value")
    history.redo()
    XCTAssertTrue(history.go(to: .savedPoint))
    XCTAssertEqual(history.currentItem, Frame())
  }
}
