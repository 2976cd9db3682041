import PendingChanges
import TestSupport
import XCTest

/// IDs of changes that have left the queue or were never in it: every call refuses them and changes nothing.
final class PendingChangeQueueStaleIDTests: XCTestCase {
  func testStaleIDIsRefusedByEveryCall() throws {
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
    queue.fail(try XCTUnwrap(queue.begin()).id, attempts: 1)
    XCTAssertNotNil(queue.remove(id: discarded))
    let drained = insert("drained")
    XCTAssertEqual(queue.removeAll().map(\.id), [drained])
    stale += [cancelled, removed, discarded, drained]
    let late = queue.insert(Edit("a", "newest"))
    queue.insert(Edit("b"))
    try check(queue, refuses: stale)
    // Check again while a newer change of the key is in flight, has a follower, and is a failure.
    XCTAssertEqual(queue.begin()?.id, late.id)
    try check(queue, refuses: stale)
    queue.insert(Edit("a", "follower"), policy: .keep)
    try check(queue, refuses: stale)
    queue.fail(late.id, attempts: 1)
    try check(queue, refuses: stale)
  }

  func testUnknownIDIsRefusedByEveryCall() throws {
    var queue = EditQueue()
    let numbers: [UInt64] = [0, 2, 3, 1 << 62, 1 << 63, .max]
    try check(queue, refuses: numbers.map { PendingChangeID(rawValue: $0) })
    queue.insert(Edit("a"))
    try check(queue, refuses: numbers.map { PendingChangeID(rawValue: $0) })
  }

  private func check(
    _ queue: EditQueue, refuses ids: [PendingChangeID],
    file: StaticString = #filePath, line: UInt = #line
  ) throws {
    for id in ids {
      var changed = queue
      XCTAssertNil(changed.complete(id), "\(id)", file: file, line: line)
      XCTAssertNil(changed.fail(id), "\(id)", file: file, line: line)
      XCTAssertNil(changed.release(id), "\(id)", file: file, line: line)
      XCTAssertNil(changed.begin(id), file: file, line: line)
      XCTAssertNil(changed.remove(id: id), file: file, line: line)
      XCTAssertFalse(changed.requeue(id: id), file: file, line: line)
      XCTAssertNil(changed.status(of: id), file: file, line: line)
      XCTAssertNil(changed[id], file: file, line: line)
      XCTAssertEqual(changed, queue, "\(id)", file: file, line: line)
    }
  }
}
