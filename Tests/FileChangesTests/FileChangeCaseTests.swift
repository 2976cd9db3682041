import FileChanges
import Foundation
import Journals
import TestSupport
import XCTest

/// Batches that change only the case of a file's name and write the file, in folders that ignore case.
final class FileChangeCaseTests: XCTestCase {
  /// Batches that end with a file "Note" that has the text "new".
  private func batches(_ folder: TemporaryFolder) -> [[FileChange]] {
    let (old, new) = (folder.path("note"), folder.path("Note"))
    return [
      [.move(old, to: new), .write("new", to: new)],
      [.write("new", to: old), .move(old, to: new)],
      [.write("first", to: old), .move(old, to: new), .write("new", to: new)],
    ]
  }

  private func apply(_ batch: [FileChange], in system: any FileSystem, journal: URL? = nil) async throws {
    let configuration = FileChangeWriter.Configuration(
      backoff: .init(attempts: 3, firstDelay: .zero, longestDelay: .zero))
    let writer =
      if let journal {
        try await FileChangeWriter(
          journal: FileChange.Path(journal), configuration: configuration, system: system)
      } else {
        FileChangeWriter(configuration: configuration, system: system)
      }
    do { try await writer.submit(batch: batch) } catch {
      try? await writer.close()
      throw error
    }
    try await writer.close()
  }

  func testFileIsRenamedInCaseAndWrittenInOneBatch() async throws {
    for folds in [true, false] {
      for number in 0..<3 {
        let folder = try TemporaryFolder(["note": "old"])
        try await apply(batches(folder)[number], in: folds ? FoldingFileSystem() : PosixFileSystem())
        XCTAssertEqual(folder.names, ["Note"], "\(folds), \(number)")
        XCTAssertEqual(folder.text("Note"), "new")
      }
    }
  }

  func testRenameInCaseIsRefusedIfAnotherFileHasTheName() async throws {
    let folder = try TemporaryFolder(["note": "old", "Note": "other"])
    do {
      try await apply(batches(folder)[0], in: PosixFileSystem())
      XCTFail("applied")
    } catch let error as FileChangeWriter.UnwrittenError {
      XCTAssertEqual(error.failures.first?.error.reason, .targetExists)
    }
    XCTAssertEqual(folder.names, ["Note", "note"])
    XCTAssertEqual(folder.text("Note"), "other")
  }

  func testRenameInCaseIsDoneOrRolledBackWhicheverCallFails() async throws {
    for isKilled in [true, false] {
      var number = 0
      while true {
        let (folder, journals) = (
          try TemporaryFolder(["note": "old"], isInMemory: true), try TemporaryFolder(isInMemory: true)
        )
        let failing = ScriptedFileSystem { _, call in
          call == number ? isKilled ? .death : .failure(EIO) : nil
        }
        try? await apply(batches(folder)[0], in: FoldingFileSystem(failing), journal: journals.file("journal"))
        guard failing.calls.count > number else { break }
        // The next process finishes what was accepted, or rolls it back.
        var next: FileChangeWriter?
        func isOpen() async throws -> Bool {
          do {
            next = try await FileChangeWriter(
              journal: FileChange.Path(journals.file("journal")), system: FoldingFileSystem())
          } catch {
            // The writer that failed releases the journal a moment later.
            guard error.reason == .journalInUse else { throw error }
          }
          return next != nil
        }
        try await until(try await isOpen())
        try? await next?.close()
        let names = folder.names.filter { !$0.hasPrefix(".") }
        XCTAssertEqual(names.count, 1, "\(number) \(isKilled): \(folder.names)")
        XCTAssertTrue(["note:old", "Note:new"].contains("\(names[0]):\(folder.text(names[0]) ?? "")"), "\(number)")
        number += 1
      }
      XCTAssertGreaterThan(number, 40)
    }
  }
}
