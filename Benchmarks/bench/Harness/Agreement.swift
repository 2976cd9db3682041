/// Checks that contenders do the same work.
enum Agreement {
  /// Runs the same few operations on every lane, and returns a description of the first difference in their results.
  static func disagreement(among lanes: [any Lane], of benchmark: Benchmark) -> String? {
    // Only a few operations, because each may keep a snapshot of a large value.
    var operations = benchmark.unit == .element ? 1 : 16
    if case .fresh(let limit) = benchmark.state { operations = min(operations, limit) }
    let digests = lanes.map { lane in
      lane.renew()
      defer { lane.clear() }
      return lane.run(operations)
    }
    guard let index = digests.firstIndex(where: { $0 != digests[0] }) else { return nil }
    return "\(lanes[0].contender.name) and \(lanes[index].contender.name) do not see the same: "
      + "\(digests[0]) and \(digests[index]) after \(operations) operations"
  }
}
