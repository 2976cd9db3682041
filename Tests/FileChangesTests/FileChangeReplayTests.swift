import FileChanges
import Foundation
import TestSupport
import XCTest

#if os(Linux) || os(macOS)
  /// Writes the history of a real repository, commit by commit.
  ///
  /// `UNSAVED_REPLAY` names the repository.
  final class FileChangeReplayTests: XCTestCase {
    func testReplayedHistoryEqualsTheCheckout() async throws {
      let place = ProcessInfo.processInfo.environment["UNSAVED_REPLAY"]
      guard let place else { throw XCTSkip("UNSAVED_REPLAY names no repository") }
      let repository = Repository(place)
      let commits = try repository.commits()
      XCTAssertFalse(commits.isEmpty, "there is no history")
      let folder = try TemporaryFolder()
      let files = folder.file("files")
      try FileManager.default.createDirectory(at: files, withIntermediateDirectories: false)

      var configuration = FileChangeWriter.Configuration()
      configuration.options.root = FileChange.Path(files)
      let writer = try await FileChangeWriter(journal: folder.path("journal"), configuration: configuration)
      let replay = Replay(repository: repository, folder: files, writer: writer)
      let start = ContinuousClock.now
      var before: String?
      for commit in commits {
        try await replay.apply(repository.changes(from: before, to: commit))
        before = commit
      }
      try await writer.flush()
      let time = ContinuousClock.now - start
      let progress = await writer.progress
      try await writer.close()

      XCTAssertEqual(folder.names, ["files"])
      let expected = try repository.files(at: before!)
      XCTAssertEqual(try replay.names(), Set(expected.keys))
      for (name, blob) in expected {
        let contents = try Data(contentsOf: files.appending(path: name))
        if try contents != repository.contents(blob) { XCTFail("\(name) is not as in the checkout") }
      }
      print(
        "replayed \(commits.count) commits, \(progress.accepted) changes (\(progress.coalesced) coalesced),",
        "\(progress.written) written, \(progress.removed) removed, \(progress.journalGroups) groups, in \(time)")
    }
  }

  /// The change that a commit made to a file.
  ///
  /// Without a blob, it is a removal.
  private struct Step: Sendable {
    let name: String
    let blob: String?
  }

  private struct Replay {
    let repository: Repository
    let folder: URL
    let writer: FileChangeWriter

    func apply(_ steps: [Step]) async throws {
      let additions = steps.filter { $0.blob != nil }
      try await submit(steps.filter { $0.blob == nil })
      if additions.contains(where: isInTheWay) {
        // A folder becomes a file, or a file a folder. The writer neither makes nor removes folders.
        try await writer.flush()
        try removeEmptyFolders()
      }
      for step in additions {
        let parent = folder.appending(path: step.name).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
      }
      try await submit(additions)
    }

    private func submit(_ steps: [Step]) async throws {
      let changes = try steps.map { step in
        let path = FileChange.Path(folder.appending(path: step.name))
        return try step.blob.map { FileChange.write(try repository.contents($0), to: path) } ?? .remove(path)
      }
      // The changes of one commit are of different files, so their order doesn't matter.
      try await withThrowingTaskGroup(of: Void.self) { group in
        for change in changes { group.addTask { try await writer.submit(change) } }
        try await group.waitForAll()
      }
    }

    private func isInTheWay(_ step: Step) -> Bool {
      var place = folder
      let parts = step.name.split(separator: "/")
      for (index, part) in parts.enumerated() {
        place = place.appending(path: part)
        var isFolder: ObjCBool = false
        guard unsafe FileManager.default.fileExists(atPath: place.path, isDirectory: &isFolder) else { return false }
        if isFolder.boolValue == (index == parts.count - 1) { return true }
      }
      return false
    }

    private func removeEmptyFolders() throws {
      for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted(by: >) {
        let place = folder.appending(path: name).path
        if (try? FileManager.default.contentsOfDirectory(atPath: place))?.isEmpty == true {
          try? FileManager.default.removeItem(atPath: place)
        }
      }
    }

    func names() throws -> Set<String> {
      Set(
        try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { name in
          let type = try? FileManager.default.attributesOfItem(atPath: folder.appending(path: name).path)[.type]
          return type as? FileAttributeType != .typeDirectory
        })
    }
  }

  /// The regular files of a git repository, along the first parents of its commits.
  private struct Repository: Sendable {
    private let path: String

    init(_ path: String) { self.path = path }

    func commits() throws -> [String] {
      let text = String(decoding: try git("rev-list", "--reverse", "--first-parent", "HEAD"), as: UTF8.self)
      return text.split(separator: "\n").map(String.init)
    }

    func changes(from old: String?, to new: String) throws -> [Step] {
      guard let old else { return try files(at: new).map { Step(name: $0.key, blob: $0.value) } }
      // ":old mode, new mode, old blob, new blob, status", then the name.
      let fields = try split(git("diff-tree", "-r", "-z", "--no-renames", old, new))
      return stride(from: 0, to: fields.count - 1, by: 2).compactMap { index in
        let words = fields[index].split(separator: " ")
        return words.count == 5 ? Step(name: fields[index + 1], blob: isFile(words[1]) ? String(words[3]) : nil) : nil
      }
    }

    func files(at commit: String) throws -> [String: String] {
      // "mode blob object", a tab, and the name.
      let lines = try split(git("ls-tree", "-r", "-z", commit)).map { $0.split(separator: "\t", maxSplits: 1) }
      return Dictionary(
        uniqueKeysWithValues: lines.compactMap { line in
          let words = line[0].split(separator: " ")
          return isFile(words[0]) ? (String(line[1]), String(words[2])) : nil
        })
    }

    func contents(_ blob: String) throws -> Data { try git("cat-file", "blob", blob) }

    private func isFile(_ mode: Substring) -> Bool { mode.hasPrefix("100") }

    private func split(_ output: Data) -> [String] {
      output.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    private func git(_ arguments: String...) throws -> Data {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = ["git", "-C", path] + arguments
      let output = Pipe()
      process.standardOutput = output
      process.standardError = FileHandle.nullDevice
      try process.run()
      let data = try output.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      return data
    }
  }
#endif
