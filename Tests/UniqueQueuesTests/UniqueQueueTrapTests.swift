import Testing
import UniqueQueues

@Suite struct UniqueQueueTrapTests {
  @Test func removingTheFirstOfNothing() async {
    await #expect(processExitsWith: .failure) {
      var queue = UniqueQueue<Int>()
      queue.removeFirst()
    }
  }

  @Test func removingTheLastOfNothing() async {
    await #expect(processExitsWith: .failure) {
      var queue = UniqueQueue<Int>()
      queue.removeLast()
    }
    await #expect(processExitsWith: .failure) {
      var queue: UniqueQueue = [1]
      queue.removeFirst()
      queue.removeLast()
    }
  }

  @Test func anOrdinalWhoseElementWasTakenOut() async {
    await #expect(processExitsWith: .failure) {
      var queue = UniqueQueue(0..<100)
      let ordinal = queue.ordinal(of: 50)!
      queue.remove(50)
      queue.withElement(ordinal: ordinal) { _ in }
    }
    await #expect(processExitsWith: .failure) {
      var queue = UniqueQueue(0..<100)
      let ordinal = queue.ordinal(of: 50)!
      queue.remove(50)
      queue.updateElement(ordinal: ordinal) { $0 = 50 }
    }
    await #expect(processExitsWith: .failure) {
      var queue = UniqueQueue(0..<100)
      let ordinal = queue.ordinal(of: 50)!
      queue.remove(50)
      queue.remove(ordinal: ordinal)
    }
  }

  @Test func anIndexWhoseNumberWasPrependedAgain() async {
    for count in [5, 100] {
      await #expect(processExitsWith: .failure) { [count = count as Int] in
        var queue = UniqueQueue(0..<count)
        let index = queue.startIndex
        queue.removeFirst()
        queue.prepend(-1)
        _ = queue[index]
      }
      await #expect(processExitsWith: .failure) { [count = count as Int] in
        var queue = UniqueQueue(0..<count)
        let index = queue.firstIndex(of: count - 1)!
        queue.removeLast()
        queue.append(count)
        _ = queue[index]
      }
    }
  }

  @Test func negativeCapacities() async {
    await #expect(processExitsWith: .failure) { _ = UniqueQueue<Int>(minimumCapacity: -1) }
    await #expect(processExitsWith: .failure) {
      var queue: UniqueQueue = [1]
      queue.reserveCapacity(-1)
    }
  }

  @Test func readingAtTheEnd() async {
    await #expect(processExitsWith: .failure) {
      let queue: UniqueQueue = [1]
      _ = queue[queue.endIndex]
    }
    await #expect(processExitsWith: .failure) {
      let queue = UniqueQueue<Int>()
      _ = queue[queue.startIndex]
    }
  }

  @Test func goingPastTheEnds() async {
    await #expect(processExitsWith: .failure) {
      let queue: UniqueQueue = [1]
      _ = queue.index(after: queue.endIndex)
    }
    await #expect(processExitsWith: .failure) {
      let queue: UniqueQueue = [1]
      _ = queue.index(before: queue.startIndex)
    }
    await #expect(processExitsWith: .failure) {
      let queue: UniqueQueue = [1]
      _ = queue.index(queue.startIndex, offsetBy: 2)
    }
  }

  @Test func anIndexOfAnElementThatIsGone() async {
    await #expect(processExitsWith: .failure) {
      var queue: UniqueQueue = [1, 2]
      let index = queue.startIndex
      queue.removeFirst()
      _ = queue[index]
    }
    await #expect(processExitsWith: .failure) {
      var queue = UniqueQueue(0..<100)
      let index = queue.firstIndex(of: 50)!
      queue.remove(50)
      _ = queue[index]
    }
  }

  @Test func anIndexWhoseNumberWasGivenAgain() async {
    await #expect(processExitsWith: .failure) {
      var queue = UniqueQueue(0..<100)
      let index = queue.firstIndex(of: 99)!
      queue.remove(99)
      queue.append(100)
      _ = queue[index]
    }
    await #expect(processExitsWith: .failure) {
      var queue = UniqueQueue(0..<100)
      let index = queue.firstIndex(of: 98)!
      queue.remove(98)
      queue.removeAll { $0 == 99 }
      queue.append(contentsOf: 100..<200)
      queue.remove(at: index)
    }
    await #expect(processExitsWith: .failure) {
      var queue = UniqueQueue(0..<5)
      let index = queue.firstIndex(of: 4)!
      queue.remove(4)
      queue.append(5)
      _ = queue[index]
    }
  }

  @Test func aStaleIndexIsToldInEveryBuild() async {
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

  @Test func anIndexFromBeforeAllWereTakenOut() async {
    for count in [5, 100] {
      for isShared in [false, true] {
        for keepsCapacity in [false, true] {
          await #expect(processExitsWith: .failure) {
            [count = count as Int, isShared = isShared as Bool, keepsCapacity = keepsCapacity as Bool] in
            var queue = UniqueQueue(0..<count)
            let copy = isShared ? queue : []
            let index = queue.startIndex
            queue.removeAll(keepingCapacity: keepsCapacity)
            queue.append(contentsOf: 0..<count)
            print(queue[index], copy.count)
          }
        }
      }
    }
    await #expect(processExitsWith: .failure) {
      var queue = UniqueQueue(0..<100)
      let index = queue.startIndex
      while queue.popFirst() != nil {}
      queue.reserveCapacity(0)
      queue.append(contentsOf: 0..<100)
      _ = queue[index]
    }
  }

  @Test func anEndFromBeforeTheNewestWasTakenOut() async {
    await #expect(processExitsWith: .failure) {
      var queue = UniqueQueue(0..<100)
      let end = queue.endIndex
      queue.remove(99)
      queue.append(100)
      _ = queue.index(before: end)
    }
  }

  @Test func anIndexFromBeforeTheRingClosedUp() async {
    await #expect(processExitsWith: .failure) {
      var queue = UniqueQueue(0..<100)
      // There is an element in this place afterwards, too, but another one.
      let index = queue.firstIndex(of: 21)!
      queue.removeAll { $0 % 2 == 0 }
      _ = queue[index]
    }
    await #expect(processExitsWith: .failure) {
      var queue = UniqueQueue(0..<5)
      let index = queue.firstIndex(of: 3)!
      queue.remove(2)
      queue.remove(at: index)
    }
  }
}
