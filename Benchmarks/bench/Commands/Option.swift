/// An option of a command, and what it does to the command's settings.
struct Option<Settings> {
  let name: String
  /// What stands for the value in the help; nil for a flag, which has none.
  let placeholder: String?
  let help: String
  let apply: (inout Settings, String) throws(Failure) -> Void

  /// An option without a value.
  static func flag(_ name: String, _ help: String, _ apply: @escaping (inout Settings) -> Void) -> Option {
    Option(name: name, placeholder: nil, help: help) { (settings, _) throws(Failure) in apply(&settings) }
  }

  /// An option with a value; `parse` answers nil for a value that it does not accept.
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

/// What a command takes besides its options, in its place.
struct Operand<Settings> {
  let placeholder: String
  let help: String
  let apply: (inout Settings, String) -> Void
}
