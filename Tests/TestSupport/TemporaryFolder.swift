public import Foundation

/// A folder for one test.
///
/// It is removed when this object is released.
public final class TemporaryFolder: Sendable {
  /// The URL of the folder.
  public let url: URL

  /// - Parameter isInMemory: Whether to put the folder on a RAM disk, if there is one. Useful for tests that write a
  ///   lot.
  public init(isInMemory: Bool = false) throws {
    let memory = "/dev/shm"
    let parent =
      isInMemory && FileManager.default.isWritableFile(atPath: memory)
      ? URL(filePath: memory, directoryHint: .isDirectory) : FileManager.default.temporaryDirectory
    url = parent.appending(path: "file-changes-\(UUID())")
    // The folder has the default permissions, because tests also cover what the library does with these.
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The URL of `name` in the folder.
  public func file(_ name: String) -> URL { url.appending(path: name) }

  /// Writes a file with Foundation.
  @discardableResult
  public func put(_ text: String, _ name: String, permissions: Int = 0o644) throws -> URL {
    try put(text.utf8, name, permissions: permissions)
  }

  /// Writes a file with Foundation, such as a journal.
  ///
  /// The permissions don't depend on the umask: with that of many systems others could write the file, and such a
  /// journal is refused.
  @discardableResult
  public func put(_ bytes: some Sequence<UInt8>, _ name: String, permissions: Int = 0o600) throws -> URL {
    try Data(bytes).write(to: file(name))
    try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: file(name).path)
    return file(name)
  }

  /// The text of the file, or nil if it doesn't exist.
  public func text(_ name: String) -> String? { try? String(contentsOf: file(name), encoding: .utf8) }

  /// The permission bits of the file, or nil if it doesn't exist.
  public func permissions(_ name: String) -> Int? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: file(name).path)
    return attributes?[.posixPermissions] as? Int
  }

  /// The names of everything in the folder, sorted.
  public var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
  }

  /// Returns a copy of the folder with its current contents, such as a kill would leave.
  public func copy() throws -> TemporaryFolder {
    let copy = try TemporaryFolder(isInMemory: true)
    for name in names { try Self.copy(file(name), to: copy.file(name)) }
    return copy
  }

  /// Copies a file or a folder.
  ///
  /// If a file disappears meanwhile, such as the log of a session that starts a new one, everything is copied again.
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
