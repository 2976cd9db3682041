import TestSupport
import XCTest

#if os(Linux) || os(macOS)
  final class ResourceLimitTests: XCTestCase {
    func testLimitIsRestoredEvenAfterAnError() async {
      struct Failure: Error {}
      let before = ResourceLimit.openFiles.current
      expectEqual(await ResourceLimit.openFiles.lowered(to: before - 1) { ResourceLimit.openFiles.current }, before - 1)
      XCTAssertEqual(ResourceLimit.openFiles.current, before)
      do {
        try await ResourceLimit.openFiles.lowered(to: before - 1) { throw Failure() }
        XCTFail("the error was not rethrown")
      } catch {
        XCTAssertEqual(ResourceLimit.openFiles.current, before)
      }
    }
  }
#endif
