import EditingSessions
import Foundation
import Observation
import TestSupport
import Testing
import UndoHistories
import XCTest

/// Observers of a session see its changes, although the session skips observation if nothing has read it.
@MainActor
final class EditingSessionObservingTests: XCTestCase {
  private let folder = try? TemporaryFolder(isInMemory: true)

  private func session() async throws -> EditingSession<String> {
    let folder = try XCTUnwrap(folder)
    return try await EditingSession(file: folder.file("note.txt"), recovery: folder.file("recovery"), format: .text)
  }

  /// Opens a session of the text, and then inserts a line at the start of the file, as another program would.
  private func session(of text: String, behind line: String) async throws -> EditingSession<String> {
    let file = try XCTUnwrap(folder).file("note.txt")
    try Data(text.utf8).write(to: file)
    let session = try await session()
    try Data((line + text).utf8).write(to: file)
    return session
  }

  /// Counts the next change of the properties that the closure reads.
  private func observe(_ count: Counter, _ read: () -> Void) {
    withObservationTracking(read) { count.next() }
  }

  func testEditIsReportedOnceToObserversOfTheDocument() async throws {
    let session = try await session()
    let (document, property, state) = (Counter(), Counter(), Counter())
    for round in 1...3 {
      observe(document) { _ = session.history.undoCount }
      observe(property) { _ = session.currentItem }
      session.edit { $0.append("x") }
      XCTAssertEqual([document.count, property.count], [round, round])
      // The observation ended with the first change.
      session.edit { $0.append("y") }
      session.edit("Twice") { text in
        text.append("z")
        text.append("z")
      }
      XCTAssertEqual([document.count, property.count], [round, round])
    }
    observe(state) { _ = session.autosave }
    session.edit { $0.append("x") }
    XCTAssertEqual(state.count, 0)
    session.autosave = .seconds(60)
    XCTAssertEqual(state.count, 1)
    session.autosave = nil
    try await session.close()
  }

  func testEveryKindOfChangeIsObserved() async throws {
    let session = try await session()
    var step: UndoHistory<String>.OpenStep?
    let changes: [() -> Void] = [
      { session.edit { $0.append("x") } }, { session.undo() }, { session.redo() }, { session.currentItem = "other" },
      { step = session.history.beginStep() }, { session.edit { $0.append("y") } },
      { if let step { session.history.cancelStep(step) } }, { session.history.go(to: .step(0)) },
    ]
    for (index, change) in changes.enumerated() {
      let count = Counter()
      observe(count) { _ = session.history.currentItem }
      change()
      XCTAssertEqual(count.count, 1, "change \(index)")
    }
    try await session.close()
  }

  func testChangesOfStateAreObserved() async throws {
    let session = try await session()
    let count = Counter()
    observe(count) { _ = session.state }
    session.edit { $0.append("x") }
    XCTAssertEqual(count.count, 1)
    observe(count) { _ = session.state }
    try await session.save()
    XCTAssertEqual(count.count, 2)
    try await session.close()
  }

  func testUnobservedReadDoesNotHideAChange() async throws {
    let session = try await session()
    let (first, second) = (Counter(), Counter())
    observe(first) { _ = session.history.undoCount }
    _ = session.history.undoCount
    observe(second) { _ = session.history.undoCount }
    session.edit { $0.append("x") }
    XCTAssertEqual([first.count, second.count], [1, 1])
    // A property is read without observation, and then observed.
    _ = session.currentItem
    session.edit { $0.append("x") }
    observe(first) { _ = session.currentItem }
    session.edit { $0.append("x") }
    XCTAssertEqual([first.count, second.count], [2, 1])
    try await session.close()
  }

  func testObserverReadsTheOldValueBeforeTheChange() async throws {
    let session = try await session()
    let (count, again) = (Counter(), Counter())
    withObservationTracking {
      _ = session.currentItem
    } onChange: {
      count.next()
      MainActor.assumeIsolated {
        XCTAssertEqual(session.currentItem, "")
        withObservationTracking {
          _ = session.currentItem
        } onChange: {
          again.next()
        }
      }
    }
    session.edit { $0.append("x") }
    XCTAssertEqual([count.count, again.count], [1, 0])
    session.edit { $0.append("y") }
    XCTAssertEqual([count.count, again.count], [1, 1])
    try await session.close()
  }

  func testEditThatThrowsIsObservedAndChangesNothing() async throws {
    let session = try await session()
    let count = Counter()
    observe(count) { _ = session.currentItem }
    XCTAssertThrowsError(
      try session.edit { text in
        text.append("x")
        throw Refused()
      })
    XCTAssertEqual(count.count, 1)
    XCTAssertEqual(session.currentItem, "")
    session.edit { $0.append("y") }
    XCTAssertEqual(session.history.undoCount, 1)
    try await session.close()
  }

