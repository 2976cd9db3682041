import Foundation

/// What a stream of output leads to.
struct Terminal {
  /// Someone is looking.
  let isInteractive: Bool
  /// Columns, where lines end; nil where they do not.
  let width: Int?
  let usesColor: Bool

  /// A file or a pipe: no end of line, no colour.
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

  /// `NO_COLOR` with any value but none forbids it (no-color.org), and so does a terminal that calls itself dumb.
  static func allowsColor(_ environment: [String: String]) -> Bool {
    (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
  }

  /// The text in a style, where that can be shown.
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
