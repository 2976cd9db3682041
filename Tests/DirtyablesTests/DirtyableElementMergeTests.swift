import Dirtyables
import TestSupport
import XCTest

/// Arrays that are merged by the identity of their elements.
final class DirtyableElementMergeTests: XCTestCase {
  struct Task: Identifiable, Hashable {
    var id: Int
    var title = ""
  }

  struct List: Hashable {
    var name = ""
    var tasks: [Task] = []
  }

  private static let fields = Dirtyable<List>.Fields(\.name).merging(elementsOf: \.tasks)

  private static func merge(_ base: [Task], mine: [Task], theirs: [Task]) -> (tasks: [Task], isConflicting: Bool) {
    var list = Dirtyable(original: List(tasks: base), current: List(tasks: mine))
    let conflicts = list.rebase(onto: List(tasks: theirs), merging: Self.fields)
    expectEqual(list.original.tasks, theirs)
    expectEqual(conflicts.isEmpty ? [] : [\.tasks], conflicts.keyPaths)
    return (list.tasks, !conflicts.isEmpty)
  }

  private func tasks(_ ids: Int...) -> [Task] { ids.map { Task(id: $0) } }

  private func check(
    _ base: [Task], mine: [Task], theirs: [Task], comesTo expected: [Task], conflict: Bool = false, line: UInt = #line
  ) {
    let result = Self.merge(base, mine: mine, theirs: theirs)
    XCTAssertEqual(result.tasks, expected, line: line)
    XCTAssertEqual(result.isConflicting, conflict, line: line)
  }

  func testElementsInsertedOnBothSidesAreKept() {
    check(tasks(1, 2), mine: tasks(1, 7, 2), theirs: tasks(1, 2, 8), comesTo: tasks(1, 7, 2, 8))
    check(tasks(1), mine: tasks(1, 7), theirs: tasks(1, 8), comesTo: tasks(1, 7, 8))
    check(tasks(1), mine: tasks(7, 1), theirs: tasks(8, 1), comesTo: tasks(7, 8, 1))
    check([], mine: tasks(7), theirs: tasks(8), comesTo: tasks(7, 8))
  }

  func testElementsRemovedOnEitherSideAreRemoved() {
    check(tasks(1, 2, 3), mine: tasks(2, 3), theirs: tasks(1, 2), comesTo: tasks(2))
    check(tasks(1, 2, 3), mine: tasks(3), theirs: tasks(2, 3, 4), comesTo: tasks(3, 4))
  }

  func testChangesToDifferentElementsAreMerged() {
    check(
      tasks(1, 2), mine: [Task(id: 1, title: "a"), Task(id: 2)], theirs: [Task(id: 1), Task(id: 2, title: "b")],
      comesTo: [Task(id: 1, title: "a"), Task(id: 2, title: "b")])
  }

  func testMoveAndChangeOfElementsAreMerged() {
    check(
      tasks(1, 2, 3), mine: tasks(3, 1, 2), theirs: [Task(id: 1), Task(id: 2, title: "b"), Task(id: 3)],
      comesTo: [Task(id: 3), Task(id: 1), Task(id: 2, title: "b")])
    check(
      tasks(1, 2, 3), mine: [Task(id: 1), Task(id: 2, title: "b"), Task(id: 3)], theirs: tasks(2, 3, 1, 4),
      comesTo: [Task(id: 2, title: "b"), Task(id: 3), Task(id: 1), Task(id: 4)])
  }

  func testConflictingElementsKeepMine() {
    check(
      tasks(1), mine: [Task(id: 1, title: "a")], theirs: [Task(id: 1, title: "b")],
      comesTo: [Task(id: 1, title: "a")], conflict: true)
    check(
      tasks(1, 2), mine: [Task(id: 1), Task(id: 2, title: "a")], theirs: tasks(1),
      comesTo: [Task(id: 1), Task(id: 2, title: "a")], conflict: true)
    check(
      tasks(1, 2), mine: tasks(1), theirs: [Task(id: 1), Task(id: 2, title: "b")], comesTo: tasks(1), conflict: true)
    check(
      [], mine: [Task(id: 5, title: "a")], theirs: [Task(id: 5, title: "b")],
      comesTo: [Task(id: 5, title: "a")], conflict: true)
    check(tasks(1, 2, 3), mine: tasks(3, 1, 2), theirs: tasks(2, 1, 3), comesTo: tasks(3, 1, 2), conflict: true)
    check([], mine: tasks(1, 2), theirs: tasks(2, 1), comesTo: tasks(1, 2), conflict: true)
  }

  func testElementsAreMergedTogetherWithOtherFields() {
    var list = Dirtyable(original: List(), current: List(name: "mine", tasks: tasks(7)))
    XCTAssertTrue(list.rebase(onto: List(tasks: tasks(8)), merging: Self.fields).isEmpty)
    XCTAssertEqual(list.current, List(name: "mine", tasks: tasks(7, 8)))
    XCTAssertEqual(list.rebase(onto: List(name: "theirs", tasks: tasks(8)), merging: Self.fields).keyPaths, [\.name])
  }

