public import Foundation

/// A folder of a test's own, which goes away with the test.
public final class TemporaryFolder: Sendable {
  /// Where it is.
  public let url: URL

  /// - Parameter isInMemory: Whether the folder is on a RAM disk where there is one, for those who write a lot.
  public init(isInMemory: Bool = false) throws {
    let memory = "/dev/shm"
    let parent =
      isInMemory && FileManager.default.isWritableFile(atPath: memory)
      ? URL(filePath: memory, directoryHint: .isDirectory) : FileManager.default.temporaryDirectory
    url = parent.appending(path: "file-changes-\(UUID())")
    // With the permissions that any program's folder gets: what the library does with those is tested, too.
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The URL of `name` in the folder.
  public func file(_ name: String) -> URL { url.appending(path: name) }

  /// Puts a file there the plain way.
  @discardableResult
  public func put(_ text: String, _ name: String, permissions: Int = 0o644) throws -> URL {
    try Data(text.utf8).write(to: file(name))
    try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: file(name).path)
    return file(name)
  }

  /// What the file holds, or nil when there is none.
  public func text(_ name: String) -> String? { try? String(contentsOf: file(name), encoding: .utf8) }

  /// The permission bits of the file, or nil when there is none.
  public func permissions(_ name: String) -> Int? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: file(name).path)
    return attributes?[.posixPermissions] as? Int
  }

  /// The names of everything in the folder, sorted.
  public var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
  }

  /// A copy of all that is there, as a kill leaves it.
  public func copy() throws -> TemporaryFolder {
    let copy = try TemporaryFolder(isInMemory: true)
    for name in names { try Self.copy(file(name), to: copy.file(name)) }
    return copy
  }

  /// Copies a file or a folder.
  ///
  /// Where a file in it goes away meanwhile, as the log of a session that begins anew, all is copied again.
  public static func copy(_ source: URL, to target: URL) throws {
    for _ in 0..<100 {
      do {
        return try FileManager.default.copyItem(at: source, to: target)
      } catch let error as CocoaError where [.fileNoSuchFile, .fileReadNoSuchFile].contains(error.code) {
        try? FileManager.default.removeItem(at: target)
      }
    }
    try FileManager.default.copyItem(at: source, to: target)
  }
}
