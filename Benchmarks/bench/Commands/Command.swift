/// A command of `bench`, with its options.
struct Command {
  let name: String
  let summary: String
  /// The whole help text.
  let help: String
  /// Parses the arguments after the command's name, and runs the command.
  let run: ([String], Console) throws(Failure) -> ExitCode

  /// Declares a command by its default settings, the options that change them, and the function that runs it.
  init<Settings>(
    _ name: String,
    _ summary: String,
    settings: Settings,
    options: [Option<Settings>] = [],
    operands: [Operand<Settings>] = [],
    notes: String = "",
    run: @escaping (Settings, Console) throws(Failure) -> ExitCode
  ) {
    self.name = name
    self.summary = summary
    let help = Self.help(name, summary, options, operands, notes)
    self.help = help
    self.run = { (arguments, console) throws(Failure) in
      var settings = settings
      guard try Self.parse(arguments, into: &settings, options, operands, name) else {
        console.print(help)
        return .success
      }
      return try run(settings, console)
    }
  }

  static func isHelp(_ argument: String) -> Bool {
    argument == "--help" || argument == "-h"
  }

  /// Applies the arguments to the settings.
  ///
  /// Returns false if they ask for help.
  private static func parse<Settings>(
    _ arguments: [String],
    into settings: inout Settings,
    _ options: [Option<Settings>],
    _ operands: [Operand<Settings>],
    _ command: String
  ) throws(Failure) -> Bool {
    let hint = "; see 'bench \(command) --help'"
    var missing = operands[...]
    var onlyOperands = false
    var rest = arguments[...]
    // Help takes precedence over errors in other arguments.
    if arguments.prefix(while: { $0 != "--" }).contains(where: isHelp) { return false }
    while let argument = rest.popFirst() {
      if argument == "--", !onlyOperands {
        onlyOperands = true
        continue
      }
      guard argument.hasPrefix("-"), argument != "-", !onlyOperands else {
        guard let operand = missing.popFirst() else {
          throw Failure(.usage, "unexpected argument '\(argument)'\(hint)")
        }
        operand.apply(&settings, argument)
        continue
      }
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard let option = options.first(where: { $0.name == parts[0] }) else {
        throw Failure(.usage, "unknown option '\(parts[0])'\(hint)")
      }
      if option.placeholder == nil {
        guard parts.count == 1 else { throw Failure(.usage, "\(option.name) takes no value\(hint)") }
        try option.apply(&settings, "")
      } else {
        guard let value = parts.count == 2 ? parts[1] : rest.popFirst(), !value.isEmpty else {
          throw Failure(.usage, "\(option.name) is missing its value\(hint)")
        }
        try option.apply(&settings, value)
      }
    }
    if let operand = missing.first { throw Failure(.usage, "\(operand.placeholder) is missing\(hint)") }
    return true
  }

  private static func help<Settings>(
    _ name: String, _ summary: String, _ options: [Option<Settings>], _ operands: [Operand<Settings>], _ notes: String
  ) -> String {
    var usage = "usage: bench \(name)"
    for operand in operands { usage += " \(operand.placeholder)" }
    var rows = operands.map { ($0.placeholder, $0.help) }
    for option in options {
      let spelled = option.name + (option.placeholder.map { " " + $0 } ?? "")
      usage += " [\(spelled)]"
      rows.append((spelled, option.help))
    }
    rows.append(("-h, --help", "This text."))
    let width = rows.map(\.0.count).max() ?? 0
    let lines = rows.map { "  " + $0.0 + String(repeating: " ", count: width - $0.0.count + 2) + $0.1 }
    return ([summary, "", usage, ""] + lines + (notes.isEmpty ? [] : ["", notes])).joined(separator: "\n")
  }
}

/// The output of a command.
struct Console {
  /// Prints one line or several to standard output.
  let print: (String) -> Void
  /// The destination of standard output.
  let terminal: Terminal
  /// The destination of standard error.
  let errorTerminal: Terminal
}
