import UndoHistories

extension Suite {
  /// Compares recorded edits with the post's snapshots and with unrecorded edits.
  static var undoHistory: Suite {
    Suite("UndoHistory") { suite in
      suite.benchmark("field", "assign an Int of a struct of an Int and a String", state: .fresh(upTo: 100_000)) { _ in
        Counter()
      } contenders: { race in
        race.subject("UndoHistory", setUp: { UndoHistory(initialValue: $0) }) { history, _, operations in
          for i in operations { history.edit.count = i &+ 1 }
          return history.count
        }
        race.peer("a snapshot for each edit", setUp: { Snapshots($0) }) { history, _, operations in
          for i in operations { history.edit { $0.count = i &+ 1 } }
          return history.current.count
        }
        race.floor("no undo at all", setUp: { $0 }) { counter, _, operations in
          for i in operations { assign(i &+ 1, to: &counter) }
          return counter.count
        }
      }

      suite.benchmark(
        "element", "assign an element of an array of n Ints",
        sizes: .exactly(1000, 32_768, 1_000_000, quick: 1_000_000), state: .fresh(upTo: 100_000)
      ) { n in
        Array(0..<n)
      } contenders: { race in
        race.subject("UndoHistory", setUp: { UndoHistory(initialValue: unshared($0)) }) {
          history, numbers, operations in
          for i in operations { history.edit[i &* 7919 % numbers.count] = -i }
          return history.currentItem[0]
        }
        race.peer("a snapshot for each edit, 16 kept", setUp: { Snapshots(unshared($0), limit: 16) }) {
          history, numbers, operations in
          for i in operations { history.edit { $0[i &* 7919 % numbers.count] = -i } }
          return history.current[0]
        }
        race.floor("no undo at all", setUp: { unshared($0) }) { array, numbers, operations in
          for i in operations { array[i &* 7919 % numbers.count] = -i }
          return array[0]
        }
      }

      suite.benchmark(
        "typing", "type a character at the end of n bytes of text",
        sizes: .exactly(1000, 32_768, 250_000, 1_000_000, quick: 1_000_000), state: .fresh(upTo: 10_000)
      ) { n in
        String(repeating: "some text ", count: n / 10)
      } contenders: { race in
        race.subject("UndoHistory", setUp: { UndoHistory(initialValue: withRoom($0)) }) { history, _, operations in
          for _ in operations { history.edit.append("x") }
          return history.currentItem.utf8.count
        }
        race.peer("a snapshot for each edit, 16 kept", setUp: { Snapshots(withRoom($0), limit: 16) }) {
          history, _, operations in
          for _ in operations { history.edit { $0.append("x") } }
          return history.current.utf8.count
        }
        race.floor("no undo at all", setUp: { withRoom($0) }) { text, _, operations in
          for _ in operations { text.append("x") }
          return text.utf8.count
        }
      }

      suite.benchmark(
        "document", "assign items[i].name in a document of n items",
        sizes: .exactly(100, 1000, 10_000, quick: 10_000), state: .fresh(upTo: 100_000)
      ) { n in
        Document(items: (0..<n).map { Document.Item(name: "item \($0)") })
      } contenders: { race in
        race.subject("UndoHistory", setUp: { UndoHistory(initialValue: $0.unshared) }) {
          history, document, operations in
          for i in operations { history.edit.items[i &* 7919 % document.items.count].name = Document.name(i) }
          return history.items[0].name.utf8.count
        }
        race.peer("a snapshot for each edit, 16 kept", setUp: { Snapshots($0.unshared, limit: 16) }) {
          history, document, operations in
          for i in operations { history.edit { $0.items[i &* 7919 % document.items.count].name = Document.name(i) } }
          return history.current.items[0].name.utf8.count
        }
        race.floor("no undo at all", setUp: { $0.unshared }) { edited, document, operations in
          for i in operations { edited.items[i &* 7919 % document.items.count].name = Document.name(i) }
          return edited.items[0].name.utf8.count
        }
      }

      suite.benchmark("step.field", "undo and redo one of 100,000 assigned Ints") { _ in
        Counter()
      } contenders: { race in
        race.subject("UndoHistory") { counter in
          var history = UndoHistory(initialValue: counter)
          for i in 1...100_000 { history.edit.count = i }
          return history
        } run: { history, _, operations in
          walk(operations) {
            history.undo()
          } forward: {
            history.redo()
          }
          return 0
        }
        race.peer("a snapshot for each edit") { counter in
          var history = Snapshots(counter)
          for i in 1...100_000 { history.edit { $0.count = i } }
          return history
        } run: { history, _, operations in
          walk(operations) {
            history.undo()
          } forward: {
            history.redo()
          }
          return 0
        }
        race.floor("two edits, no undo at all", setUp: { $0 }) { counter, _, operations in
          walk(operations) {
            assign(1, to: &counter)
          } forward: {
            assign(2, to: &counter)
          }
          return 0
        }
      }

      suite.benchmark(
        "step.element", "undo and redo one of 100,000 assigned elements of n",
        sizes: .exactly(1000, 32_768, 1_000_000, quick: 1_000_000)
      ) { n in
        Array(0..<n)
      } contenders: { race in
        race.subject("UndoHistory") { numbers in
          var history = UndoHistory(initialValue: unshared(numbers))
          for i in 1...100_000 { history.edit[i &* 7919 % numbers.count] = -i }
          return history
        } run: { history, _, operations in
          walk(operations) {
            history.undo()
          } forward: {
            history.redo()
          }
          return 0
        }
        race.floor("two edits, no undo at all", setUp: { (array: unshared($0), index: 0) }) {
          state, numbers, operations in
          walk(operations) {
            state.index &+= 7919
            state.array[state.index % numbers.count] = 1
          } forward: {
            state.index &-= 7919
            state.array[state.index % numbers.count] = 2
          }
          return 0
        }
      }

      suite.addDiff()

      // However many edits there were, the log stays within its limit, and an edit costs the same as at first.
      suite.benchmark(
        "limited", "assign an Int, n edits into a history of at most 64 KB",
        sizes: .exactly(10_000, 1_000_000, 10_000_000, quick: 10_000)
      ) { n in
        n
      } contenders: { race in
        race.subject("UndoHistory") { edits in
          var history = UndoHistory(initialValue: Counter())
          history.limit = .bytes(limitOfBytes)
          for i in 0..<edits { history.edit.count = ~i }
          return history
        } run: { history, _, operations in
          for i in operations { history.edit.count = i &+ 1 }
          return history.byteCount <= limitOfBytes ? history.count : -1
        }
        race.floor("no undo at all", setUp: { _ in Counter() }) { counter, _, operations in
          for i in operations { assign(i &+ 1, to: &counter) }
          return counter.count
        }
      }

      suite.benchmark(
        "transaction", "three fields of a struct as one labelled step", state: .fresh(upTo: 100_000)
      ) { _ in
        Frame()
      } contenders: { race in
        race.subject("UndoHistory", setUp: { UndoHistory(initialValue: $0) }) { history, _, operations in
          for i in operations {
            history.transaction("Move") { edit in
              edit.x = i
              edit.y = i
              edit.z = i
            }
          }
          return history.z
        }
        race.peer("a snapshot for each edit", setUp: { Snapshots($0) }) { history, _, operations in
          for i in operations {
            history.edit { frame in
              frame.x = i
              frame.y = i
              frame.z = i
            }
          }
          return history.current.z
        }
      }

      suite.addLimitedEdits()
      suite.addRows()
      suite.addGestures()
      suite.addBranches()
    }
  }
}

