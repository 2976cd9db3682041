import FileChanges
import Foundation
import Journals
import TestSupport
import XCTest

/// The power fails at any moment, and the device has of what it was not told to keep what it likes.
final class FileChangeWriterPowerFailureTests: XCTestCase {
  func testNothingAcceptedIsLostAndNothingIsTorn() async throws {
    try await withSeeds(8) { random in
      let folder = try TemporaryFolder(isInMemory: true)
      let system = ScriptedFileSystem(isRecording: true)
      let isIdleAtOnce = random.chance(oneIn: 2)
      let limit = random.chance(oneIn: 2) ? 4000 : 1 << 20
      let writer = try await writer(in: folder, system: system) {
        $0.journalByteLimit = limit
        if !isIdleAtOnce { ($0.idleTime, $0.longestHolding) = (.milliseconds(2), .milliseconds(5)) }
      }
      var files = NumberedFiles(in: folder)
      for _ in 0..<30 {
        try await files.submit(to: writer, moment: { system.device.effects.count }, &random)
        if random.chance(oneIn: 8) { try await writer.flush() }
      }
      try await writer.shutdown()
      let device = system.device
      for _ in 0..<40 {
        let count = random.int(in: 0..<device.effects.count + 1)
        try await check(files, device.files(after: count, using: &random), after: count, in: folder)
      }
    }
  }

  /// Starts again with what the device has.
  private func check(
    _ files: NumberedFiles, _ left: [String: [UInt8]], after count: Int, in folder: TemporaryFolder
  ) async throws {
    for name in folder.names { try FileManager.default.removeItem(at: folder.file(name)) }
    for (name, bytes) in left {
      try Data(bytes).write(to: folder.file(name))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.file(name).path)
    }
    let writer = try await writer(in: folder)
    expect(writer.recovery?.setAside == nil, "after \(count): taken for damage")
    let failures = await writer.failures
    expectEqual(failures.map(\.error), [], "after \(count)")
    try await writer.shutdown()
    expectEqual(files.complaints(after: count), [], "after \(count)")
  }
}
