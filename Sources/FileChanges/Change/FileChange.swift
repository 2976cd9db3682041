public import Journals
public import PendingChanges

/// A change of one file: its contents are written, or it is removed or renamed.
///
/// A file change is plain data: you can make it in a reducer, compare it, encode it and put it into a queue. There are
/// two ways to apply it: a ``FileChangeWriter`` accepts changes and applies them in the background, and
/// ``apply(options:)`` applies one change right away.
///
/// ```swift
/// let url = URL(filePath: "/notes/today.txt")
/// let saved = FileChange.write("Buy milk", to: url)
/// let discarded = FileChange.remove(url)
/// ```
///
/// The contents are shared, never copied, and never appear in a description.
public struct FileChange: Hashable, Sendable, PendingChange, CustomStringConvertible, CustomReflectable {
  /// The action that a change performs on a file.
  package enum Action: Hashable, Sendable {
    /// Writes these contents, whether or not the file exists.
    case write(Data)
    /// Removes the file.
    case remove
    /// Renames the file to `to`, which must be free; nothing is copied.
    ///
    /// Both names must be on the same file system.
    case move(to: Path)
  }

  /// The file that changes; for a move, its old path.
  package let path: Path

  /// The action that the change performs on the file.
  package let action: Action

  /// The version that the file must have when the change is applied; nil for any version.
  package internal(set) var base: Version?

  /// The file that changes; for a move, its old place.
  public var url: URL { path.url }

  /// The contents that the change writes; nil for a removal and a move.
  public var contents: Data? {
    if case .write(let contents) = action { contents } else { nil }
  }

  /// Makes a change that writes `contents` to the file at `path`.
  package static func write(_ contents: Data, to path: Path) -> FileChange {
    FileChange(path: path, action: .write(contents))
  }

  /// Makes a change that writes `contents` to the file at `url`.
  public static func write(_ contents: Data, to url: URL) -> FileChange { .write(contents, to: Path(url)) }

  /// Makes a change that writes `text`, encoded as UTF-8, to the file at `path`.
  package static func write(_ text: String, to path: Path) -> FileChange { .write(Data(text.utf8), to: path) }

  /// Makes a change that writes `text`, encoded as UTF-8, to the file at `url`.
  public static func write(_ text: String, to url: URL) -> FileChange { .write(Data(text.utf8), to: Path(url)) }

  /// Makes a change that removes the file at `path`.
  package static func remove(_ path: Path) -> FileChange { FileChange(path: path, action: .remove) }

  /// Makes a change that removes the file at `url`.
  public static func remove(_ url: URL) -> FileChange { .remove(Path(url)) }

  /// Makes a change that moves the file at `path` to `target`.
  package static func move(_ path: Path, to target: Path) -> FileChange {
    FileChange(path: path, action: .move(to: target))
  }

  /// Makes a change that moves the file at `url` to `target`.
  public static func move(_ url: URL, to target: URL) -> FileChange { .move(Path(url), to: Path(target)) }

  /// The path of the file: a queue runs the changes of one file one after the other.
  public var key: Path { path }

  /// The action and the path; of the contents, only the size.
  public var description: String {
    switch action {
    case .write(let contents): "write \(contents.count) bytes to \(path)"
    case .remove: "remove \(path)"
    case .move(let target): "move \(path) to \(target)"
    }
  }

  /// The description only, so that a dump doesn't show the contents either.
  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension FileChange: Codable {
  /// The coded form: each action has its own key, so that missing contents are never read as a removal.
  private struct Coded: Codable {
    var write, remove, move, to: Path?
    var contents: Data?
    var base: Version?
  }

  /// Decodes a change, and throws if the action isn't clear.
  public init(from decoder: any Decoder) throws {
    let coded = try Coded(from: decoder)
    switch (coded.write, coded.contents, coded.remove, coded.move, coded.to) {
    case (let path?, let contents?, nil, nil, _): self.init(path: path, action: .write(contents), base: coded.base)
    case (nil, nil, let path?, nil, _): self.init(path: path, action: .remove, base: coded.base)
    case (nil, nil, nil, let path?, let target?): self.init(path: path, action: .move(to: target), base: coded.base)
    default:
      let context = DecodingError.Context(
        codingPath: decoder.codingPath,
        debugDescription: """
          A file change has one of the keys 'write', 'remove' and 'move', 'write' also 'contents', and 'move' also 'to'.
          """)
      throw DecodingError.dataCorrupted(context)
    }
  }

  /// Encodes the path under the name of the action, and the contents beside it.
  public func encode(to encoder: any Encoder) throws {
    var coded = Coded(base: base)
    switch action {
    case .write(let contents): (coded.write, coded.contents) = (path, contents)
    case .remove: coded.remove = path
    case .move(let target): (coded.move, coded.to) = (path, target)
    }
    try coded.encode(to: encoder)
  }
}
