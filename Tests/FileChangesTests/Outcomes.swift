import FileChanges
import Journals
import TestSupport
import XCTest

// What came of a call, to be compared: an error is one of several outcomes here.

extension FileChange {
  /// Carries the change out, and returns why it was refused; nil if it was not.
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

extension XCTestCase {
  /// Why the body was refused; nil if it was not.
  func reason(_ body: () async throws -> Void) async -> FileChangeError.Reason? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? FileChangeError)?.reason
    }
  }

  /// What the body, a flush or a shutdown, says is not on disk; nil if all is.
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

/// Why the newest contents are not on disk; nil if they are.
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
  convenience init(_ texts: [String: String]) throws {
    try self.init()
    for (name, text) in texts { try put(text, name) }
  }

  /// The path of `name` in the folder.
  func path(_ name: String) -> FileChange.Path { FileChange.Path(file(name)) }
}

extension TemporaryFolder {
  /// The text of each file but the journal.
  var texts: [String: String] {
    let names = names.filter { !$0.hasPrefix("journal") && !$0.hasPrefix(".unsaved-journal") }
    return Dictionary(uniqueKeysWithValues: names.map { ($0, text($0) ?? "?") })
  }
}

extension ScriptedFileSystem {
  /// A system on which the renames with these numbers fail, once it is armed.
  convenience init(failingRenames numbers: Set<Int>, dyingAt isDead: Flag = Flag()) {
    // Each lets those before it pass.
    let turns = numbers.map { (Countdown($0 - 1), Countdown($0)) }
    self.init(isArmed: false) { call, _ in
      if isDead.isSet { return .death }
      guard call == .moveFile else { return nil }
      return turns.filter { ($0.next(), $1.next()) == (false, true) }.isEmpty ? nil : .failure(EACCES)
    }
  }
}
