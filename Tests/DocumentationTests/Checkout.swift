import Foundation

/// The checkout that these tests were compiled from, and the documentation in it.
enum Checkout {
  /// The package's folder.
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The folders that a path in the documentation can begin with.
  static let folders = [".ci", "Benchmarks", "Sources", "Tests", "docs"]

  /// The types of the toolkit, sorted.
  static let types = [
    "Dirtyable", "Draft", "FileChangeWriter", "Outbox", "Partial", "PendingChangeQueue", "UndoHistory", "UniqueQueue",
  ]

  /// The names of all design notes: the types, and parts of other targets; sorted.
  static let noted =
    (types + [
      "EditingSession", "Journal", "TextViewBridge", "UndoRemoteEdits", "UndoBranches", "UndoDriver", "UndoOrigin",
    ]).sorted()

  /// Every page and every doc comment, in the order of their paths.
  static func documents() throws -> [Document] { try read.get() }

  private static let read = Result {
    try (files(in: root, deep: false) + folders.flatMap { try files(in: root.appending(path: $0), deep: true) })
      .filter { $0.pathExtension == "md" || ($0.pathExtension == "swift" && path(of: $0).hasPrefix("Sources/")) }
      .map { try Document(path: path(of: $0), text: String(contentsOf: $0, encoding: .utf8)) }
      .sorted { $0.path < $1.path }
  }

  /// Whether a file or folder exists at a path relative to the checkout.
  static func contains(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appending(path: path).path)
  }

  private static func path(of file: URL) -> String {
    String(file.standardizedFileURL.path.dropFirst(root.path.count + 1))
  }

  private static func files(in folder: URL, deep: Bool) throws -> [URL] {
    let entries = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.isDirectoryKey])
    return try entries.flatMap { entry in
      guard try entry.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true else { return [entry] }
      return deep ? try files(in: entry, deep: true) : []
    }
  }
}
