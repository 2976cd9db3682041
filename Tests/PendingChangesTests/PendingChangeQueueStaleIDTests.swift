import PendingChanges
import TestSupport
import XCTest

/// Generations that name nothing any more, or never did: every call that takes one refuses it and changes nothing.
final class PendingChangeQueueStaleIDTests: XCTestCase {
  func testAGenerationThatLeftIsRefusedEverywhere() throws {
    var queue = EditQueue()
    func insert(_ text: String, _ policy: EditQueue.Policy = .replace) -> PendingChangeID {
      queue.insert(Edit("a", text), policy: policy).id
    }
    var stale: [PendingChangeID] = []
    let replaced = insert("replaced")
    let moved = insert("moved")
    let merged = insert("merged", .moveToEnd)
    stale += [replaced, moved, merged]
    let completed = insert("completed", .merge { _, new in new })
    queue.complete(try XCTUnwrap(queue.begin()).id)
    stale.append(completed)
    let cancelled = insert("cancelled")
    queue.cancel("a")
    let removed = insert("removed")
    queue.remove(id: removed)
    let discarded = insert("discarded")
    queue.fail(try XCTUnwrap(queue.begin()).id, retry: .never)
    XCTAssertNotNil(queue.remove(id: discarded))
    let drained = insert("drained")
    XCTAssertEqual(queue.removeAll().map(\.id), [drained])
    stale += [cancelled, removed, discarded, drained]
    let late = queue.insert(Edit("a", "newest"))
    queue.insert(Edit("b"))
    try check(queue, refuses: stale, as: .late)
    // Also while a newer change of the key is in flight, has a follower, and is a dead letter.
    XCTAssertEqual(queue.begin()?.id, late.id)
    try check(queue, refuses: stale, as: .late)
    queue.insert(Edit("a", "follower"), policy: .keep)
    try check(queue, refuses: stale, as: .late)
    queue.fail(late.id, retry: .never)
    try check(queue, refuses: stale, as: .late)
  }

  func testAGenerationThatWasNeverGivenIsRefusedEverywhere() throws {
    var queue = EditQueue()
    let numbers: [UInt64] = [0, 2, 3, 1 << 62, 1 << 63, .max]
    try check(queue, refuses: numbers.map { PendingChangeID(rawValue: $0) }, as: .unknown)
    queue.insert(Edit("a"))
    try check(queue, refuses: numbers.map { PendingChangeID(rawValue: $0) }, as: .unknown)
  }

  private enum Answer { case late, unknown }

  private func check(
    _ queue: EditQueue, refuses ids: [PendingChangeID], as answer: Answer,
    file: StaticString = #filePath, line: UInt = #line
  ) throws {
    for id in ids {
      var changed = queue
      XCTAssertEqual(changed.complete(id), answer == .late ? .late : .unknown, "\(id)", file: file, line: line)
      XCTAssertEqual(changed.fail(id), answer == .late ? .late : .unknown, "\(id)", file: file, line: line)
      XCTAssertEqual(changed.giveBack(id), answer == .late ? .late : .unknown, "\(id)", file: file, line: line)
      XCTAssertNil(changed.begin(id), file: file, line: line)
      XCTAssertNil(changed.remove(id: id), file: file, line: line)
      XCTAssertFalse(changed.requeue(id: id), file: file, line: line)
      XCTAssertNil(changed.status(of: id), file: file, line: line)
      XCTAssertNil(changed[id], file: file, line: line)
      XCTAssertEqual(changed, queue, "\(id)", file: file, line: line)
    }
  }
}
