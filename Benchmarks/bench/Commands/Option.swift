/// An option of a command, and how it changes the command's settings.
struct Option<Settings> {
  let name: String
  /// The placeholder of the value in the help, or nil for a flag.
  let placeholder: String?
  let help: String
  let apply: (inout Settings, String) throws(Failure) -> Void

  /// An option without a value.
  static func flag(_ name: String, _ help: String, _ apply: @escaping (inout Settings) -> Void) -> Option {
    Option(name: name, placeholder: nil, help: help) { (settings, _) throws(Failure) in apply(&settings) }
  }

  /// An option with a value.
  ///
  /// `parse` returns nil for an invalid value.
  static func value<Value>(
    _ name: String,
    _ placeholder: String,
    _ help: String,
    expects expectation: String,
    parse: @escaping (String) -> Value?,
    apply: @escaping (inout Settings, Value) -> Void
  ) -> Option {
    Option(name: name, placeholder: placeholder, help: help) { (settings, text) throws(Failure) in
      guard let value = parse(text) else {
        throw Failure(.usage, "\(name) expects \(expectation), and '\(text)' is not")
      }
      apply(&settings, value)
    }
  }
}

/// A positional argument of a command.
struct Operand<Settings> {
  let placeholder: String
  let help: String
  let apply: (inout Settings, String) -> Void
}
