internal import Journals
public import PendingChanges

extension FileChange: PendingChange {
  /// The path of the file: a queue runs the changes of one file one after the other.
  public var key: Path { path }
}

extension FileChange: CustomStringConvertible {
  /// The action and the path; of the contents, only the size.
  public var description: String {
    switch action {
    case .write(let contents): "write \(contents.count) bytes to \(path)"
    case .remove: "remove \(path)"
    case .move(let target): "move \(path) to \(target)"
    }
  }
}

extension FileChange: CustomReflectable {
  /// The description only, so that a dump doesn't show the contents either.
  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension FileChange: Codable {
  private enum CodingKeys: String, CodingKey { case write, contents, remove, move, to, base }

  /// Decodes a change, and throws if the action isn't clear.
  ///
  /// Each action has its own key, so that missing contents are never read as a removal.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let base = try container.decodeIfPresent(Version.self, forKey: .base)
    switch (container.contains(.write), container.contains(.remove), container.contains(.move)) {
    case (true, false, false):
      let path = try container.decode(Path.self, forKey: .write)
      self.init(path: path, action: .write(try container.decode(Data.self, forKey: .contents)), base: base)
    case (false, true, false), (false, false, true):
      guard !container.contains(.contents) else {
        throw DecodingError.dataCorruptedError(
          forKey: .contents, in: container, debugDescription: "Only a written file has 'contents'.")
      }
      if container.contains(.move) {
        let target = try container.decode(Path.self, forKey: .to)
        self.init(path: try container.decode(Path.self, forKey: .move), action: .move(to: target), base: base)
        return
      }
      self.init(path: try container.decode(Path.self, forKey: .remove), action: .remove, base: base)
    default:
      let context = DecodingError.Context(
        codingPath: container.codingPath,
        debugDescription: "A file change has one of the keys 'write', 'remove' and 'move'.")
      throw DecodingError.dataCorrupted(context)
    }
  }

  /// Encodes the path under the name of the action, and the contents beside it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(base, forKey: .base)
    switch action {
    case .write(let contents):
      try container.encode(path, forKey: .write)
      try container.encode(contents, forKey: .contents)
    case .remove:
      try container.encode(path, forKey: .remove)
    case .move(let target):
      try container.encode(path, forKey: .move)
      try container.encode(target, forKey: .to)
    }
  }
}
