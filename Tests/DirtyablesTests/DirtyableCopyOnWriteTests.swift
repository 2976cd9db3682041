import Dirtyables
import TestSupport
import XCTest

final class DirtyableCopyOnWriteTests: XCTestCase {
  /// `d.items[i] += 1` writes in place, except for the one copy that the original needs.
  func testElementsAreWrittenInPlaceAfterTheFirstWrite() {
    var document = Dirtyable(Document(items: Array(0..<1000)))
    let before = storage(of: document.items)
    document.items[0] += 1
    XCTAssertEqual(storage(of: document.original.items), before, "the original keeps its own")
    let owned = storage(of: document.items)
    XCTAssertNotEqual(owned, before)
    for index in 0..<1000 { document.items[index] += 1 }
    document.current.items[5] += 1
    document.update { $0.items[6] += 1 }
    XCTAssertEqual(storage(of: document.items), owned)
    document.commit()
    XCTAssertEqual(storage(of: document.items), owned, "a commit copies nothing")
  }

  func testRollbackReusesTheStorageOfTheOriginal() {
    var document = Dirtyable(Document(items: Array(0..<1000)))
    let before = storage(of: document.items)
    document.items[0] += 1
    document.rollback()
    XCTAssertEqual(storage(of: document.items), before)
  }

  func testASaveSharesStorageUntilTheNextWrite() {
    var document = Dirtyable(Document(items: Array(0..<1000)))
    document.items[0] += 1
    let save = document.beginSave()
    XCTAssertEqual(storage(of: save.value.items), storage(of: document.items))
    document.finishSave(save)
    XCTAssertEqual(storage(of: document.original.items), storage(of: document.items))
  }

  func testReplacedValuesAreReleased() {
    withLifetimeTracking { tracker in
      var value = Dirtyable(tracker.instance(0))
      value.current = tracker.instance(1)
      expectEqual(tracker.liveCount, 2)
      value.current = tracker.instance(2)
      expectEqual(tracker.liveCount, 2, "an intermediate value is not kept")
      value.commit()
      expectEqual(tracker.liveCount, 1)
      value.current = tracker.instance(3)
      value.rollback()
      expectEqual(tracker.liveCount, 1)

      value.current = tracker.instance(4)
      var save: Dirtyable<LifetimeTracked<Int>>.Save? = value.beginSave()
      value.current = tracker.instance(5)
      expectEqual(tracker.liveCount, 3)
      save = nil
      expectEqual(tracker.liveCount, 3, "a save in flight keeps its value")
      save = value.savesInFlight.last
      if let answered = save { value.finishSave(answered) }
      save = nil
      expectEqual(tracker.liveCount, 2)
      _ = value.rebase(onto: tracker.instance(4))
      expectEqual(tracker.liveCount, 2)
    }
  }

  /// The copies share storage, so the thread sanitizer finds races here.
  func testManyTasksEditCopiesConcurrently() async {
    var document = Dirtyable(Document())
    document.count = 1
    let save = document.beginSave()
    document.count = 2
    let shared = document
    await withTaskGroup(of: Bool.self) { group in
      for number in 0..<16 {
        group.addTask {
          var copy = shared
          copy.items[0] += number
          copy.finishSave(save)
          copy.title = "\(number)"
          return copy.original.count == 1 && copy.isDirty && copy.isDirty(\.title)
        }
      }
      for await isRight in group { XCTAssertTrue(isRight) }
    }
    XCTAssertEqual(document.items[0], 1)
    XCTAssertTrue(document.isSaving)
  }
}
