import FileChanges
import Foundation
import Journals
import TestSupport
import XCTest

/// Makes each system call of a writer fail, with each of eight errors, while it writes mounted files in place.
final class FileChangeInPlaceFaultTests: XCTestCase {
  private static let names = ["a", "b"]

  /// No other file takes the place of one that was read before, but the journal can be renamed.
  @Sendable private static func mounted(_ call: ScriptedFileSystem.Call) -> ScriptedFileSystem.Fault? {
    call == .exchangeFiles ? .failure(EBUSY) : nil
  }

  func testNoAcceptedSaveIsLostAndNoFileTornWhicheverCallFails() async throws {
    let complaints = try await complaintsAfterFaults(240, mostRounds: 24, otherwise: Self.mounted) {
      try await Self.work($0, rounds: $1)
    }
    XCTAssertEqual(complaints, [])
  }

  private static func writer(in folder: TemporaryFolder, system: any FileSystem) async throws(FileChangeError)
    -> FileChangeWriter
  {
    try await journaledWriter(in: folder, system: system) {
      $0.journalByteLimit = 3000
      $0.options.fallback = .inPlace(keepingCopyIn: folder.file("copies"))
    }
  }

  /// Numbered contents, so that the next ones are longer or shorter.
  private static func contents(_ name: String, _ number: Int) -> String {
    "\(name) \(number) " + String(repeating: "\(number % 10)", count: number * 389 % 1700) + "."
  }

  private static func work(_ system: ScriptedFileSystem, rounds: Int) async throws -> [String] {
    let folder = try TemporaryFolder(isInMemory: true)
    for name in Self.names { try folder.put(contents(name, 0), name) }
    var accepted: [String: Int] = [:]
    do throws(FileChangeError) {
      let writer = try await Self.writer(in: folder, system: system)
      for number in 1...rounds {
        for name in Self.names {
          do throws(FileChangeError) {
            let file = try await writer.file(at: folder.file(name))
            try await file.save(contents(name, number))
            accepted[name] = number
            if number % 3 == 0 { try await file.flush() }
          } catch {
            continue
          }
        }
      }
      try? await writer.close()
    } catch {
      // The journal could not be opened.
    }
    let next = try await Self.writer(in: folder, system: ScriptedFileSystem { call, _ in Self.mounted(call) })
    var complaints: [String] = []
    for name in Self.names {
      let file = try await next.file(at: folder.file(name))
      await file.retry()
      if let error = await failureOfWriting(file) { complaints.append("\(error)") }
      let text = folder.text(name)
      guard let number = (0...rounds).last(where: { text == contents(name, $0) }) else {
        complaints.append("\(name) is torn")
        continue
      }
      let newest = accepted[name] ?? 0
      if number < newest { complaints.append("\(name) has \(number), and \(newest) was accepted") }
    }
    try? await next.close()
    let copies = (try? FileManager.default.contentsOfDirectory(atPath: folder.file("copies").path)) ?? []
    return complaints + copies.map { "\($0) was left behind" }
  }
}
