import FileChanges
import Foundation
import Journals
import TestSupport
import Testing

#if os(Linux) || os(macOS)
  /// Processes that are killed at any system call while they write a file in place.
  @Suite(.serialized) struct FileChangeInPlaceKillTests {
    @Test func nextUseFindsOldOrNewContents() async throws {
      let complaints = try await complaintsAfterKills(12) { _, _, random in
        let folder = try TemporaryFolder(isInMemory: true)
        try folder.put(Stage.old, "a")
        // A file in memory is written by about 25 calls.
        let stage = Stage(folder: folder.url, call: random.int(in: 3..<26))
        await #expect(processExitsWith: .signal(SIGKILL)) { [stage = stage as Stage] in try stage.write() }
        let torn = folder.text("a") ?? "nil"
        _ = try FileChange.Version(of: folder.file("a"), options: stage.options)
        let text = folder.text("a") ?? "nil"
        let names = folder.names.filter { $0.hasPrefix(".unsaved-copy") }
        return [Stage.old, Stage.new].contains(text) && names == [] ? [] : ["\(stage): \(torn), then \(text), \(names)"]
      }
      #expect(complaints == [])
    }
  }

  private struct Stage: Codable, Sendable {
    let folder: URL
    let call: Int

    static let (old, new) = ("The old contents of the file, which are long.", "The new contents.")

    var options: FileChange.Options { FileChange.Options(fallback: .inPlace(keepingCopyIn: folder)) }

    // MARK: In the child

    func write() throws {
      let system = ScriptedFileSystem { call, number in
        if number >= self.call { kill(getpid(), SIGKILL) }
        if call == .moveFile { return .failure(EBUSY) }
        return call == .overwrite ? .short(6) : nil
      }
      try FileChange.write(Self.new, to: FileChange.Path(folder.appending(path: "a"))).apply(
        options: options, in: system)
      kill(getpid(), SIGKILL)
    }
  }
#endif
