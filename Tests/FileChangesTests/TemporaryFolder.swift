import FileChanges
import Foundation
import XCTest

/// A folder of a test's own, which goes away with the test.
final class TemporaryFolder: Sendable {
  let url: URL

  /// - Parameter isInMemory: Whether the folder is on a RAM disk where there is one, for those who write a lot.
  init(isInMemory: Bool = false) throws {
    let memory = "/dev/shm"
    let parent =
      isInMemory && FileManager.default.isWritableFile(atPath: memory)
      ? URL(filePath: memory, directoryHint: .isDirectory) : FileManager.default.temporaryDirectory
    url = parent.appending(path: "file-changes-\(UUID())")
    // Whatever the umask is: a journal wants a folder that nobody else may write.
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The path of `name` in the folder.
  func path(_ name: String) -> FileChange.Path { FileChange.Path(file(name)) }

  /// The URL of `name` in the folder.
  func file(_ name: String) -> URL { url.appending(path: name) }

  /// Puts a file there the plain way.
  @discardableResult
  func put(_ text: String, _ name: String, permissions: Int = 0o644) throws -> URL {
    try Data(text.utf8).write(to: file(name))
    try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: file(name).path)
    return file(name)
  }

  /// What the file holds, or nil when there is none.
  func text(_ name: String) -> String? { try? String(contentsOf: file(name), encoding: .utf8) }

  /// The permission bits of the file, or nil when there is none.
  func permissions(_ name: String) -> Int? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: file(name).path)
    return attributes?[.posixPermissions] as? Int
  }

  /// The names of everything in the folder, sorted.
  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
  }
}
