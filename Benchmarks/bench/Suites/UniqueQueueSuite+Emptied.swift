import UniqueQueues

extension Suite {
  /// Copies of what once held many: state is copied with every change of it, and must not pay for its past.
  mutating func addCopyingEmptied() {
    benchmark(
      "copy.emptied", "append an Int to a copy of a queue that once held n and is empty, drop the copy",
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
          copy.append(keys[i])
          return seen &+ copy.count
        }
      }
      race.peer("emptied Set") { keys in
        var members = Set(keys.resident)
        for element in keys.resident { members.remove(element) }
        return members
      } run: { members, keys, operations in
        insertIntoCopies(members, keys, operations)
      }
      // What has no past.
      race.peer("empty Set") { _ in
        Set<Int>()
      } run: { members, keys, operations in
        insertIntoCopies(members, keys, operations)
      }
    }
  }
}

@inline(__always)
private func insertIntoCopies(_ members: Set<Int>, _ keys: Keys<Int>, _ operations: Range<Int>) -> Int {
  operations.reduce(0) { seen, i in
    var copy = members
    copy.insert(keys[i])
    return seen &+ copy.count
  }
}
