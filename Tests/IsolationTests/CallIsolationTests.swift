import Foundation
import TestSupport
import Unsaved
import XCTest

/// A call of a file that throws must return to the actor of its caller.
///
/// This is a target of its own because the fault appears only in optimized builds, in which the tests of all files
/// would take too long. Validations are checked in their own tests, which are optimized anyway.
@MainActor
final class CallIsolationTests: XCTestCase {
  private enum Place { case main, elsewhere }

  private var placesOfErrors: [Place] = []

  private func caught(_ error: any Error) { placesOfErrors.append(Thread.isMainThread ? .main : .elsewhere) }

  func testFileCallsThatThrowReturnToTheMainActor() async throws {
    let folder = try TemporaryFolder()
    let writer = FileChangeWriter()
    let note = try await writer.file(at: folder.file("a"))
    let theirs = try await note.otherVersion()
    // A folder cannot be read or replaced as a file.
    try FileManager.default.createDirectory(at: folder.file("a"), withIntermediateDirectories: false)
    do throws(FileChangeError) { _ = try await note.contents() } catch { caught(error) }
    await Task.yield()
    do throws(FileChangeError) { _ = try await note.otherVersion() } catch { caught(error) }
    await Task.yield()
    try await note.save("mine", durability: .memory)
    do throws(FileChangeError) { try await note.flush() } catch { caught(error) }
    try? await writer.close()
    do throws(FileChangeError) { try await note.save("mine") } catch { caught(error) }
    await Task.yield()
    do throws(FileChangeError) { try await note.save(Data()) } catch { caught(error) }
    await Task.yield()
    do throws(FileChangeError) { try await note.save(Data(), over: theirs) } catch { caught(error) }
    await Task.yield()
    do throws(FileChangeError) { try await note.accept(theirs) } catch { caught(error) }
    XCTAssertEqual(placesOfErrors, Array(repeating: .main, count: 7))
  }
}
