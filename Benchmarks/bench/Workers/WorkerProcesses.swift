import Foundation

/// Performs each task in a new process of this program.
///
/// One process is only one sample of heap, memory layout and hash seed, and a crash affects only its own task.
///
/// The parent makes the processes as equal as possible: Swift's hashing is deterministic, and the system places memory
/// at the same addresses, if it allows that.
struct WorkerProcesses: Workers {
  /// Whether processes have random hash seeds and memory layouts, as those of users have.
  var isRandomised = false
  /// A number that is added to all seeds, for other keys and orders.
  var seed: UInt64 = 0
  /// The worker's executable.
  ///
  /// `arguments` come before the task's name.
  var executable = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
  var arguments = ["worker"]

  func perform<Task: WorkerTask>(_ task: Task) throws(Crash) -> Task.Answer {
    let answer = try run(Task.name, input: task)
    // The work itself may have printed lines before the answer.
    guard let line = answer.output.split(separator: UInt8(ascii: "\n")).last,
      let value = try? JSONDecoder().decode(Task.Answer.self, from: line)
    else { throw Crash(reason: "the worker gave no answer", output: answer.errors) }
    return value
  }

  /// Runs the process, and returns its output and its standard error.
  ///
  /// Throws unless it exits with 0.
  private func run(_ name: String, input: some Encodable) throws(Crash) -> (output: Data, errors: String) {
    let folder = FileManager.default.temporaryDirectory.appending(path: "bench-worker-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    // Using files except for one pipe avoids broken pipes if a worker ends early, and full pipes if it prints a lot.
    let (task, errors) = (folder.appending(path: "task"), folder.appending(path: "errors"))
    let process = Process()
    let output = Pipe()
    let data: Data
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      try JSONEncoder().encode(input).write(to: task)
      try Data().write(to: errors)
      process.executableURL = executable
      process.arguments = arguments + [name]
      process.environment = environment(in: folder)
      process.standardInput = try FileHandle(forReadingFrom: task)
      process.standardOutput = output
      process.standardError = try FileHandle(forWritingTo: errors)
      if !isRandomised { AddressSpace.fixForChildren() }
      try process.run()
      data = try output.fileHandleForReading.readToEnd() ?? Data()
    } catch {
      throw Crash(reason: "the worker could not be started: \(error.localizedDescription)", output: "")
    }
    process.waitUntilExit()
    let written = (try? Data(contentsOf: errors)).map { Self.excerpt(String(decoding: $0, as: UTF8.self)) } ?? ""
    guard process.terminationReason == .exit else {
      throw Crash(reason: "the worker was ended by signal \(process.terminationStatus)", output: written)
    }
    guard process.terminationStatus == 0 else {
      throw Crash(reason: "the worker exited with \(process.terminationStatus)", output: written)
    }
    return (data, written)
  }

  private func environment(in folder: URL) -> [String: String] {
    var environment = ProcessInfo.processInfo.environment
    // A released session writes the rest of its log later, and creates its folder again if the folder was removed.
    environment["TMPDIR"] = folder.path
    environment["SWIFT_DETERMINISTIC_HASHING"] = isRandomised ? nil : "1"
    environment[SplitMix64.variable] = String(seed)
    // The message of a trap is sufficient. Printing a backtrace would take seconds.
    environment["SWIFT_BACKTRACE"] = "enable=no"
    return environment
  }

  /// The beginning of the text, which contains the message of a trap.
  private static func excerpt(_ text: String) -> String {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    return text.count <= 2000 ? text : text.prefix(2000) + " …"
  }
}

/// The worker's side of `WorkerProcesses`: `bench worker NAME`, with the task on standard input.
enum WorkerCommand {
  private static var tasks: [any WorkerTask.Type] {
    [IntroductionTask.self, CaseTask.self, InstructionsTask.self, ProbeTask.self]
  }

  static func run(_ arguments: [String], on console: Console) throws(Failure) -> ExitCode {
    guard arguments.count == 1, let task = tasks.first(where: { $0.name == arguments[0] }) else {
      throw Failure(.usage, "worker expects the name of a task; it is for bench itself")
    }
    let input = (try? FileHandle.standardInput.readToEnd()) ?? Data()
    console.print(String(decoding: try answer(task, input), as: UTF8.self))
    return .success
  }

  /// Performs a task that is given as JSON, and returns its answer as JSON in one line.
  static func answer<Task: WorkerTask>(_: Task.Type, _ input: Data) throws(Failure) -> Data {
    do {
      return try JSONEncoder().encode(JSONDecoder().decode(Task.self, from: input).perform())
    } catch {
      throw Failure(.dataError, "the input is not a task named \(Task.name)")
    }
  }
}
