import Drafts
import Testing

struct ObservableDraftTrapTests {
  private final class Box {
    var number = 1
  }

  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
  @Test func updateThatUsesTheDraftTraps() async {
    await #expect(processExitsWith: .failure) {
      let draft = ObservableDraft(of: Box(), \.number)
      draft.update { $0 = draft.current + 1 }
    }
  }
}
