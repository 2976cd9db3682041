import Dirtyables
import Testing

struct DirtyableTrapTests {
  @Test func twoSavesInFlightWithOneIdentityTrap() async {
    await #expect(processExitsWith: .failure) {
      var value = Dirtyable(1)
      _ = value.beginSave(id: .init(rawValue: 7))
      _ = value.beginSave(id: .init(rawValue: 7))
    }
  }
}
