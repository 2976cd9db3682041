public import Foundation

#if os(Linux) || os(macOS)
  /// Kills processes one after the other, until one leaves something else than was promised.
  ///
  /// - Parameters:
  ///   - usual: How many processes are killed; `UNSAVED_KILLS` sets another number.
  ///   - body: Starts a process and waits for its end. Where `isChecked`, it returns what is not as promised; else the
  ///     next process recovers, and may be killed while it does.
  /// - Returns: What `body` found, with the round and the seed.
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

  /// Lines that are in a file as soon as they are written, whatever becomes of the process.
  public final class KillLog: @unchecked Sendable {
    private let lock = NSLock()
    private let file: FileHandle
    private let fuse: Fuse?

    /// Opens the file, and makes it where it is not there.
    ///
    /// - Parameter fuse: Is passed before each line.
    public init(_ url: URL, _ fuse: Fuse? = nil) throws {
      if !FileManager.default.fileExists(atPath: url.path) { try Data().write(to: url) }
      file = try FileHandle(forWritingTo: url)
      try file.seekToEnd()
      // Should a kill have cut off a line, it ends here.
      try file.write(contentsOf: Data("\n".utf8))
      self.fuse = fuse
    }

    /// Writes a line.
    public func write(_ line: String) {
      fuse?.pass()
      lock.withLock { try? file.write(contentsOf: Data("\(line) .\n".utf8)) }
    }

    /// The lines in the file, without any that a kill has cut off.
    public static func lines(of url: URL) throws -> [Substring] {
      guard FileManager.default.fileExists(atPath: url.path) else { return [] }
      return try String(contentsOf: url, encoding: .utf8).split(separator: "\n").filter { $0.hasSuffix(" .") }
        .map { $0.dropLast(2) }
    }
  }
#endif
