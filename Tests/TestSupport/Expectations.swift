import Testing
import XCTest

/// A failed expectation: the traces that led to it, the message, and the place in the source.
public struct Failure: Sendable, CustomStringConvertible {
  /// The traces, outermost first, and the message.
  public let description: String
  /// The file of the expectation that failed.
  public let file: StaticString
  /// The line of the expectation that failed.
  public let line: UInt

  var location: SourceLocation {
    SourceLocation(fileID: "\(file)", filePath: "\(file)", line: Int(line), column: 1)
  }
}

/// Collects failures instead of reporting them to XCTest, so that the checkers themselves can be tested.
final class FailureRecorder: @unchecked Sendable {
  private let lock = NSLock()
  private var recorded: [Failure] = []

  var failures: [Failure] { lock.withLock { recorded } }

  func record(_ failure: Failure) {
    lock.withLock { recorded.append(failure) }
  }
}

enum ExpectationContext {
  /// The traces around the running code, outermost first.
  ///
  /// The traces are task-local so that parallel tests do not mix them.
  @TaskLocal static var traces: [String] = []
  @TaskLocal static var recorder: FailureRecorder?
}

/// Runs `body` with `label` in front of every failure inside it.
public func withTrace<Result, E: Error>(_ label: String, _ body: () throws(E) -> Result) throws(E) -> Result {
  let outcome: Swift.Result<Result, E> = ExpectationContext.$traces.withValue(ExpectationContext.traces + [label]) {
    do throws(E) { return .success(try body()) } catch { return .failure(error) }
  }
  return try outcome.get()
}

/// Runs `body` and returns the failures in it instead of reporting them to XCTest.
public func capturingFailures(_ body: () throws -> Void) rethrows -> [Failure] {
  let recorder = FailureRecorder()
  try ExpectationContext.$recorder.withValue(recorder, operation: body)
  return recorder.failures
}

/// Fails the test with the current traces followed by `message`.
public func fail(_ message: String, file: StaticString = #filePath, line: UInt = #line) {
  let description = (ExpectationContext.traces + [message]).joined(separator: " > ")
  forward(Failure(description: description, file: file, line: line))
}

/// Fails when `condition` is false.
///
/// - Returns: The condition, so that a check can stop after the first failure.
@discardableResult
public func expect(
  _ condition: Bool, _ message: @autoclosure () -> String = "the condition is false",
  file: StaticString = #filePath, line: UInt = #line
) -> Bool {
  if !condition { fail(message(), file: file, line: line) }
  return condition
}

/// Fails when the two values differ.
@discardableResult
public func expectEqual<Value: Equatable>(
  _ actual: Value, _ expected: Value, _ message: @autoclosure () -> String = "",
  file: StaticString = #filePath, line: UInt = #line
) -> Bool {
  if actual == expected { return true }
  let note = message()
  fail("\(actual) is not \(expected)" + (note.isEmpty ? "" : ": \(note)"), file: file, line: line)
  return false
}

/// Reports a captured failure to the enclosing recorder or, without one, to the library that runs the test.
func forward(_ failure: Failure) {
  if let recorder = ExpectationContext.recorder {
    recorder.record(failure)
  } else if Test.current != nil {
    // XCTest would drop it.
    Issue.record("\(failure)", sourceLocation: failure.location)
  } else {
    XCTFail(failure.description, file: failure.file, line: failure.line)
  }
}

/// An error for closures of tests to throw.
public struct Refused: Error {
  /// Makes the error.
  public init() {}
}
