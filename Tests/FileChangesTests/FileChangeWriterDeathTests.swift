import FileChanges
import Foundation
import Journals
import TestSupport
import XCTest

/// Ends the process at each system call in turn.
///
/// The next process must find every acknowledged change.
final class FileChangeWriterDeathTests: XCTestCase {
  func testDeathAtAnyCallLosesNoAcknowledgedChange() async throws {
    let count = try await onAllCoresWhile { try await Self.dies(at: $0, tearing: false) }
    XCTAssertGreaterThan(count, 60)
  }

  func testTornWriteAtADeathLosesNoAcknowledgedChange() async throws {
    // At every second call. The recovery is killed as well.
    let count = try await onAllCoresWhile { try await Self.dies(at: 2 * $0 + 1, tearing: true) }
    XCTAssertGreaterThan(count, 30)
  }

  /// Runs a scenario up to a call, and a second writer after it.
  ///
  /// - Returns: Whether the call was ever made.
  private static func dies(at call: Int, tearing: Bool) async throws -> Bool {
    let folder = try TemporaryFolder(isInMemory: true)
    let scenario = try Scenario(folder: folder)
    let system = ScriptedFileSystem { made, number in
      if tearing, number == call - 1, [.append, .overwrite].contains(made) { return .short(5) }
      return number >= call ? .death : nil
    }
    try await scenario.run(in: system)
    if tearing {
      // A second death, while the first is being recovered from.
      let second = ScriptedFileSystem { _, number in number >= call % 25 ? .death : nil }
      if let writer = try? await scenario.writer(second) { try? await writer.close() }
    }
    try await scenario.writer(PosixFileSystem()).close()
    scenario.check("call \(call)")
    return system.isDead
  }
}

/// Changes of three files, one after the other, and the contents that their acknowledgements allow.
private final class Scenario: @unchecked Sendable {
  private let folder: TemporaryFolder
  /// The contents that each file may have in the end.
  ///
  /// Nil stands for a missing file.
  private var allowed: [String: [String?]] = [:]

  init(folder: TemporaryFolder) throws {
    self.folder = folder
    for name in ["a", "b", "c"] {
      try folder.put("old", name)
      allowed[name] = ["old"]
    }
  }

  func writer(_ system: any FileSystem) async throws(FileChangeError) -> FileChangeWriter {
    var configuration = FileChangeWriter.Configuration()
    configuration.parallelFiles = 2
    configuration.backoff.attempts = 1
    // Small, so that the journal is rewritten a few times.
    configuration.journalByteLimit = 400
    return try await FileChangeWriter(
      journal: folder.path("journal"), configuration: configuration, clock: ContinuousClock(),
      random: SeededRandom(seed: 1), system: system)
  }

  func run(in system: ScriptedFileSystem) async throws {
    guard let writer = try? await writer(system) else { return }
    for number in 0..<10 {
      let name = ["a", "b", "c"][number % 3]
      let text = number % 4 == 3 ? nil : "\(number) " + String(repeating: "x", count: 20 * number)
      allowed[name]?.append(text)
      let change: FileChange = text.map { .write($0, to: folder.path(name)) } ?? .remove(folder.path(name))
      do { try await writer.submit(change) } catch { break }
      allowed[name] = [text]
      if number == 6 { try? await writer.flush() }
    }
    try? await writer.close()
  }

  func check(_ moment: String) {
    for (name, texts) in allowed {
      XCTAssertTrue(texts.contains(folder.text(name)), "\(moment): \(name) is \(folder.text(name) ?? "gone")")
    }
    XCTAssertTrue(Set(folder.names).isSubset(of: ["a", "b", "c"]), "\(moment): \(folder.names) are there")
  }
}
