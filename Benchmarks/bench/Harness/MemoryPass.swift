import AllocationCounter

/// Counts a lane's calls of malloc.
///
/// This is a separate pass because counting takes time.
///
/// The counts are the same in every process, except for live and peak bytes, which vary slightly with the state of the
/// heap.
enum MemoryPass {
  /// Whether allocations can be counted in this process.
  ///
  /// If not, every figure is absent instead of zero.
  static let isSupported = allocation_counter_supported()

  /// The number of operations to count, unless they allocate too much.
  static let operations = 1024
  /// The maximum number of bytes that the counted operations may allocate together.
  ///
  /// At least one operation is counted.
  static let mostBytes = 256 << 20

  /// Counts a lane's set-up, and then some operations.
  ///
  /// Returns nil if counting is not supported.
  ///
  /// A kept state first runs the same number of operations without counting, so that only the allocations of a steady
  /// state are counted.
  static func measure(_ lane: any Lane, of benchmark: Benchmark, size: Int) -> Results.Memory? {
    guard isSupported else { return nil }
    defer { lane.clear() }

    // Run the lane once, so that one-time allocations of the process are not counted.
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

  /// The counts during `body`.
  static func counting(_ body: () -> Void) -> allocation_counter_snapshot {
    allocation_counter_start()
    body()
    return allocation_counter_stop()
  }

  /// The number of operations to count.
  ///
  /// It must not depend on anything that varies, such as time, because amortized figures are comparable only for equal
  /// numbers of operations.
  private static func operationCount(of benchmark: Benchmark, size: Int, bytesForOne: Int) -> Int {
    var count = benchmark.unit == .element ? max(1, operations / size) : operations
    if case .fresh(let limit) = benchmark.state { count = min(count, limit) }
    return min(count, max(1, mostBytes / max(1, bytesForOne)))
  }
}
