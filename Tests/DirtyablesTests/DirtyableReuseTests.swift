import Dirtyables
import TestSupport
import XCTest

/// A commit of a value that is only bytes keeps the memory of its original for the next edit.
///
/// `bench` counts the allocations; here, no reuse may be seen in any value.
final class DirtyableReuseTests: XCTestCase {
  private struct Point: Hashable, Sendable { var x = 0, y = 0 }

  func testAnEditAfterACommitKeepsTheNewOriginal() {
    var point = Dirtyable(Point())
    for round in 1...3 {
      point.x = round
      XCTAssertEqual(point.original.x, round - 1)
      XCTAssertTrue(point.isDirty)
      point.commit(releasingMemory: round == 2)
      XCTAssertFalse(point.isDirty)
      XCTAssertFalse(point.isTouched)
      XCTAssertEqual(point.original.x, round)
    }
    point.y = 9
    point.rollback()
    XCTAssertEqual(point.current, Point(x: 3, y: 0))
    point.y = 8
    XCTAssertEqual(point.original, Point(x: 3, y: 0))
  }

  func testACopyKeepsItsOriginalWhenTheOtherReusesTheMemory() {
    var first = Dirtyable(Point())
    first.x = 1
    var editing = first
    first.commit()
    first.x = 2
    XCTAssertEqual(editing.original, Point(), "the copy still has the snapshot")
    XCTAssertEqual(first.original.x, 1)
    editing.commit()
    var (second, third) = (editing, editing)
    second.y = 1
    third.y = 2
    XCTAssertEqual([second.original.y, third.original.y, editing.original.y], [0, 0, 0])
    XCTAssertEqual([second.y, third.y, editing.y], [1, 2, 0])
  }

  func testASaveKeepsItsValueWhenACommitFollows() {
    var point = Dirtyable(Point())
    point.x = 1
    let save = point.beginSave()
    point.commit()
    point.x = 2
    point.commit()
    point.x = 3
    XCTAssertEqual(save.value.x, 1)
    XCTAssertFalse(point.finishSave(save), "a commit makes saves outdated")
    XCTAssertEqual(point.original.x, 2)
  }

  /// What a `Dirtyable` means: two values, and the saves that wait for an answer.
  private struct Model {
    var (original, current) = (Point(), Point())
    var isTouched = false
  }

  func testRandomRoundsOfCopiesFollowAPairOfValues() {
    withSeeds(400) { random in
      var pairs = [(value: Dirtyable(Point()), model: Model())]
      for _ in 0..<60 {
        let index = random.int(in: 0..<pairs.count)
        switch random.int(in: 0..<12) {
        case 0..<5:
          let x = random.int(in: 0..<100)
          pairs[index].value.x = x
          pairs[index].model.current.x = x
          pairs[index].model.isTouched = true
        case 5..<8:
          pairs[index].value.commit(releasingMemory: random.chance(oneIn: 4))
          pairs[index].model.original = pairs[index].model.current
          pairs[index].model.isTouched = false
        case 8:
          pairs[index].value.rollback()
          pairs[index].model.current = pairs[index].model.original
          pairs[index].model.isTouched = false
        case 9:
          let save = pairs[index].value.beginSave()
          pairs[index].value.y &+= 1
          pairs[index].value.finishSave(save)
          pairs[index].model.original = pairs[index].model.current
          pairs[index].model.current.y &+= 1
          pairs[index].model.isTouched = true
        case 10: if pairs.count < 5 { pairs.append(pairs[index]) }
        default: if pairs.count > 1 { pairs.remove(at: index) }
        }
        for (value, model) in pairs {
          expectEqual(value.original, model.original)
          expectEqual(value.current, model.current)
          expectEqual(value.isTouched, model.isTouched)
        }
      }
    }
  }
}