  func testArraysWithARepeatedIdentityAreMergedAsWholes() {
    check(tasks(1), mine: tasks(1, 1), theirs: tasks(1, 2), comesTo: tasks(1, 1), conflict: true)
    check(tasks(1), mine: tasks(1, 2), theirs: tasks(2, 2), comesTo: tasks(1, 2), conflict: true)
    check(tasks(1, 1), mine: tasks(1), theirs: tasks(2), comesTo: tasks(1), conflict: true)
    check(tasks(1, 1), mine: tasks(1, 1), theirs: tasks(2), comesTo: tasks(2))
  }

  /// Random edits on both sides, against one rule for each identity and one for the order.
  func testRandomMergesFollowTheModel() {
    withSeeds(2000) { random in
      func edited(_ tasks: [Task]) -> [Task] {
        var result = tasks
        for _ in 0..<random.int(in: 0..<4) {
          let at = random.int(in: 0..<(result.count + 1))
          switch random.int(in: 0..<5) {
          case 0:
            let id = random.int(in: 0..<8)
            if !result.contains(where: { $0.id == id }) { result.insert(Task(id: id), at: at) }
          case 1: if at < result.count { result.remove(at: at) }
          case 2, 3: if at < result.count { result[at].title = random.chance(oneIn: 2) ? "a" : "b" }
          default: if at < result.count { result.append(result.remove(at: at)) }
          }
        }
        return result
      }
      let base = (0..<random.int(in: 0..<5)).map { Task(id: $0) }
      let mine = edited(base)
      let theirs = edited(base)
      let result = Self.merge(base, mine: mine, theirs: theirs)

      func find(_ id: Int, _ tasks: [Task]) -> Task? { tasks.first { $0.id == id } }
      var expected: Set<Task> = []
      var isConflicting = false
      for id in 0..<8 {
        let (was, my, their) = (find(id, base), find(id, mine), find(id, theirs))
        let kept = my == was ? their : my
        if let kept { expected.insert(kept) }
        if my != was, their != was, my != their { isConflicting = true }
      }
      expectEqual(Set(result.tasks), expected)
      expectEqual(result.tasks.count, expected.count, "an identity occurs twice")

      func order(_ tasks: [Task], _ others: [Task]...) -> [Int] {
        tasks.map(\.id).filter { id in others.allSatisfy { find(id, $0) != nil } }
      }
      let common = order(base, mine, theirs)
      let haveIMoved = order(mine, base, theirs) != common
      let haveTheyMoved = order(theirs, base, mine) != common
      let isOrderShared = order(mine, theirs) == order(theirs, mine)
      if !isOrderShared, haveIMoved == haveTheyMoved { isConflicting = true }
      expectEqual(result.isConflicting, isConflicting, "\(base) \(mine) \(theirs)")

      let isMine = isOrderShared || haveIMoved || !haveTheyMoved
      let isTheirs = isOrderShared || !isMine
      if isMine { expectEqual(order(result.tasks, mine), order(mine, result.tasks)) }
      if isTheirs { expectEqual(order(result.tasks, theirs), order(theirs, result.tasks)) }
    }
  }

  /// NaN differs from itself, although it was not edited.
  func testElementsThatContainNaNAreMerged() {
    struct Row: Identifiable, Equatable { var id: Int, width: Double }
    struct Table: Equatable { var rows: [Row] }
    let fields = Dirtyable<Table>.Fields().merging(elementsOf: \.rows)
    let others = [Row(id: 1, width: .nan), Row(id: 2, width: 0)]
    for theirs in [others + [Row(id: 3, width: 0)], [others[1]], [Row(id: 1, width: 4), others[1]]] {
      var table = Dirtyable(Table(rows: others))
      table.rows[1].width = 1
      XCTAssertTrue(table.rebase(onto: Table(rows: theirs), merging: fields).isEmpty)
      var expected = theirs
      for index in expected.indices where expected[index].id == 2 { expected[index].width = 1 }
      XCTAssertEqual(table.rows.map(\.id), expected.map(\.id))
      XCTAssertEqual(table.rows.map { "\($0.width)" }, expected.map { "\($0.width)" })
    }
  }

  /// No hash table finds such an identity again.
  func testElementWhoseIdentityIsNaNIsNotLost() {
    struct Reading: Identifiable, Equatable { var id: Double }
    struct Log: Equatable { var readings: [Reading] }
    let mine = [Reading(id: 1), Reading(id: .nan)]
    let fields = Dirtyable<Log>.Fields().merging(elementsOf: \.readings)
    var log = Dirtyable(original: Log(readings: [mine[0]]), current: Log(readings: mine))
    let conflicts = log.rebase(onto: Log(readings: [mine[0], Reading(id: 3)]), merging: fields)
    XCTAssertEqual(conflicts.keyPaths, [\.readings])
    XCTAssertEqual(log.readings.count, 2)
    XCTAssertTrue(log.readings[1].id.isNaN)
  }
}
