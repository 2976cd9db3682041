import Foundation
import PendingChanges
import TestSupport
import XCTest

final class PendingChangeQueueCodableTests: XCTestCase {
  func restored(_ queue: EditQueue) throws -> EditQueue {
    try JSONDecoder().decode(EditQueue.self, from: try JSONEncoder().encode(queue))
  }

  func testWaitingChangesSurviveCoding() throws {
    var queue = EditQueue()
    try checkCodable(queue)
    queue.insert(contentsOf: [Edit("a"), Edit("b"), Edit("c"), Edit("a", "2")])
    queue.fail(queue.begin()!.id, reason: "busy")
    queue.cancel("b")
    try checkCodable(queue)
    XCTAssertEqual(try restored(queue).next?.failureReason, "busy")
  }

  func testChangeInFlightIsDecodedAsWaitingInItsPlace() throws {
    var queue = EditQueue()
    queue.insert(contentsOf: [Edit("a", "1"), Edit("b"), Edit("c")])
    let b = queue.begin(queue.newest(for: "b")!.id)!
    queue.insert(Edit("b", "2"))
    var after = try restored(queue)
    XCTAssertEqual(after.inFlightCount, 0)
    XCTAssertEqual(after.waiting.map(\.change.description), ["a1", "b", "c", "b2"])
    XCTAssertEqual(after.status(of: b.id), .waiting)
    XCTAssertEqual(after[b.id]?.attempts, 1)
    XCTAssertEqual(after.insert(Edit("d")).id, queue.insert(Edit("d")).id)
    try checkCodable(after)
  }

  func testFollowerKeepsItsPolicyAfterDecoding() throws {
    for (policy, isSuperseded) in [(EditQueue.Policy.replace, true), (.keep, false)] {
      var queue = EditQueue()
      queue.insert(Edit("a", "1"))
      _ = queue.begin()
      queue.insert(Edit("a", "2"), policy: policy)
      var after = try restored(queue)
      let begun = after.begin()!.id
      if after.fail(begun) != nil, after.status(of: begun) == nil {
        XCTAssert(isSuperseded)
      } else {
        XCTAssertFalse(isSuperseded)
      }
    }
  }

