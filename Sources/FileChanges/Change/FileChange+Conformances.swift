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
  /// The coded form. Each action has its own key, so that missing contents are never read as a removal.
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
