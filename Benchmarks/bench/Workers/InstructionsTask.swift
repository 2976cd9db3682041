import Foundation

/// Runs one lane for so many operations and nothing else, for a tool that counts from outside.
struct InstructionsTask: WorkerTask {
  static let name = "instructions"

  var benchmark: String
  var size: Int?
  var contender: String
  var operations: Int
  /// The recorded trace that the benchmark replays, if it does.
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

/// Counts instructions by `valgrind --tool=callgrind`, where that is installed; nil everywhere else.
///
/// The set-up is counted too, but it is the same for few operations and for more of them: the difference counts.
struct InstructionCounter {
  /// A copy of this program without symbols: valgrind gives up on debug information it does not know.
  private let executable: URL
  private let folder: URL

  /// Nil where valgrind or strip is missing, or does not work with this program.
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

  /// Runs a program that may be installed, and answers whether it is there and exited with 0.
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

  /// Instructions for one operation of a contender; nil where they cannot be counted.
  ///
  /// - Parameter trace: The recorded trace that the benchmark replays, if it does.
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

  /// How many operations are counted, and after how many: as many, but one after none where a state does no more.
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

  /// The total in what callgrind says at its end.
  static func collected(in log: String) -> Int? {
    for line in log.split(separator: "\n") {
      if let range = line.range(of: "Collected : ") { return Int(line[range.upperBound...].prefix { $0.isNumber }) }
    }
    return nil
  }
}
