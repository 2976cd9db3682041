import FileChanges
import Foundation
import Journals
import TestSupport
import XCTest

/// Two savers of ours, which expect the same version, and another program that replaces the file twice, in every order
/// of their system calls.
final class FileChangeInterleavingTests: XCTestCase {
  func testNothingIsLostInAnyOrderOfTheCalls() throws {
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
}

/// The decisions of a run, to be gone through from the first to the last.
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

  /// - Returns: Whether there is one more.
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

/// One run.
///
/// Each saver stops before each of its calls between the lock and its end until it has its turn.
private final class Race: @unchecked Sendable {
  private enum State { case running, waiting(ScriptedFileSystem.Call), done }

  private let condition = NSCondition()
  private var states: [State] = [.running, .running]
  private var turn: Int?
  private var owner: Int?
  private var errors: [FileChangeError?] = [nil, nil]

  /// - Returns: What is not as it should be.
  func run(choosing choose: (Int) -> Int) throws -> [String] {
    let folder = try TemporaryFolder(isInMemory: true)
    for (text, name) in [("old", "a"), ("theirs 0", "f0"), ("theirs 1", "f1")] { try folder.put(text, name) }
    let base = try FileChange.Version(of: folder.path("a"))
    for saver in 0..<2 {
      let change = FileChange.write("ours \(saver)", to: folder.path("a")).based(on: base)
      let system = system(of: saver)
      Thread.detachNewThread {
        let error = change.refusal(in: system)
        self.condition.withLock {
          self.errors[saver] = error
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
        // It keeps what had the name, so that the test can see it.
        try real.exchangeFiles("f\(foreign)", "a", in: opened)
        foreign += 1
      }
    }
    return complaints(folder)
  }

  private func complaints(_ folder: TemporaryFolder) -> [String] {
    let kept = errors.compactMap { $0?.keptFile?.url.lastPathComponent }
    let seen = (["a", "f0", "f1"] + kept).map { folder.text($0) ?? "nothing" }
    var complaints: [String] = []
    for saver in 0..<2 where errors[saver] == nil && !seen.contains("ours \(saver)") {
      complaints.append("the accepted save \(saver) is lost: \(seen)")
    }
    for number in 0..<2 where !seen.contains("theirs \(number)") {
      complaints.append("the other program's save \(number) is lost: \(seen)")
    }
    for error in errors where error?.isConflict == false { complaints.append("\(error!)") }
    let rest = Set(folder.names).subtracting(["a", "f0", "f1"] + kept)
    if !rest.isEmpty { complaints.append("\(rest) are left") }
    return complaints
  }

  private func isReady(_ saver: Int) -> Bool {
    guard case .waiting(let call) = states[saver] else { return false }
    return call != .lockFolder || owner == nil
  }

  private func give(_ saver: Int) {
    condition.withLock {
      if case .waiting(.lockFolder) = states[saver] { owner = saver }
      if case .waiting(.unlock) = states[saver] { owner = nil }
      turn = saver
      states[saver] = .running
      condition.broadcast()
    }
  }

  private func system(of saver: Int) -> ScriptedFileSystem {
    let isInside = Flag()
    return ScriptedFileSystem { call, _ in
      if call == .lockFolder { isInside.set(true) }
      guard isInside.isSet else { return nil }
      if call == .unlock { isInside.set(false) }
      self.condition.withLock {
        self.states[saver] = .waiting(call)
        self.condition.broadcast()
        while self.turn != saver { self.condition.wait() }
        self.turn = nil
        self.condition.broadcast()
      }
      // The turns are the lock.
      return call == .lockFolder ? .skipped : nil
    }
  }
}
