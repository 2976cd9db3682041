/// Every command, in the order of the help.
extension Command {
  static var all: [Command] { [list, run, check, compare, render, keep, memory, saving, trace] }

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
      options: MeasuringCommand.selectionOptions + MeasuringCommand.timingOptions + [
        .flag("--quick", "Few rounds at one size, as bench alone does.") { $0.kind = .quick }
      ]
    ) { (settings, console) throws(Failure) in try MeasuringCommand.run(settings, on: console) }
  }

  private static var check: Command {
    Command(
      "check", "Measures what the bars of the design read, and says which are held.",
      settings: CheckCommand.Settings(), options: CheckCommand.options,
      notes: "Exits with 0 when no bar is short, and with 2 when one is. A bar without its benchmark is short."
    ) { (settings, console) throws(Failure) in try CheckCommand.run(settings, on: console) }
  }

  private static var compare: Command {
    Command(
      "compare", "Compares two runs, and finds what has become worse.", settings: CompareCommand.Settings(),
      options: CompareCommand.options,
      operands: [
        Operand(placeholder: "BASE.json", help: "The run to compare with.") { $0.base = $1 },
        Operand(placeholder: "NEW.json", help: "The run that is judged.") { $0.new = $1 },
      ],
      notes: "Exits with 2 when something has become worse, and with 5 when nothing can be compared."
    ) { (settings, console) throws(Failure) in try CompareCommand.run(settings, on: console) }
  }

  private static var render: Command {
    Command(
      "render", "Draws the times of a run over the sizes, as SVG.",
      settings: RenderCommand.Settings(), options: RenderCommand.options,
      operands: [Operand(placeholder: "RESULTS.json", help: "The run to draw.") { $0.results = $1 }]
    ) { (settings, console) throws(Failure) in try RenderCommand.run(settings, on: console) }
  }

  private static var keep: Command {
    Command(
      "keep", "Keeps a run of this kind of machine, and compares it with those of others.",
      settings: KeepCommand.Settings(), options: KeepCommand.options,
      operands: [Operand(placeholder: "RUN.json", help: "The run to keep.") { $0.run = $1 }],
      notes: "Exits with 1 when the run is invalid or the machine was busy, and with 5 when CHECK.json is of another."
    ) { (settings, console) throws(Failure) in try KeepCommand.run(settings, on: console) }
  }

  private static var memory: Command {
    Command(
      "memory", "Counts allocations and bytes, and tests the instrument itself.",
      settings: MeasuringCommand.Settings(kind: .memory), options: MeasuringCommand.selectionOptions,
      notes: "Exits with 1 when the self-test fails or contenders do not do the same work."
    ) { (settings, console) throws(Failure) in try MeasuringCommand.run(settings, on: console) }
  }

  private static var saving: Command {
    Command(
      "saving", "Makes durable saves of 1 KB by one task and by many, beside SQLite and atomic writes.",
      settings: FileSavingCommand.Settings(), options: FileSavingCommand.options,
      notes: "Exits with 1 when not every file was written."
    ) { (settings, console) throws(Failure) in try FileSavingCommand.run(settings, on: console) }
  }

  private static var trace: Command {
    Command(
      "trace", "Replays a recorded editing session into an UndoHistory.", settings: TraceCommand.Settings(),
      operands: [
        Operand(placeholder: "FILE.json", help: "A trace in the public editing-trace format.") { $0.path = $1 }
      ],
      notes: "Exits with 65 when the file is not a trace, and with 1 when a text does not come out as recorded."
    ) { (settings, console) throws(Failure) in try TraceCommand.run(settings, on: console) }
  }
}
