import Foundation
import UniqueQueues

#if Peers
  import DequeModule
  import OrderedCollections
#endif

extension Suite {
  /// Compares `UniqueQueue` with handmade queues of unique elements.
  static var uniqueQueue: Suite {
    Suite("UniqueQueue") { suite in
      suite.addSteady("Int", Keys.ints)
      suite.addSteady("UUID", Keys.uuids)
      suite.addSteady("String", Keys.strings)
      suite.addSteady("Record", Record.keys)
      suite.addFilled("Int", Keys.ints)
      suite.addFilled("UUID", Keys.uuids)
      suite.addFilled("String", Keys.strings)
      suite.addFilled("Record", Record.keys)
      suite.addTiny()
      suite.addOrdered()
      suite.addLookup("hit", "contains, of an element that is there") { keys, i in keys.hit(i) }
      suite.addLookup("miss", "contains, of an element that is not there") { keys, i in keys[i] }
      suite.addMiddle()
      suite.addDuplicates("50", oneNewOf: 2)
      suite.addDuplicates("90", oneNewOf: 10)
      suite.addFilling()
      suite.addCopying()
      suite.addCopyingEmptied()
      suite.addIterating("", "read all n elements in order") { _ in true }
      suite.addIterating(".holes", "read what is left of n elements in order, a fifth taken out") { $0 % 5 != 3 }
    }
  }
}

// MARK: - Elements

/// An element as in a real queue, with an identity and a name.
struct Record: Hashable {
  let id: UUID
  let name: String

  static func keys(_ n: Int, seed: UInt64) -> Keys<Record> {
    Keys(n, seed: seed) { random, _ in
      Record(id: random.nextUUID(), name: "Documents/draft-" + random.nextDigits() + ".json")
    }
  }
}

/// An element with a digest that costs next to nothing, to show that a contender removed the right one.
protocol Digestible: Hashable {
  var digest: Int { get }
}

extension Int: Digestible {
  var digest: Int { self }
}

extension UUID: Digestible {
  var digest: Int { Int(uuid.15) }
}

extension String: Digestible {
  var digest: Int { utf8.count }
}

extension Record: Digestible {
  var digest: Int { id.digest &+ name.digest }
}

// MARK: - Benchmarks

extension Suite {
  @inline(__always)
  fileprivate mutating func addSteady<Element: Digestible>(
    _ name: String, _ makeKeys: @escaping (Int, UInt64) -> Keys<Element>
  ) {
    benchmark(
      "steady.\(name)", "append a new element and popFirst at depth n", sizes: .exactly(1024, 65_536, 524_288)
    ) { n in
      makeKeys(n, 0)
    } contenders: { race in
      race.addUniqueQueue()
      race.peer("Set and Array", setUp: { SetAndArrayQueue($0.resident) }, run: steady)
      #if Peers
        race.peer("Deque and Set", setUp: { DequeAndSet($0.resident) }, run: steady)
        race.peer(
          "UniqueDeque and Set", setUp: { NoncopyableDequeAndSet<UniqueDeque>($0.resident) }, run: steady)
        race.peer("RigidDeque and Set", setUp: { NoncopyableDequeAndSet<RigidDeque>($0.resident) }, run: steady)
      #endif
      // This contender does less, because it keeps no order.
      race.floor("Set insert and remove alone") { keys in
        Set(keys.resident)
      } run: { members, keys, operations in
        var seen = 0
        for i in operations {
          members.insert(keys[i])
          if let removed = members.remove(keys[i &- keys.n]) { seen &+= removed.digest }
        }
        return seen
      }
    }
  }

  fileprivate mutating func addTiny() {
    benchmark("tiny", "append a new Int and popFirst at depth n", sizes: .exactly(4, 8, 16, quick: 8)) { n in
      Keys.ints(n)
    } contenders: { race in
      race.addUniqueQueue()
      race.peer("Array firstIndex", setUp: { ArrayQueue($0.resident) }, run: steady)
    }
  }

  fileprivate mutating func addOrdered() {
    benchmark("ordered", "append a new Int and take out the oldest at depth n", sizes: .exactly(64, 1024)) { n in
      Keys.ints(n)
    } contenders: { race in
      race.addUniqueQueue()
      race.peer("Array firstIndex", setUp: { ArrayQueue($0.resident) }, run: steady)
      #if Peers
        race.peer("OrderedSet") { keys in
          OrderedSet(keys.resident)
        } run: { members, keys, operations in
          var seen = 0
          for i in operations {
            members.append(keys[i])
            seen &+= members.removeFirst()
          }
          return seen
        }
      #endif
    }
  }

