import FileChanges
import Foundation
import Journals
import TestSupport
import XCTest

/// Handles after a restart, after a refused save, and at the end of the writer.
final class FileChangeWriterFileRecoveryTests: XCTestCase {
  // MARK: Restarts

  func testContentsThatWaitedAtAKillAreTheNewestAfterARestart() async throws {
    let folder = try TemporaryFolder(["a": "old"])
    let (first, kill) = try await mortalWriter(in: folder, dyingAt: .createFile)
    let note = try await first.file(at: folder.path("a"))
    try await note.save("new")
    await kill()
    XCTAssertEqual(folder.text("a"), "old")

    let gate = BlockingGate()
    let system = ScriptedFileSystem(isArmed: false, holding: .createFile, at: gate)
    system.arm()
    gate.open()
    let second = try await journaledWriter(in: folder, system: system)
    let again = try await second.file(at: folder.path("a"))
    expectEqual(try await newestText(again), "new")
    try await again.save("newer")
    try await again.flush()
    XCTAssertEqual(folder.text("a"), "newer")
    try await second.close()
  }

  func testRecoveredRemovalHidesNoConflictAfterAnAccept() async throws {
    for isKilledAgain in [false, true] {
      let folder = try TemporaryFolder(["a": "V0"])
      try await leave([.remove(folder.path("a")).based(on: .init(of: folder.path("a")))], in: folder)
      try folder.put("theirs", "a")
      let isDead = Flag()
      let mortal = ScriptedFileSystem { _, _ in isDead.isSet ? .death : nil }
      var writer = try await journaledWriter(in: folder, system: mortal)
      var note = try await writer.file(at: folder.path("a"))
      expectEqual(await reason { try await note.flush() }, .changedByAnother)
      try await note.accept(try await note.otherVersion())
      if isKilledAgain {
        // The next rewrite of the journal repeats what the first process may have done.
        isDead.set(true)
        try? await writer.close()
        writer = try await journaledWriter(in: folder)
        note = try await writer.file(at: folder.path("a"))
        _ = try await note.contents()
      }
      try FileManager.default.removeItem(at: folder.file("a"))
      try await note.save("mine")
      expectEqual(await reason { try await note.flush() }, .changedByAnother, "killed again: \(isKilledAgain)")
      XCTAssertNil(folder.text("a"))
      try? await writer.close()
    }
  }

  func testConflictIsReportedAgainAfterARestart() async throws {
    let folder = try TemporaryFolder(["a": "old"])
    let (first, kill) = try await mortalWriter(in: folder, dyingAt: .createFile)
    try await first.file(at: folder.path("a")).save("mine")
    await kill()
    try folder.put("theirs", "a")

    let second = try await journaledWriter(in: folder)
    let note = try await second.file(at: folder.path("a"))
    var newest = try await newestText(note)
    XCTAssertEqual(newest, "mine")
    expectEqual(await reason { try await note.flush() }, .changedByAnother)
    XCTAssertEqual(note.state, .conflict)
    // The next save is based on the recovered one, which is based on the old file.
    try await note.save("mine, later")
    expectEqual(await reason { try await note.flush() }, .changedByAnother)
    XCTAssertEqual(folder.text("a"), "theirs")
    newest = try await newestText(note)
    XCTAssertEqual(newest, "mine, later")
    try await note.accept(note.otherVersion())
    try await second.close()
    XCTAssertEqual(folder.names, ["a"])
  }

  func testFailureCanBeRetriedAfterARestart() async throws {
    let folder = try TemporaryFolder()
    let first = try await journaledWriter(in: folder)
    let note = try await first.file(at: folder.path("gone/a"))
    try await note.save("mine")
    _ = await unwritten { try await first.close() }

    let second = try await journaledWriter(in: folder)
    let again = try await second.file(at: folder.path("gone/a"))
    expectEqual(await reason { try await again.flush() }, .noSuchFolder)
    expectEqual(try await newestText(again), "mine")
    try FileManager.default.createDirectory(at: folder.file("gone"), withIntermediateDirectories: false)
    await again.retry()
    try await again.flush()
    XCTAssertEqual(folder.text("gone/a"), "mine")
    XCTAssertEqual(again.state, .saved)
    try await second.close()
  }

