import FileChanges
import Foundation
import Journals
import TestSupport
import XCTest

/// Compares random histories of one file's handles to a simple model, while another program writes the file as well.
final class FileChangeWriterFileModelTests: XCTestCase {
  func testHandleReportsSavedOnlyIfTheFileHasTheContents() async throws {
    try await withSeeds(100) { random in
      var history = try await FileHistory(random: &random)
      for _ in 0..<Int.random(in: 5...60, using: &random) {
        try await history.step(&random)
        try await history.check()
      }
      try await history.end()
    }
  }
}

/// A gate at which the writer's changes wait until the history releases each one, with a fault or without.
private final class Turnstile: @unchecked Sendable {
  private let condition = NSCondition()
  private var permits = 0
  private var arrived = 0
  private var fault: ScriptedFileSystem.Fault?
  private var isReading = false

  /// How many changes have begun.
  var arrivals: Int { condition.withLock { arrived } }

  func pass() -> ScriptedFileSystem.Fault? {
    condition.withLock {
      if isReading { return nil }
      arrived += 1
      while permits == 0 { condition.wait() }
      permits -= 1
      defer { fault = nil }
      return fault
    }
  }

  /// Runs the body while the handles may read without waiting.
  ///
  /// Every change that has begun already waits.
  func whileReading<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    condition.withLock { isReading = true }
    defer { condition.withLock { isReading = false } }
    return try await body()
  }

  func letOneGo(_ fault: ScriptedFileSystem.Fault?) {
    condition.withLock {
      self.fault = fault
      permits += 1
      condition.broadcast()
    }
  }
}

private struct FileHistory {
  private enum Outcome: Hashable {
    case written, failed, conflict

    init(_ error: FileChangeError?) { self = error.map { $0.isConflict ? .conflict : .failed } ?? .written }
  }

  /// A save that was accepted.
  ///
  /// Each text has a length of its own, so that each version is different.
  private struct Save {
    let number: Int
    let text: String
    /// The version that it is based on, as the number of its text.
    var base: Int
  }

  private let folder: TemporaryFolder
  private let path: FileChange.Path
  private let turnstile = Turnstile()
  private let writer: FileChangeWriter
  private let handles: [FileChangeWriter.File]

  // The model.
  private var disk: String?
  /// The number of the text that the file has, and of the last one that the writer has written.
  private var (version, own) = (0, -1)
  private var base = 0
  private var running: Save? {
    didSet { if running != nil { begun += 1 } }
  }
  private var waiting: Save?
  private var failed: (save: Save, outcome: Outcome)?
  private var count = 0
  /// How many changes must have begun.
  private var begun = 0
  private var waits: [(number: Int, result: Task<Outcome, Never>)] = []
  private var seen: [AsyncStream<FileChangeWriter.File.State>] = []

