import Foundation

/// Measures the types of this package: time as ratios to other designs in the same run, allocations and bytes exactly.
@main
struct Bench {
  static func main() {
    let console = Console(
      print: { text in FileHandle.standardOutput.write(Data((text + "\n").utf8)) },
      terminal: .standardOutput, errorTerminal: .standardError)
    do throws(Failure) {
      let code = try run(Array(CommandLine.arguments.dropFirst()), on: console)
      exit(code.rawValue)
    } catch {
      FileHandle.standardError.write(Data("bench: \(error.message)\n".utf8))
      exit(error.code.rawValue)
    }
  }

  /// Runs the command that the arguments name.
  static func run(_ arguments: [String], on console: Console) throws(Failure) -> ExitCode {
    guard let name = arguments.first else {
      return try MeasuringCommand.run(MeasuringCommand.Settings(kind: .quick, output: .quickTable), on: console)
    }
    if Command.isHelp(name) || name == "help" {
      console.print(help)
      return .success
    }
    if name == "worker" { return try WorkerCommand.run(Array(arguments.dropFirst()), on: console) }
    guard let command = Command.all.first(where: { $0.name == name }) else {
      let kind = name.hasPrefix("-") ? "option" : "command"
      throw Failure(.usage, "unknown \(kind) '\(name)'; see 'bench --help'")
    }
    return try command.run(Array(arguments.dropFirst()), console)
  }

  static var help: String {
    let width = Command.all.map(\.name.count).max() ?? 0
    let commands = Command.all.map { command in
      "  " + command.name + String(repeating: " ", count: width - command.name.count + 2) + command.summary
    }
    return """
      Measures the types of this package: time as ratios to other designs in the same run, allocations and bytes exactly.

      usage: bench             A table of what users do, in less than two minutes.
             bench COMMAND     One of these; each has --help.

      \(commands.joined(separator: "\n"))
      """
  }
}