  func testContentsOfAFailureAreReadableIfTheFileIsNot() async throws {
    let folder = try TemporaryFolder()
    let system = ScriptedFileSystem(isArmed: false) { call, _ in call == .openFolder ? .failure(EACCES) : nil }
    let writer = FileChangeWriter(system: system)
    system.arm()
    expectEqual(await reason { _ = try await writer.file(at: folder.path("a")) }, .permissionDenied)
    try await writer.submit(.write("x", to: folder.path("a")))
    _ = await unwritten { try await writer.flush() }
    let note = try await writer.file(at: folder.path("a"))
    expectEqual(try await newestText(note), "x")
    _ = await unwritten { try await writer.close() }
  }

  func testNoOlderChangeBeginsDuringAnAccept() async throws {
    let folder = try TemporaryFolder(["a": "V0"])
    let (isBusy, isHeld, gate) = (Flag(true), Flag(), BlockingGate())
    let system = ScriptedFileSystem(isArmed: false) { call, _ in
      if call == .createFile, isBusy.take() { return .failure(EBUSY) }
      if call == .overwrite, isHeld.isSet { gate.pass() }
      return nil
    }
    let clock = ManualClock()
    var configuration = FileChangeWriter.Configuration()
    configuration.idleTime = .zero
    let writer = try await FileChangeWriter(
      journal: folder.path("journal"), configuration: configuration, clock: clock, random: SeededRandom(seed: 1),
      system: system)
    let a = try await writer.file(at: folder.path("a"))
    system.arm()
    try await writer.submit(.write("first", to: folder.path("a")))
    await clock.waitForSleepers(1)
    try await writer.submit(.write("second", to: folder.path("a")))
    try folder.put("theirs, longer", "a")
    let theirs = try await a.otherVersion()
    isHeld.set(true)
    let accept = Task { try await a.accept(theirs) }
    try await until(await writer.progress.cancelled != 0)
    expectEqual(await writer.progress.cancelled, 2)
    gate.open()
    try await accept.value
    try await writer.flush()
    XCTAssertEqual(folder.text("a"), "theirs, longer")
    try await writer.close()
  }

  // MARK: Refused saves

  func testRefusedSaveStaysTheNewestAndCanBeRetried() async throws {
    let folder = try TemporaryFolder(["a": "old"])
    let isFull = Flag()
    let system = ScriptedFileSystem(isArmed: false) { call, _ in
      isFull.isSet && [.append, .overwrite].contains(call) ? .failure(ENOSPC) : nil
    }
    let writer = try await journaledWriter(in: folder, system: system)
    let note = try await writer.file(at: folder.path("a"))
    isFull.set(true)
    system.arm()
    expectEqual(await reason { try await note.save("new") }, .deviceFull)
    guard case .failed(let error) = note.state else { return XCTFail("\(note.state)") }
    XCTAssertEqual(error.path, folder.path("journal"))
    var newest = try await newestText(note)
    XCTAssertEqual(newest, "new")
    expectEqual(await reason { try await note.flush() }, .deviceFull)
    XCTAssertEqual(folder.text("a"), "old")

    isFull.set(false)
    expect(await note.retry())
    try await note.flush()
    XCTAssertEqual(folder.text("a"), "new")
    newest = try await newestText(note)
    XCTAssertEqual(newest, "new")
    try await writer.close()
    expectEqual(await reason { try await note.save("late") }, .closed)
  }

  func testFlushWaitsForASaveThatIsBeingSubmitted() async throws {
    let folder = try TemporaryFolder()
    let gate = BlockingGate()
    // The write of the file waits at the gate.
    let system = ScriptedFileSystem(isArmed: false, holding: .append, at: gate)
    let writer = try await journaledWriter(in: folder, system: system)
    let note = try await writer.file(at: folder.path("a"))
    system.arm()
    let save = Task { try await note.save("x") }
    try await until(note.state == .saving)
    expectEqual(try await newestText(note), "x")
    let wait = Task {
      try await note.flush()
      return folder.text("a")
    }
    gate.open()
    try await save.value
    expectEqual(try await wait.value, "x")
    try await writer.close()
  }

  // MARK: States

