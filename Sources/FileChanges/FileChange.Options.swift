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
      /// Nothing is written, and the change fails with ``FileChangeError/Reason/isASymbolicLink``.
      case refuse
    }

    /// What a write does when the path is a symbolic link.
    public var symbolicLinks: SymbolicLinks

    /// The permission bits of a file that was not there before, from which the process's umask takes its bits.
    ///
    /// A file that was there keeps the permissions it has.
    public var newFilePermissions: UInt16

    /// Makes options; by default links are followed, and new files have the permissions that any program's have.
    public init(symbolicLinks: SymbolicLinks = .follow, newFilePermissions: UInt16 = 0o666) {
      self.symbolicLinks = symbolicLinks
      self.newFilePermissions = newFilePermissions
    }
  }
}
