import Partials
import Testing

private final class Counter {
  var value = 0
}

private struct Settings: Sendable {
  var level = 0
  var half: Int { level / 2 }
  var counter: Counter {
    get { Counter() }
    set { level = newValue.value }
  }
}

/// Generic code, which knows neither that the root is Sendable nor that the value is not.
private func put<Root, Value>(
  _ value: Value, at keyPath: any KeyPath<Root, Value> & Sendable, in partial: inout Partial<Root>
) {
  partial[keyPath] = value
}

// Hides the literal behind a protocol, because the compiler warns about it if it is used directly.
private protocol Writing { func write() }

private struct Literal: Writing {
  @available(*, deprecated)
  func write() { _ = Partial<Settings>.Validation.Result.incomplete([]) }
}

@Suite struct PartialTrapTests {
  @Test func settingANonSendableComputedPropertyTraps() async {
    await #expect(processExitsWith: .failure) {
      var partial = Partial<Settings>()
      partial.update(\.counter, to: Counter())
    }
    await #expect(processExitsWith: .failure) {
      var partial = Partial<Settings>()
      partial[\.counter] = Counter()
    }
  }

  @Test func settingANonSendableComputedPropertyInGenericCodeTraps() async {
    await #expect(processExitsWith: .failure) {
      var partial = Partial<Settings>()
      put(Counter(), at: \.counter, in: &partial)
    }
  }

  @Test func incompleteResultWithoutIssuesTraps() async {
    await #expect(processExitsWith: .failure) { (Literal() as any Writing).write() }
    let none: Partial<Settings>.Validation.Issues? = nil
    #expect((none ?? []).isEmpty)
    guard case .incomplete(let issues) = Partial<Settings>.Validation.Result.incomplete([\.level]) else { return }
    #expect(issues.count == 1)
  }

  @Test func repeatedNameOrPropertyInASchemaTraps() async {
    await #expect(processExitsWith: .failure) { _ = Partial<Settings>.Schema(("level", \.level), ("level", \.half)) }
    await #expect(processExitsWith: .failure) { _ = Partial<Settings>.Schema(("level", \.level), ("again", \.level)) }
    await #expect(processExitsWith: .failure) { _ = Partial<Settings>.Schema(("half", \.half), ("again", \.half)) }
  }
}
