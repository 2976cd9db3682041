import Foundation
import PendingChanges
import TestSupport
import XCTest

/// Compares random histories with plain arrays, and with a record of every change that was ever accepted.
final class PendingChangeQueueModelTests: XCTestCase {
  func testRandomHistoriesMatchTheModel() throws {
    try withSeeds(300) { random in
      var history = History(keyCount: random.int(in: 1..<10))
      for _ in 0..<120 { try history.step(&random) }
      history.finish()
    }
  }

  func testLongQueuesWithManyInFlightMatchTheModel() throws {
    try withSeeds(5) { random in
      var history = History(keyCount: 200)
      for _ in 0..<800 { try history.step(&random) }
      history.finish()
    }
  }
}

/// A simple implementation of the queue.
private struct Model {
  struct Item {
    var entry: PendingChangeID
    var change: Edit
    var attempts = 0
    var state = EditQueue.Status.waiting
  }

  struct Follower {
    var item: Item
    var replaces: Bool
  }

  /// The current item of each key, in the order of the queue.
  var line: [Item] = []
  var followers: [String: Follower] = [:]
  var failures: [Item] = []

  func index(of key: String) -> Int? { line.firstIndex { $0.change.key == key } }
  func index(of id: PendingChangeID) -> Int? { line.firstIndex { $0.entry == id } }

  var waiting: [PendingChangeID] {
    line.filter { $0.state == .waiting }.map(\.entry) + line.compactMap { followers[$0.change.key]?.item.entry }
  }

  var inFlight: [PendingChangeID] { line.filter { $0.state != .waiting }.map(\.entry) }

  /// Removes the current item of a key.
  ///
  /// Its follower, if any, moves to the end.
  mutating func free(_ index: Int) {
    let key = line.remove(at: index).change.key
    if let follower = followers.removeValue(forKey: key) { line.append(follower.item) }
  }

  mutating func restart() {
    for index in line.indices.reversed() {
      switch line[index].state {
      case .inFlight: line[index].state = .waiting
      case .inFlightCancelled:
        if let follower = followers.removeValue(forKey: line[index].change.key) {
          line[index] = follower.item
        } else {
          line.remove(at: index)
        }
      default: break
      }
    }
  }
}

private struct History {
  var queue = EditQueue()
  var model = Model()
  let keyCount: Int

  /// How each ID left the queue.
  ///
  /// Each may leave only once.
  var fates: [PendingChangeID: String] = [:]
  var accepted: Set<PendingChangeID> = []
  /// The newest completed ID of each key, to check the order.
  var newestDone: [String: PendingChangeID] = [:]
  var text = 0
  /// Copies of the queue, with their descriptions at that time.
  var copies: [(queue: EditQueue, description: String)] = []

  init(keyCount: Int) {
    self.keyCount = keyCount
  }

  mutating func step(_ random: inout SeededRandom) throws {
    let operation = random.int(in: 0..<17)
    withTrace("operation \(operation)") {
      switch operation {
      case 0..<5: insert(&random)
      case 5, 6: begin(&random)
      case 7, 8: complete(anyID(&random))
      case 9, 10: fail(anyID(&random), [.some(nil), 2, 1][random.int(in: 0..<3)])
      case 11 where random.chance(oneIn: 2): cancel("\(random.int(in: 0..<keyCount))")
      case 12 where random.chance(oneIn: 2): remove(anyID(&random))
      case 13: requeue(random.chance(oneIn: 8) ? anyID(&random) : anyFailure(&random))
      case 14 where random.chance(oneIn: 3): remove(anyFailure(&random))
      case 16: fail(anyID(&random), nil)
      default: break
      }
    }
    if operation == 15, random.chance(oneIn: 6) { try crash() }
    if random.chance(oneIn: 300) { drain() }
    if random.chance(oneIn: 30) { copies = copies.suffix(2) + [(queue, queue.debugDescription)] }
    check()
  }

  // MARK: Operations

  mutating func insert(_ random: inout SeededRandom) {
    text += 1
    let change = Edit("\(random.int(in: 0..<keyCount))", "\(text)")
    let choice = random.int(in: 0..<4)
    let policy = [EditQueue.Policy.keep, .replace, .moveToEnd, .joined][choice]
    let replaces = choice == 1 || choice == 2
    let result = queue.insert(change, policy: policy)
    let waiting = model.followers[change.key]?.item ?? model.index(of: change.key).map { model.line[$0] }
    if let waiting, waiting.state == .waiting {
      expectEqual(result.outcome, [.kept, .replaced, .movedToEnd, .merged][choice])
      if choice == 0 {
        expectEqual(result.id, waiting.entry)
        expectEqual(result.displaced, nil)
        return
      }
    } else {
      expectEqual(result.outcome, .added)
    }
    expect(accepted.insert(result.id).inserted, "generation \(result.id) was given twice")
    var displaced: PendingChangeID?
    if replaces {
      let gone = model.failures.filter { $0.change.key == change.key }.map(\.entry)
      model.failures.removeAll { $0.change.key == change.key }
      expectEqual(result.displacedFailures.map(\.id), gone)
      for id in gone { settle(id, "displaced") }
    } else {
      expectEqual(result.displacedFailures, [])
    }
    var item = Model.Item(entry: result.id, change: change)
    if let follower = model.followers[change.key] {
      displaced = follower.item.entry
      if choice == 3 { item.change.text = follower.item.change.text + change.text }
      model.followers[change.key] = .init(item: item, replaces: follower.replaces || replaces)
    } else if let index = model.index(of: change.key) {
      if model.line[index].state != .waiting {
        model.followers[change.key] = .init(item: item, replaces: replaces)
      } else {
        displaced = model.line[index].entry
        if choice == 3 { item.change.text = model.line[index].change.text + change.text }
        model.line[index] = item
        if choice == 2 { model.line.append(model.line.remove(at: index)) }
      }
    } else {
      model.line.append(item)
    }
    expectEqual(result.displaced?.id, displaced)
    if let displaced { settle(displaced, "displaced") }
  }

