import TestSupport
import XCTest

final class AllCoresTests: XCTestCase {
  func testEachNumberIsPassedOnce() async throws {
    let numbers = (0..<37).map { _ in Counter() }
    try await onAllCores(37) { numbers[$0].next() }
    XCTAssertEqual(numbers.map(\.count), Array(repeating: 1, count: 37))
    do {
      try await onAllCores(37) { if $0 == 20 { throw Refused() } }
      XCTFail("no error")
    } catch { XCTAssertTrue(error is Refused) }
  }

  func testWorkEndsWithTheFirstFalse() async throws {
    let count = try await onAllCoresWhile { $0 < 37 }
    XCTAssertEqual(count, 37)
  }

  func testFirstComplaintAfterAFailingCallIsReturned() async throws {
    let none = try await complaintsAfterFaults(20) { try Self.work($0, $1) { [] } }
    XCTAssertEqual(none, [])
    let found = try await complaintsAfterFaults(20) { try Self.work($0, $1) { ["lost"] } }
    XCTAssertEqual(found.last, "lost")
    XCTAssertEqual(found.first?.hasPrefix("call "), true)
    let thrown = try await complaintsAfterFaults(20) { try Self.work($0, $1) { throw Refused() } }
    XCTAssertEqual(thrown.last, "Refused()")
  }

  private static func work(
    _ system: ScriptedFileSystem, _ rounds: Int, then complain: () throws -> [String]
  ) throws -> [String] {
    for _ in 0..<rounds {
      do { _ = try system.openFolder("/") } catch { return try complain() }
    }
    return []
  }
}
