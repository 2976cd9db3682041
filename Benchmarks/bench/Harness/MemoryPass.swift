import AllocationCounter

/// Counts what a lane asks of malloc: a pass of its own, since counting costs time.
///
/// Everything it reports is the same in every process, but for live and peak, which vary a little with the state of
/// the heap.
enum MemoryPass {
  /// Whether allocations can be seen here at all; where not, every figure is absent, and never zero.
  static let isSupported = allocation_counter_supported()

  /// Operations counted, if each asks for little enough.
  static let operations = 1024
  /// Bytes that the counted operations may ask for together, if that still leaves one of them.
  static let mostBytes = 256 << 20

  /// Counts a lane's set-up, and then some operations; nil where that is not supported.
  ///
  /// A state that is kept first does as many operations as are counted: what it allocates from then on, it allocates
  /// for good.
  static func measure(_ lane: any Lane, of benchmark: Benchmark, size: Int) -> Results.Memory? {
    guard isSupported else { return nil }
    defer { lane.clear() }

    // Whatever is allocated once in a process is allocated now.
    lane.renew()
    let first = counting { sink(lane.run(1)) }
    lane.clear()
    let count = operationCount(of: benchmark, size: size, bytesForOne: Int(first.requested_bytes))

    let settingUp = counting { lane.renew() }
    let warmingUp = counting { if benchmark.state == .kept { sink(lane.run(count)) } }
    let running = counting { sink(lane.run(count)) }

    let windows = [settingUp, warmingUp, running]
    var peak = 0
    var live = 0
    for window in windows {
      peak = max(peak, live + Int(window.peak_bytes))
      live += Int(window.live_bytes)
    }
    let isExact = windows.allSatisfy(\.live_is_exact)
    return Results.Memory(
      operations: count,
      allocations: Int(running.allocations + running.reallocations),
      requestedBytes: Int(running.requested_bytes),
      grownBytes: isExact ? Int(running.live_bytes) : nil,
      liveBytes: isExact ? Int(settingUp.live_bytes) : nil,
      peakBytes: isExact ? peak : nil)
  }

  /// The counters after the body, from zero before it.
  static func counting(_ body: () -> Void) -> allocation_counter_snapshot {
    allocation_counter_start()
    body()
    return allocation_counter_stop()
  }

  /// Depends on nothing that varies, least of all on time: amortised figures are comparable only over equally many
  /// operations.
  private static func operationCount(of benchmark: Benchmark, size: Int, bytesForOne: Int) -> Int {
    var count = benchmark.unit == .element ? max(1, operations / size) : operations
    if case .fresh(let limit) = benchmark.state { count = min(count, limit) }
    return min(count, max(1, mostBytes / max(1, bytesForOne)))
  }
}
