import Foundation
import Unsaved

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// `bench trace --session FILE.json`: another process types a trace in an editing session, and this one opens what that
/// leaves behind.
///
///     child    edit, edit, ..., durable, "durable 17", edit, ...        killed at a random moment, if asked for
///     parent   opens the session: a history that got 17 edits, or some more
struct TypedSession {
  let trace: EditingTrace
  let path: String
  /// This program, which is the child as well.
  var executable = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])

  /// What was found.
  struct Finding {
    /// How many edits the session said were on the device.
    var durable = 0
    /// How many are there: the fewest that give the document and all of its steps.
    var found: Int?
    var steps = 0
    var opening: Duration
    var wasKilled = false
  }

  func run(killing: Bool, on console: Console) throws(Failure) -> ExitCode {
    let finding: Finding
    do { finding = try find(killing: killing) } catch {
      throw Failure(.dataError, "the session cannot be typed: \(error)")
    }
    let edits = trace.edits.count
    console.print(
      "\(finding.wasKilled ? "Killed" : "Ended") when \(Format.grouped(finding.durable)) of "
        + "\(Format.counted(edits, "edit")) were said to be on the device.")
    console.print(
      "Opened again in \(Format.significant(finding.opening / .milliseconds(1))) ms: "
        + "\(Format.counted(finding.steps, "step")).")
    guard let found = finding.found, killing || found == edits else {
      let problem = "INVALID: no history that got as many edits has that document and these steps"
      console.print(console.terminal.styled(problem, .doubtful))
      return .invalidRun
    }
    console.print(
      "The document and every step are those of a history that got \(Format.counted(found, "edit")): exact.")
    return .success
  }

  /// Lets the child type, and compares.
  func find(killing: Bool) throws -> Finding {
    let folder = FileManager.default.temporaryDirectory.appending(path: "bench-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    let typed = try type(in: folder, killedBehind: killing ? .random(in: 0...trace.edits.count) : nil)
    var finding = Finding(durable: typed.durable, opening: .zero, wasKilled: typed.wasKilled)
    let history: UndoHistory<String> = try MainActor.assumeIsolated {
      let opened = blockingMain { [trace] in
        await Result {
          let start = ContinuousClock.now
          let session = try await TypingTask.session(of: trace, in: folder)
          let opening = ContinuousClock.now - start
          defer { withExtendedLifetime(session) {} }
          return (history: session.history, opening: opening)
        }
      }
      let (history, opening) = try opened.get()
      finding.opening = opening
      return history
    }
    finding.steps = history.undoCount
    finding.found = fewestEdits(of: history, from: finding.durable)
    return finding
  }

  /// Starts the child, and kills it at some moment after it has said that so many edits are on the device.
  private func type(in folder: URL, killedBehind count: Int?) throws -> (durable: Int, wasKilled: Bool) {
    let (process, output) = (Process(), Pipe())
    let task = folder.appending(path: "task")
    try JSONEncoder().encode(TypingTask(trace: path, folder: folder.path)).write(to: task)
    process.executableURL = executable
    process.arguments = ["worker", TypingTask.name]
    // A profile of lines covered that a kill cuts off would make all of them unreadable.
    if count != nil {
      process.environment = ProcessInfo.processInfo.environment.merging(["LLVM_PROFILE_FILE": "/dev/null"]) { $1 }
    }
    process.standardInput = try FileHandle(forReadingFrom: task)
    process.standardOutput = output
    try process.run()
    var (durable, isKilled, rest) = (0, false, Data())
    while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
      rest += data
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        let words = String(decoding: rest[..<end], as: UTF8.self).split(separator: " ")
        if words.first == "durable", let number = words.last.flatMap({ Int($0) }) { durable = number }
        rest = Data(rest[(end + 1)...])
      }
      if let count, durable >= count, !isKilled {
        // Not always when it has just said so.
        let moment = ContinuousClock.now + .microseconds(Int.random(in: 0..<5000))
        while ContinuousClock.now < moment {}
        isKilled = kill(process.processIdentifier, SIGKILL) == 0
      }
    }
    process.waitUntilExit()
    let wasKilled = process.terminationReason == .uncaughtSignal
    guard wasKilled && isKilled || process.terminationReason == .exit && process.terminationStatus == 0 else {
      throw Failure(.invalidRun, "the process that types ended with \(process.terminationStatus)")
    }
    return (durable, wasKilled)
  }

  /// The fewest edits, from so many on, with which a history alone is the same: each step, and each state on the way.
  ///
  /// Its edits join as those of a session's closures do.
  private func fewestEdits(of found: UndoHistory<String>, from first: Int) -> Int? {
    var history = UndoHistory(initialValue: trace.start)
    for count in 0...trace.edits.count {
      if count > 0 {
        let edit = trace.edits[count - 1]
        history.joiningTransaction { $0.replaceSubrange(utf8: edit.range, with: edit.text) }
      }
      guard count >= first, history.undoCount == found.undoCount, history.currentItem == found.currentItem else {
        continue
      }
      if Self.haveSameStates(history, found) { return count }
    }
    return nil
  }

  private static func haveSameStates(_ first: UndoHistory<String>, _ second: UndoHistory<String>) -> Bool {
    var (first, second) = (first, second)
    while first.undo() != nil {
      guard second.undo() != nil, first.currentItem == second.currentItem else { return false }
    }
    return !second.canUndo && second.redoCount == first.redoCount
  }
}

/// Types a trace in a session, and says how many of the edits are on the device.
struct TypingTask: WorkerTask {
  static let name = "typing"

  var trace: String
  var folder: String

  struct Answer: Codable {
    var edits: Int
  }

  func perform() -> Answer {
    let edits = MainActor.assumeIsolated {
      blockingMain { await Result { try await type() } }
    }
    switch edits {
    case .success(let count): return Answer(edits: count)
    case .failure(let error): preconditionFailure("\(error)")
    }
  }

  @MainActor
  static func session(of trace: EditingTrace, in folder: URL) async throws -> EditingSession<String> {
    try await EditingSession(
      file: folder.appending(path: "note.txt"), recovery: folder.appending(path: "recovery"), format: .text,
      new: trace.start)
  }

  @MainActor
  private func type() async throws -> Int {
    let trace = try EditingTrace(path: trace)
    let session = try await Self.session(of: trace, in: URL(fileURLWithPath: folder))
    func say(_ count: Int) { FileHandle.standardOutput.write(Data("durable \(count)\n".utf8)) }
    say(0)
    var pause = 0
    for (index, edit) in trace.edits.enumerated() {
      session.edit { $0.replaceSubrange(utf8: edit.range, with: edit.text) }
      pause -= 1
      if pause <= 0 {
        if await session.durable() { say(index + 1) }
        pause = .random(in: 1...64)
      } else if index % 8 == 0 {
        // The log writes where somebody types.
        await Task.yield()
      }
    }
    if await session.durable() { say(trace.edits.count) }
    return trace.edits.count
  }
}

extension Result where Failure == any Error {
  /// What the closure returns or throws.
  @MainActor
  fileprivate init(_ body: @MainActor () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
