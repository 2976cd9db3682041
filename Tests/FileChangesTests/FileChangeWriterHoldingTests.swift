import FileChanges
import Journals
import PendingChanges
import TestSupport
import XCTest

/// Changes that are in the journal are held back from their files while submissions keep coming.
final class FileChangeWriterHoldingTests: XCTestCase {
  private typealias Machine = FileChangeWriter._StateMachine

  private func machine(_ configure: (inout FileChangeWriter.Configuration) -> Void = { _ in }) throws -> Machine {
    var configuration = FileChangeWriter.Configuration(parallelFiles: 2)
    configuration.longestDelay = configuration.idleTime * 5
    configure(&configuration)
    var machine = Machine(configuration: configuration, random: SeededRandom(seed: 1))
    _ = machine.recover(try FileChangeWriter._JournalContents([]), writer: 5, from: "/p/journal")
    _ = machine.finishWrite(error: nil)
    return machine
  }

  /// Submits a change and finishes writing it to the journal.
  private func save(_ path: FileChange.Path, _ contents: String = "x", in machine: inout Machine) throws -> [Machine
    .Action]
  {
    _ = try machine.submit(.write(contents, to: path), .journal, ticket: 1)
    return machine.finishWrite(error: nil)
  }

  func testChangeBeginsWhenNoSubmissionCameForAWhile() throws {
    var machine = try machine()
    XCTAssertEqual(try save("/a", in: &machine).kinds, ["acknowledge", "watch"])
    XCTAssertEqual(try save("/b", in: &machine).kinds, ["acknowledge"], "it is watched already")
    XCTAssertEqual(machine.tick().kinds, ["watch"], "there were submissions")
    XCTAssertEqual(machine.tick().kinds, ["run /a", "run /b"])
    // The next submission is held back again, with a new timer.
    XCTAssertEqual(try save("/c", in: &machine).kinds, ["acknowledge", "watch"])
  }

  func testChangesAreHeldBackForTheLongestTimeAndThenBeginOneByOne() throws {
    var machine = try machine()
    for path: FileChange.Path in ["/a", "/b", "/c"] { _ = try save(path, in: &machine) }
    for _ in 0..<4 {
      XCTAssertEqual(machine.tick().kinds, ["watch"])
      // A newer change does not hold the file back any longer.
      XCTAssertEqual(try save("/a", "newer", in: &machine).kinds, ["acknowledge"])
    }
    let actions = machine.tick()
    XCTAssertEqual(actions.kinds, ["run /a", "watch"])
    _ = try save("/d", in: &machine)
    let next = machine.finish(try XCTUnwrap(actions.begun.first), error: nil)
    XCTAssertEqual(next.kinds.filter { $0.hasPrefix("run") }, ["run /b"])
  }

  func testDueFilesTakeATenthOfTheTime() throws {
    var machine = try machine()
    let tick = FileChangeWriter.Configuration().idleTime
    for path: FileChange.Path in ["/a", "/b", "/c", "/d"] { _ = try save(path, in: &machine) }
    /// The changes that begin within this many ticks, while submissions keep coming.
    func runs(_ count: Int) throws -> [PendingChangeID] {
      var begun: [PendingChangeID] = []
      for _ in 0..<count {
        begun += machine.tick().begun
        _ = try save("/e", in: &machine)
      }
      return begun
    }
    /// The changes that begin when a change is done and its completion is in the journal.
    func finish(_ id: PendingChangeID?, after time: Duration) throws -> [PendingChangeID] {
      machine.finish(try XCTUnwrap(id), error: nil, after: time).begun + machine.finishWrite(error: nil).begun
    }
    let first = try runs(5).first
    // The first file leaves time for another one within its tick. After the second one, there is none for three ticks.
    let second = try finish(first, after: tick / 20).first
    XCTAssertEqual(try finish(second, after: tick * 0.33), [])
    XCTAssertEqual(try runs(2), [])
    let third = try runs(1).first
    // A hanging device delays the next file for no longer than a change is held back.
    XCTAssertEqual(try finish(third, after: .seconds(100)), [])
    XCTAssertEqual(try runs(5), [])
    XCTAssertEqual(try runs(1).count, 1)
  }

