import FileChanges
import Foundation
import Journals
import TestSupport
import XCTest

/// Runs two savers, and another program that replaces the file twice, in every order of their system calls.
///
/// The second saver reads the file at any time.
final class FileChangeInterleavingTests: XCTestCase {
  func testNoSaveIsLostInAnyOrderOfTheCalls() throws {
    var choices = Choices()
    var count = 0
    repeat {
      choices.restart()
      let complaints = try Race().run { choices.next($0) }
      count += 1
      XCTAssertEqual(complaints, [], "run \(count): \(choices.description)")
      guard complaints.isEmpty else { return }
    } while choices.advance()
    print("interleavings: \(count)")
    XCTAssertGreaterThan(count, 100)
  }

  /// Shows that the test above would detect a missing lock.
  func testWithoutTheLockAnAcceptedSaveIsLostInSomeOrder() throws {
    // Most other seeds need more runs to find such an order.
    var random = SeededRandom(seed: 4)
    for _ in 0..<5_000 where try !Race(isLocked: false).run(choosing: { random.int(in: 0..<$0) }).isEmpty { return }
    XCTFail("no save was lost without the lock")
  }

  /// The second saver saves while the first saver undoes its exchange.
  ///
  /// The first saver checks the file, and another program replaces it. The first saver exchanges the files, so its new
  /// file has the name for a moment. The second saver reads that file and replaces it, without a conflict. The first
  /// saver sees that it displaced the other program's file, and exchanges back. Without the lock, this displaces the
  /// second saver's save.
  func testLockProtectsASaveFromAnExchangeThatIsUndone() throws {
    for isLocked in [true, false] {
      let folder = try TemporaryFolder(["a": "old"])
      let path = folder.path("a")
      let (exchanges, looks) = (Counter(), Counter())
      let goesOn = DispatchSemaphore(value: 0)
      let second = Outcome()
      let other = ScriptedFileSystem { call, _ in
        guard call == .awaitLock else { return nil }
        if isLocked { goesOn.signal() }
        return isLocked ? nil : .skipped
      }
      let system = ScriptedFileSystem { call, _ in
        if call == .awaitLock, !isLocked { return .skipped }
        if call == .exchangeFiles, exchanges.next() == 1 {
          try? Data("theirs".utf8).write(to: folder.file("a"), options: .atomic)
        }
        if call == .inspect, exchanges.isUsed, looks.next() == 1 {
          Thread.detachNewThread {
            let base = try? FileChange.Version(of: path)
            second.set(FileChange.write("second", to: path).based(on: base ?? .absent).refusal(in: other))
            goesOn.signal()
          }
          goesOn.wait()
        }
        return nil
      }
      let base = try FileChange.Version(of: path)
      let first = FileChange.write("first", to: path).based(on: base).refusal(in: system)
      let error = second.wait()
      XCTAssertEqual(first?.reason, .changedByAnother)
      XCTAssertEqual(folder.text("a"), "theirs")
      if isLocked {
        XCTAssertEqual(error?.reason, .changedByAnother)
        XCTAssertEqual(folder.names, ["a"])
      } else {
        XCTAssertEqual(error, nil)
        XCTAssertEqual(try first?.keptPath.map { try String(contentsOf: $0.url, encoding: .utf8) }, "second")
      }
    }
  }
}

/// The result of a save on another thread.
private final class Outcome: @unchecked Sendable {
  private let isThere = DispatchSemaphore(value: 0)
  private var error: FileChangeError?

  func set(_ error: FileChangeError?) {
    self.error = error
    isThere.signal()
  }

  func wait() -> FileChangeError? {
    isThere.wait()
    return error
  }
}

/// The choices of a run.
///
/// They enumerate all orders.
private struct Choices: CustomStringConvertible {
  private var taken: [(choice: Int, count: Int)] = []
  private var index = 0

  var description: String { taken.prefix(index).map { String($0.choice) }.joined(separator: " ") }

  mutating func restart() { index = 0 }

  mutating func next(_ count: Int) -> Int {
    if index == taken.count { taken.append((0, count)) }
    index += 1
    return taken[index - 1].choice
  }

  /// - Returns: Whether there is another order.
  mutating func advance() -> Bool {
    while let last = taken.popLast() {
      if last.choice + 1 < last.count {
        taken.append((last.choice + 1, last.count))
        return true
      }
    }
    return false
  }
}

/// One run in one order of the calls.
///
/// Each saver waits for its turn before each of its calls from the lock to the unlock. The second saver also waits
/// before it reads the file.
private final class Race: @unchecked Sendable {
  private enum State { case running, waiting(ScriptedFileSystem.Call), done }