  fileprivate mutating func addLookup(
    _ name: String, _ operation: String, _ key: @escaping (Keys<Int>, Int) -> Int
  ) {
    benchmark(name, operation, sizes: .exactly(1024, 65_536, 524_288)) { n in
      let keys = Keys.ints(n)
      return (keys: keys, wanted: (0..<max(n, KeyPool.fewest)).map { key(keys, $0) })
    } contenders: { race in
      race.subject("UniqueQueue") { input in
        UniqueQueue(input.keys.resident)
      } run: { queue, input, operations in
        found(input.wanted, operations) { queue.contains($0) }
      }
      race.peer("Set") { input in
        Set(input.keys.resident)
      } run: { members, input, operations in
        found(input.wanted, operations) { members.contains($0) }
      }
      #if Peers
        race.peer("OrderedSet") { input in
          OrderedSet(input.keys.resident)
        } run: { members, input, operations in
          found(input.wanted, operations) { members.contains($0) }
        }
      #endif
    }
  }

  fileprivate mutating func addMiddle() {
    benchmark(
      // All thousand removals are one operation, because the first removals from a queue cost more or less than the
      // last, and the number of removals that are timed together must not depend on the length of a batch.
      "middle", "remove 1,000 of n elements in random order", sizes: .exactly(1000, 50_000), state: .fresh(upTo: 1)
    ) { n in
      var random = SplitMix64(seed: 1)
      let keys = Keys.ints(n)
      return (keys: keys, order: Array(keys.resident.shuffled(using: &random).prefix(1000)))
    } contenders: { race in
      race.subject("UniqueQueue") { input in
        UniqueQueue(input.keys.resident)
      } run: { queue, input, operations in
        operations.reduce(0) { seen, _ in
          input.order.reduce(seen) { seen, wanted in seen &+ (queue.remove(wanted) ?? 0) }
        }
      }
      race.peer("Array firstIndex") { input in
        Array(input.keys.resident)
      } run: { elements, input, operations in
        operations.reduce(0) { seen, _ in
          input.order.reduce(seen) { seen, wanted in
            elements.firstIndex(of: wanted).map { seen &+ elements.remove(at: $0) } ?? seen
          }
        }
      }
      #if Peers
        race.peer("Deque and Set") { input in
          (elements: Deque(input.keys.resident), members: Set(input.keys.resident))
        } run: { queue, input, operations in
          operations.reduce(0) { seen, _ in
            input.order.reduce(seen) { seen, wanted in
              guard queue.members.remove(wanted) != nil, let index = queue.elements.firstIndex(of: wanted) else {
                return seen
              }
              return seen &+ queue.elements.remove(at: index)
            }
          }
        }
      #endif
    }
  }

  fileprivate mutating func addDuplicates(_ percent: String, oneNewOf turns: Int) {
    benchmark(
      "duplicates.\(percent)", "append an Int, \(percent) % of which wait already, and popFirst for each new one",
      sizes: .exactly(1024, 65_536)
    ) { n in
      Arrivals(n, oneNewOf: turns)
    } contenders: { race in
      race.subject("UniqueQueue", setUp: ArrivalQueue<UniqueQueuePeer>.init, run: arrive)
      race.peer("Set and Array", setUp: ArrivalQueue<SetAndArrayQueue>.init, run: arrive)
      #if Peers
        race.peer("Deque and Set", setUp: ArrivalQueue<DequeAndSet>.init, run: arrive)
        race.peer("UniqueDeque and Set", setUp: ArrivalQueue<NoncopyableDequeAndSet<UniqueDeque>>.init, run: arrive)
        race.peer("RigidDeque and Set", setUp: ArrivalQueue<NoncopyableDequeAndSet<RigidDeque>>.init, run: arrive)
      #endif
    }
  }

  fileprivate mutating func addFilling() {
    benchmark(
      "fill", "append n elements to an empty queue, then take all out", sizes: .exactly(16, 1024, 65_536),
      unit: .element
    ) { n in
      Array(Keys.ints(n).resident)
    } contenders: { race in
      race.subject("UniqueQueue") { _ in
      } run: { _, elements, operations in
        operations.reduce(0) { seen, _ in
          var queue = UniqueQueue<Int>()
          queue.append(contentsOf: elements)
          var sum = seen
          while let element = queue.popFirst() { sum &+= element }
          return sum
        }
      }
      race.peer("Set and Array", setUp: { _ in }, run: fill(SetAndArrayQueue<Int>.self))
      #if Peers
        race.peer("Deque and Set", setUp: { _ in }, run: fill(DequeAndSet<Int>.self))
        // A RigidDeque would have to know the number of elements before the first one.
        race.peer(
          "UniqueDeque and Set", setUp: { _ in }, run: fill(NoncopyableDequeAndSet<UniqueDeque<Int>>.self))
      #endif
    }
  }

