public import Journals

extension FileChange {
  /// Options for applying changes, such as whether symbolic links are followed.
  ///
  /// ```swift
  /// let options = FileChange.Options(symbolicLinks: .refuse, newFilePermissions: 0o600)
  /// ```
  public struct Options: Hashable, Sendable {
    /// The behavior of a write if the path is a symbolic link.
    ///
    /// Links in the folders before the file name are always followed. A removal always removes the link and never its
    /// target.
    public enum SymbolicLinks: Hashable, Sendable {
      /// Writes the target of the link, even if it doesn't exist yet; the link stays.
      case follow
      /// Replaces the link with a file; the target of the link isn't touched.
      case replace
      /// Writes nothing, and the change fails.
      case refuse
    }

    /// How a file is written if no new file can take its place.
    ///
    /// That is so if the file itself is a mount point, as in a container, if its folder accepts no new files, or if the
    /// file belongs to another user, but may be written.
    public enum Fallback: Hashable, Sendable {
      /// Writes the contents into the existing file, after the old contents were copied to a file in this folder.
      ///
      /// The folder is created if only its last component is missing; it should be this user's own. If the process is
      /// killed while the file is written, the next change of the file with this option restores the old contents from
      /// the copy, and so does the next handle or session of the file. Without the option, the file stays as it is: a
      /// part of the new contents, followed by old ones.
      ///
      /// Other programs that read the file meanwhile may see a part of the new contents. If another program writes the
      /// file after the last look at its version, or between a kill and the restoring, that isn't noticed. Batches
      /// aren't written in place.
      case inPlace(keepingCopyIn: URL)
    }

    package var symbolicLinks: SymbolicLinks
    package var newFilePermissions: UInt16
    package var root: Path?
    /// Whether a write replaces a file that its owner may not write, and a file of another user.
    public var replacesReadOnly: Bool
    /// How a file is written if no new file can take its place; nil if that is an error.
    public var fallback: Fallback?

    /// Makes options; by default links are followed, and new files have the usual permissions and may be anywhere.
    ///
    /// With a root, a path that doesn't begin with the root is refused. Symbolic links between the root and the file
    /// are not followed, even if they are made at the last moment. So a change whose path comes from an untrusted
    /// source cannot touch anything outside the root. With ``SymbolicLinks/follow``, a link at the path itself is
    /// refused as well. The path of the root itself may contain links.
    ///
    /// - Parameters:
    ///   - symbolicLinks: The behavior of a write if the path is a symbolic link.
    ///   - newFilePermissions: The permission bits of a new file, without those in the process's umask. An existing
    ///     file keeps its permissions.
    ///   - root: The folder that contains all files, or nil if files may be anywhere.
    ///   - replacesReadOnly: Whether a write replaces a file that its owner may not write, and a file of another user.
    ///     This user then owns the file if the process may not give files away. Otherwise both are refused with
    ///     ``FileChangeError/Reason/permissionDenied``. This option doesn't affect removing and moving a file.
    ///   - fallback: How a file is written if no new file can take its place; by default, that is an error, such as
    ///     ``FileChangeError/Reason/notReplaceable``.
    public init(
      symbolicLinks: SymbolicLinks = .follow, newFilePermissions: UInt16 = 0o666, root: URL? = nil,
      replacesReadOnly: Bool = false, fallback: Fallback? = nil
    ) {
      self.symbolicLinks = symbolicLinks
      self.newFilePermissions = newFilePermissions
      self.root = root.map { Path($0) }
      self.replacesReadOnly = replacesReadOnly
      self.fallback = fallback
    }

    /// The reason why no file may be changed at `path`; nil if one may.
    package func objection(to path: Path) -> FileChangeError.Reason? {
      if let objection = path.objection { return objection }
      guard let root else { return nil }
      if let objection = root.objectionToRoot { return objection }
      return path.isInside(root) ? nil : .outsideRoot
    }
  }
}
