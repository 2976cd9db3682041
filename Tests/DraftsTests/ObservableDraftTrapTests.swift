import Drafts
import Testing

struct ObservableDraftTrapTests {
  private final class Box {
    var number = 1
  }

  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
  @Test func editInPlaceThatUsesTheDraftTraps() async {
    await #expect(processExitsWith: .failure) {
      let draft = ObservableDraft(Draft(of: Box(), \.number))
      func increment(_ number: inout Int) { number = draft.current + 1 }
      increment(&draft.current)
    }
  }
}
