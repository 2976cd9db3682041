import FileChanges
import Journals
import TestSupport
import XCTest

// Functions that return the error of a call, so that tests can compare it.

extension FileChange {
  /// Applies the change, and returns its error, or nil if it succeeded.
  func refusal(
    _ options: Options = Options(), in system: any FileSystem = PosixFileSystem(), leftovers: _Leftovers = .none
  ) -> FileChangeError? {
    do {
      try apply(options: options, in: system, leftovers: leftovers)
      return nil
    } catch {
      return error
    }
  }
}

extension FileChange.Options {
  init(symbolicLinks: SymbolicLinks = .follow, root: FileChange.Path) {
    self.init(symbolicLinks: symbolicLinks)
    self.root = root
  }
}

extension XCTestCase {
  /// The reason of the error that the body throws, or nil.
  func reason(_ body: () async throws -> Void) async -> FileChangeError.Reason? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? FileChangeError)?.reason
    }
  }

  /// The changes that a flush or a shutdown, the body, reports as unwritten, or nil if it succeeds.
  func unwritten(
    file: StaticString = #filePath, line: UInt = #line, _ body: () async throws -> Void
  ) async -> FileChangeWriter.UnwrittenError? {
    do {
      try await body()
      return nil
    } catch {
      let unwritten = error as? FileChangeWriter.UnwrittenError
      if unwritten == nil { XCTFail("\(error)", file: file, line: line) }
      return unwritten
    }
  }
}

/// The newest contents of the file, as text.
func newestText(_ file: FileChangeWriter.File) async throws -> String? {
  try await file.contents().map { String(decoding: $0, as: UTF8.self) }
}

/// The error of a flush of the file, or nil if its newest contents are on disk.
func failureOfWriting(_ file: FileChangeWriter.File) async -> FileChangeError? {
  do {
    try await file.flush()
    return nil
  } catch {
    return error
  }
}

extension TemporaryFolder {
  /// A folder with files of these names and contents.
  convenience init(_ texts: [String: String], isInMemory: Bool = false) throws {
    try self.init(isInMemory: isInMemory)
    for (name, text) in texts { try put(text, name) }
  }

  /// The path of `name` in the folder.
  func path(_ name: String) -> FileChange.Path { FileChange.Path(file(name)) }
}

extension TemporaryFolder {
  /// The text of each file except the journal.
  var texts: [String: String] {
    let names = names.filter { !$0.hasPrefix("journal") && !$0.hasPrefix(".unsaved-journal") }
    return Dictionary(uniqueKeysWithValues: names.map { ($0, text($0) ?? "?") })
  }
}

extension ScriptedFileSystem {
  /// A file system on which the renames with these numbers fail, once it is armed.
  convenience init(failingRenames numbers: Set<Int>, dyingAt isDead: Flag = Flag()) {
    // A turn has come if the first countdown has ended and the second has not.
    let turns = numbers.map { (Countdown($0 - 1), Countdown($0)) }
    self.init(isArmed: false) { call, _ in
      if isDead.isSet { return .death }
      guard call == .moveFile else { return nil }
      return turns.filter { ($0.next(), $1.next()) == (false, true) }.isEmpty ? nil : .failure(EACCES)
    }
  }
}