// The documents that are edited.

private struct Counter {
  var count = 0
  var name = "a name that is too long to be kept inline"
}

private struct Frame {
  var (x, y, z, width) = (-1, -1, -1, -1)
}

private struct Document {
  struct Item {
    var name: String
    var count = 0
    var price = 1.5
    var isDone = false
  }

  var title = "a title that is too long to be kept inline"
  var items: [Item]

  /// The same document with a new array.
  var unshared: Document { Document(title: title, items: items.map { $0 }) }

  /// A name that differs from that of the previous round, because no number of items is divisible by three.
  static func name(_ number: Int) -> String {
    switch number % 3 {
    case 0: "a name"
    case 1: "another name"
    default: "the third one"
    }
  }
}

private let limitOfBytes = 64 << 10

@inline(never)
private func assign(_ count: Int, to counter: inout Counter) { counter.count = count }

/// A new array with the same elements.
func unshared<Element>(_ elements: [Element]) -> [Element] { elements.map { $0 } }

/// The text with reserved capacity, so that typing the first character does not move all of it.
private func withRoom(_ text: String) -> String {
  var text = text
  text.reserveCapacity(text.utf8.count + 100_000)
  text.append(" ")
  return text
}

/// Goes 1000 steps back, then 1000 steps forward, and so on.
///
/// An operation is two steps in one direction.
private func walk(_ operations: Range<Int>, back: () -> Void, forward: () -> Void) {
  for i in operations {
    if i / 500 & 1 == 0 {
      back()
      back()
    } else {
      forward()
      forward()
    }
  }
}

/// The post's design: an array of all states, and the index of the current one.
///
/// With a limit, the oldest states are dropped.
private struct Snapshots<Value> {
  private var states: [Value]
  private var index = 0
  private let limit: Int

  init(_ value: Value, limit: Int = .max) {
    states = [value]
    self.limit = limit
  }

  var current: Value { states[index] }

  mutating func edit(_ change: (inout Value) -> Void) {
    states.removeSubrange((index + 1)...)
    if states.count == limit { states.removeFirst() }
    states.append(states[states.count - 1])
    index = states.count - 1
    change(&states[index])
  }

  mutating func undo() { if index > 0 { index -= 1 } }
  mutating func redo() { if index < states.count - 1 { index += 1 } }
}
