import FileChanges
import Foundation
import TestSupport
import XCTest

/// Writers with a journal, as the tests of the journal need them.
extension XCTestCase {
  func writer(
    in folder: TemporaryFolder, system: any _FileSystem = _PosixFileSystem(),
    _ configure: (inout FileChangeWriter.Configuration) -> Void = { _ in }
  ) async throws(FileChangeError) -> FileChangeWriter {
    var configuration = FileChangeWriter.Configuration()
    configuration.backoff.attempts = 1
    configure(&configuration)
    return try await FileChangeWriter(
      journal: folder.path("journal"), configuration: configuration, clock: ContinuousClock(),
      random: SeededRandom(seed: 1), system: system)
  }

  /// A writer that has accepted the changes in its journal and died before it carried one out.
  func leave(_ changes: [FileChange], in folder: TemporaryFolder) async throws {
    let gate = BlockingGate()
    let system = ScriptedFileSystem(isArmed: false) { call, _ in
      guard call == .openFolder else { return nil }
      gate.pass()
      return .death
    }
    let writer = try await writer(in: folder, system: system) { $0.parallelFiles = 1 }
    system.arm()
    for change in changes { try await writer.submit(change) }
    gate.open()
    try? await writer.shutdown()
  }

  /// Why the body was refused; nil if it was not.
  func reason(_ body: () async throws -> Void) async -> FileChangeError.Reason? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? FileChangeError)?.reason
    }
  }
}
