import FileChanges
import Foundation
import Journals
import TestSupport
import XCTest

/// The power fails at any moment, and the device keeps any part of the data that was not synchronized.
final class FileChangeWriterPowerFailureTests: XCTestCase {
  func testPowerFailureLosesNoAcceptedChangeAndTearsNoFile() async throws {
    try await withSeeds(8) { random in
      let folder = try TemporaryFolder(isInMemory: true)
      let system = ScriptedFileSystem(isRecording: true)
      let isIdleAtOnce = random.chance(oneIn: 2)
      let limit = random.chance(oneIn: 2) ? 4000 : 1 << 20
      let writer = try await journaledWriter(in: folder, system: system) {
        $0.journalByteLimit = limit
        if !isIdleAtOnce { ($0.idleTime, $0.longestDelay) = (.milliseconds(2), .milliseconds(5)) }
      }
      var files = NumberedFiles(in: folder)
      for _ in 0..<30 {
        try await files.submit(to: writer, moment: { system.device.effects.count }, &random)
        if random.chance(oneIn: 8) { try await writer.flush() }
      }
      try await writer.close()
      let device = system.device
      for _ in 0..<40 {
        let count = random.int(in: 0..<device.effects.count + 1)
        try await Self.check(files, device.files(after: count, using: &random), after: count, in: folder)
      }
    }
  }

  // MARK: Journals with only some surviving sectors

  private typealias Body = FileChangeWriter._JournalBody

  /// The texts of the files, and the failures, after a writer has recovered these records.
  private func outcome(
    of records: (TemporaryFolder) -> [Body], with files: [String: String]
  ) async throws -> (texts: [String?], failures: [FileChangeWriter.Failure]) {
    let folder = try TemporaryFolder()
    for (name, text) in files { try folder.put(text, name) }
    var bytes = JournalHeader(writer: 7, identity: 99).bytes
    for (index, body) in records(folder).enumerated() {
      FileChangeWriter._JournalRecord(sequence: UInt64(index + 1), body: body).append(to: &bytes, identity: 99)
    }
    try folder.put(bytes, "journal")
    let writer = try await journaledWriter(in: folder)
    try? await writer.flush()
    let failures = await writer.failures
    let note = try await writer.file(at: folder.path("a"))
    if case .failed = note.state {} else { XCTAssertEqual(failures, [], "\(note.state)") }
    try? await writer.close()
    XCTAssertEqual(folder.names.contains("journal"), !failures.isEmpty, "\(folder.names)")
    return ([folder.text("a"), folder.text("b")], failures)
  }

  private func batch(in folder: TemporaryFolder, _ text: String = "batch") -> Body {
    .batch([.write(text, to: folder.path("a")), .write(text, to: folder.path("b"))])
  }

  private let someVersion = FileChange.Version(
    stamp: FileStamp(device: 1, number: 2, size: 3, seconds: 4, nanoseconds: 5, changeSeconds: 6, changeNanoseconds: 7))

  func testRemovedFailuresDoNotComeBackAfterAPowerFailure() async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let system = ScriptedFileSystem(isRecording: true)
    let writer = try await journaledWriter(in: folder, system: system)
    try await writer.submit(.write("old", to: folder.path("missing/a")))
    try await writer.submit(batch: [.write("old", to: folder.path("b")), .write("old", to: folder.path("missing/c"))])
    _ = await unwritten { try await writer.flush() }
    expectEqual(await writer.removeFailures().count, 2)
    let device = system.device
    try await writer.close()
    for seed: UInt64 in 0..<20 {
      var random = SeededRandom(seed: seed)
      let left = device.files(after: device.effects.count, using: &random)
      let other = try TemporaryFolder(isInMemory: true)
      for (name, bytes) in left {
        try other.put(bytes, name)
      }
      let next = try await journaledWriter(in: other)
      XCTAssertEqual(next.recovery?.changeCount, 0, "seed \(seed)")
      expectEqual(await next.failures.map(\.change), [], "seed \(seed)")
      try? await next.close()
    }
  }

  func testBatchIsNotAppliedAgainOverANewerAppliedChange() async throws {
    let (texts, failures) = try await outcome(
      of: { folder in
        [
          self.batch(in: folder), .change(.write("newer", to: folder.path("b"))),
          .planned(folder.path("a"), 1, [.absent, .absent]),
          // The record of the end of the batch is missing.
          .completed(folder.path("b"), 0...2, leaving: self.someVersion),
        ]
      }, with: ["a": "batch", "b": "newer"])
    XCTAssertEqual(texts, ["batch", "newer"])
    XCTAssertEqual(failures.count, 0)
  }

  func testFailedBatchIsReportedIfOnlyANewerCompletionImpliesIt() async throws {
    let (texts, failures) = try await outcome(
      of: { folder in
        [
          self.batch(in: folder), .change(.write("newer", to: folder.path("b"))),
          .completed(folder.path("b"), 2...2, leaving: self.someVersion),
        ]
      }, with: ["a": "old", "b": "newer"])
    XCTAssertEqual(texts, ["old", "newer"])
    XCTAssertEqual(failures.map(\.error.reason), [.failedBefore])
  }

  func testBatchIsAppliedIfANewerChangeWasWithdrawn() async throws {
    let (texts, failures) = try await outcome(
      of: { folder in
        [
          self.batch(in: folder), .change(.write("newer", to: folder.path("b"))),
          .completed(folder.path("b"), 2...2),
        ]
      }, with: ["a": "old", "b": "old"])
    XCTAssertEqual(texts, ["batch", "batch"])
    XCTAssertEqual(failures.count, 0)
  }

  func testBatchAfterAnUnfinishedOneIsIgnored() async throws {
    let (texts, failures) = try await outcome(
      of: { folder in
        [
          self.batch(in: folder), .change(.write("between", to: folder.path("b"))),
          self.batch(in: folder, "never accepted"),
        ]
      }, with: ["a": "old", "b": "old"])
    XCTAssertEqual(texts, ["batch", "between"])
    XCTAssertEqual(failures.count, 0)
  }

  func testFailedBatchStaysFailedAfterAnOlderOneIsRetried() async throws {
    let (texts, failures) = try await outcome(
      of: { folder in
        [
          self.batch(in: folder, "older"), self.batch(in: folder, "newer"), .ended(folder.path("a"), 1, .rolledBack),
          .ended(folder.path("a"), 2, .rolledBack), .planned(folder.path("a"), 1, [.absent, .absent]),
        ]
      }, with: [:])
    XCTAssertEqual(texts, ["older", "older"])
    XCTAssertEqual(failures.map(\.error.reason), [.failedBefore])
    XCTAssertEqual(failures.first?.batch.map(\.action), Array(repeating: .write(Data("newer".utf8)), count: 2))
  }

  // MARK: -

  /// Restarts with the files that the device has kept.
  private static func check(
    _ files: NumberedFiles, _ left: [String: [UInt8]], after count: Int, in folder: TemporaryFolder
  ) async throws {
    for name in folder.names { try FileManager.default.removeItem(at: folder.file(name)) }
    for (name, bytes) in left {
      try folder.put(bytes, name)
    }
    let writer = try await journaledWriter(in: folder)
    expect(writer.recovery?.setAside == nil, "after \(count): taken for damage")
    let failures = await writer.failures
    expectEqual(failures.map(\.error), [], "after \(count)")
    try await writer.close()
    expectEqual(files.complaints(after: count), [], "after \(count)")
  }
}