  fileprivate mutating func addCopying() {
    benchmark(
      "copy", "append a new Int to a copy of n, take one out, drop the copy", sizes: .exactly(1024, 65_536),
      unit: .element
    ) { n in
      Keys.ints(n)
    } contenders: { race in
      race.subject("UniqueQueue", setUp: { UniqueQueuePeer($0.resident) }, run: appendToCopies)
      race.peer("Set and Array", setUp: { SetAndArrayQueue($0.resident) }, run: appendToCopies)
      #if Peers
        race.peer("Deque and Set", setUp: { DequeAndSet($0.resident) }, run: appendToCopies)
      #endif
    }
  }

  fileprivate mutating func addIterating(
    _ variant: String, _ operation: String, staying: @escaping (_ offset: Int) -> Bool
  ) {
    benchmark("iterate\(variant)", operation, sizes: .exactly(1024, 65_536), unit: .element) { n in
      let keys = Keys.ints(n)
      let gone = keys.resident.enumerated().filter { !staying($0.offset) }.map(\.element)
      return (keys: keys, gone: gone)
    } contenders: { race in
      race.subject("UniqueQueue") { input in
        var queue = UniqueQueue(input.keys.resident)
        for element in input.gone { queue.remove(element) }
        return queue
      } run: { queue, _, operations in
        operations.reduce(0) { seen, _ in queue.reduce(seen, inOrder) }
      }
      race.floor("Array") { input in
        let gone = Set(input.gone)
        return input.keys.resident.filter { !gone.contains($0) }
      } run: { array, _, operations in
        operations.reduce(0) { seen, _ in array.reduce(seen, inOrder) }
      }
    }
  }
}

// MARK: - Shared by the benchmarks

extension Race {
  @inline(__always)
  fileprivate mutating func addUniqueQueue<Element: Digestible>() where Input == Keys<Element> {
    subject("UniqueQueue") { keys in
      // Each turn briefly holds one element more. Reserving space for it keeps the queue from growing during the
      // measurement.
      var queue = UniqueQueue<Element>(minimumCapacity: keys.n + 1)
      queue.append(contentsOf: keys.resident)
      return queue
    } run: { queue, keys, operations in
      var seen = 0
      for i in operations {
        queue.append(keys[i])
        if let element = queue.popFirst() { seen &+= element.digest }
      }
      return seen
    }
  }
}

@inline(__always)
private func steady<Queue: PeerQueue & ~Copyable>(
  _ queue: inout Queue, _ keys: Keys<Queue.Element>, _ operations: Range<Int>
) -> Int where Queue.Element: Digestible {
  var seen = 0
  for i in operations {
    if queue.append(keys[i]), let element = queue.popFirst() { seen &+= element.digest }
  }
  return seen
}

@inline(__always)
private func fill<Queue: PeerQueue<Int> & ~Copyable>(
  _ type: Queue.Type
) -> (inout Void, [Int], Range<Int>) -> Int {
  { _, elements, operations in
    operations.reduce(0) { seen, _ in
      var queue = Queue([])
      for element in elements { _ = queue.append(element) }
      var sum = seen
      while let element = queue.popFirst() { sum &+= element }
      return sum
    }
  }
}

/// Adds an element to a digest.
///
/// The result depends on the order, and cannot be computed by vector instructions.
@inline(__always)
private func inOrder(_ seen: Int, _ element: Int) -> Int {
  (seen &<< 1) ^ element
}

@inline(__always)
private func found(_ wanted: [Int], _ operations: Range<Int>, _ contains: (Int) -> Bool) -> Int {
  var count = 0
  for i in operations where contains(wanted[i & (wanted.count &- 1)]) { count &+= 1 }
  return count
}

/// Appends arriving elements, and removes one for each that was new.
@inline(__always)
private func arrive<Queue: PeerQueue<Int> & ~Copyable>(
  _ state: inout ArrivalQueue<Queue>, _ arrivals: Arrivals, _ operations: Range<Int>
) -> Int {
  var seen = 0
  for i in operations {
    if state.queue.append(arrivals.key(i, newCount: state.newCount)), let element = state.queue.popFirst() {
      state.newCount &+= 1
      seen &+= element
    }
  }
  return seen
}

@inline(__always)
private func appendToCopies<Queue: PeerQueue<Int>>(
  _ queue: inout Queue, _ keys: Keys<Int>, _ operations: Range<Int>
) -> Int {
  var seen = 0
  for i in operations {
    var copy = queue
    if copy.append(keys[i]), let element = copy.popFirst() { seen &+= element }
  }
  return seen
}

/// The subject, for benchmarks that run the same code for the subject and its peers.
private struct UniqueQueuePeer: PeerQueue {
  private var queue: UniqueQueue<Int>

  init(_ elements: some Sequence<Int>) {
    queue = UniqueQueue(minimumCapacity: elements.underestimatedCount + 1)
    queue.append(contentsOf: elements)
  }

  mutating func append(_ element: Int) -> Bool { queue.append(element).inserted }

  mutating func popFirst() -> Int? { queue.popFirst() }
}
