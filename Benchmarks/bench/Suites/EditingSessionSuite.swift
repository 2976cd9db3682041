import Foundation
import Unsaved

extension Suite {
  /// Compares edits in a session with the same edits in a history without a log.
  static var editingSession: Suite {
    Suite("EditingSession") { suite in
      suite.benchmark("field", "assign an Int of a struct of two", state: .fresh(upTo: 10_000)) { _ in
        Pair()
      } contenders: { race in
        race.subject("EditingSession", setUp: { OpenSession(new: $0, .json()) }) { open, _, operations in
          MainActor.assumeIsolated { [open] in
            for i in operations { open.session.edit { $0.first = i &+ 1 } }
            return open.session.history.first
          }
        }
        race.peer(OpenSession<Pair>.historyAlone, setUp: { UndoHistory(initialValue: $0) }) { history, _, operations in
          for i in operations { history.edit.first = i &+ 1 }
          return history.first
        }
      }

      suite.benchmark("typing", "type a character at the end of a text", state: .fresh(upTo: 10_000)) { _ in
        "some text"
      } contenders: { race in
        race.subject("EditingSession", setUp: { OpenSession(new: $0, .text) }) { open, _, operations in
          MainActor.assumeIsolated { [open] in
            for _ in operations { open.session.edit { $0.append("x") } }
            return open.session.history.currentItem.utf8.count
          }
        }
        race.peer(OpenSession<String>.historyAlone, setUp: { UndoHistory(initialValue: $0) }) {
          history, _, operations in
          for _ in operations { history.edit.append("x") }
          return history.currentItem.utf8.count
        }
      }
    }
  }

  private struct Pair: Codable, UndoArchivable {
    var first = 0
    var second = 0

    static let undoParts = [UndoPart<Pair>("first", \.first), UndoPart("second", \.second)]
  }
}

/// A session with its own folder, which is edited on the main thread as long as it is open.
///
/// Nothing is written meanwhile, because the log waits for the main actor.
@MainActor
final class OpenSession<Document: Codable & Sendable> {
  let session: EditingSession<Document>
  private nonisolated let folder: URL

  /// The name of the contender that a session is compared with.
  nonisolated static var historyAlone: String { "history alone" }

  /// Opens a session.
  ///
  /// Must be called on the main thread.
  nonisolated init(new: Document, _ format: EditingFormat<Document>) {
    let folder = FileManager.default.temporaryDirectory.appending(path: "bench-\(UUID())")
    self.folder = folder
    session = MainActor.assumeIsolated {
      blockingMain {
        do {
          try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
          return try await EditingSession(
            file: folder.appending(path: "document"), recovery: folder.appending(path: "recovery"), format: format,
            new: new)
        } catch {
          preconditionFailure("a session cannot be opened in \(folder.path): \(error)")
        }
      }
    }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }
}
