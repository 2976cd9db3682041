import EditingSessions
import FileChanges
import Foundation
import Journals
import TestSupport
import Testing
import UndoHistories

#if os(Linux) || os(macOS)
  /// Editors that are killed at any system call, one after the other, on the same file.
  ///
  /// Each editor writes down all of its states. With many kills of one file, this takes quadratic time, so the test
  /// removes the file and its log now and then.
  @Suite(.serialized) struct EditingSessionKillTests {
    /// The number of editors that open the same file.
    private static let countOfFile = 20

    @Test func durableEditsAndStepsSurviveAKill() async throws {
      let folder = try TemporaryFolder(isInMemory: true)
      let stage = Stage(top: folder.url)
      let complaints = try await complaintsAfterKills(40) { round, _, random in
        let order = Order(
          seed: random.next(), call: random.int(in: 0..<400), isMounted: random.chance(oneIn: 3))
        await #expect(processExitsWith: .signal(SIGKILL)) { [stage = stage as Stage, order = order as Order] in
          try await stage.editUntilKilled(order)
        }
        if let complaint = try await stage.complaint() { return ["\(order)", complaint] }
        try stage.removeNotes(andFiles: round % Self.countOfFile == 0)
        return []
      }
      #expect(complaints == [])
    }
  }

  /// The system call at which an editor is killed, and the seed of its actions.
  private struct Order: Codable {
    let seed: UInt64
    let call: Int
    /// Whether no other file takes the place of the editor's file, which is written in place then.
    let isMounted: Bool
  }

  /// The state of an editor at one moment: the texts before, at and after its position.
  private struct Moment: Codable, Equatable {
    var undo: [String] = []
    var redo: [String] = []
    var text = ""
    var labels: [String?] = []

    @MainActor init(_ history: UndoHistory<String>) {
      var copy = history
      text = copy.currentItem
      labels = copy.steps.map(\.label)
      while copy.undo() != nil { undo.append(copy.currentItem) }
      copy = history
      while copy.redo() != nil { redo.append(copy.currentItem) }
    }
  }

  private struct Stage: Codable, Sendable {
    let top: URL
    private var file: URL { top.appending(path: "note.txt") }
    private var recovery: URL { top.appending(path: "recovery") }
    private var log: URL { top.appending(path: "log") }
    private var options: FileChange.Options {
      FileChange.Options(fallback: .inPlace(keepingCopyIn: top.appending(path: "copies")))
    }

    func removeNotes(andFiles: Bool) throws {
      for item in [log] + (andFiles ? [file, recovery] : []) where FileManager.default.fileExists(atPath: item.path) {
        try FileManager.default.removeItem(at: item)
      }
    }

    // MARK: In the child process

    /// Edits, and writes down each moment, and which moments the session reported as durable.
    @MainActor func editUntilKilled(_ order: Order) async throws {
      let system = ScriptedFileSystem { call, number in
        if number >= order.call { kill(getpid(), SIGKILL) }
        return order.isMounted && call == .exchangeFiles ? .failure(EBUSY) : nil
      }
      var random = SeededRandom(seed: order.seed)
      let log = try KillLog(log)
      let session = try await EditingSession(
        file: file, recovery: recovery, format: .text, options: options, system: system)
      func mark(_ kind: String) throws {
        log.write("\(kind) \(String(decoding: try JSONEncoder().encode(Moment(session.history)), as: UTF8.self))")
      }
      try mark("a")
      var earlier: UndoHistory<String>?
      for _ in 0..<200 {
        for _ in 0..<random.int(in: 1..<6) {
          session.act(&random, &earlier)
          try mark("m")
        }
        switch random.int(in: 0..<4) {
        case 0: try await session.save()
        case 1: await session.isSynchronized()
        default: continue
        }
        try mark("a")
      }
      kill(getpid(), SIGKILL)
    }

    // MARK: In the parent process

    /// A description of a broken promise; nil if there is none.
    @MainActor func complaint() async throws -> String? {
      var allowed: [Moment] = []
      for line in try KillLog.lines(of: log) {
        let moment = try JSONDecoder().decode(Moment.self, from: Data(line.dropFirst(2).utf8))
        if line.hasPrefix("a") { allowed = [] }
        allowed.append(moment)
      }
      let session = try await EditingSession(file: file, recovery: recovery, format: .text, options: options)
      let found = Moment(session.history)
      let text = try? String(contentsOf: file, encoding: .utf8)
      if case .saved = session.state, text != session.history.currentItem { return "the file has \(text ?? "no text")" }
      if case .conflict = session.state { return "a conflict with itself" }
      if !session.recovery.isIntact { return "the log was damaged" }
      try await session.close()
      // An editor that was killed before it had opened the file has changed nothing.
      if allowed.isEmpty || allowed.contains(found) { return nil }
      // The last edit may be in the log before the editor has written it down.
      return "found \(found), allowed \(allowed)"
    }
  }

  extension EditingSession where Document == String {
    private var inPlace: ReferenceWritableKeyPath<EditingSession, UndoHistory<String>> { \.history }

    /// Performs a random action of a user.
    fileprivate func act(_ random: inout SeededRandom, _ earlier: inout UndoHistory<String>?) {
      switch random.int(in: 0..<18) {
      // An undo driver and a bound text field write in this way, through a copy.
      case 10: self[keyPath: inPlace].undo()
      case 11: self[keyPath: inPlace].redo()
      case 12: self[keyPath: inPlace].currentItem.append("k")
      case 13:
        // An earlier copy lacks the edits since it was made.
        var copy = random.chance(oneIn: 3) ? earlier ?? history : history
        copy.undo()
        copy.edit.append("c")
        earlier = copy
        history = copy
      case 14: if random.chance(oneIn: 5) { history = UndoHistory(initialValue: "new") }
      case 15:
        func fail(_ history: inout UndoHistory<String>) throws {
          history.edit.append("f")
          history.undo()
          history.edit.append("g")
          history.edit.insert("h", atUTF8: 0)
          throw CancellationError()
        }
        try? fail(&history)
      case 16: history.limit = random.chance(oneIn: 2) ? .unlimited : .steps(random.int(in: 1..<30))
      case 17: _ = history.undo(by: nil)
      case 0: undo()
      case 1: redo()
      case 2:
        let letter = "\(random.int(in: 0..<10))"
        edit("Label \(letter)") { text in
          text.append(letter)
          text.insert(letter, atUTF8: 0)
        }
      case 3 where history.currentItem.utf8.count > 3: edit { $0.removeSubrange(utf8: 1..<2) }
      case 4 where history.currentItem.utf8.count > 200: edit { $0.set("") }
      default: edit { $0.append("\(random.int(in: 0..<10))") }
      }
    }
  }
#endif
