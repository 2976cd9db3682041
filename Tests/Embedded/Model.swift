import PendingChanges
import UniqueQueues

// The model tests without XCTest, for processors with words of 32 bits and without Foundation.

/// A generator of numbers that look random and are the same in each run.
struct Numbers {
  var state: UInt64

  mutating func next(below bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(truncatingIfNeeded: state >> 33) & 0x7FFF_FFFF % bound
  }
}

/// Performs random operations on a queue and on an array that is searched, and compares them.
///
/// - Returns: How many answers of the queue were wrong.
func uniqueQueueMistakes(steps: Int, numbers range: Int) -> Int {
  var random = Numbers(state: UInt64(range))
  var queue = UniqueQueue<Int>()
  var model: [Int] = []
  var copy = (queue: queue, model: model)
  var mistakes = 0
  func check(_ isRight: Bool) { if !isRight { mistakes += 1 } }
  for step in 0..<steps {
    let number = random.next(below: range)
    let offset = model.firstIndex(of: number)
    switch random.next(below: 12) {
    case 0: check(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
    case 1: check(queue.popLast() == model.popLast())
    case 2, 3: check(queue.remove(number) == offset.map { model.remove(at: $0) })
    case 4:
      check(queue.moveToEnd(number) == (offset != nil))
      if let offset { model.append(model.remove(at: offset)) }
    case 5:
      check(queue.prepend(number).inserted == (offset == nil))
      if offset == nil { model.insert(number, at: 0) }
    case 6 where step % 64 == 0:
      queue.removeAll { $0 % 3 == number % 3 }
      model.removeAll { $0 % 3 == number % 3 }
    case 7 where step % 64 == 0: copy = (queue, model)
    default:
      check(queue.append(number).inserted == (offset == nil))
      if offset == nil { model.append(number) }
    }
    check(queue.contains(number) == model.contains(number))
    if step % 256 == 0 { check(queue.elementsEqual(model) && copy.queue.elementsEqual(copy.model)) }
  }
  return mistakes
}

struct Rename: PendingChange {
  var key: Int
  var name: Int
}

/// Performs random operations on a queue of changes, and compares it with arrays of the waiting and running changes.
///
/// - Returns: How many answers of the queue were wrong.
func pendingChangeQueueMistakes(steps: Int, keys: Int) -> Int {
  var random = Numbers(state: UInt64(keys))
  var queue = PendingChangeQueue<Rename>()
  var waiting: [Int?] = Array(repeating: nil, count: keys)
  var running: [PendingChangeQueue<Rename>.Entry?] = Array(repeating: nil, count: keys)
  var mistakes = 0
  func check(_ isRight: Bool) { if !isRight { mistakes += 1 } }
  for step in 0..<steps {
    let key = random.next(below: keys)
    switch random.next(below: 4) {
    case 0:
      let isReady = waiting.indices.contains { waiting[$0] != nil && running[$0] == nil }
      let entry = queue.begin()
      check((entry != nil) == isReady)
      guard let change = entry?.change else { continue }
      check(waiting[change.key] == change.name && running[change.key] == nil)
      waiting[change.key] = nil
      running[change.key] = entry
    case 1:
      guard let entry = running[key] else { continue }
      running[key] = nil
      _ = queue.complete(entry.id)
    case 2:
      guard let entry = running[key] else { continue }
      running[key] = nil
      _ = queue.fail(entry.id, attempts: nil)
      // A newer change takes the place of the one that failed.
      if waiting[key] == nil { waiting[key] = entry.change.name }
    default:
      queue.insert(Rename(key: key, name: step))
      waiting[key] = step
    }
    check(queue.waitingCount == waiting.count { $0 != nil } && queue.inFlightCount == running.count { $0 != nil })
  }
  return mistakes
}

/// Runs both models.
///
/// - Returns: The size of a word in bytes, plus 100 for each wrong answer.
@_cdecl("run")
public func run() -> Int32 {
  var mistakes = 0
  for range in [4, 13, 40, 300] { mistakes += uniqueQueueMistakes(steps: 20_000, numbers: range) }
  for keys in [1, 3, 20] { mistakes += pendingChangeQueueMistakes(steps: 20_000, keys: keys) }
  return Int32(mistakes * 100 + MemoryLayout<Int>.size)
}