  mutating func begin(_ random: inout SeededRandom) {
    // A change that is in flight or waits for its key cannot begin.
    let others = model.followers.values.map(\.item.entry) + model.inFlight
    if let other = others.randomElement(using: &random) { expectEqual(queue.begin(other), nil) }
    let waiting = model.line.filter { $0.state == .waiting }
    let outOfTurn = random.chance(oneIn: 4) ? waiting.randomElement(using: &random) : nil
    let entry = outOfTurn.map { queue.begin($0.entry) } ?? queue.begin()
    expectEqual(entry?.id, (outOfTurn ?? waiting.first)?.entry)
    guard let entry, let index = model.index(of: entry.id) else { return }
    model.line[index].state = .inFlight
    model.line[index].attempts += 1
    expectEqual(entry.attempts, model.line[index].attempts)
    expect(fates[entry.id] == nil, "\(entry) was begun after it was \(fates[entry.id] ?? "")")
    expectEqual(queue.inFlight.count { $0.key == entry.key }, 1, "changes of a key in flight")
  }

  mutating func complete(_ id: PendingChangeID?) {
    guard let id else { return }
    let isThere = fates[id] == nil && accepted.contains(id)
    let before = newest()
    if let entry = queue.complete(id) {
      expect(isThere, "\(entry) was done after it was \(fates[id] ?? "unknown")")
      settle(id, "done")
      // A change that was not begun may be completed at any time, so its order is not checked.
      if model.index(of: id).map({ model.line[$0].state != .waiting }) ?? false {
        expect(newestDone[entry.key].map { $0 < id } ?? true, "\(entry) was done after a newer one")
        newestDone[entry.key] = id
      }
    } else {
      expect(!isThere)
    }
    takeOut(id)
    for (key, newest) in before where newest != id {
      expectEqual(queue.newest(for: key)?.id, newest, "a completion of \(id) dropped a newer change")
    }
  }

  /// - Parameter attempts: The limit; nil to give the change back instead.
  mutating func fail(_ id: PendingChangeID?, _ attempts: Int??) {
    guard let id else { return }
    let index = model.index(of: id).flatMap { model.line[$0].state == .waiting ? nil : $0 }
    let outcome = attempts.map { queue.fail(id, attempts: $0, reason: "x") } ?? queue.release(id)
    expectEqual(outcome == nil, index == nil, "\(id)")
    guard let index, let entry = outcome else { return }
    let item = model.line[index]
    let follower = model.followers[item.change.key]
    expectEqual(entry.id, id)
    switch queue.status(of: id) {
    case nil where item.state == .inFlightCancelled:
      settle(id, "cancelled")
      model.free(index)
    case nil:
      expect(item.state == .inFlight && follower?.replaces == true)
      expectEqual(queue.newest(for: item.change.key)?.id, follower?.item.entry)
      settle(id, "displaced")
      model.line[index] = model.followers.removeValue(forKey: item.change.key)!.item
    case .waiting:
      if let limit = attempts ?? nil { expect(item.attempts < limit) }
      if attempts == nil { model.line[index].attempts -= 1 } else { expectEqual(entry.failureReason, "x") }
      expectEqual(entry.attempts, model.line[index].attempts)
      model.line[index].state = .waiting
    case .failure:
      expectEqual(entry.failureReason, "x")
      if let limit = attempts ?? nil { expect(item.attempts >= limit) } else { expect(false, "\(id) has no limit") }
      model.failures.append(item)
      model.free(index)
    case .inFlight, .inFlightCancelled, .waitingForKey: expect(false, "\(id) is in flight")
    }
  }

  mutating func cancel(_ key: String) {
    let gone = queue.cancel(key).map(\.id)
    var expected: [PendingChangeID] = []
    if let index = model.index(of: key) {
      let item = model.line[index]
      let follower = model.followers.removeValue(forKey: key)?.item
      if item.state == .waiting { model.line.remove(at: index) } else { model.line[index].state = .inFlightCancelled }
      expected = (item.state == .inFlightCancelled ? [] : [item.entry]) + (follower.map { [$0.entry] } ?? [])
      if item.state == .waiting { settle(item.entry, "cancelled") }
      if let follower { settle(follower.entry, "cancelled") }
    }
    expectEqual(gone, expected)
  }

