import Foundation

/// A line on a terminal that shows the current work and the remaining time.
///
/// Nothing is shown in a pipe.
struct Progress {
  let terminal: Terminal
  private let clock = SuspendingClock()
  private let start: SuspendingClock.Instant

  init(terminal: Terminal = .standardError) {
    self.terminal = terminal
    start = clock.now
  }

  /// Shows the next case after `done` of `count`.
  func show(_ text: String, done: Int, of count: Int) {
    guard terminal.isInteractive else { return }
    var line = "\(done + 1)/\(count) \(text)"
    if done > 0 {
      let left = start.duration(to: clock.now) / done * (count - done)
      line += "  " + Self.remaining(left)
    }
    write("\r\u{1B}[K" + terminal.styled(String(line.prefix((terminal.width ?? 80) - 1)), .dim))
  }

  /// Clears the line for other output.
  func clear() {
    guard terminal.isInteractive else { return }
    write("\r\u{1B}[K")
  }

  /// The remaining time in minutes and seconds.
  static func remaining(_ duration: Duration) -> String {
    let seconds = max(0, Int(duration.components.seconds))
    let (minutes, rest) = seconds.quotientAndRemainder(dividingBy: 60)
    return "\(minutes):\(rest < 10 ? "0" : "")\(rest) left"
  }

  private func write(_ text: String) {
    FileHandle.standardError.write(Data(text.utf8))
  }
}
