import PendingChanges
import Testing

@Suite struct PendingChangeQueueTrapTests {
  @Test func mergeThatChangesTheKeyTraps() async {
    await #expect(processExitsWith: .failure) {
      var queue = PendingChangeQueue<Edit>()
      queue.insert(Edit("a"))
      queue.insert(Edit("a"), policy: .merge { _, _ in Edit("b") })
    }
  }

  struct Level: PendingChange { var key: Double }

  #if DEBUG
    @Test func keyThatDoesNotEqualItselfTraps() async {
      await #expect(processExitsWith: .failure) {
        var queue = PendingChangeQueue<Level>()
        queue.insert(Level(key: .nan))
      }
    }
  #else
    @Test func failureOfAKeyThatDoesNotEqualItselfTraps() async {
      await #expect(processExitsWith: .failure) {
        var queue = PendingChangeQueue<Level>()
        queue.insert(Level(key: .nan))
        queue.fail(queue.begin()!.id, attempts: 1)
      }
    }

    @Test func changeWhoseKeyDoesNotEqualItselfCompletes() {
      var queue = PendingChangeQueue<Level>()
      let first = queue.insert(Level(key: .nan)).id, second = queue.insert(Level(key: .nan)).id
      queue.fail(queue.begin()!.id)
      #expect(queue.begin()?.id == first)
      #expect(queue.complete(second) != nil && queue.complete(first) != nil)
      #expect(queue.isEmpty)
    }
  #endif
}
