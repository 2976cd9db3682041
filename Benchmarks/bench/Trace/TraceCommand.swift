/// `bench trace FILE.json`.
enum TraceCommand {
  static func run(path: String, on console: Console) throws(Failure) -> ExitCode {
    let trace = try EditingTrace(path: path)
    try Build.current.requireFit()
    _ = trace
    return .success
  }
}
