import Testing
import UniqueQueues

@Suite struct UniqueQueueTrapTests {
  @Test func removingTheFirstOfNothing() async {
    await #expect(processExitsWith: .failure) {
      var queue = UniqueQueue<Int>()
      queue.removeFirst()
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
