import FileChanges
import Foundation
import Journals
import TestSupport
import XCTest

/// Makes each system call of a batch fail, or end the process, and checks that all changes are applied or none.
///
/// The tests run on all cores. They share only constants.
final class FileChangeBatchFaultTests: XCTestCase, @unchecked Sendable {
  private static let before = ["a": "A", "b": "B", "c": "C", "d": "D"]
  private static let after = ["a": "new A", "c": "D", "d": "C", "e": "made", "sub": "?"]

  private func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder(isInMemory: true)
    for (name, text) in Self.before { try folder.put(text, name) }
    try FileManager.default.createDirectory(at: folder.file("sub"), withIntermediateDirectories: false)
    return folder
  }

  /// New contents, a removal, two files that exchange their names by way of another folder, and a new file.
  private func changes(_ folder: TemporaryFolder) -> [FileChange] {
    [
      .write("new A", to: folder.path("a")), .remove(folder.path("b")),
      .move(folder.path("c"), to: folder.path("sub/t")), .move(folder.path("d"), to: folder.path("c")),
      .move(folder.path("sub/t"), to: folder.path("d")), .write("made", to: folder.path("e")),
    ]
  }

  private func texts(_ folder: TemporaryFolder) -> [String: String] {
    let names = folder.names.filter { $0 != "journal" && !$0.hasPrefix(".") }
    return Dictionary(uniqueKeysWithValues: names.map { ($0, folder.text($0) ?? "?") })
  }

  private func isAll(_ folder: TemporaryFolder) -> Bool { texts(folder) == Self.after }
  private func isNone(_ folder: TemporaryFolder) -> Bool {
    texts(folder) == Self.before.merging(["sub": "?"]) { $1 }
  }

  /// The temporary files in the folder and below.
  private func litter(_ folder: TemporaryFolder) -> [String] {
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder.url.path)) ?? []
    return names.filter { ($0.split(separator: "/").last ?? "").hasPrefix(".unsaved-") }
  }

  /// A file system with a fault at the call of this number, and with or without hard links.
  private func system(
    _ number: Int, _ fault: ScriptedFileSystem.Fault, hasLinks: Bool
  ) -> ScriptedFileSystem {
    ScriptedFileSystem(isArmed: false) { call, made in
      if made == number { return fault }
      return call == .linkFile && !hasLinks ? .failure(EPERM) : nil
    }
  }

  /// The errors that each call fails with.
  ///
  /// There are more of them if `UNSAVED_KILLS` is set.
  private static let codes: [Int32] =
    ProcessInfo.processInfo.environment["UNSAVED_KILLS"] == nil
    ? [EIO, EACCES] : [EIO, EACCES, EPERM, ENOSPC, EDQUOT, EROFS, EMFILE, ENOMEM]

  func testBatchIsAppliedWhollyOrNotAtAllIfAnyCallFails() async throws {
    let faults = Self.codes.flatMap { [ScriptedFileSystem.Fault.failure($0), .lateFailure($0)] }
    try await onAllCores(faults.count) { number in
      for (hasLinks, hasJournal) in [(true, true), (true, false), (false, true)] {
        try await self.atEachFailure(faults[number], hasLinks: hasLinks, hasJournal: hasJournal)
      }
    }
  }

  private func atEachFailure(_ fault: ScriptedFileSystem.Fault, hasLinks: Bool, hasJournal: Bool) async throws {
    let counting = ScriptedFileSystem()
    if hasJournal { try await journaledWriter(in: try folder(), system: counting).close() }
    var number = hasJournal ? counting.calls.count - 4 : 0
    while true {
      let folder = try folder()
      let system = system(number, fault, hasLinks: hasLinks)
      let configuration = FileChangeWriter.Configuration(backoff: .init(attempts: 1))
      let writer =
        hasJournal
        ? try await journaledWriter(in: folder, system: system)
        : FileChangeWriter(
          configuration: configuration, clock: ContinuousClock(), random: SeededRandom(seed: 1), system: system)
      system.arm()
      var refusal: FileChangeError?
      do throws(FileChangeError) {
        try await writer.submit(batch: changes(folder))
      } catch {
        refusal = error
      }
      let unwritten = await unwritten { try await writer.close() }
      let calls = system.calls
      guard number < calls.count else { break }
      let trace = "call \(number) (\(calls[number])) of \(calls.count), \(fault), links: \(hasLinks)"
      let paths = changes(folder).map(\.path) + [folder.path("sub/t"), folder.path("journal")]
      if let error = refusal ?? unwritten?.failures.first?.error {
        XCTAssertEqual(unwritten?.failures.first?.isRolledBack ?? true, true, trace)
        XCTAssertTrue(isNone(folder), "\(trace): \(texts(folder)) after \(error)")
        XCTAssertTrue(paths.contains(error.path), trace)
      } else {
        XCTAssertTrue(isAll(folder), "\(trace): \(texts(folder))")
      }
      // Only a failed removal may leave a file.
      let isRemoval = calls[number] == .removeFile
      let left = litter(folder).filter { !$0.hasPrefix(".unsaved-journal-") }
      XCTAssertTrue(left.count <= (isRemoval ? 1 : 0), "\(trace): \(left)")
      if hasJournal {
        // The next writer has the rolled back batch as a failure.
        let next = try await journaledWriter(in: folder)
        expectEqual(await next.failures.count, unwritten == nil ? 0 : 1, trace)
        await next.removeFailures()
        try await next.close()
        XCTAssertFalse(folder.names.contains("journal"), trace)
      }
      number += 1
    }
    XCTAssertGreaterThan(number, 60, "every call was made to fail")
  }

  func testBatchIsRetriedAfterATransientFailureOfAnyCall() async throws {
    var number = 0
    while true {
      let folder = try folder()
      let system = system(number, .failure(EIO), hasLinks: true)
      let configuration = FileChangeWriter.Configuration(backoff: .init(firstDelay: .zero, longestDelay: .zero))
      let writer = FileChangeWriter(
        configuration: configuration, clock: ContinuousClock(), random: SeededRandom(seed: 1), system: system)
      system.arm()
      try await writer.submit(batch: changes(folder))
      try await writer.close()
      XCTAssertTrue(isAll(folder), "call \(number): \(texts(folder))")
      guard number < system.calls.count else { break }
      number += 1
    }
  }

  /// Ends a process at each call of a batch in turn, and passes on the folder that it leaves.
  private func atEachDeath(
    hasLinks: Bool, _ body: (TemporaryFolder, _ isAccepted: Bool, _ trace: String) async throws -> Void
  ) async throws {
    let counting = system(-1, .death, hasLinks: hasLinks)
    try await journaledWriter(in: try folder(), system: counting).close()
    // Skips the calls of a writer that only opens and closes its journal.
    var number = counting.calls.count { $0 != .removeFile } - 4
    var count = 0
    while true {
      let folder = try folder()
      let dying = system(number, .death, hasLinks: hasLinks)
      let first = try await journaledWriter(in: folder, system: dying)
      dying.arm()
      let isAccepted = (try? await first.submit(batch: changes(folder))) != nil
      try? await first.close()
      guard dying.isDead || count < 3 else { break }
      let trace = "call \(number) (\(dying.calls.last!)), links: \(hasLinks), accepted: \(isAccepted)"
      try await body(folder, isAccepted, trace)
      number += 1
      count += 1
    }
    XCTAssertGreaterThan(count, 60, "the process ended at every call")
  }

  private func withAndWithoutLinks(_ body: @escaping @Sendable (_ hasLinks: Bool) async throws -> Void) async throws {
    try await onAllCores(2) { try await body($0 == 0) }
  }

  func testBatchIsAppliedWhollyOrNotAtAllIfTheProcessEndsAtAnyCall() async throws {
    try await withAndWithoutLinks { [self] hasLinks in
      try await atEachDeath(hasLinks: hasLinks) { folder, isAccepted, trace in
        let next = try await journaledWriter(in: folder)
        expect(await unwritten { try await next.close() } == nil, trace)
        XCTAssertTrue(isAll(folder) || !isAccepted && isNone(folder), "\(trace): \(texts(folder))")
        XCTAssertEqual(litter(folder), [], trace)
        XCTAssertFalse(folder.names.contains("journal"), trace)
      }
    }
  }

  func testNextWriterFinishesABatchDespiteAFailedSyncOfAnExistingFile() async throws {
    try await withAndWithoutLinks { [self] hasLinks in
      var count = 0
      try await atEachDeath(hasLinks: hasLinks) { folder, isAccepted, trace in
        let (wasOpened, isRefused) = (Flag(), Flag())
        let refusing = ScriptedFileSystem { call, _ in
          if call == .linkFile, !hasLinks { return .failure(EPERM) }
          let isThere = wasOpened.take()
          wasOpened.set(call == .openFile)
          guard call == .synchronizeFile, isThere, !isRefused.isSet else { return nil }
          isRefused.set(true)
          return .failure(EIO)
        }
        expect(await unwritten { try await journaledWriter(in: folder, system: refusing).close() } == nil, trace)
        XCTAssertTrue(isAll(folder) || !isAccepted && isNone(folder), "\(trace): \(texts(folder))")
        XCTAssertEqual(litter(folder), [], trace)
        count += isRefused.isSet ? 1 : 0
      }
      XCTAssertGreaterThan(count, 10)
    }
  }

  func testNextWriterRollsBackABatchThatItCannotFinish() async throws {
    try await withAndWithoutLinks { [self] hasLinks in
      var count = 0
      try await atEachDeath(hasLinks: hasLinks) { folder, isAccepted, trace in
        // The first rename or folder sync fails, when some of the changes may already be applied.
        let first = Countdown(1)
        let refusing = ScriptedFileSystem(isArmed: false) { call, _ in
          if call == .linkFile, !hasLinks { return .failure(EPERM) }
          return (call == .moveFile || call == .synchronizeFolder) && first.next() ? .failure(EACCES) : nil
        }
        let second = try await journaledWriter(in: folder, system: refusing)
        refusing.arm()
        let unwritten = await unwritten { try await second.close() }
        if let failure = unwritten?.failures.first {
          count += 1
          // A batch that was applied in full is not rolled back.
          let isExpected = failure.isRolledBack ? isNone(folder) : isAll(folder)
          XCTAssertTrue(isExpected, "\(trace): \(texts(folder)) after \(failure)")
          XCTAssertEqual(failure.batch, changes(folder), trace)
        } else {
          XCTAssertTrue(isAll(folder) || !isAccepted && isNone(folder), "\(trace): \(texts(folder))")
        }
        // The next writer keeps the batch as a failure, and does not retry it by itself.
        let third = try await journaledWriter(in: folder)
        if unwritten != nil {
          expectEqual(await third.failures.map(\.error.reason), [.failedBefore], trace)
          expectEqual(await third.retryFailures(), 1)
        }
        try await third.close()
        XCTAssertTrue(isAll(folder) || !isAccepted && isNone(folder), "\(trace): \(texts(folder))")
        XCTAssertEqual(litter(folder), [], trace)
      }
      XCTAssertGreaterThan(count, 20)
    }
  }

  func testOldFileIsRemovedInTheEndIfItsFirstRemovalFails() async throws {
    for failureCount in 0...1 {
      let folder = try TemporaryFolder(["a": "old"])
      let (isPut, failures) = (Flag(), Countdown(failureCount))
      // The batch first removes the name of its new file, and then the name under which it keeps the old one.
      let (first, second) = (Countdown(1), Countdown(1))
      let system = ScriptedFileSystem { call, _ in
        if call == .moveFile { isPut.set(true) }
        if call == .removeFile, isPut.isSet, !first.next(), second.next() { return .failure(EBUSY) }
        return call == .linkFile && failures.next() ? .failure(EBUSY) : nil
      }
      let writer = FileChangeWriter(configuration: .init(backoff: .init(attempts: 2)), system: system)
      try await writer.submit(batch: [.write("new", to: folder.path("a"))])
      try await writer.close()
      XCTAssertEqual(folder.names, ["a"], "\(failureCount) failures")
    }
  }
}
