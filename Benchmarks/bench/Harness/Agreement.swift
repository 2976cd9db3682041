/// Whether contenders do the same work.
enum Agreement {
  /// Lets every lane do the same few operations; those that see something else are not doing the same work.
  static func disagreement(among lanes: [any Lane], of benchmark: Benchmark) -> String? {
    // Few, since a snapshot of something large may be kept for each.
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
