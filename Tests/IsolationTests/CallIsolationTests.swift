import Foundation
import TestSupport
import Unsaved
import XCTest

/// Where a caller goes on behind a call of a file that throws: on the actor that it came from.
///
/// A target of its own, since it takes an optimised build to go wrong, and the tests of all files take too long so.
/// What a validation does is with its own tests, which are built so.
@MainActor
final class CallIsolationTests: XCTestCase {
  private enum Place { case main, elsewhere }

  private var placesOfErrors: [Place] = []

  private func caught(_ error: any Error) { placesOfErrors.append(Thread.isMainThread ? .main : .elsewhere) }

  func testACallOfAFileThatThrows() async throws {
    let folder = try TemporaryFolder()
    let writer = FileChangeWriter()
    let note = try await writer.file(at: folder.file("a"))
    let theirs = try await note.otherVersion()
    // A folder is no file that can be read or replaced.
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
