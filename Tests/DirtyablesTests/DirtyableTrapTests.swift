import Dirtyables
import Testing

struct DirtyableTrapTests {
  private struct Stuck: RandomNumberGenerator {
    func next() -> UInt64 { 7 }
  }

  @Test func twoSavesInFlightWithOneIdentityTrap() async {
    await #expect(processExitsWith: .failure) {
      var stuck = Stuck()
      var value = Dirtyable(1)
      _ = value.beginSave(using: &stuck)
      _ = value.beginSave(using: &stuck)
    }
  }
}
