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
    let (answers, continuation) = AsyncStream.makeStream(of: Result<Value, Failure>.self)
    self.async { continuation.yield(Result(catching: body)) }
    for await answer in answers { return try answer.get() }
    // Only a canceled task stops waiting.
    throw error
  }
}
