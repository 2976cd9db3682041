import FileChanges
import Foundation
import Journals
import TestSupport
import Unsaved
import XCTest

/// What the article about saving promises of its document.
@MainActor final class SavingDocumentTests: XCTestCase {
  func testTextTypedWhileQuittingIsInTheFileOrInTheJournalOrQuitSaysNo() async throws {
    var seeds = SystemRandomNumberGenerator()
    let seed = seeds.next()
    print("typing while quitting: 300 rounds from seed \(seed)")
    var (lost, refused) = (0, 0)
    for round in 0..<300 {
      var random = SeededRandom(seed: seed &+ UInt64(round))
      switch try await typeWhileQuitting(&random) {
      case .kept: break
      case .refused: refused += 1
      case .lost: lost += 1
      }
    }
    XCTAssertEqual(lost, 0, "seed \(seed)")
    XCTAssertLessThan(refused, 300, "quit said no each time")
  }

  private enum Outcome { case kept, refused, lost }

  /// Types as long as the document quits, and looks what a kill would leave in the moment in which it says that it may
  /// end.
  private func typeWhileQuitting(_ random: inout SeededRandom) async throws -> Outcome {
    let folder = try Folder()
    let journal = FileChange.Path(folder.url.appending(path: "journal"))
    let isGone = random.chance(oneIn: 4)
    let file = FileChange.Path(folder.url.appending(path: isGone ? "gone/note" : "note"))
    let writer = try await FileChangeWriter(journal: journal)
    let document = try await Document(file: file, writer: writer)
    for number in 0..<random.int(in: 1..<4) { document.edit { $0.edit.append("\(number)") } }
    if random.chance(oneIn: 8) { try FileManager.default.removeItem(at: folder.url) }
    let pauses = (0..<random.int(in: 1..<30)).map { _ in random.int(in: 0..<30) }
    let typing = Task {
      for (number, pause) in pauses.enumerated() {
        for _ in 0..<pause { await Task.yield() }
        guard !Task.isCancelled else { return }
        document.edit { $0.edit.append(" \(number)") }
      }
    }
    let mayEnd = await quit(document)
    // Nothing is awaited from here on: the process could have ended.
    let bytes = (try? Data(contentsOf: journal.url)) ?? Data()
    let left = try FileChangeWriter._JournalContents([UInt8](bytes)).unfinished.last { $0.body.path == file }
    let text = document.history.currentItem
    typing.cancel()
    var found = try? String(contentsOf: file.url, encoding: .utf8)
    if case .change(let change)? = left?.body, case .write(let contents) = change.action {
      found = String(decoding: contents, as: UTF8.self)
    }
    try? await writer.shutdown()
    return !mayEnd ? .refused : found == text ? .kept : .lost
  }

  func testRetryingNeedsNoEvent() async throws {
    let folder = try Folder()
    let writer = try await FileChangeWriter(journal: FileChange.Path(folder.url.appending(path: "journal")))
    let place = folder.url.appending(path: "gone")
    let document = try await Document(file: FileChange.Path(place.appending(path: "note")), writer: writer)
    // As if every event had been missed.
    document.following?.cancel()
    await document.following?.value
    document.edit { $0.edit.append("Buy milk") }
    await document.submitted()
    try? await writer.flush()
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
    await document.retry()
    try await writer.flush()
    XCTAssertEqual(try String(contentsOf: document.file.url, encoding: .utf8), "Buy milk")
    let mayEnd = await quit(document)
    XCTAssertTrue(mayEnd)
    XCTAssertFalse(document.hasUnsavedChanges)
    XCTAssertNil(document.problem)
    try await writer.shutdown()
  }

  func testDocumentIsThatOfTheArticle() throws {
    let tests = URL(filePath: #filePath).deletingLastPathComponent()
    let root = tests.deletingLastPathComponent().deletingLastPathComponent()
    let article = try String(
      contentsOf: root.appending(path: "Sources/Unsaved/Unsaved.docc/SavingWithoutLosing.md"), encoding: .utf8)
    let code = try String(contentsOf: tests.appending(path: "SavingDocument.swift"), encoding: .utf8)
    let parts = code.split(separator: "\n@MainActor ").dropFirst()
    XCTAssertEqual(parts.count, 2)
    for part in parts { XCTAssertTrue(article.contains("@MainActor " + part), "the article has not:\n\(part)") }
  }
}

/// A folder of a test's own, which goes away with the test.
private final class Folder {
  let url: URL

  init() throws {
    let memory = "/dev/shm"
    let parent =
      FileManager.default.isWritableFile(atPath: memory)
      ? URL(filePath: memory, directoryHint: .isDirectory) : FileManager.default.temporaryDirectory
    url = parent.appending(path: "saving-\(UUID())")
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(at: url) }
}
