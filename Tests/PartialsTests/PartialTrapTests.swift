import Partials
import Testing

private final class Counter {
  var value = 0
}

private struct Settings: Sendable {
  var level = 0
  var counter: Counter {
    get { Counter() }
    set { level = newValue.value }
  }
}

private struct Node {
  weak var parent: Counter?
  var name = ""
}

@Suite struct PartialTrapTests {
  @Test func valueThatIsNotSendableAndNotStoredTraps() async {
    await #expect(processExitsWith: .failure) {
      var partial = Partial<Settings>()
      partial.update(\.counter, to: Counter())
    }
    await #expect(processExitsWith: .failure) {
      var partial = Partial<Settings>()
      partial.counter = Counter()
    }
    await #expect(processExitsWith: .failure) {
      var partial = Partial<Settings>()
      partial[\.counter] = Counter()
    }
  }

  @Test func mergingAWholeWithWeakReferencesThatLostAPartTraps() async {
    await #expect(processExitsWith: .failure) {
      var partial = Partial(Node())
      partial.name = nil
      var root = Node()
      partial.apply(to: &root)
    }
  }
}
