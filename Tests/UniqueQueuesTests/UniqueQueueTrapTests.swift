import Testing
import UniqueQueues

/// A use of a queue that must trap, or the change before it.
private typealias Use = @Sendable (inout UniqueQueue<Int>) -> Void

private let usesOfAnEmptyQueue: [Use] = [
  { $0.removeFirst() }, { $0.removeLast() }, { $0.reserveCapacity(-1) },
  { $0 = UniqueQueue(minimumCapacity: -1) }, { _ = $0[$0.startIndex] },
]

private let usesBeyondTheEnds: [Use] = [
  {
    $0.removeFirst()
    $0.removeLast()
  },
  { $0.reserveCapacity(-1) }, { _ = $0[$0.endIndex] }, { _ = $0.index(after: $0.endIndex) },
  { _ = $0.index(before: $0.startIndex) }, { _ = $0.index($0.startIndex, offsetBy: 2) },
]

private let usesOfAnOrdinal: [@Sendable (inout UniqueQueue<Int>, _Ordinal) -> Void] = [
  { $0.withElement(ordinal: $1) { _ in } }, { $0.updateElement(ordinal: $1) { $0 = 50 } }, { $0.remove(ordinal: $1) },
]

/// An element whose index is used after a change that invalidates the index.
private struct Stale: Sendable {
  var count = 100
  let element: Int
  var isRemoved = false
  let change: Use
}

private let stale: [Stale] = [
  Stale(count: 2, element: 0) { $0.removeFirst() },
  Stale(element: 50) { $0.remove(50) },
  // The ordinal is used again.
  Stale(element: 99) {
    $0.remove(99)
    $0.append(100)
  },
  Stale(element: 98, isRemoved: true) {
    $0.remove(98)
    $0.removeAll { $0 == 99 }
    $0.append(contentsOf: 100..<200)
  },
  Stale(count: 5, element: 4) {
    $0.remove(4)
    $0.append(5)
  },
  Stale(count: 5, element: 0, change: prependsAgain), Stale(element: 0, change: prependsAgain),
  Stale(count: 5, element: 4, change: appendsAgain), Stale(element: 99, change: appendsAgain),
  // Afterwards the slot holds another element.
  Stale(element: 21) { $0.removeAll { $0 % 2 == 0 } },
  Stale(count: 5, element: 3, isRemoved: true) { $0.remove(2) },
  Stale(element: 0) {
    while $0.popFirst() != nil {}
    $0.reserveCapacity(0)
    $0.append(contentsOf: 0..<100)
  },
]

private let prependsAgain: Use = {
  $0.removeFirst()
  $0.prepend(-1)
}

private let appendsAgain: Use = {
  $0.removeLast()
  $0.append(1000)
}

@Suite struct UniqueQueueTrapTests {
  @Test(arguments: usesOfAnEmptyQueue.indices) func invalidUseOfAnEmptyQueueTraps(number: Int) async {
    await #expect(processExitsWith: .failure) { [number] in
      var queue = UniqueQueue<Int>()
      usesOfAnEmptyQueue[number](&queue)
    }
  }

  @Test(arguments: usesBeyondTheEnds.indices) func useBeyondTheEndsTraps(number: Int) async {
    await #expect(processExitsWith: .failure) { [number] in
      var queue: UniqueQueue = [0]
      usesBeyondTheEnds[number](&queue)
    }
  }

  @Test(arguments: usesOfAnOrdinal.indices) func ordinalOfARemovedElementTraps(number: Int) async {
    await #expect(processExitsWith: .failure) { [number] in
      var queue = UniqueQueue(0..<100)
      let ordinal = queue.ordinal(of: 50)!
      queue.remove(50)
      usesOfAnOrdinal[number](&queue, ordinal)
    }
  }

  @Test(arguments: stale.indices) func staleIndexTraps(number: Int) async {
    await #expect(processExitsWith: .failure) { [number] in
      var queue = UniqueQueue(0..<stale[number].count)
      let index = queue.firstIndex(of: stale[number].element)!
      stale[number].change(&queue)
      if stale[number].isRemoved { queue.remove(at: index) } else { _ = queue[index] }
    }
  }

  @Test func staleIndexIsReportedInEveryBuild() async {
    let outdated = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var queue = UniqueQueue(0..<100)
      let index = queue.startIndex
      queue.removeAll()
      _ = queue[index]
    }
    let removed = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var queue = UniqueQueue(0..<100)
      let index = queue.firstIndex(of: 50)!
      queue.remove(50)
      _ = queue[index]
    }
    for result in [outdated, removed] {
      let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(said.contains("A stale index"))
    }
  }

  @Test(arguments: [5, 100], [(false, false), (false, true), (true, false), (true, true)])
  func indexFromBeforeRemoveAllTraps(count: Int, options: (isShared: Bool, keepsCapacity: Bool)) async {
    await #expect(processExitsWith: .failure) {
      [count, isShared = options.isShared as Bool, keepsCapacity = options.keepsCapacity as Bool] in
      var queue = UniqueQueue(0..<count)
      let copy = isShared ? queue : []
      let index = queue.startIndex
      queue.removeAll(keepingCapacity: keepsCapacity)
      queue.append(contentsOf: 0..<count)
      print(queue[index], copy.count)
    }
  }

  @Test func endIndexFromBeforeARemovalTraps() async {
    await #expect(processExitsWith: .failure) {
      var queue = UniqueQueue(0..<100)
      let end = queue.endIndex
      queue.remove(99)
      queue.append(100)
      _ = queue.index(before: end)
    }
  }
}
