import Foundation

/// The destination of an output stream.
struct Terminal {
  /// Whether the output goes to a terminal.
  let isInteractive: Bool
  /// The width in columns, or nil if it is unlimited.
  let width: Int?
  let usesColor: Bool

  /// A file or a pipe, with unlimited width and without colors.
  static let plain = Terminal(isInteractive: false, width: nil, usesColor: false)

  static let standardOutput = Terminal(descriptor: STDOUT_FILENO)
  static let standardError = Terminal(descriptor: STDERR_FILENO)

  init(isInteractive: Bool, width: Int?, usesColor: Bool) {
    self.isInteractive = isInteractive
    self.width = width
    self.usesColor = usesColor
  }

  private init(descriptor: Int32) {
    guard isatty(descriptor) == 1 else {
      self = .plain
      return
    }
    let environment = ProcessInfo.processInfo.environment
    var size = winsize()
    let isKnown = unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    self.init(
      isInteractive: true,
      width: isKnown ? Int(size.ws_col) : environment["COLUMNS"].flatMap { Int($0) } ?? 80,
      usesColor: Self.allowsColor(environment))
  }

  /// Whether colors are allowed: not if `NO_COLOR` has a nonempty value (no-color.org), or if the terminal is `dumb`.
  static func allowsColor(_ environment: [String: String]) -> Bool {
    (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
  }

  /// The text in a style, if the terminal shows styles.
  func styled(_ text: String, _ style: Style) -> String {
    usesColor && style != .plain && !text.isEmpty ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }

  enum Style: String {
    case plain = "0"
    case bold = "1"
    case dim = "2"
    case faster = "32"
    case doubtful = "33"
  }
}
