public import Journals

extension FileChange {
  /// The version of a file at one moment, which shows later whether another program changed the file since.
  ///
  /// ```swift
  /// func tidy(_ note: URL, with writer: FileChangeWriter) async throws {
  ///   // First the version, then the contents: a change in between is noticed.
  ///   let version = try FileChange.Version(of: note)
  ///   let text = try String(contentsOf: note, encoding: .utf8)
  ///   let tidied = text.trimmingCharacters(in: .whitespacesAndNewlines)
  ///   try await writer.submit(.write(tidied, to: note).based(on: version))
  /// }
  /// ```
  ///
  /// A version has the device, number, size, modification time and change time of the file, or nothing if there was no
  /// file. It also has a checksum of the contents if they are known. A change that keeps the size isn't noticed if the
  /// clock of the file system shows the same time.
  ///
  /// A program can set the modification time, as `touch -r` does, but not the change time, which every write changes.
  /// `chmod` and a new hard link change it, too. If only the change time differs, the contents decide, if a handle of
  /// the file has read or written them; otherwise the file counts as changed.
  public struct Version: Hashable, Sendable, Codable {
    package let stamp: FileStamp?
    /// The CRC-32C of the contents, if it is known.
    ///
    /// It adds nothing to the stamp, so it isn't compared.
    package let checksum: UInt32?

    /// The version of a path without a file.
    public static let absent = Version(stamp: nil)

    package init(stamp: FileStamp?, checksum: UInt32? = nil) { (self.stamp, self.checksum) = (stamp, checksum) }

    /// Whether both are versions of the same file, unchanged in between as far as the system tells.
    public static func == (one: Version, other: Version) -> Bool { one.stamp == other.stamp }

    /// Hashes the part that `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(stamp) }

    /// Reads the version of the file at `url`, or ``absent`` if its folder has no such file.
    ///
    /// A missing folder is an error, since it may be on a disk that isn't connected. To continue anyway, use
    /// ``absent``: a change based on that is a conflict if the folder returns with the file.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - options: The options of the change: whether links are followed, and the root.
    /// - Throws: `FileChangeError` if the path cannot name a file, the folder doesn't exist
    ///   (``FileChangeError/Reason/noSuchFolder``), or the file cannot be inspected.
    public init(of url: URL, options: Options = Options()) throws(FileChangeError) {
      try self.init(of: Path(url), options: options)
    }
  }

  /// Returns the same change, which is only applied if no other program has changed the file since it had `version`.
  ///
  /// Otherwise it fails as a conflict (``FileChangeError/isConflict``), without a retry. Writes by the same writer
  /// are not conflicts, so you can base all later changes on the version that you read; you need a new one only when
  /// you read the file again. A file that already has the new contents isn't a conflict either.
  ///
  /// Changes by other programs are noticed until the last moment: the new file and the old one are exchanged, and
  /// exchanged back if the old one isn't the expected file. There are two limits. If a program opened the file earlier
  /// and writes to it after the exchange, its bytes go to the removed file. If a file system cannot exchange files, or
  /// has no locks, a moment passes between inspecting the file and replacing it; the article Failures lists these file
  /// systems.
  public func based(on version: Version) -> FileChange { FileChange(path: path, action: action, base: version) }

  /// The same change, applied whatever version the file has.
  var unconditional: FileChange { FileChange(path: path, action: action) }
}
