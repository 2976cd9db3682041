import TestSupport
import XCTest

final class GateTests: XCTestCase {
  func testOpenGateLetsThrough() async {
    let gate = Gate(isOpen: true)
    await gate.pass()
    XCTAssertEqual(gate.waiterCount, 0)
  }

  func testClosedGateHoldsUntilItOpens() async {
    let gate = Gate()
    let arrived = Gate()
    let task = Task {
      arrived.open()
      await gate.pass()
      return true
    }
    await arrived.pass()
    while gate.waiterCount == 0 { await Task.yield() }
    gate.open()
    let passed = await task.value
    XCTAssertTrue(passed)
    gate.close()
    XCTAssertEqual(gate.waiterCount, 0)
  }
}
