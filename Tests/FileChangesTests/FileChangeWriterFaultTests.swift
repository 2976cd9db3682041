import FileChanges
import Foundation
import Journals
import TestSupport
import XCTest

/// Makes each system call of a writer with a journal fail, with each of eight errors, while it writes files and
/// batches.
final class FileChangeWriterFaultTests: XCTestCase {
  private static let errors = [EIO, ENOSPC, EACCES, EROFS, EMFILE, ENOMEM, ESTALE, EDQUOT]
  /// The number of calls that fail.
  ///
  /// `UNSAVED_FAULTS` sets another number, and the writer works until it makes that many.
  private static let count = Int(ProcessInfo.processInfo.environment["UNSAVED_FAULTS"] ?? "") ?? 60

  func testNoAcceptedChangeIsLostWhicheverCallFails() async throws {
    var rounds = 4
    // Doubles the work until it makes that many calls.
    while try await work(rounds: rounds, ScriptedFileSystem()).calls.count < Self.count { rounds *= 2 }
    for number in 0..<Self.count {
      for (index, error) in Self.errors.enumerated() {
        let system = ScriptedFileSystem { _, made in
          guard made == number else { return nil }
          return (number + index) % 2 == 0 ? .failure(error) : .lateFailure(error)
        }
        let (calls, complaints) = try await work(rounds: rounds, system)
        let call = number < calls.count ? "\(calls[number])" : "none"
        XCTAssertEqual(complaints, [], "call \(number) (\(call)), error \(error)")
        if !complaints.isEmpty { return }
      }
    }
  }

  private func work(
    rounds: Int, _ system: ScriptedFileSystem
  ) async throws -> (calls: [ScriptedFileSystem.Call], complaints: [String]) {
    let folder = try TemporaryFolder(isInMemory: true)
    var files = NumberedFiles(in: folder)
    var random = SeededRandom(seed: 7)
    var paths: Set<FileChange.Path> = [folder.path("journal"), folder.path("moving")]
    paths.formUnion(["a", "b", "c", "d"].map { folder.path($0) })
    var complaints: [String] = []
    do throws(FileChangeError) {
      let writer = try await writer(in: folder, system: system) { $0.journalByteLimit = 3000 }
      for _ in 0..<rounds {
        do throws(FileChangeError) { try await files.submit(to: writer, moment: { 0 }, &random) } catch {
          if !paths.contains(error.path) { complaints.append("\(error) names another file") }
        }
      }
      do throws(FileChangeWriter.UnwrittenError) { try await writer.close() } catch {
        for failure in error.failures where !paths.contains(failure.error.path) {
          complaints.append("\(failure.error) names another file")
        }
      }
    } catch {
      if !paths.contains(error.path) { complaints.append("\(error) names another file") }
    }
    let calls = system.calls
    let next = try await writer(in: folder)
    try await files.settle(next)
    try await next.close()
    return (calls, complaints + files.complaints())
  }
}