  private let condition = NSCondition()
  private var states: [State] = [.running, .running]
  private var turn: Int?
  private var owner: Int?
  private var errors: [FileChangeError?] = [nil, nil]
  /// The text that the second saver has read.
  private var baseText: String?
  private let isLocked: Bool

  init(isLocked: Bool = true) { self.isLocked = isLocked }

  /// - Returns: The lost saves and other faults.
  func run(choosing choose: (Int) -> Int) throws -> [String] {
    let folder = try TemporaryFolder(isInMemory: true)
    for (text, name) in [("old", "a"), ("theirs 0", "f0"), ("theirs 1", "f1")] { try folder.put(text, name) }
    let base = try FileChange.Version(of: folder.path("a"))
    for saver in 0..<2 {
      let system = system(of: saver)
      Thread.detachNewThread {
        if saver == 1 { self.waitForTurn(saver, before: .identityOfPath) }
        let found = saver == 1 ? try? FileChange.Version(of: folder.path("a")) : base
        let text = folder.text("a")
        let change = FileChange.write("ours \(saver)", to: folder.path("a")).based(on: found ?? .absent)
        let error = change.refusal(in: system)
        self.condition.withLock {
          self.errors[saver] = error
          if saver == 1 { self.baseText = text }
          self.states[saver] = .done
          self.condition.broadcast()
        }
      }
    }
    let real = PosixFileSystem()
    let opened = try real.openFolder(folder.url.path)
    var foreign = 0
    while true {
      let ready = condition.withLock { () -> [Int] in
        while turn != nil || states.contains(where: { if case .running = $0 { true } else { false } }) {
          condition.wait()
        }
        return states.indices.filter { isReady($0) }
      }
      let count = ready.count + (foreign < 2 ? 1 : 0)
      guard count > 0 else { break }
      let choice = count == 1 ? 0 : choose(count)
      if choice < ready.count {
        give(ready[choice])
      } else {
        // The exchange keeps the displaced file, so that the test can read it.
        try real.exchangeFiles("f\(foreign)", "a", in: opened)
        foreign += 1
      }
    }
    return complaints(folder)
  }

  private func complaints(_ folder: TemporaryFolder) -> [String] {
    let kept = errors.compactMap { $0?.keptPath?.url.lastPathComponent }
    // The second saver has seen the base of its accepted save.
    let base = errors[1] == nil ? [baseText ?? "nothing"] : []
    let seen = ["a", "f0", "f1"].map { folder.text($0) ?? "nothing" } + base
    let aside = kept.map { folder.text($0) ?? "nothing" }
    var complaints: [String] = []
    for saver in 0..<2 where errors[saver] == nil && !seen.contains("ours \(saver)") {
      complaints.append("the accepted save \(saver) is lost: \(seen), kept: \(aside)")
    }
    for number in 0..<2 where !(seen + aside).contains("theirs \(number)") {
      complaints.append("the other program's save \(number) is lost: \(seen)")
    }
    for error in errors where error?.isConflict == false { complaints.append("\(error!)") }
    let rest = Set(folder.names).subtracting(["a", "f0", "f1"] + kept)
    if !rest.isEmpty { complaints.append("\(rest) are left") }
    return complaints
  }

  private func isReady(_ saver: Int) -> Bool {
    guard case .waiting(let call) = states[saver] else { return false }
    return call != .awaitLock || owner == nil || !isLocked
  }

  private func give(_ saver: Int) {
    condition.withLock {
      if case .waiting(.awaitLock) = states[saver] { owner = saver }
      if case .waiting(.unlock) = states[saver] { owner = nil }
      turn = saver
      states[saver] = .running
      condition.broadcast()
    }
  }

  private func system(of saver: Int) -> ScriptedFileSystem {
    let isInside = Flag()
    return ScriptedFileSystem { call, _ in
      if call == .awaitLock { isInside.set(true) }
      guard isInside.isSet else { return nil }
      if call == .unlock { isInside.set(false) }
      self.waitForTurn(saver, before: call)
      // The turns replace the lock.
      return call == .awaitLock ? .skipped : nil
    }
  }

  private func waitForTurn(_ saver: Int, before call: ScriptedFileSystem.Call) {
    condition.withLock {
      states[saver] = .waiting(call)
      condition.broadcast()
      while turn != saver { condition.wait() }
      turn = nil
      condition.broadcast()
    }
  }
}