  func testObserverEditDuringAReloadIsKept() async throws {
    for read in 1...2 {
      let session = try await session(of: "one\ntwo\n", behind: "0\n")
      edit(session, atRead: read)
      try await session.reload()
      XCTAssertEqual(session.currentItem, "0\none\ntwo\nthree\n")
      // If the observer's edit comes first, the remote edit is merged; otherwise the remote edit is a step.
      XCTAssertEqual(session.history.steps.map(\.label).filter { $0 != "Reload" }, ["Observer"])
      guard case .edited = session.state else { return XCTFail("\(session.state)") }
      session.keepsSteps = false
      try await session.save()
      try await session.close()
    }
  }

  func testEditByAnObserverOfTheStateIsLoggedAndNotMarkedAsSaved() async throws {
    enum Way: CaseIterable { case reload, theirs, mine, merged }
    for way in Way.allCases {
      for times in 1...8 {
        let session = try await session(of: "one\ntwo\n", behind: "0\n")
        if way != .reload { session.currentItem = "mine " + session.currentItem }
        let isOver = Flag()
        editAtChangesOfState(of: session, times, until: isOver)
        switch way {
        case .reload: _ = try? await session.reload()
        case .theirs: try? await session.resolve(.theirs)
        case .mine: try? await session.resolve(.mine)
        case .merged: try? await session.resolve(.merged("both\n"))
        }
        isOver.set(true)
        let file = try XCTUnwrap(folder).file("note.txt")
        let text = session.currentItem
        if case .saved = session.state {
          XCTAssertEqual(try String(contentsOf: file, encoding: .utf8), text, "\(way) \(times)")
        }
        let labels = session.history.steps.map(\.label)
        try await session.close()
        let next = try await self.session()
        XCTAssertTrue(next.recovery.isIntact, "\(way) \(times)")
        XCTAssertEqual(next.currentItem, text, "\(way) \(times)")
        XCTAssertEqual(next.history.steps.map(\.label), labels, "\(way) \(times)")
        if case .saved = next.state {
          XCTAssertEqual(try String(contentsOf: file, encoding: .utf8), text, "\(way) \(times)")
        }
        next.keepsSteps = false
        try? await next.resolve(.mine)
        try await next.save()
        try await next.close()
      }
    }
  }

  func testObserverThatEditsAtEachChangeCausesAConflict() async throws {
    let session = try await session(of: "one\n", behind: "0\n")
    let isOver = Flag()
    editAtEachChange(of: session, until: isOver)
    expectEqual(await refusal { try await session.reload() }, "conflict")
    isOver.set(true)
    XCTAssertEqual(session.currentItem, "one\n" + String(repeating: "x", count: 100))
    try await session.resolve(.mine)
    try await session.close()
  }

  func testObserverEditWhileTheSessionClosesIsKept() async throws {
    for (isEdited, keepsSteps) in [(false, false), (false, true), (true, false), (true, true)] {
      for number in 1...4 {
        let session = try await session(of: "one\n", behind: "")
        if isEdited {
          session.edit { $0.append("two\n") }
          try await session.save()
        }
        session.keepsSteps = keepsSteps
        let isOver = Flag()
        edit(session, atChangeOfState: number, until: isOver)
        try await session.close()
        isOver.set(true)
        let next = try await self.session()
        XCTAssertEqual(next.currentItem, session.currentItem, "\(isEdited) \(keepsSteps) \(number)")
        next.keepsSteps = false
        try await next.save()
        try await next.close()
      }
    }
  }

  func testReloadAndCloseFinishDuringContinuousTyping() async throws {
    let (edits, isOver) = (Counter(), Flag())
    // A read off the main thread ends only after another edit. On the main thread, it would hold up the typing.
    let format = EditingFormat<String>(
      read: { contents in
        let count = edits.count
        while !Thread.isMainThread, edits.count == count, !isOver.isSet {}
        return String(decoding: contents, as: UTF8.self)
      }, write: { Data($0.utf8) })
    let file = try XCTUnwrap(folder).file("note.txt")
    try Data("one\n".utf8).write(to: file)
    isOver.set(true)
    let session = try await EditingSession(
      file: file, recovery: XCTUnwrap(folder).file("recovery"), format: format)
    isOver.set(false)
    try Data("0\none\n".utf8).write(to: file)
    let typing = Task {
      while !isOver.isSet, edits.count < 100_000 {
        session.edit { $0.append("x") }
        edits.next()
        await Task.yield()
      }
    }
    try await session.reload()
    XCTAssertLessThan(edits.count, 100_000)
    XCTAssertTrue(session.currentItem.hasPrefix("0\none\nx"))
    try await session.close()
    isOver.set(true)
    await typing.value
    let next = try await self.session()
    XCTAssertEqual(next.currentItem, session.currentItem)
    try await next.close()
  }

