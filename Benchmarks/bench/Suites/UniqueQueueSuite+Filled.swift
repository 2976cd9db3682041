import Foundation
import UniqueQueues

extension Suite {
  /// Queues that were filled one by one, with counts spread between n and 2n, so that each design is measured just
  /// before and just after it grows.
  @inline(__always)
  mutating func addFilled<Element: Digestible>(
    _ name: String, _ makeKeys: @escaping (Int, UInt64) -> Keys<Element>
  ) {
    benchmark(
      "filled.\(name)", "append a new element and popFirst, in turn on eight queues of n to 2n",
      sizes: .exactly(1024, 65_536)
    ) { n in
      makeKeys(2 * n, 0)
    } contenders: { race in
      race.subject("UniqueQueue", setUp: filledQueues(GrownQueue<Element>.self), run: steadyInTurn)
      race.peer("Set and Array", setUp: filledQueues(SetAndArrayQueue<Element>.self), run: steadyInTurn)
      #if Peers
        race.peer("Deque and Set", setUp: filledQueues(DequeAndSet<Element>.self), run: steadyInTurn)
      #endif
    }
  }
}

/// Makes eight queues, each with 9 % more elements than the one before.
///
/// The first has half of the resident keys.
private func filledQueues<Queue: PeerQueue>(_ type: Queue.Type) -> (Keys<Queue.Element>) -> [Queue] {
  { keys in
    (0..<8).map { step in
      var queue = Queue([])
      let count = Int(Double(keys.n) * exp2(Double(step) / 8 - 1))
      for element in keys.resident.prefix(count) { _ = queue.append(element) }
      return queue
    }
  }
}

@inline(__always)
private func steadyInTurn<Queue: PeerQueue>(
  _ queues: inout [Queue], _ keys: Keys<Queue.Element>, _ operations: Range<Int>
) -> Int where Queue.Element: Digestible {
  var seen = 0
  for i in operations {
    // A key is repeated only after more keys than any of the eight queues holds.
    if queues[i & 7].append(keys[i &>> 3]), let element = queues[i & 7].popFirst() { seen &+= element.digest }
  }
  return seen
}

/// The subject with the capacity to which it grows by itself.
private struct GrownQueue<Element: Hashable>: PeerQueue {
  private var queue: UniqueQueue<Element>

  init(_ elements: some Sequence<Element>) { queue = UniqueQueue(elements) }

  mutating func append(_ element: Element) -> Bool { queue.append(element).inserted }

  mutating func popFirst() -> Element? { queue.popFirst() }
}
