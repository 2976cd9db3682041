import PendingChanges

extension Suite {
  /// Changes that wait for a service, against the post's array.
  static var pendingChangeQueue: Suite {
    Suite("PendingChangeQueue") { suite in
      suite.benchmark(
        "round", "insert a change, take the oldest and complete it, n waiting", sizes: .exactly(16, 1024, 65_536)
      ) { n in
        Keys.ints(n)
      } contenders: { race in
        race.subject("PendingChangeQueue") { keys in
          queue(of: keys)
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
        race.peer("post") { keys in
          PostPendingChanges(changes: keys.resident.map { Saving(key: $0, text: 0) })
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
        race.subject("PendingChangeQueue", setUp: { queue(of: $0) }) { queue, keys, operations in
          for i in operations { queue.insert(Saving(key: keys.hit(i), text: i)) }
          return queue.count
        }
        race.peer("array searched by key") { keys in
          PostPendingChanges(changes: keys.resident.map { Saving(key: $0, text: 0) })
        } run: { state, keys, operations in
          for i in operations { state.replace(Saving(key: keys.hit(i), text: i)) }
          return state.changes.count
        }
      }
    }
  }
}

private struct Saving: PendingChange, Hashable {
  var key: Int
  var text: Int
}

/// The state of the post: an array, searched for what is to be removed.
private struct PostPendingChanges {
  var changes: [Saving]

  var next: Saving? { changes.first }

  mutating func insert(_ change: Saving) { changes.append(change) }

  mutating func remove(_ change: Saving) {
    if let index = changes.firstIndex(of: change) { changes.remove(at: index) }
  }

  mutating func replace(_ change: Saving) {
    if let index = changes.firstIndex(where: { $0.key == change.key }) {
      changes[index] = change
    } else {
      changes.append(change)
    }
  }
}

private func queue(of keys: Keys<Int>) -> PendingChangeQueue<Saving> {
  var queue = PendingChangeQueue<Saving>()
  queue.insert(contentsOf: keys.resident.map { Saving(key: $0, text: 0) })
  return queue
}
