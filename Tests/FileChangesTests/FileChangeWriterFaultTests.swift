import FileChanges
import Foundation
import Journals
import TestSupport
import XCTest

/// Makes each system call of a writer with a journal fail, with each of eight errors, while it writes files and
/// batches.
final class FileChangeWriterFaultTests: XCTestCase {
  func testNoAcceptedChangeIsLostWhicheverCallFails() async throws {
    let complaints = try await complaintsAfterFaults(480) { try await Self.work(rounds: $1, $0) }
    XCTAssertEqual(complaints, [])
  }

  private static func work(rounds: Int, _ system: ScriptedFileSystem) async throws -> [String] {
    let folder = try TemporaryFolder(isInMemory: true)
    var files = NumberedFiles(in: folder)
    var random = SeededRandom(seed: 7)
    var paths: Set<FileChange.Path> = [folder.path("journal"), folder.path("moving")]
    paths.formUnion(["a", "b", "c", "d"].map { folder.path($0) })
    var complaints: [String] = []
    do throws(FileChangeError) {
      let writer = try await journaledWriter(in: folder, system: system) { $0.journalByteLimit = 3000 }
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
    let next = try await journaledWriter(in: folder)
    try await files.settle(next)
    try await next.close()
    // The old file of a batch stays if its removal fails, which is not tried again here.
    var found = files.complaints()
    if let index = found.firstIndex(where: { $0.hasSuffix("-old was left behind") }) { found.remove(at: index) }
    return complaints + found
  }
}
