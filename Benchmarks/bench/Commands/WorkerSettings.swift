/// How the processes that measure are started.
struct WorkerSettings {
  /// Nil for the command's own number.
  var processes: Int?
  var isRandomised = false

  var processesForTasks: WorkerProcesses { WorkerProcesses(isRandomised: isRandomised) }

  /// The options for these, for a command that keeps them at a key path.
  static func options<Settings>(_ path: WritableKeyPath<Settings, WorkerSettings>) -> [Option<Settings>] {
    [
      .value(
        "--processes", "N", "Measure each case in so many processes.",
        expects: "a number from 1 to 99", parse: { Int($0).flatMap { (1...99).contains($0) ? $0 : nil } },
        apply: { $0[keyPath: path].processes = $1 }),
      .flag("--randomised", "Let hashing and memory layout differ from process to process, as they do for users.") {
        $0[keyPath: path].isRandomised = true
      },
    ]
  }
}
