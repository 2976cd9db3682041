import TestSupport
import XCTest

final class GateTests: XCTestCase {
  func testOpenGateLetsThrough() async {
    let gate = Gate(isOpen: true)
    await gate.pass()
    XCTAssertEqual(gate.waiterCount, 0)
  }

  func testClosedGateHoldsUntilItOpens() async throws {
    let gate = Gate()
    let arrived = Gate()
    let task = Task {
      arrived.open()
      await gate.pass()
      return true
    }
    await arrived.pass()
    try await until(gate.waiterCount != 0)
    gate.open()
    expect(await task.value)
    gate.close()
    XCTAssertEqual(gate.waiterCount, 0)
  }
}
