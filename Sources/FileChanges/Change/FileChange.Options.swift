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

    package var symbolicLinks: SymbolicLinks
    package var newFilePermissions: UInt16
    package var root: Path?
    package var replacesReadOnly: Bool

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
    public init(
      symbolicLinks: SymbolicLinks = .follow, newFilePermissions: UInt16 = 0o666, root: URL? = nil,
      replacesReadOnly: Bool = false
    ) {
      self.symbolicLinks = symbolicLinks
      self.newFilePermissions = newFilePermissions
      self.root = root.map { Path($0) }
      self.replacesReadOnly = replacesReadOnly
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
