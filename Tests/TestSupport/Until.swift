/// Waits until `condition` is true.
///
/// Throws an error after two minutes.
public func until(
  _ condition: @autoclosure () async throws -> Bool, file: StaticString = #fileID, line: UInt = #line
) async throws {
  let end = ContinuousClock.now + .seconds(120)
  while try await !condition() {
    guard .now < end else { throw NeverHolds(description: "\(file):\(line) waited in vain") }
    await Task.yield()
  }
}

private struct NeverHolds: Error, CustomStringConvertible {
  let description: String
}
