import Foundation
import TestSupport
import UniqueQueues
import XCTest

final class UniqueQueueConformanceTests: XCTestCase {
  func testQueuesAreEqualWhenElementsAndOrderAre() {
    var same = UniqueQueue(-3..<4)
    same.removeAll { $0 <= 0 }
    checkHashable(equivalenceClasses: [
      [[], UniqueQueue(minimumCapacity: 50)],
      [[1, 2, 3], same, UniqueQueue(layout: [1, nil, 2, 3], capacity: 4, head: 2, isIndexed: true)],
      [[3, 2, 1]],
      [[1, 2]],
    ])
  }

  func testHashOfSeveralQueuesDependsOnWhereEachEnds() {
    let pairs: [[UniqueQueue<Int>]] = [[[1], [2]], [[1, 2], []], [[], [1, 2]]]
    checkHashable(equivalenceClasses: pairs.map { [$0] })
  }

  func testLiteralKeepsTheFirstOfEqualElements() {
    let queue: UniqueQueue = [3, 1, 3, 2, 1]
    XCTAssertEqual(Array(queue), [3, 1, 2])
  }

  func testDescriptionsShowTheElementsInOrder() {
    let queue: UniqueQueue = ["b", "a"]
    XCTAssertEqual("\(queue)", #"["b", "a"]"#)
    XCTAssertEqual(String(reflecting: queue), #"UniqueQueue(["b", "a"])"#)
    XCTAssertEqual("\(UniqueQueue<Int>())", "[]")
  }

  func testMirrorShowsTheElements() {
    let mirror = Mirror(reflecting: [5, 7] as UniqueQueue)
    XCTAssertEqual(mirror.displayStyle, .collection)
    XCTAssertEqual(mirror.children.compactMap { $0.value as? Int }, [5, 7])
  }

  func testQueueIsCodedAsAnArray() throws {
    try checkCodable([3, 1, 2] as UniqueQueue)
    try checkCodable(UniqueQueue<String>())
    XCTAssertEqual(String(decoding: try JSONEncoder().encode([3, 1] as UniqueQueue), as: UTF8.self), "[3,1]")
  }

  func testDecodingRefusesDuplicates() {
    expectDecodingError(UniqueQueue<Int>.self, from: "[4, 5, 4]", mentioning: "index 2")
    expectDecodingError(UniqueQueue<Named.Coded>.self, from: #"[{"number": 1}, {"number": 1}]"#, mentioning: "index 1")
  }

  func testDuplicateIsReportedAtItsIndex() throws {
    struct Shelf: Codable { var queue: UniqueQueue<Int> }
    let list = ["queue": [4, 5, 4, 6]]
    let decodings: [() throws -> Shelf] = [
      { [data = try JSONEncoder().encode(list)] in try JSONDecoder().decode(Shelf.self, from: data) },
      { [data = try PropertyListEncoder().encode(list)] in try PropertyListDecoder().decode(Shelf.self, from: data) },
    ]
    for decode in decodings {
      XCTAssertThrowsError(try decode()) { error in
        guard case DecodingError.dataCorrupted(let context) = error else { return XCTFail("\(error)") }
        XCTAssertEqual(context.codingPath.map(\.stringValue), ["queue", "Index 2"])
        XCTAssertEqual(context.codingPath.last?.intValue, 2)
        XCTAssertTrue(context.debugDescription.contains("index 2"))
      }
    }
  }

  func testDecodingRefusesInvalidInput() {
    for json in ["{}", "null", "7", #"["a"]"#, "[1, null]", "[[1]]", ""] {
      expectDecodingError(UniqueQueue<Int>.self, from: json)
    }
  }

  func testQueueIsSendableWhenItsElementsAre() {
    func requireSendable(_: some Sendable) {}
    requireSendable([1, 2] as UniqueQueue)
  }
}

extension Named {
  struct Coded: Hashable, Codable {
    let number: Int
  }
}
