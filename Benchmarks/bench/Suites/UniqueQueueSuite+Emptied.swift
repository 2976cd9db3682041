import UniqueQueues

extension Suite {
  /// Copies of queues that once held many elements.
  ///
  /// State that is copied with every change must not pay for its past.
  ///
  /// The index of a million elements doesn't fit in a core's own cache, so reading a group of tags takes as long as the
  /// shared cache and its other users determine. Therefore an empty queue reads no tags. With only a thousand different
  /// elements, the groups would stay in the core's own cache, which shows the other costs of a copy.
  mutating func addCopyingEmptied() {
    addCopyingEmptied("copy.emptied", "an Int", among: .max)
    addCopyingEmptied("copy.emptied.warm", "one of 1,024 Ints", among: 1024)
  }

  /// - Parameter arrivals: How many elements arrive before the first one is repeated: a power of two, or `.max` for
  ///   all.
  private mutating func addCopyingEmptied(_ name: String, _ element: String, among arrivals: Int) {
    let mask = arrivals == .max ? .max : arrivals - 1
    benchmark(
      name, "append \(element) to a copy of a queue that once held n and is empty, drop the copy",
      sizes: .exactly(1024, 1_000_000)
    ) { n in
      Keys.ints(n)
    } contenders: { race in
      race.subject("UniqueQueue") { keys in
        var queue = UniqueQueue(keys.resident)
        while queue.popFirst() != nil {}
        return queue
      } run: { queue, keys, operations in
        operations.reduce(0) { seen, i in
          var copy = queue
          copy.append(keys[i & mask])
          return seen &+ copy.count
        }
      }
      race.peer("emptied Set") { keys in
        var members = Set(keys.resident)
        for element in keys.resident { members.remove(element) }
        return members
      } run: { members, keys, operations in
        insertIntoCopies(members, keys, operations, mask)
      }
      // A set that was always empty.
      race.peer("empty Set") { _ in
        Set<Int>()
      } run: { members, keys, operations in
        insertIntoCopies(members, keys, operations, mask)
      }
    }
  }
}

@inline(__always)
private func insertIntoCopies(_ members: Set<Int>, _ keys: Keys<Int>, _ operations: Range<Int>, _ mask: Int) -> Int {
  operations.reduce(0) { seen, i in
    var copy = members
    copy.insert(keys[i & mask])
    return seen &+ copy.count
  }
}
