public import Journals

extension FileChange {
  /// How changes are carried out.
  ///
  /// ```swift
  /// let options = FileChange.Options(symbolicLinks: .refuse, newFilePermissions: 0o600)
  /// ```
  public struct Options: Hashable, Sendable {
    /// What a write does when the path is a symbolic link.
    ///
    /// Links in the folders before the file name are always followed. A removal always removes the link and never
    /// what it points to.
    public enum SymbolicLinks: Hashable, Sendable {
      /// The file that the link points to is written, also where it does not exist yet; the link stays.
      case follow
      /// A file takes the place of the link; what the link pointed to is not touched.
      case replace
      /// Nothing is written, and the change fails.
      case refuse
    }

    package var symbolicLinks: SymbolicLinks
    package var newFilePermissions: UInt16
    package var root: Path?
    package var replacesReadOnly: Bool

    /// Makes options; by default links are followed, new files have the permissions that any program's have, and they
    /// may be anywhere.
    ///
    /// A path that does not begin with the root is refused. On the way from there to the file no symbolic link is
    /// followed, also none that is put there in the very moment. So a change of a path that comes from outside can
    /// touch nothing but what is in the folder. With ``SymbolicLinks/follow`` a link at the path itself is refused as
    /// well. The way to the root may lead through links.
    ///
    /// - Parameters:
    ///   - symbolicLinks: What a write does when the path is a symbolic link.
    ///   - newFilePermissions: The permission bits of a file that was not there before, from which the process's umask
    ///     takes its bits. A file that was there keeps the permissions it has.
    ///   - root: The folder that no change leaves, or nil when files may be anywhere.
    ///   - replacesReadOnly: Whether a write replaces a file that its owner may not write, and one of another user,
    ///     which then is this user's where the process may not give files away. Without it both are refused with
    ///     ``FileChangeError/Reason/permissionDenied``. It does not matter for removing and moving a file.
    public init(
      symbolicLinks: SymbolicLinks = .follow, newFilePermissions: UInt16 = 0o666, root: URL? = nil,
      replacesReadOnly: Bool = false
    ) {
      self.symbolicLinks = symbolicLinks
      self.newFilePermissions = newFilePermissions
      self.root = root.map { Path($0) }
      self.replacesReadOnly = replacesReadOnly
    }

    /// Makes options for files that are all below the folder at `root`.
    package init(symbolicLinks: SymbolicLinks = .follow, newFilePermissions: UInt16 = 0o666, root: Path) {
      self.init(symbolicLinks: symbolicLinks, newFilePermissions: newFilePermissions)
      self.root = root
    }

    /// Why no file may be written or removed at `path`, or nil when one may.
    package func objection(to path: Path) -> FileChangeError.Reason? {
      if let objection = path.objection { return objection }
      guard let root else { return nil }
      if let objection = root.objectionToRoot { return objection }
      return path.isInside(root) ? nil : .outsideRoot
    }
  }
}
