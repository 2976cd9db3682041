import Dispatch
import Synchronization

/// Waits for asynchronous work, so that a benchmark can drive an actor.
///
/// The work runs on the cooperative pool while the harness's thread waits. To wait costs some microseconds: put the
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

/// What a task leaves behind for the thread that waits for it.
private final class Outcome<Value: Sendable>: Sendable {
  let value = Mutex<Value?>(nil)
  let isKnown = DispatchSemaphore(value: 0)
}
