import FileChanges
import Journals
import TestSupport
import XCTest

/// A writer with a journal, for tests of the journal.
func journaledWriter(
  in folder: TemporaryFolder, system: any FileSystem = PosixFileSystem(),
  _ configure: (inout FileChangeWriter.Configuration) -> Void = { _ in }
) async throws(FileChangeError) -> FileChangeWriter {
  var configuration = FileChangeWriter.Configuration()
  configuration.backoff.attempts = 1
  // Changes begin at once, so that tests need not wait for them.
  configuration.idleTime = .zero
  configure(&configuration)
  return try await FileChangeWriter(
    journal: folder.path("journal"), configuration: configuration, clock: ContinuousClock(),
    random: SeededRandom(seed: 1), system: system)
}

extension XCTestCase {
  /// A writer that is killed in the middle of its work, and a function that kills it.
  ///
  /// The writer waits at `call` until it is killed. Then it makes neither that call nor any later one.
  ///
  /// - Parameter work: The work that the writer finishes before it can be killed.
  func mortalWriter(
    in folder: TemporaryFolder, dyingAt call: ScriptedFileSystem.Call = .openFolder,
    _ configure: (inout FileChangeWriter.Configuration) -> Void = { _ in },
    after work: (FileChangeWriter) async throws -> Void = { _ in }
  ) async throws -> (writer: FileChangeWriter, kill: () async -> Void) {
    let gate = BlockingGate()
    let system = ScriptedFileSystem(isArmed: false, holding: call, at: gate, then: .death)
    let writer = try await journaledWriter(in: folder, system: system, configure)
    try await work(writer)
    system.arm()
    let kill = {
      gate.open()
      try? await writer.close()
      XCTAssertTrue(system.isDead, "the writer never made the call")
    }
    return (writer, kill)
  }

  /// Leaves the journal of a writer that accepted the changes and died before it applied one.
  func leave(_ changes: [FileChange], in folder: TemporaryFolder) async throws {
    let (writer, kill) = try await mortalWriter(in: folder) { $0.parallelFiles = 1 }
    for change in changes { try await writer.submit(change) }
    await kill()
  }
}
