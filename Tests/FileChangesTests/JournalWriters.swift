import FileChanges
import Journals
import TestSupport
import XCTest

/// Writers with a journal, as the tests of the journal need them.
extension XCTestCase {
  func writer(
    in folder: TemporaryFolder, system: any FileSystem = PosixFileSystem(),
    _ configure: (inout FileChangeWriter.Configuration) -> Void = { _ in }
  ) async throws(FileChangeError) -> FileChangeWriter {
    var configuration = FileChangeWriter.Configuration()
    configuration.backoff.attempts = 1
    // What they look at begins at once.
    configuration.idleTime = .zero
    configure(&configuration)
    return try await FileChangeWriter(
      journal: folder.path("journal"), configuration: configuration, clock: ContinuousClock(),
      random: SeededRandom(seed: 1), system: system)
  }

  /// A writer that is killed in the middle of its work, and what kills it.
  ///
  /// Where it makes a certain call it waits until it is killed; then neither that call is made nor any after it.
  ///
  /// - Parameter work: What it does to the end before that.
  func mortalWriter(
    in folder: TemporaryFolder, dyingAt call: ScriptedFileSystem.Call = .openFolder,
    _ configure: (inout FileChangeWriter.Configuration) -> Void = { _ in },
    after work: (FileChangeWriter) async throws -> Void = { _ in }
  ) async throws -> (writer: FileChangeWriter, kill: () async -> Void) {
    let gate = BlockingGate()
    let system = ScriptedFileSystem(isArmed: false, holding: call, at: gate, then: .death)
    let writer = try await writer(in: folder, system: system, configure)
    try await work(writer)
    system.arm()
    let kill = {
      gate.open()
      try? await writer.close()
      XCTAssertTrue(system.isDead, "the writer never made the call")
    }
    return (writer, kill)
  }

  /// A writer that has accepted the changes in its journal and died before it carried one out.
  func leave(_ changes: [FileChange], in folder: TemporaryFolder) async throws {
    let (writer, kill) = try await mortalWriter(in: folder) { $0.parallelFiles = 1 }
    for change in changes { try await writer.submit(change) }
    await kill()
  }
}
