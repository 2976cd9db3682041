extension Suite {
  /// A suite that tests the harness: equal work whose ratio must be 1, and designs that only use the standard library.
  static var harness: Suite {
    Suite("Harness") { suite in
      suite.benchmark("same.words", "A against A: draw a random word; nothing but arithmetic", input: { $0 }) { race in
        race.subject("A", setUp: { _ in SplitMix64(seed: 1) }, run: draw)
        race.peer("A again", setUp: { _ in SplitMix64(seed: 1) }, run: draw)
      }

      suite.benchmark("queue", "append and popFirst at depth n", sizes: .quadrupling(16, 65_536, quick: 1024)) { n in
        Keys.ints(n)
      } contenders: { race in
        race.subject("Set and Array", setUp: { SetAndArrayQueue($0.resident) }, run: appendAndPopFirst)
        race.peer("Array firstIndex", setUp: { ArrayQueue($0.resident) }, run: appendAndPopFirst)
        #if Peers
          race.peer("Deque and Set", setUp: { DequeAndSet($0.resident) }, run: appendAndPopFirst)
        #endif
      }
    }
  }
}

private func appendAndPopFirst(_ queue: inout some PeerQueue<Int>, _ keys: Keys<Int>, _ operations: Range<Int>) -> Int {
  var seen = 0
  for i in operations {
    if queue.append(keys[i]) { seen &+= queue.popFirst() ?? 0 }
  }
  return seen
}

private func draw(_ random: inout SplitMix64, _: Int, _ operations: Range<Int>) -> Int {
  var seen = 0
  for _ in operations { seen ^= Int(truncatingIfNeeded: random.next()) }
  return seen
}
