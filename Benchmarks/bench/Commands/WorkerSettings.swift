/// Settings for the processes that measure.
struct WorkerSettings {
  /// The number of processes, or nil to let the command choose it by how well the processes agree.
  var processes: Int?
  var isRandomised = false
  var seed: UInt64 = 0

  var processesForTasks: WorkerProcesses { WorkerProcesses(isRandomised: isRandomised, seed: seed) }

  /// How many processes measure a case by default.
  ///
  /// The upper bound applies if they disagree.
  static let usual = 5...9

  /// How many processes measure a case: the requested number, or the usual range.
  func range(or usual: ClosedRange<Int>) -> ClosedRange<Int> {
    processes.map { $0...$0 } ?? usual
  }

  /// The options for a command that stores these settings at a key path.
  static func options<Settings>(_ path: WritableKeyPath<Settings, WorkerSettings>) -> [Option<Settings>] {
    [
      .value(
        "--processes", "N", "Measure each case in exactly so many processes.",
        expects: "a number from 1 to 99", parse: { Int($0).flatMap { (1...99).contains($0) ? $0 : nil } },
        apply: { $0[keyPath: path].processes = $1 }),
      .flag("--randomised", "Let hashing and memory layout differ from process to process, as they do for users.") {
        $0[keyPath: path].isRandomised = true
      },
      .value(
        "--seed", "N", "Other keys, in other orders; 0 if not given.", expects: "a number from 0 to 2^64 - 1",
        parse: { UInt64($0) }, apply: { $0[keyPath: path].seed = $1 }),
    ]
  }
}
