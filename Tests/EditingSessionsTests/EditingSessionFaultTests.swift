import EditingSessions
import FileChanges
import Foundation
import Journals
import TestSupport
import UndoHistories
import XCTest

/// Makes each system call of a session fail, with each of eight errors, while its document is edited, saved, moved and
/// opened again.
@MainActor
final class EditingSessionFaultTests: XCTestCase {
  private static let paths = ["note.txt", "copy.txt", "moved.txt"]

  func testNoSynchronizedEditIsLostWhicheverCallFails() async throws {
    let complaints = try await complaintsAfterFaults(60, mostRounds: 8) {
      try await Self.work($0, rounds: $1, isInPlace: false)
    }
    XCTAssertEqual(complaints, [])
  }

  /// The file is a mounted one, so it is written in place.
  func testNoSynchronizedEditOfAMountedFileIsLostWhicheverCallFails() async throws {
    let complaints = try await complaintsAfterFaults(
      60, mostRounds: 8, otherwise: { $0 == .exchangeFiles ? .failure(EBUSY) : nil }
    ) { try await Self.work($0, rounds: $1, isInPlace: true) }
    XCTAssertEqual(complaints, [])
  }

  private static func work(_ system: ScriptedFileSystem, rounds: Int, isInPlace: Bool) async throws -> [String] {
    let folder = try TemporaryFolder(isInMemory: true)
    try folder.put("", "note.txt")
    var options = FileChange.Options()
    if isInPlace { options.fallback = .inPlace(keepingCopyIn: folder.file("copies")) }
    let recovery = folder.file("recovery")
    // Each edit appends its number.
    var (number, acknowledged, place) = (0, "", "note.txt")
    var session: EditingSession<String>?
    for round in 0..<rounds {
      if session == nil {
        session = try? await EditingSession(
          file: folder.file(place), recovery: recovery, format: .text, options: options, system: system,
          clock: ShortClock())
        session?.autosave = round % 2 == 0 ? nil : .zero
        // If a device can't read the log, its edits are missing, and the session says so.
        if let session, !session.recovery.isIntact { acknowledged = session.currentItem }
      }
      guard let editing = session else { continue }
      func edit() {
        number += 1
        editing.edit("\(number)") { $0.append("\(number) ") }
      }
      edit()
      if await editing.isSynchronized() { acknowledged = editing.currentItem }
      edit()
      editing.undo()
      editing.redo()
      try? await editing.save()
      edit()
      switch round % 4 {
      case 0:
        let target = paths.first { !folder.names.contains($0) } ?? "note.txt"
        try? await editing.move(to: folder.file(target))
      case 1: try? await editing.save(as: folder.file("copy.txt"))
      case 2:
        editing.history.removeAllSteps()
        _ = await editing.isSynchronized()
      default:
        _ = try? await EditingSession<String>.recoverable(in: recovery)
        let isClosed = (try? await editing.close()) != nil
        if isClosed { session = nil }
      }
      place = editing.file.lastPathComponent
    }
    // The session isn't closed, as if the process had been killed.
    system.kill()
    let copy = try folder.copy()
    session = nil
    var texts: [String: String] = [:]
    for path in paths {
      let next = try await EditingSession(
        file: copy.file(path), recovery: copy.file("recovery"), format: .text, options: options)
      texts[path] = next.currentItem
      try await next.close()
    }
    return texts.values.contains { $0.hasPrefix(acknowledged) } ? [] : ["\(texts) lacks some of \(acknowledged)"]
  }
}
