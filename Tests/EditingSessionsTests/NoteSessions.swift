import EditingSessions
import Foundation
import TestSupport
import XCTest

/// Helpers for tests of a session that edits a text file, which another program may write too.
@MainActor
protocol NoteSessions {}

extension NoteSessions {
  func withFile(_ text: String, _ body: (URL, URL) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("note.txt")
    try write(text, file)
    try await body(file, folder.file("recovery"))
  }

  func write(_ text: String, _ file: URL) throws { try Data(text.utf8).write(to: file) }

  func text(_ file: URL) throws -> String { try String(contentsOf: file, encoding: .utf8) }

  func open(_ file: URL, _ recovery: URL) async throws(EditingSessionError) -> EditingSession<String> {
    try await EditingSession(file: file, recovery: recovery, format: .text)
  }

  func isSaved<Document>(_ session: EditingSession<Document>) -> Bool {
    session.isSaved
  }

  func assertConflict(
    _ body: () async throws(EditingSessionError) -> Void, file: StaticString = #filePath, line: UInt = #line
  ) async {
    expectEqual(await refusal(body), "conflict", file: file, line: line)
  }
}

extension EditingSession {
  /// Whether all edits so far are durable in the log.
  @discardableResult
  func isSynchronized() async -> Bool { (try? await synchronize()) != nil }

  var isSaved: Bool { if case .saved = state { true } else { false } }
}

/// The name of the reason for the error of `body`; nil if `body` doesn't throw.
@MainActor
func refusal(_ body: () async throws -> Void) async -> String? {
  do {
    try await body()
    return nil
  } catch {
    guard let reason = (error as? EditingSessionError)?.reason else { return "\(error)" }
    return Mirror(reflecting: reason).children.first?.label ?? "\(reason)"
  }
}

/// A clock on which short pauses, such as those of the writer, take no time, and the others don't end.
struct ShortClock: Clock {
  var now: ContinuousClock.Instant { .now }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    guard deadline - .now > .milliseconds(450) else { return await Task.yield() }
    try await Task.sleep(until: .now + .seconds(1 << 20), clock: .continuous)
  }
}
