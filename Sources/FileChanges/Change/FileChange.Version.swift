public import Journals

extension FileChange {
  /// What a file was at a moment, to see later whether another program changed it since.
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
  /// Layout: device, number, size, modification time and change time of the file, or nothing where there was none, and
  /// a checksum of the contents where they are known. A change of the same size within the resolution of the file
  /// system's clock is not noticed.
  ///
  /// A program can set the modification time, as `touch -r` does, but not the change time, which every write changes.
  /// `chmod` and a new hard link change it, too. If only the change time differs, the contents decide, provided that a
  /// handle of the file has read or written them; otherwise the file counts as changed.
  public struct Version: Hashable, Sendable, Codable {
    package let stamp: FileStamp?
    /// The CRC-32C of the contents, where they are known.
    ///
    /// It says nothing that the stamp does not, so it is not compared.
    package let checksum: UInt32?

    /// There is no file.
    public static let absent = Version(stamp: nil)

    package init(stamp: FileStamp?, checksum: UInt32? = nil) { (self.stamp, self.checksum) = (stamp, checksum) }

    /// Whether the two are versions of one file that was not changed in between, as far as the system says.
    public static func == (one: Version, other: Version) -> Bool { one.stamp == other.stamp }

    /// Hashes what is compared.
    public func hash(into hasher: inout Hasher) { hasher.combine(stamp) }

    /// The version of the file that is at `url` now, or ``absent`` where its folder has no such file.
    ///
    /// A folder that is not there is an error, since that may be a disk that is not connected. To go on, take
    /// it for ``absent``: a change that is based on that is a conflict if the folder comes back with the file.
    ///
    /// - Parameter options: As for the change: whether links are followed, and the root.
    /// - Throws: `FileChangeError` when the path can name no file, there is no such folder
    ///   (``FileChangeError/Reason/noSuchFolder``), or the file cannot be looked at.
    public init(of url: URL, options: Options = Options()) throws(FileChangeError) {
      try self.init(of: Path(url), options: options)
    }

    package init(of path: Path, options: Options = Options()) throws(FileChangeError) {
      try self.init(of: path, options: options, in: PosixFileSystem())
    }
  }
}

extension FileChange {
  /// The same change, which is only carried out if no other program has changed the file since it was `version`.
  ///
  /// Otherwise it fails with ``FileChangeError/Reason/changedByAnother``, without a retry. What the same writer has
  /// written to the file meanwhile is no conflict, so that every later change can be based on the version that was
  /// read: take a new one only when the file is read again. Nor is a file a conflict that already has the contents that
  /// are to be written.
  ///
  /// Another program's change is noticed until the last moment: the new file and the old one are exchanged, and then
  /// exchanged back if the file that came out is not the expected one. Two limits stay. If a program opened the file
  /// earlier and writes to it after the exchange, its bytes go to the file that is removed. If a file system cannot
  /// exchange files, or has no locks, a moment passes between the look at the file and its replacement;
  /// `docs/failures.md` lists these file systems.
  public func based(on version: Version) -> FileChange { FileChange(path: path, action: action, base: version) }

  /// The same change, which is carried out whatever the file is.
  var unconditional: FileChange { FileChange(path: path, action: action) }
}
