import FileChanges
import Foundation
import Journals
import TestSupport
import XCTest

/// Another program changes a file while a batch that expects versions is rolled back.
final class FileChangeBatchRollbackTests: XCTestCase {
  /// Writes a file, creates one, removes one and moves one.
  private func batch(in folder: TemporaryFolder) throws -> [FileChange] {
    let (a, r, m) = try (version("a", folder), version("r", folder), version("m", folder))
    return [
      FileChange.write("new a", to: folder.path("a")).based(on: a),
      FileChange.write("new n", to: folder.path("n")).based(on: .absent),
      FileChange.remove(folder.path("r")).based(on: r),
      FileChange.move(folder.path("m"), to: folder.path("d")).based(on: m),
    ]
  }

  private func version(_ name: String, _ folder: TemporaryFolder) throws -> FileChange.Version {
    try FileChange.Version(of: folder.path(name))
  }

  private let old = ["a": "old a", "r": "old r", "m": "old m"]

  private func folder(_ texts: [String: String]) throws -> TemporaryFolder {
    let folder = try TemporaryFolder(isInMemory: true)
    for (name, text) in texts { try folder.put(text, name) }
    return folder
  }

  private func replace(_ name: String, in folder: TemporaryFolder) {
    XCTAssertNoThrow(try Data("theirs".utf8).write(to: folder.file(name), options: .atomic))
  }

  func testFailureNamesTheMoveWhoseTargetExists() async throws {
    let folder = try folder(["b": "b", "c": "c"])
    let move = FileChange.move(folder.path("b"), to: folder.path("c"))
    let writer = FileChangeWriter(configuration: .init(backoff: .init(attempts: 1)), system: PosixFileSystem())
    _ = try? await writer.submit(batch: [.write("a", to: folder.path("a")), move])
    let failure = await unwritten { try await writer.close() }?.failures.first
    XCTAssertEqual(failure?.error.path, folder.path("c"))
    XCTAssertEqual(failure?.change, move)
    XCTAssertEqual(folder.names, ["b", "c"])
  }

  func testFileReplacedAtAnyCallOfARollbackStays() async throws {
    for name in ["a", "n", "r", "d"] {
      var turn = 0
      while true {
        let folder = try folder(old)
        let (folders, calls, isReplaced) = (Counter(), Counter(), Flag())
        let system = ScriptedFileSystem(isArmed: false) { call, _ in
          if call == .synchronizeFolder, folders.next() == 2 { return .failure(EACCES) }
          if folders.count >= 2, calls.next() == turn {
            self.replace(name, in: folder)
            isReplaced.set(true)
          }
          return nil
        }
        turn += 1
        let writer = FileChangeWriter(system: system)
        let batch = try batch(in: folder)
        system.arm()
        try await writer.submit(batch: batch)
        let unwritten = await unwritten { try await writer.flush() }
        withTrace("\(name), call \(turn): \(system.calls)") {
          expectEqual(unwritten?.failures.count, 1)
          if isReplaced.isSet {
            expectEqual(unwritten?.failures.first?.isRolledBack, true)
            expectEqual(folder.texts, old.merging([name: "theirs"]) { $1 })
          } else {
            expectEqual(folder.texts, old)
          }
        }
        _ = await self.unwritten { try await writer.close() }
        guard isReplaced.isSet else { break }
      }
      XCTAssertGreaterThan(turn, 20)
    }
  }

  func testFileThatLosesItsNameDuringARollbackIsKept() async throws {
    let folder = try TemporaryFolder(old)
    let (folders, exchanges) = (Counter(), Counter())
    let system = ScriptedFileSystem(isArmed: false) { call, _ in
      if call == .synchronizeFolder, folders.next() == 2 { return .failure(EACCES) }
      // Another program replaces the file before each exchange. The second exchange should undo the first.
      if folders.count >= 2, call == .exchangeFiles {
        try? Data("theirs \(exchanges.next())".utf8).write(to: folder.file("a"), options: .atomic)
      }
      return nil
    }
    let writer = FileChangeWriter(system: system)
    let batch = try batch(in: folder)
    system.arm()
    try await writer.submit(batch: batch)
    let unwritten = await unwritten { try await writer.flush() }
    let failure = unwritten?.failures.first
    XCTAssertEqual(failure?.isRolledBack, true)
    XCTAssertEqual(failure?.error.isConflict, true)
    let kept = try XCTUnwrap(failure?.error.keptPath)
    XCTAssertEqual(try String(contentsOf: kept.url, encoding: .utf8), "theirs 2")
    XCTAssertEqual(folder.text("a"), "theirs 1")
    XCTAssertEqual(folder.names.count, 4)
    _ = await self.unwritten { try await writer.close() }
  }

  func testKillAtAnyCallOfARollbackLosesNothing() async throws {
    var turn = 0
    while true {
      let folder = try folder(old.merging(["z": "old z"]) { $1 })
      let (isRollingBack, calls) = (Flag(), Counter())
      // Another program replaces the last file immediately before its exchange.
      let system = ScriptedFileSystem(isArmed: false) { call, _ in
        if call == .exchangeFiles, folder.text("n") != nil, !isRollingBack.isSet {
          self.replace("z", in: folder)
          isRollingBack.set(true)
        }
        return isRollingBack.isSet && calls.next() == turn ? .death : nil
      }
      turn += 1
      var configuration = FileChangeWriter.Configuration()
      configuration.backoff.attempts = 1
      let first = try await FileChangeWriter(
        journal: folder.path("journal"), configuration: configuration, clock: ContinuousClock(),
        random: SeededRandom(seed: 1), system: system)
      let batch = try batch(in: folder)
      let last = FileChange.write("new z", to: folder.path("z")).based(on: try version("z", folder))
      system.arm()
      try await first.submit(batch: batch + [last])
      _ = await unwritten { try await first.flush() }
      try? await first.close()
      let second = try await journaledWriter(in: folder)
      _ = await unwritten { try await second.flush() }
      XCTAssertEqual(folder.texts, old.merging(["z": "theirs"]) { $1 }, "call \(turn): \(system.calls)")
      try? await second.close()
      guard system.isDead else { break }
    }
    XCTAssertGreaterThan(turn, 20)
  }
}
