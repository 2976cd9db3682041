public import Journals

/// What shall happen to one file: it is written anew, removed, or gets another name.
///
/// A file change is plain data: it can be made in a reducer, compared, coded and put into a queue. Two roads lead to
/// the disk: ``FileChangeWriter`` takes changes in and carries them out in the background, and ``apply(options:)``
/// carries out one change here and now.
///
/// ```swift
/// let url = URL(filePath: "/notes/today.txt")
/// let saved = FileChange.write("Buy milk", to: url)
/// let discarded = FileChange.remove(url)
/// ```
///
/// Layout: a path (16 bytes), an action (17 bytes: the contents, a path, or nothing) and a version (65 bytes). The
/// contents are shared, never copied, and never appear in a description.
public struct FileChange: Hashable, Sendable {
  /// What happens to a file.
  public enum Action: Hashable, Sendable {
    /// The file has these contents afterwards, whether or not it was there before.
    case write(Data)
    /// The file is not there afterwards.
    case remove
    /// The file has the name `to` afterwards, which nothing may have before; it is not copied.
    ///
    /// Both names must be on one file system.
    case move(to: Path)
  }

  /// The file that changes; where it is moved, its name before.
  public let path: Path

  /// What happens to it.
  public let action: Action

  /// What the file must be for the change to be carried out; nil for whatever it is.
  public let base: Version?

  /// Makes a change of the file at `path`.
  package init(path: Path, action: Action, base: Version? = nil) {
    self.path = path
    self.action = action
    self.base = base
  }

  /// Makes a change of the file at `url`.
  package init(url: URL, action: Action, base: Version? = nil) {
    self.init(path: Path(url), action: action, base: base)
  }

  /// Makes the change after which the file at `path` has `contents`.
  package static func write(_ contents: Data, to path: Path) -> FileChange {
    FileChange(path: path, action: .write(contents))
  }

  /// Makes the change after which the file at `url` has `contents`.
  public static func write(_ contents: Data, to url: URL) -> FileChange { .write(contents, to: Path(url)) }

  /// Makes the change after which the file at `path` has `text`, encoded as UTF-8.
  package static func write(_ text: String, to path: Path) -> FileChange { .write(Data(text.utf8), to: path) }

  /// Makes the change after which the file at `url` has `text`, encoded as UTF-8.
  public static func write(_ text: String, to url: URL) -> FileChange { .write(Data(text.utf8), to: Path(url)) }

  /// Makes the change after which there is no file at `path`.
  package static func remove(_ path: Path) -> FileChange { FileChange(path: path, action: .remove) }

  /// Makes the change after which there is no file at `url`.
  public static func remove(_ url: URL) -> FileChange { .remove(Path(url)) }

  /// Makes the change after which the file at `path` has the name `target`.
  package static func move(_ path: Path, to target: Path) -> FileChange {
    FileChange(path: path, action: .move(to: target))
  }

  /// Makes the change after which the file at `url` has the name `target`.
  public static func move(_ url: URL, to target: URL) -> FileChange { .move(Path(url), to: Path(target)) }
}
