import Dispatch
import Foundation
import Synchronization

/// Waits for asynchronous work, so that a benchmark can drive an actor.
///
/// The work runs on the cooperative pool while the harness's thread waits. Waiting costs some microseconds, so put the
/// whole loop of operations inside.
func blocking<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) -> Value {
  let outcome = Outcome<Value>()
  Task.detached {
    let value = await work()
    outcome.value.withLock { $0 = value }
    outcome.isKnown.signal()
  }
  outcome.isKnown.wait()
  guard let value = outcome.value.withLock({ $0 }) else {
    preconditionFailure("Signalled before there is a value")
  }
  return value
}

/// Waits on the main thread for asynchronous work of the main actor, and runs the main run loop meanwhile.
@MainActor
func blockingMain<Value: Sendable>(_ work: @escaping @MainActor () async -> Value) -> Value {
  var outcome: Value?
  Task { @MainActor in
    outcome = await work()
  }
  while true {
    if let outcome { return outcome }
    _ = RunLoop.main.run(mode: .default, before: .distantFuture)
  }
}

/// The result that a task leaves for the thread that waits for it.
private final class Outcome<Value: Sendable>: Sendable {
  let value = Mutex<Value?>(nil)
  let isKnown = DispatchSemaphore(value: 0)
}