  func testFlushStartsDueFilesAtOnce() throws {
    var machine = try machine()
    for path: FileChange.Path in ["/a", "/b", "/c"] { _ = try save(path, in: &machine) }
    var actions: [Machine.Action] = []
    for _ in 0..<5 {
      actions = machine.tick()
      _ = try save("/a", in: &machine)
    }
    XCTAssertEqual(machine.finish(try XCTUnwrap(actions.begun.first), error: nil, after: .seconds(1)).begun, [])
    XCTAssertEqual(machine.wait(1).begun.count, 2)
  }

  func testChangesAreHeldBackWhileTheJournalIsWritten() throws {
    var machine = try machine()
    _ = try save("/a", in: &machine)
    _ = machine.tick()
    _ = try machine.submit(.write("x", to: "/b"), .journal, ticket: 2)
    for _ in 0..<3 { XCTAssertEqual(machine.tick().kinds, ["watch"]) }
    XCTAssertEqual(machine.finishWrite(error: nil).kinds, ["acknowledge"])
    XCTAssertEqual(machine.tick().kinds, ["run /a", "run /b"])
  }

  func testNothingIsHeldBackWhileACallerWaits() throws {
    for isEnd in [false, true] {
      var machine = try machine()
      _ = try save("/a", in: &machine)
      let actions = isEnd ? machine.shutDown(1) : machine.wait(1)
      XCTAssertEqual(actions.kinds, ["run /a"])
    }
    var machine = try machine { $0.waitingByteLimit = 100 }
    _ = try save("/a", in: &machine)
    let large = FileChange.write(String(repeating: "x", count: 90), to: "/b")
    XCTAssertEqual(try machine.submit(large, .journal, ticket: 2).kinds, ["run /a"], "it waits for room")
  }

  func testFilesAreWrittenWhenTheJournalGetsLarge() throws {
    var machine = try machine { $0.journalByteLimit = 300 }
    XCTAssertEqual(try save("/a", String(repeating: "x", count: 100), in: &machine).kinds, ["acknowledge", "watch"])
    XCTAssertEqual(try machine.submit(.write("x", to: "/b"), .journal, ticket: 2).kinds, ["run /a"])
  }

  func testChangesOutsideTheJournalAreNotHeldBack() throws {
    var configuration = FileChangeWriter.Configuration()
    configuration.parallelFiles = 2
    var without = Machine(configuration: configuration, random: SeededRandom(seed: 1))
    XCTAssertEqual(try without.submit(.write("x", to: "/a")).actions.kinds, ["run /a"])

    var machine = try machine { $0.parallelFiles = 1 }
    _ = try save("/a", in: &machine)
    // The older change goes first, because the order across files is kept.
    let actions = try machine.submit(.write("x", to: "/b")).actions
    XCTAssertEqual(actions.kinds, ["run /a"])
    _ = try save("/c", in: &machine)
    let next = machine.finish(try XCTUnwrap(actions.begun.first), error: nil)
    XCTAssertEqual(next.kinds.filter { $0.hasPrefix("run") }, ["run /b"])
  }

  func testCancelledChangeIsNoLongerHeldBack() throws {
    var machine = try machine()
    _ = try save("/a", in: &machine)
    let id = try XCTUnwrap(machine.tick().isEmpty ? nil : PendingChangeID(rawValue: 1))
    _ = machine.cancel([id], ticket: 9)
    _ = machine.finishWrite(error: nil)
    XCTAssertFalse(machine.tick().kinds.contains("watch"))
  }

  func testSavesWithPausesBetweenReachTheirFileWithoutAFlush() async throws {
    let folder = try TemporaryFolder()
    let writer = try await FileChangeWriter(journal: folder.path("journal"))
    var events = await writer.events().makeAsyncIterator()
    for text in ["1", "2", "3"] {
      try await writer.submit(.write(text, to: folder.path("a")))
      expectEqual(await events.next()?.outcome, .done)
      XCTAssertEqual(folder.text("a"), text)
    }
    try await writer.close()
    XCTAssertEqual(folder.names, ["a"])
  }
}

extension [FileChangeWriter._StateMachine.Action] {
  /// The actions, except events and records of the journal.
  fileprivate var kinds: [String] {
    compactMap { action in
      switch action {
      case .run(_, let change, _): "run \(change.path)"
      case .watch: "watch"
      case .acknowledge: "acknowledge"
      case .pause: "pause"
      case .sleep: "sleep"
      default: nil
      }
    }
  }

  fileprivate var begun: [PendingChangeID] { compactMap { if case .run(let id, _, _) = $0 { id } else { nil } } }
}
