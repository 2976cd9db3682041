package import Dispatch

extension DispatchQueue {
  /// Runs `body` on the queue and suspends until it returns, without blocking a thread.
  package func run<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
      self.async { continuation.resume(returning: Result(catching: body)) }
    }
    return try result.get()
  }

  /// Runs `body` on the queue, and throws `error` as soon as the task is canceled.
  ///
  /// The body, which may wait for a device that doesn't respond, runs on, and its result is dropped.
  package func run<Value: Sendable, Failure: Error>(
    orThrow error: Failure, _ body: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let answer = FirstAnswer<Result<Value, Failure>>()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        answer.wait(continuation)
        self.async { answer.give(Result(catching: body)) }
      }
    } onCancel: {
      answer.give(.failure(error))
    }
    return try result.get()
  }
}

/// The first of several answers to one caller; later answers are dropped.
final class FirstAnswer<Answer: Sendable>: @unchecked Sendable {
  private let lock = DispatchQueue(label: "FirstAnswer")
  private var caller: CheckedContinuation<Answer, Never>?
  private var answer: Answer?

  func wait(_ caller: CheckedContinuation<Answer, Never>) {
    let given = lock.sync {
      if answer == nil { self.caller = caller }
      return answer
    }
    if let given { caller.resume(returning: given) }
  }

  func give(_ new: Answer) {
    let caller = lock.sync {
      defer { self.caller = nil }
      if answer == nil { answer = new }
      return self.caller
    }
    caller?.resume(returning: new)
  }
}
