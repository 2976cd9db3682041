public import Foundation

#if os(Linux) || os(macOS)
  /// Kills processes one after another until one breaks a guarantee.
  ///
  /// - Parameters:
  ///   - usual: The number of processes to kill. `UNSAVED_KILLS` sets another number.
  ///   - body: Starts a process and waits for its end. If `isChecked` is true, it returns the broken guarantees.
  ///     Otherwise, the next process recovers, and may itself be killed meanwhile.
  /// - Returns: The complaints of `body`, with the round and the seed.
  public func complaintsAfterKills(
    _ usual: Int, test: StaticString = #function,
    _ body: (_ round: Int, _ isChecked: Bool, _ random: inout SeededRandom) async throws -> [String]
  ) async rethrows -> [String] {
    let count = max(1, Int(ProcessInfo.processInfo.environment["UNSAVED_KILLS"] ?? "") ?? usual)
    var random = SeededRandom.announced("\(test): \(count) killed processes")
    for round in 1...count {
      let isChecked = round == count || random.chance(oneIn: 3)
      let complaints = try await body(round, isChecked, &random)
      if !complaints.isEmpty { return ["round \(round), seed \(random.seed)"] + complaints }
    }
    return []
  }

  /// A log file whose lines survive a kill of the process as soon as they are written.
  public final class KillLog: @unchecked Sendable {
    private let lock = NSLock()
    private let file: FileHandle
    private let fuse: Fuse?

    /// Opens the file, and creates it if it doesn't exist.
    ///
    /// - Parameter fuse: Counts a call before each line.
    public init(_ url: URL, _ fuse: Fuse? = nil) throws {
      if !FileManager.default.fileExists(atPath: url.path) { try Data().write(to: url) }
      file = try FileHandle(forWritingTo: url)
      try file.seekToEnd()
      // End the previous line, in case a kill truncated it.
      try file.write(contentsOf: Data("\n".utf8))
      self.fuse = fuse
    }

    /// Writes a line.
    public func write(_ line: String) {
      fuse?.pass()
      lock.withLock { try? file.write(contentsOf: Data("\(line) .\n".utf8)) }
    }

    /// The complete lines in the file.
    ///
    /// Lines that a kill truncated are left out.
    public static func lines(of url: URL) throws -> [Substring] {
      guard FileManager.default.fileExists(atPath: url.path) else { return [] }
      return try String(contentsOf: url, encoding: .utf8).split(separator: "\n").filter { $0.hasSuffix(" .") }
        .map { $0.dropLast(2) }
    }
  }
#endif
