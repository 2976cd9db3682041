/// How long a read takes when the next cannot begin before it: what memory is like for states of two sizes.
///
/// The first is what a core has for itself. The second fits only into a cache that others use as well, on a rented
/// machine those in other machines too: the more they do, the nearer it comes to the time of main memory.
struct ReadTimes: Codable, Equatable {
  /// Nanoseconds a read within `ownBytes`.
  var own: Double
  /// Nanoseconds a read within `sharedBytes`.
  var shared: Double

  static let ownBytes = 256 << 10
  static let sharedBytes = 8 << 20

  static func measure(by timepiece: Timepiece = .machine) -> ReadTimes {
    ReadTimes(
      own: nanosecondsOfARead(within: ownBytes, sweeps: 64, by: timepiece),
      shared: nanosecondsOfARead(within: sharedBytes, sweeps: 8, by: timepiece))
  }

  /// The median over sweeps, each of which reads every line of memory once, in random order.
  private static func nanosecondsOfARead(within bytes: Int, sweeps: Int, by timepiece: Timepiece) -> Double {
    let cycle = LineCycle(bytes: bytes)
    sink(cycle.sweep())  // Brings what there is room for into the caches.
    let times = (0..<sweeps).map { _ in
      let start = timepiece.now()
      sink(cycle.sweep())
      return (timepiece.now() - start).nanoseconds / Double(cycle.lineCount)
    }
    return Sample(times)?.median ?? 0
  }
}

/// One cycle through lines of memory, each of which says which is next.
struct LineCycle {
  let lineCount: Int
  /// By place, the place of the next line.
  let next: [Int32]

  private static let bytesOfALine = 64
  private static let numbersOfALine = bytesOfALine / MemoryLayout<Int32>.stride

  init(bytes: Int) {
    lineCount = bytes / Self.bytesOfALine
    var random = SplitMix64(seed: 1)
    let order = (0..<lineCount).shuffled(using: &random)
    var next = [Int32](repeating: 0, count: lineCount * Self.numbersOfALine)
    for (line, following) in zip(order, order[1...] + order[..<1]) {
      next[line * Self.numbersOfALine] = Int32(following * Self.numbersOfALine)
    }
    self.next = next
  }

  /// Goes around once.
  @inline(never)
  func sweep() -> Int {
    var place = 0
    for _ in 0..<lineCount { place = Int(next[place]) }
    return place
  }
}
