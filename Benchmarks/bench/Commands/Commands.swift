/// Every command, in the order of the help.
extension Command {
  static var all: [Command] { [list, run, memory, trace] }

  private static var list: Command {
    Command(
      "list", "Lists every suite and benchmark.", settings: MeasuringCommand.Settings(kind: .full),
      options: MeasuringCommand.selectionOptions.filter { ["--suite", "--filter"].contains($0.name) }
    ) { (settings, console) throws(Failure) in
      for benchmark in try settings.selection.benchmarks() {
        let sizes = benchmark.sizes.all.map(Format.grouped).joined(separator: " ")
        console.print(benchmark.id + ": " + benchmark.operation)
        console.print("  " + benchmark.contenders.map { "\($0.name) (\($0.role))" }.joined(separator: ", "))
        if !sizes.isEmpty { console.print("  n = " + sizes) }
      }
      return .success
    }
  }

  private static var run: Command {
    Command(
      "run", "Measures time and memory at every size.", settings: MeasuringCommand.Settings(kind: .full),
      options: MeasuringCommand.selectionOptions + [
        .flag("--quick", "Few rounds at one size, as bench alone does.") { $0.kind = .quick }
      ]
    ) { (settings, console) throws(Failure) in try MeasuringCommand.run(settings, on: console) }
  }

  private static var memory: Command {
    Command(
      "memory", "Counts allocations and bytes, and tests the instrument itself.",
      settings: MeasuringCommand.Settings(kind: .memory), options: MeasuringCommand.selectionOptions,
      notes: "Exits with 1 when the self-test fails or contenders do not do the same work."
    ) { (settings, console) throws(Failure) in try MeasuringCommand.run(settings, on: console) }
  }

  private static var trace: Command {
    Command(
      "trace", "Replays a recorded editing session into an UndoHistory.", settings: "",
      operand: Operand(placeholder: "FILE.json", help: "A trace in the public editing-trace format.") { $0 = $1 },
      notes: "Exits with 65 when the file is not a trace, and with 1 when a text does not come out as recorded."
    ) { (path, console) throws(Failure) in try TraceCommand.run(path: path, on: console) }
  }
}