  func testObserversNeverReadSavedForAnotherText() async throws {
    let session = try await session()
    session.edit { $0.append("A") }
    try await session.save()
    session.edit("B") { $0.append("B") }
    let isOver = Flag()
    checkEachState(of: session, try XCTUnwrap(folder).file("note.txt"), until: isOver)
    let saving = Task { try await session.save() }
    await Task.yield()
    session.undo()
    try await saving.value
    isOver.set(true)
    guard case .edited = session.state else { return XCTFail("\(session.state)") }
    try await session.close()
  }

  func testEditsOfACopiedHistoryAreNotLogged() async throws {
    let session = try await session()
    session.edit { $0.append("x") }
    var copy = session.history
    session.edit { $0.append("y") }
    copy.edit.append("copied")
    copy.undo()
    copy.undo()
    XCTAssertEqual(copy.currentItem, "")
    XCTAssertEqual(session.currentItem, "xy")
    XCTAssertEqual(session.history.undoCount, 1)
    await session.isSynchronized()
    let written = session.logByteCounts.written
    copy.edit.append("more")
    await session.isSynchronized()
    XCTAssertEqual(session.logByteCounts.written, written)
    try await session.close()
  }
}

/// Performs an action once, before the next change of the properties that `read` reads.
@MainActor
private func beforeNextChange(of read: () -> Void, _ act: @escaping @MainActor @Sendable () -> Void) {
  withObservationTracking(read) {
    MainActor.assumeIsolated { act() }
  }
}

/// Appends a line when a change of the document is announced for the nth time.
@MainActor
private func edit(_ session: EditingSession<String>, atRead number: Int) {
  beforeNextChange(of: { _ = session.currentItem }) {
    if number > 1 { return edit(session, atRead: number - 1) }
    session.edit("Observer") { $0.append("three\n") }
  }
}

/// Appends a letter before each change of the document.
@MainActor
private func editAtEachChange(of session: EditingSession<String>, until isOver: Flag) {
  beforeNextChange(of: { _ = session.currentItem }) {
    guard !isOver.isSet else { return }
    session.edit("Observer") { $0.append("x") }
    editAtEachChange(of: session, until: isOver)
  }
}

/// Edits before each of the first changes of anything but the document.
@MainActor
private func editAtChangesOfState(of session: EditingSession<String>, _ times: Int, until isOver: Flag) {
  beforeNextChange(of: { _ = session.autosave }) {
    guard times > 0, !isOver.isSet else { return }
    session.edit("Observer") { $0.append("x\n") }
    editAtChangesOfState(of: session, times - 1, until: isOver)
  }
}

/// Edits before the nth change of anything but the document.
@MainActor
private func edit(_ session: EditingSession<String>, atChangeOfState number: Int, until isOver: Flag) {
  beforeNextChange(of: { _ = session.autosave }) {
    guard !isOver.isSet else { return }
    if number > 1 { return edit(session, atChangeOfState: number - 1, until: isOver) }
    session.edit("Observer") { $0.append("x\n") }
  }
}

/// Compares the document and the file whenever an observer reads that the document is saved.
@MainActor
private func checkEachState(of session: EditingSession<String>, _ file: URL, until isOver: Flag) {
  beforeNextChange(of: { _ = session.autosave }) {
    guard !isOver.isSet else { return }
    if case .saved = session.state {
      XCTAssertEqual(try? String(contentsOf: file, encoding: .utf8), session.currentItem)
    }
    checkEachState(of: session, file, until: isOver)
  }
}

#if os(Linux) || os(macOS)
  @Suite struct EditingSessionTrapTests {
    @Test func readingTheSessionWithinAnEditTraps() async {
      await #expect(processExitsWith: .failure) { @MainActor in
        let folder = try TemporaryFolder(isInMemory: true)
        let session = try await EditingSession(
          file: folder.file("note.txt"), recovery: folder.file("recovery"), format: .text)
        session.edit { $0.append(session.currentItem) }
      }
    }

    @Test func editingTheSessionWithinAnEditTraps() async {
      await #expect(processExitsWith: .failure) { @MainActor in
        let folder = try TemporaryFolder(isInMemory: true)
        let session = try await EditingSession(
          file: folder.file("note.txt"), recovery: folder.file("recovery"), format: .text)
        session.edit { text in
          session.undo()
          text.append("x")
        }
      }
    }
  }
#endif
