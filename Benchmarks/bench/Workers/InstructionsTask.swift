import Foundation

/// Runs one lane for a number of operations and nothing else, so that an external tool can count its instructions.
struct InstructionsTask: WorkerTask {
  static let name = "instructions"

  var benchmark: String
  var size: Int?
  var contender: String
  var operations: Int
  /// The recorded trace, for a benchmark that replays one.
  var trace: String?

  struct Answer: Codable {
    var residue: UInt
  }

  func perform() -> Answer {
    guard let benchmark = Benchmark.named(benchmark, trace: trace),
      let lane = benchmark.makeLanes(size ?? 1).first(where: { $0.contender.name == contender })
    else { preconditionFailure("The worker knows no \(contender) in \(benchmark)") }
    lane.renew()
    sink(lane.run(operations))
    return Answer(residue: Sink.residue)
  }
}

/// Counts instructions with `valgrind --tool=callgrind`, if it is installed.
///
/// The set-up is counted too, but it is the same for any number of operations, so only the difference between two runs
/// is used.
struct InstructionCounter {
  /// A copy of this program without symbols, because valgrind fails on debug information that it does not know.
  private let executable: URL
  private let folder: URL

  /// Returns nil if valgrind or strip is missing, or does not work with this program.
  init?() {
    let folder = FileManager.default.temporaryDirectory.appending(path: "bench-instructions-\(UUID())")
    guard let program = Bundle.main.executableURL,
      (try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)) != nil
    else { return nil }
    self.folder = folder
    executable = folder.appending(path: "bench")
    guard Self.succeeds("strip", "-o", executable.path, program.path), Self.succeeds("valgrind", "--version") else {
      remove()
      return nil
    }
  }

  /// Runs a program, and returns whether it is installed and exited with 0.
  private static func succeeds(_ arguments: String...) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  /// Removes the copy.
  func remove() { try? FileManager.default.removeItem(at: folder) }

  /// Instructions for one operation of a contender, or nil if they cannot be counted.
  ///
  /// - Parameter trace: The recorded trace, for a benchmark that replays one.
  func count(_ contender: Contender, of benchmark: Benchmark, size: Int?, trace: String? = nil) -> Double? {
    let operations = Self.operations(of: benchmark, size: size)
    func total(_ operations: Int) -> Int? {
      self.total(
        of: InstructionsTask(
          benchmark: benchmark.id, size: size, contender: contender.name, operations: operations, trace: trace))
    }
    guard let fewer = total(operations.lowerBound), let more = total(operations.upperBound), more >= fewer else {
      return nil
    }
    let units = benchmark.unit == .element ? operations.count * (size ?? 1) : operations.count
    return Double(more - fewer) / Double(units)
  }

  /// The operations that are counted: n after n others, or the first one if the state allows no more.
  static func operations(of benchmark: Benchmark, size: Int?) -> Range<Int> {
    var operations = benchmark.unit == .element ? max(1, 1024 / (size ?? 1)) : 1024
    if case .fresh(let limit) = benchmark.state { operations = min(operations, limit / 2) }
    return operations == 0 ? 0..<1 : operations..<2 * operations
  }

  private func total(of task: InstructionsTask) -> Int? {
    let log = folder.appending(path: "log")
    let workers = WorkerProcesses(
      executable: URL(fileURLWithPath: "/usr/bin/env"),
      arguments: [
        "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--log-file=\(log.path)", executable.path,
        "worker",
      ])
    guard (try? workers.perform(task)) != nil, let text = try? String(contentsOf: log, encoding: .utf8) else {
      return nil
    }
    return Self.collected(in: text)
  }

  /// The total in the log of callgrind.
  static func collected(in log: String) -> Int? {
    for line in log.split(separator: "\n") {
      if let range = line.range(of: "Collected : ") { return Int(line[range.upperBound...].prefix { $0.isNumber }) }
    }
    return nil
  }
}