  mutating func remove(_ id: PendingChangeID?) {
    guard let id else { return }
    let isThere = fates[id] == nil && accepted.contains(id)
    expectEqual(queue.remove(id: id)?.id, isThere ? id : nil)
    if isThere { settle(id, "removed") }
    takeOut(id)
  }

  mutating func requeue(_ id: PendingChangeID?) {
    guard let id else { return }
    guard let index = model.failures.firstIndex(where: { $0.entry == id }) else {
      expectEqual(queue.requeue(id: id), false)
      return
    }
    var failure = model.failures[index]
    let key = failure.change.key
    let current = model.index(of: key).map { model.line[$0].entry }
    let isPossible = model.followers[key] == nil && current.map { $0 < id } ?? true
    guard expectEqual(queue.requeue(id: id), isPossible), isPossible else { return }
    model.failures.remove(at: index)
    failure.attempts = 0
    failure.state = .waiting
    // A requeued change may run after a newer one.
    newestDone[key] = nil
    if current == nil {
      model.line.append(failure)
    } else {
      model.followers[key] = .init(item: failure, replaces: false)
    }
  }

  /// Replaces the queue with a decoded copy, as after a restart.
  mutating func crash() throws {
    queue = try JSONDecoder().decode(EditQueue.self, from: try JSONEncoder().encode(queue))
    for item in model.line where item.state == .inFlightCancelled { settle(item.entry, "cancelled") }
    model.restart()
  }

  mutating func drain() {
    let live = Set(model.line.filter { $0.state != .inFlightCancelled }.map(\.entry))
    let extras = model.followers.values.map(\.item.entry) + model.failures.map(\.entry)
    expectEqual(Set(queue.removeAll().map(\.id)), live.union(extras))
    for id in accepted where fates[id] == nil { settle(id, "drained") }
    model = Model()
  }

  mutating func finish() {
    while let entry = queue.begin() { complete(entry.id) }
    for entry in queue.inFlight { complete(entry.id) }
    while let entry = queue.begin() { complete(entry.id) }
    for failure in queue.failures { remove(failure.id) }
    expect(queue.isEmpty)
    expectEqual(Set(fates.keys), accepted, "changes that were lost")
    for copy in copies { expectEqual(copy.queue.debugDescription, copy.description, "a copy was changed") }
  }

  // MARK: Checking

  mutating func settle(_ id: PendingChangeID, _ fate: String) {
    expect(fates.updateValue(fate, forKey: id) == nil, "\(id) had two fates")
  }

  mutating func takeOut(_ id: PendingChangeID) {
    if let index = model.index(of: id) {
      model.free(index)
    } else if let follower = model.followers.first(where: { $0.value.item.entry == id }) {
      model.followers[follower.key] = nil
    } else {
      model.failures.removeAll { $0.entry == id }
    }
  }

  func newest() -> [String: PendingChangeID] {
    Dictionary(
      uniqueKeysWithValues: model.line.map {
        ($0.change.key, model.followers[$0.change.key]?.item.entry ?? $0.entry)
      })
  }

  /// An ID that is, was or never was in the queue.
  func anyID(_ random: inout SeededRandom) -> PendingChangeID? {
    let inFlight = model.inFlight
    if !inFlight.isEmpty, !random.chance(oneIn: 3) { return inFlight.randomElement(using: &random) }
    return PendingChangeID(rawValue: UInt64(random.int(in: 0..<accepted.count + 2)))
  }

  func anyFailure(_ random: inout SeededRandom) -> PendingChangeID? {
    model.failures.randomElement(using: &random)?.entry
  }

  func check() {
    expectEqual(queue.waiting.map(\.id), model.waiting)
    expectEqual(queue.inFlight.map(\.id), model.inFlight)
    expectEqual(Set(queue.failures.map(\.id)), Set(model.failures.map(\.entry)))
    expectEqual(queue.next?.id, model.line.first { $0.state == .waiting }?.entry)
    expectEqual(queue.waitingCount, model.waiting.count)
    expectEqual(queue.inFlightCount, model.inFlight.count)
    expectEqual(queue.failureCount, model.failures.count)
    expectEqual(queue.isIdle, model.line.isEmpty)
    expectEqual(queue.isEmpty, model.line.isEmpty && model.failures.isEmpty)
    for item in model.line {
      expectEqual(queue.status(of: item.entry), item.state)
      expectEqual(queue[item.entry]?.change, item.change)
      expectEqual(queue[item.entry]?.attempts, item.attempts)
    }
    for follower in model.followers.values {
      expectEqual(queue.status(of: follower.item.entry), .waitingForKey)
      expectEqual(queue[follower.item.entry]?.change, follower.item.change)
    }
    for failure in model.failures {
      expectEqual(queue.status(of: failure.entry), .failure)
      expectEqual(queue[failure.entry]?.change, failure.change)
    }
  }
}