  /// The encoder writes the entries of a key next to each other, but other programs may not.
  func testChangeFarFromItsFailureIsFoundAfterDecoding() throws {
    var queue = EditQueue()
    queue.insert(contentsOf: (0..<20).map { Edit("\($0)") })
    let failed = queue.begin(queue.newest(for: "3")!.id)!
    queue.fail(failed.id, attempts: 1)
    queue.insert(Edit("3", "new"), policy: .keep)
    var text = String(decoding: try JSONEncoder().encode(queue), as: UTF8.self)
    let list = try XCTUnwrap(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    var entries = try XCTUnwrap(list["entries"] as? [[String: Any]])
    let failure = try XCTUnwrap(entries.firstIndex { $0["role"] as? String == "failure" })
    entries.insert(entries.remove(at: failure), at: 1)
    let other = list.merging(["entries": entries]) { $1 }
    text = String(decoding: try JSONSerialization.data(withJSONObject: other), as: UTF8.self)
    var after = try JSONDecoder().decode(EditQueue.self, from: Data(text.utf8))
    for entry in after.waiting { XCTAssertEqual(after.status(of: entry.id), .waiting, "\(entry)") }
    XCTAssertEqual(after.status(of: failed.id), .failure)
    while let entry = after.begin() { XCTAssertEqual(after.complete(entry.id), entry) }
    XCTAssertEqual(after.failureCount, 1)
  }

  func testChangeCancelledInFlightIsNotRestored() throws {
    var queue = EditQueue()
    queue.insert(contentsOf: [Edit("a", "1"), Edit("b")])
    let first = queue.begin()!
    queue.cancel("a")
    XCTAssertEqual(try restored(queue).waiting.map(\.change.thing), ["b"])
    queue.insert(Edit("a", "2"))
    var after = try restored(queue)
    XCTAssertEqual(after.waiting.map(\.change.description), ["a2", "b"])
    XCTAssertNil(after.complete(first.id))
  }

  func testFailuresSurviveCoding() throws {
    var queue = EditQueue()
    queue.insert(Edit("a", "1"))
    let first = queue.begin()!
    queue.insert(Edit("a", "2"), policy: .keep)
    queue.fail(first.id, attempts: 1, reason: "gone")
    queue.insert(Edit("b"))
    queue.fail(queue.begin(queue.newest(for: "b")!.id)!.id, attempts: 1)
    let after = try checkCodable(queue)
    XCTAssertEqual(after.failures.map(\.failureReason), ["gone", nil])
  }

  func testJSONFormatHasNotChanged() throws {
    var queue = EditQueue()
    queue.insert(contentsOf: [Edit("a", "1"), Edit("b")])
    _ = queue.begin()
    queue.insert(Edit("a", "2"))
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    XCTAssertEqual(
      String(decoding: try encoder.encode(queue), as: UTF8.self),
      #"{"entries":[{"attempts":1,"change":{"text":"1","thing":"a"},"id":1},"#
        + #"{"change":{"text":"2","thing":"a"},"id":3,"role":"replacement"},{"change":{"text":"","thing":"b"},"id":2}],"nextID":4}"#
    )
  }

  private struct Level: PendingChange, Codable {
    /// A key that equals nothing, like NaN, which JSON doesn't have.
    struct Key: Hashable, Codable {
      static func == (left: Self, right: Self) -> Bool { false }
    }

    var key: Key
  }

  func testInvalidInputThrows() {
    func entry(_ id: Int, _ thing: String = "a", _ more: String = "") -> String {
      #"{"id": \#(id), "change": {"thing": "\#(thing)", "text": ""}\#(more)}"#
    }
    func expectRefused(
      _ entries: String..., nextID: String = "9", mentioning fragment: String, line: UInt = #line
    ) {
      let json = #"{"nextID": \#(nextID), "entries": [\#(entries.joined(separator: ","))]}"#
      expectDecodingError(EditQueue.self, from: json, mentioning: fragment, line: line)
    }
    expectRefused(entry(1), entry(1, "b"), mentioning: "index 1")
    expectRefused(entry(1), entry(2), mentioning: "second of its key")
    expectRefused(entry(9), mentioning: "not given yet")
    expectRefused(entry(0), mentioning: "not given yet")
    expectRefused(entry(1, "a", #", "attempts": -1"#), mentioning: "attempts")
    expectRefused(entry(1, "a", #", "attempts": 9223372036854775807"#), mentioning: "attempts")
    expectRefused(entry(1, "a", #", "role": "follower""#), mentioning: "follows no other")
    expectRefused(entry(5), entry(4, "a", #", "role": "follower""#), mentioning: "cannot follow")
    expectRefused(
      entry(1), entry(2, "a", #", "role": "follower""#), entry(3, "a", #", "role": "replacement""#),
      mentioning: "cannot follow")
    expectRefused(entry(1, "a", #", "role": "king""#), mentioning: "role")
    expectRefused(entry(-1), mentioning: "")
    expectRefused(nextID: "0", mentioning: "next change")
    expectRefused(nextID: "18446744073709551615", mentioning: "next change")
    expectRefused(nextID: "-1", mentioning: "")
    expectDecodingError(
      PendingChangeQueue<Level>.self, from: #"{"nextID": 9, "entries": [{"id": 1, "change": {"key": {}}}]}"#,
      mentioning: "does not equal itself")
    for json in ["", "[]", "null", "{}", #"{"nextID": 1}"#, #"{"entries": []}"#, #"{"nextID": 1, "entries": {}}"#] {
      expectDecodingError(EditQueue.self, from: json)
    }
  }
}
