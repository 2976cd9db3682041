import PendingChanges

extension Suite {
  /// Compares `PendingChangeQueue` with the post's array.
  static var pendingChangeQueue: Suite {
    Suite("PendingChangeQueue") { suite in
      suite.benchmark(
        "round", "insert a change, take the oldest and complete it, n waiting", sizes: .exactly(16, 1024, 65_536)
      ) { n in
        Keys.ints(n)
      } contenders: { race in
        race.subject("PendingChangeQueue") { keys in
          PendingChangeQueue(waiting: keys)
        } run: { queue, keys, operations in
          var seen = 0
          for i in operations {
            queue.insert(Saving(key: keys[i], text: i))
            if let entry = queue.begin() {
              seen &+= entry.change.key
              queue.complete(entry.id)
            }
          }
          return seen
        }
        race.peer("an array") { keys in
          PostPendingChanges(waiting: keys)
        } run: { state, keys, operations in
          var seen = 0
          for i in operations {
            state.insert(Saving(key: keys[i], text: i))
            if let change = state.next {
              seen &+= change.key
              state.remove(change)
            }
          }
          return seen
        }
      }

      suite.benchmark(
        "coalesce", "insert a change whose key waits already, n waiting", sizes: .exactly(16, 1024, 65_536)
      ) { n in
        Keys.ints(n)
      } contenders: { race in
        race.subject("PendingChangeQueue", setUp: { PendingChangeQueue(waiting: $0) }) { queue, keys, operations in
          for i in operations { queue.insert(Saving(key: keys.hit(i), text: i)) }
          return queue.count
        }
        race.peer("an array, searched by key") { keys in
          PostPendingChanges(waiting: keys)
        } run: { state, keys, operations in
          for i in operations { state.replace(Saving(key: keys.hit(i), text: i)) }
          return state.changes.count
        }
      }

      suite.benchmark(
        "answers", "complete a change of n in flight, in random order", sizes: .exactly(1024, 16_384),
        state: .fresh(upTo: 1024)
      ) { n in
        var random = SplitMix64(seed: 1)
        return (keys: Keys.ints(n), order: Array(0..<n).shuffled(using: &random))
      } contenders: { race in
        race.subject("PendingChangeQueue", setUp: { Running($0.keys) }) { running, input, operations in
          operations.reduce(0) { seen, i in
            if running.queue.isEmpty { running = Running(input.keys) }
            let id = running.ids[input.order[i % input.order.count]]
            guard let entry = running.queue.complete(id) else { return seen }
            return seen &+ entry.change.key
          }
        }
        race.peer("an array, searched by key", setUp: { PostPendingChanges(waiting: $0.keys) }) {
          state, input, operations in
          operations.reduce(0) { seen, i in
            if state.changes.isEmpty { state = PostPendingChanges(waiting: input.keys) }
            let key = input.keys.resident[input.order[i % input.order.count]]
            guard let change = state.take(key) else { return seen }
            return seen &+ change.key
          }
        }
      }
    }
  }
}

private struct Saving: PendingChange, Hashable {
  var key: Int
  var text: Int
}

/// The post's design: an array that is searched for the change to remove.
private struct PostPendingChanges {
  var changes: [Saving]

  init(waiting keys: Keys<Int>) {
    changes = keys.resident.map { Saving(key: $0, text: 0) }
  }

  var next: Saving? { changes.first }

  mutating func insert(_ change: Saving) { changes.append(change) }

  mutating func remove(_ change: Saving) {
    if let index = changes.firstIndex(of: change) { changes.remove(at: index) }
  }

  mutating func take(_ key: Int) -> Saving? {
    changes.firstIndex { $0.key == key }.map { changes.remove(at: $0) }
  }

  mutating func replace(_ change: Saving) {
    if let index = changes.firstIndex(where: { $0.key == change.key }) {
      changes[index] = change
    } else {
      changes.append(change)
    }
  }
}

extension PendingChangeQueue<Saving> {
  fileprivate init(waiting keys: Keys<Int>) {
    self.init()
    for key in keys.resident { insert(Saving(key: key, text: 0)) }
  }
}

/// A queue whose changes are all in flight, and their entries.
private struct Running {
  var queue: PendingChangeQueue<Saving>
  var ids: [PendingChangeID] = []

  init(_ keys: Keys<Int>) {
    queue = PendingChangeQueue(waiting: keys)
    while let entry = queue.begin() { ids.append(entry.id) }
  }
}
