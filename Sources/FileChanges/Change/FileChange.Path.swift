public import Journals

extension FileChange {
  /// Which file a change is about: an absolute path, compared byte by byte.
  ///
  /// Making a path never fails, so that a reducer can make one. Empty and `.` components are dropped at once, as is a
  /// slash at the end, since a change is always about a file. The rest is checked when the change is submitted or
  /// applied. These are refused:
  ///
  /// - a relative path, since the working directory may have changed by the time of the write,
  /// - a URL that locates no file of this machine,
  /// - a `..` component, since what it means depends on the links before it,
  /// - a null character, and a path that names no file.
  ///
  /// ```swift
  /// let path = FileChange.Path("/notes//./today.txt")
  /// print(path)  // /notes/today.txt
  /// ```
  ///
  /// Two paths are equal when their bytes are, and then they are one file to a queue. (A `String` would call composed
  /// and decomposed `é` equal, which are two files on most systems.) Different paths are taken for different files: the
  /// spellings that a file system without case takes for one, and the ways that lead to one file through links, should
  /// not be mixed. A batch with two paths that lead to one file through links is refused.
  public struct Path: Sendable {
    /// The path as text.
    public let string: String

    /// Makes the path that `string` spells.
    ///
    /// - Complexity: O(*n*) in the length.
    package init(_ string: String) {
      guard Shape(string).hasIdleComponents else {
        self.string = string
        return
      }
      let parts = string.utf8.split(separator: UInt8(ascii: "/")).filter { !$0.elementsEqual(".".utf8) }
      let root = string.utf8.first == UInt8(ascii: "/") ? "/" : ""
      self.string = root + parts.map { String(Substring($0)) }.joined(separator: "/")
    }

    /// Makes the path of the file that `url` locates.
    ///
    /// A URL that is not a file URL, or that names another machine, makes a path that no file can have: the URL itself.
    /// It is refused like a relative path, with an error that says so.
    public init(_ url: URL) {
      if let path = url.localPath { self.init(path) } else { self.init(refused: url.absoluteString) }
    }

    /// Makes a path that no file can have, to be reported as it is.
    private init(refused string: String) { self.string = string }

    /// The path as a file URL.
    public var url: URL { URL(filePath: string, directoryHint: .notDirectory) }

    /// Why no file can be at this path, or nil when one can.
    package var objection: FileChangeError.Reason? {
      string == "/" ? .invalidPath : objectionToRoot
    }

    /// Why this cannot be the folder that no change leaves, or nil when it can.
    package var objectionToRoot: FileChangeError.Reason? {
      let shape = Shape(string)
      guard shape.isAbsolute else { return hasScheme ? .notAFileURL : .relativePath }
      guard !shape.hasNull else { return .invalidPath }
      return shape.goesUp ? .parentReference : nil
    }

    /// Whether this begins as a URL does, with a scheme.
    private var hasScheme: Bool {
      guard let colon = string.utf8.firstIndex(of: UInt8(ascii: ":")), colon != string.utf8.startIndex else {
        return false
      }
      return string.utf8[..<colon].allSatisfy { byte in
        (97...122).contains(byte | 32) || (48...57).contains(byte) || [43, 45, 46].contains(byte)
      }
    }

    /// The path of `name` in the same folder.
    func sibling(_ name: String) -> Path {
      let folder = string.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(Substring(string.utf8[...$0])) } ?? ""
      return Path(folder + name)
    }

    /// Whether the path leads from `folder` further down.
    package func isInside(_ folder: Path) -> Bool {
      // The root of all ends in a slash already.
      let top = folder.string == "/" ? "/" : folder.string + "/"
      return string.utf8.starts(with: top.utf8)
    }
  }
}

extension FileChange.Path {
  /// What there is to know of a path, found in one look at its bytes.
  private struct Shape {
    var isAbsolute = false
    var hasNull = false
    /// Whether there is a `..`.
    var goesUp = false
    /// Whether there are components that mean nothing: empty ones, `.`, or a slash at the end.
    var hasIdleComponents = false

    init(_ string: String) {
      let slash = UInt8(ascii: "/")
      // Of the component that the loop is in; the first one of an absolute path has ended before it began.
      var (length, dots, isFirst) = (0, 0, true)
      for byte in string.utf8 {
        if byte == slash {
          if isFirst, length == 0 { isAbsolute = true } else { end(length, dots) }
          (length, dots, isFirst) = (0, 0, false)
        } else {
          length += 1
          if byte == UInt8(ascii: ".") { dots += 1 }
          if byte == 0 { hasNull = true }
        }
      }
      // The root has no component, and there is nothing to be dropped of it.
      if length > 0 || string.utf8.count > 1 { end(length, dots) }
    }

    private mutating func end(_ length: Int, _ dots: Int) {
      if length == 0 || length == 1 && dots == 1 { hasIdleComponents = true }
      if length == 2, dots == 2 { goesUp = true }
    }
  }
}

extension FileChange.Path: ExpressibleByStringLiteral, CustomStringConvertible, Codable {
  /// Makes the path that the literal spells.
  public init(stringLiteral value: String) { self.init(value) }

  /// The path as text.
  public var description: String { string }

  /// Reads a path that was written as text.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  /// Writes the path as text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(string)
  }
}