  func testStatesBeginWithTheCurrentOneAndEndWithTheWriter() async throws {
    let folder = try TemporaryFolder()
    let writer = FileChangeWriter(configuration: .init(backoff: .init(attempts: 1)))
    let note = try await writer.file(at: folder.path("missing/a"))
    let states = note.states()
    try await note.save("x")
    expectEqual(await reason { try await note.flush() }, .noSuchFolder)
    try FileManager.default.createDirectory(at: folder.file("missing"), withIntermediateDirectories: false)
    await note.retry()
    try await note.flush()
    try folder.put("theirs", "missing/a")
    try await note.save("y")
    _ = await reason { try await note.flush() }
    _ = await unwritten { try await writer.close() }
    var seen: [String] = []
    for await state in states {
      switch state {
      case .saved: seen.append("saved")
      case .saving: seen.append("saving")
      case .failed(let error): seen.append("\(error.reason == .noSuchFolder)")
      case .conflict: seen.append("conflict")
      }
    }
    XCTAssertEqual(seen, ["saved", "saving", "true", "saving", "saved", "saving", "conflict"])
    var last: [FileChangeWriter.File.State] = []
    for await state in note.states() { last.append(state) }
    XCTAssertEqual(last, [.conflict])
  }

  func testStatesAreReportedEvenIfNoHandleIsLeft() async throws {
    let folder = try TemporaryFolder()
    let writer = FileChangeWriter()
    var states = try await writer.file(at: folder.path("a")).states().makeAsyncIterator()
    try await writer.submit(.write("x", to: folder.path("a")))
    try await writer.close()
    var seen: [FileChangeWriter.File.State] = []
    while let state = await states.next() { seen.append(state) }
    XCTAssertEqual(seen.first, .saved)
    XCTAssertEqual(seen.last, .saved)
  }

  func testStatesEndWhenTheWriterIsReleased() async throws {
    let folder = try TemporaryFolder()
    var writer: FileChangeWriter? = FileChangeWriter()
    let states = try await writer!.file(at: folder.path("a")).states()
    writer = nil
    var count = 0
    for await _ in states { count += 1 }
    XCTAssertEqual(count, 1)
  }

  func testReleasedHandlesAreForgotten() async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let writer = FileChangeWriter()
    let kept = try await writer.file(at: folder.path("kept"))
    for number in 0..<200 { _ = try await writer.file(at: folder.path("\(number)")) }
    let count = await writer.openFileCount
    XCTAssertLessThan(count, 40)
    try await kept.save("x")
    try await kept.flush()
    try await writer.close()
  }

  // MARK: Paths

  func testURLThatIsNotAFilePathIsRefused() async throws {
    let writer = FileChangeWriter()
    for (text, expected) in [
      ("https://example.com/a", FileChangeError.Reason.notAFileURL), ("file://server/share/a", .notAFileURL),
      ("a/b", .relativePath), ("data:text/plain,x", .notAFileURL),
    ] {
      let url = try XCTUnwrap(URL(string: text))
      XCTAssertEqual(FileChange.Path(url).string, text)
      for body in [
        { _ = try await writer.file(at: url) }, { try await writer.submit(.write("x", to: url)) },
        { _ = try FileChange.Version(of: url) }, { try FileChange.remove(url).apply() },
        { _ = try await FileChangeWriter(journal: url) },
        {
          let options = FileChange.Options(root: url)
          try FileChange.remove(URL(filePath: "/tmp/x")).apply(options: options)
        },
      ] as [() async throws -> Void] {
        expectEqual(await reason(body), expected, text)
      }
    }
    // The path is not UTF-8, so it is invalid.
    if let url = URL(string: "file:///a%FF") { XCTAssertNotNil(FileChange.Path(url).objection) }
    try await writer.close()
  }

  func testFoldersDevicesLinksAndTheJournalHaveNoHandle() async throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createSymbolicLink(at: folder.file("link"), withDestinationURL: folder.file("a"))
    let configuration = FileChangeWriter.Configuration(options: .init(symbolicLinks: .refuse))
    let writer = try await FileChangeWriter(journal: folder.file("journal"), configuration: configuration)
    let refusals = [
      await reason { _ = try await writer.file(at: folder.url) },
      await reason { _ = try await writer.file(at: "/dev/null") },
      await reason { _ = try await writer.file(at: folder.path("link")) },
      await reason { _ = try await writer.file(at: folder.path("journal")) },
    ]
    XCTAssertEqual(refusals, [.folder, .notAFile, .symbolicLink, .isTheJournal])
    try await writer.close()
    expectEqual(await reason { _ = try await writer.file(at: folder.path("a")) }, .closed)
  }
}
