import Foundation
import TestSupport
import Unsaved
import XCTest

/// Where a caller goes on behind a call that throws: on the actor that it came from.
///
/// A target of its own, since it takes an optimised build to go wrong, and the tests of all libraries take too long so.
@MainActor
final class CallIsolationTests: XCTestCase {
  private enum Place { case main, elsewhere }

  private var placesOfErrors: [Place] = []

  private func caught(_ error: any Error) { placesOfErrors.append(Thread.isMainThread ? .main : .elsewhere) }

  func testACallOfAFileThatThrows() async throws {
    let folder = try TemporaryFolder()
    let writer = FileChangeWriter()
    let note = try await writer.file(at: folder.file("a"))
    let theirs = try await note.theirs()
    // A folder is no file that can be read or replaced.
    try FileManager.default.createDirectory(at: folder.file("a"), withIntermediateDirectories: false)
    do throws(FileChangeError) { _ = try await note.contents() } catch { caught(error) }
    await Task.yield()
    do throws(FileChangeError) { _ = try await note.theirs() } catch { caught(error) }
    await Task.yield()
    try await note.save("mine", durability: .memory)
    do throws(FileChangeError) { try await note.written() } catch { caught(error) }
    try? await writer.shutdown()
    do throws(FileChangeError) { try await note.save("mine") } catch { caught(error) }
    await Task.yield()
    do throws(FileChangeError) { try await note.save(Data()) } catch { caught(error) }
    await Task.yield()
    do throws(FileChangeError) { try await note.save(Data(), over: theirs) } catch { caught(error) }
    await Task.yield()
    do throws(FileChangeError) { try await note.accept(theirs) } catch { caught(error) }
    XCTAssertEqual(placesOfErrors, Array(repeating: .main, count: 7))
  }

  func testACallOfASessionThatThrows() async throws {
    let folder = try TemporaryFolder()
    let session = try await EditingSession(
      file: folder.file("note.txt"), recovery: folder.file("recovery"), format: .text)
    session.edit { $0.append("mine") }
    try await session.save()
    try Data("theirs".utf8).write(to: folder.file("note.txt"))
    session.edit { $0.replaceSubrange(utf8: 1..<3, with: "ac") }
    do { try await session.save() } catch { caught(error) }
    await Task.yield()
    guard case .conflict = session.state else { return XCTFail("no conflict: \(session.state)") }
    try FileManager.default.removeItem(at: folder.file("note.txt"))
    try FileManager.default.createDirectory(at: folder.file("note.txt"), withIntermediateDirectories: false)
    do { try await session.resolve(.mine) } catch { caught(error) }
    await Task.yield()
    do { try await session.save() } catch { caught(error) }
    try? await session.close()
    XCTAssertEqual(placesOfErrors, [.main, .main, .main])
  }

  func testACallOfAValidationThatThrows() async throws {
    struct Account { var name: String }
    struct Unreachable: Error {}
    let validation = Partial<Account>.Validation(.required(\.name)).asking(
      .valueValidation(keyPath: \.name) { _ in throw Unreachable() })
    var form = Partial<Account>()
    form.name = "ada"
    do { _ = try await validation.issues(in: form) } catch { caught(error) }
    XCTAssertEqual(placesOfErrors, [.main])
  }
}
