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
}
