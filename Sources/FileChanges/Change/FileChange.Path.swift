public import Journals

extension FileChange {
  /// The key of the changes of one file: its absolute path, compared byte by byte.
  ///
  /// Making a path never fails, so a reducer can make one. Empty components, `.` components and a slash at the end are
  /// dropped at once, since a change always refers to a file. The rest is checked when the change is submitted or
  /// applied. These paths are refused:
  ///
  /// - a relative path, because the working directory may change before the write,
  /// - a URL that doesn't refer to a local file,
  /// - a path with a `..` component, because its meaning depends on the links before it,
  /// - a path with a null character, and a path that names no file.
  ///
  /// ```swift
  /// let path = FileChange.Path(URL(filePath: "/notes//./today.txt"))
  /// print(path)  // /notes/today.txt
  /// ```
  ///
  /// Two paths are equal if their bytes are equal, and a queue then treats them as one file. (A `String` considers
  /// composed and decomposed `é` equal, but on most systems they are two files.) Different paths are treated as
  /// different files. So don't mix spellings on a file system that ignores case, or paths that lead to the same file
  /// through links. A batch with two paths that lead to one file through links is refused.
  public struct Path: Sendable, ExpressibleByStringLiteral, CustomStringConvertible, Codable {
    /// The path as text.
    package let string: String

    /// Makes a path from a string.
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

    /// Makes the path of the file at `url`.
    ///
    /// A URL that isn't a file URL, or that names another machine, becomes an invalid path: the URL itself. It is
    /// refused like a relative path, with an error that says so.
    public init(_ url: URL) {
      if let path = url.localPath { self.init(path) } else { self.init(refused: url.absoluteString) }
    }

    /// Makes an invalid path, which an error reports as it is.
    private init(refused string: String) { self.string = string }

    /// The path as a file URL.
    package var url: URL { URL(filePath: string, directoryHint: .notDirectory) }

    /// The reason why no file can be at this path; nil if one can.
    package var objection: FileChangeError.Reason? { string == "/" ? .invalidPath : objectionToRoot }

    /// The reason why this cannot be the root folder of the options; nil if it can.
    package var objectionToRoot: FileChangeError.Reason? {
      let shape = Shape(string)
      guard shape.isAbsolute else { return hasScheme ? .notAFileURL : .relativePath }
      guard !shape.hasNull else { return .invalidPath }
      return shape.goesUp ? .parentReference : nil
    }

    /// Whether the string begins with the scheme of a URL.
    private var hasScheme: Bool { string.prefixMatch(of: /[A-Za-z0-9+.\-]+:/) != nil }

    /// Whether both are in the same folder, and their names differ only in upper and lower case.
    package func differsOnlyInCase(from other: Path) -> Bool {
      let ((folder, name), (otherFolder, otherName)) = (string.folderAndName, other.string.folderAndName)
      return self != other && folder.utf8.elementsEqual(otherFolder.utf8) && name.lowercased() == otherName.lowercased()
    }

    /// Whether the path is below `folder`.
    package func isInside(_ folder: Path) -> Bool {
      // The root directory already ends in a slash.
      hasPrefix(folder.string == "/" ? "/" : folder.string + "/")
    }

    /// The properties of a path, found in one pass over its bytes.
    struct Shape {
      var isAbsolute = false
      var hasNull = false
      /// Whether there is a `..` component.
      var goesUp = false
      /// Whether there are meaningless components: empty ones, `.`, or a slash at the end.
      var hasIdleComponents = false

      init(bytes: some Collection<UInt8>) {
        let slash = UInt8(ascii: "/")
        // About the current component. In an absolute path, the empty component before the first slash is skipped.
        var (length, dots, isFirst) = (0, 0, true)
        for byte in bytes {
          if byte == slash {
            if isFirst, length == 0 { isAbsolute = true } else { end(length, dots) }
            (length, dots, isFirst) = (0, 0, false)
          } else {
            length += 1
            if byte == UInt8(ascii: ".") { dots += 1 }
            if byte == 0 { hasNull = true }
          }
        }
        // The root directory has no component to drop.
        if length > 0 || bytes.count > 1 { end(length, dots) }
      }

      private mutating func end(_ length: Int, _ dots: Int) {
        if length == 0 || length == 1 && dots == 1 { hasIdleComponents = true }
        if length == 2, dots == 2 { goesUp = true }
      }
    }

    /// Makes a path from a literal.
    public init(stringLiteral value: String) { self.init(value) }

    /// The path as text.
    public var description: String { string }

    /// Decodes a path from a string.
    public init(from decoder: any Decoder) throws {
      self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes the path as a string.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(string)
    }
  }
}
