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

  #if DEBUG
    @Test func keyThatDoesNotEqualItselfTraps() async {
      struct Level: PendingChange { var key: Double }
      await #expect(processExitsWith: .failure) {
        var queue = PendingChangeQueue<Level>()
        queue.insert(Level(key: .nan))
      }
    }
  #endif
}