  init(random: inout SeededRandom) async throws {
    folder = try TemporaryFolder(isInMemory: true)
    let turnstile = turnstile
    // A change waits before it checks the file. After that, the other program does not write.
    let system = ScriptedFileSystem { call, _ in call == .openFolder ? turnstile.pass() : nil }
    var configuration = FileChangeWriter.Configuration(parallelFiles: 1, backoff: .init(attempts: 1))
    configuration.firstPause = .zero
    let writer = FileChangeWriter(
      configuration: configuration, clock: ContinuousClock(), random: SeededRandom(seed: 1), system: system)
    let path = folder.path("a")
    var handles: [FileChangeWriter.File] = []
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      handles.append(try await turnstile.whileReading { try await writer.file(at: path) })
    }
    (self.writer, self.path, self.handles) = (writer, path, handles)
    seen = handles.map { $0.states() }
  }

  // MARK: Steps

  mutating func step(_ random: inout SeededRandom) async throws {
    let handle = handles.randomElement(using: &random)!
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<35:
      let text = newText()
      try await handle.save(text)
      accept(text)
    case 35..<65: try await letOneGo([nil, nil, nil, .failure(EACCES)].randomElement(using: &random)!)
    case 65..<75: try writeAsAnother(&random)
    case 75..<80: try await read(handle)
    case 80..<84:
      let theirs = try await turnstile.whileReading { try await handle.otherVersion() }
      expectEqual(theirs.contents, disk.map { Data($0.utf8) })
      // The file may change between the reading and the decision.
      let seen = version
      if random.chance(oneIn: 4) { try writeAsAnother(&random) }
      let text = newText()
      base = seen
      try await handle.save(Data(text.utf8), over: theirs)
      accept(text)
    case 84..<88 where running == nil:
      let theirs = try await turnstile.whileReading { try await handle.otherVersion() }
      let seen = version
      if random.chance(oneIn: 4) { try writeAsAnother(&random) }
      do {
        try await turnstile.whileReading { try await handle.accept(theirs) }
        expectEqual(seen, version, "a version that has changed since was accepted")
        (base, failed) = (version, nil)
      } catch let error as FileChangeError {
        expect(error.isConflict && seen != version, "\(error)")
      }
    case 88..<94:
      let isTried = await handle.retry()
      expectEqual(isTried, failed != nil && running == nil)
      if let (save, _) = failed, running == nil { (running, failed) = (save, nil) }
    case 94..<100:
      let result = Task { Outcome(await failureOfWriting(handle)) }
      if let newest = waiting ?? running {
        waits.append((newest.number, result))
        // The wait must have begun before anything else happens.
        try await until(await writer.waiterCount >= waits.count)
      } else {
        let found = await result.value
        expectEqual(found, failed?.outcome ?? .written)
      }
    default: break
    }
    try await settle()
  }

  /// A text with a length of its own.
  private mutating func newText() -> String {
    count += 1
    return String(repeating: "x", count: count)
  }

  private mutating func accept(_ text: String) {
    let save = Save(number: count, text: text, base: base)
    // The save replaces a failure, unless the failure is already being retried.
    failed = nil
    if running == nil { running = save } else { waiting = save }
  }

  private mutating func writeAsAnother(_ random: inout SeededRandom) throws {
    if disk != nil, random.chance(oneIn: 4) {
      try FileManager.default.removeItem(at: folder.file("a"))
      // All missing files have the same version.
      (disk, version) = (nil, 0)
    } else {
      let text = newText()
      version = count
      try folder.put(text, "a")
      disk = text
    }
  }

  private mutating func read(_ handle: FileChangeWriter.File) async throws {
    let found = try await turnstile.whileReading { try await newestText(handle) }
    if let newest = waiting ?? running ?? failed?.save {
      expectEqual(found, newest.text)
    } else {
      expectEqual(found, disk)
      base = version
    }
  }

  /// Ends the running change.
  private mutating func letOneGo(_ fault: ScriptedFileSystem.Fault?) async throws {
    guard let save = running else { return }
    turnstile.letOneGo(fault)
    try await until(await writer.progress.inFlight == 0 || turnstile.arrivals != begun)
    let outcome: Outcome
    if fault != nil {
      outcome = .failed
    } else if save.base == version || own == version {
      outcome = .written
      (disk, version, own, base) = (save.text, save.number, save.number, save.number)
    } else {
      outcome = .conflict
    }
    running = waiting
    waiting = nil
    if outcome != .written, running == nil { failed = (save, outcome) }
    for (number, result) in waits where number <= save.number {
      let found = await result.value
      expectEqual(found, outcome, "the wait for \(number)")
    }
    waits.removeAll { $0.number <= save.number }
  }

  /// Waits until every change that can begin has begun.
  private mutating func settle() async throws {
    try await until(turnstile.arrivals >= begun)
  }

  // MARK: Invariants

  func check() async throws {
    let expected: Outcome? = running != nil ? nil : failed?.outcome ?? .written
    for handle in handles {
      switch (handle.state, expected) {
      case (.saved, .written), (.saving, nil), (.failed, .failed), (.conflict, .conflict): break
      default: fail("\(handle.state), and \(String(describing: expected)) is right")
      }
    }
    expectEqual(folder.text("a"), disk)
  }

  mutating func end() async throws {
    while running != nil {
      try await letOneGo(nil)
      try await settle()
    }
    try await check()
    if let (save, _) = failed {
      let newest = try await turnstile.whileReading { try await newestText(handles[0]) }
      expectEqual(newest, save.text, "contents that could not be written are kept")
    }
    _ = try? await writer.close()
    for states in seen {
      var last: FileChangeWriter.File.State?
      for await state in states {
        expect(state != last, "\(state) came twice in a row")
        last = state
      }
      expectEqual(last, handles[0].state)
    }
  }
}
