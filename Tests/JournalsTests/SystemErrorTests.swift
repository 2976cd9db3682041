import Foundation
import Journals
import XCTest

/// The answers about errors and stamps that the other types rely on.
final class SystemErrorTests: XCTestCase {
  func testErrorsTellWhatAFileSystemCannotDo() {
    let unsupported = [ENOTSUP, EOPNOTSUPP, ENOSYS]
    for code in [ENOTSUP, EOPNOTSUPP, ENOSYS, EPERM, EMLINK, EINVAL, EIO, ENOSPC, EACCES] {
      let error = SystemError(code: code)
      XCTAssertEqual(error.isUnsupported, unsupported.contains(code), "\(error)")
      XCTAssertEqual(error.isWithoutLinks, (unsupported + [EPERM, EMLINK]).contains(code), "\(error)")
      XCTAssertEqual(error.isWithoutExchange, (unsupported + [EINVAL]).contains(code), "\(error)")
    }
  }

  func testStampsAreTheSameIfOnlyTheChangeTimeDiffers() {
    func stamp(_ numbers: [Int64]) -> FileStamp {
      FileStamp(
        device: UInt64(numbers[0]), number: UInt64(numbers[1]), size: UInt64(numbers[2]), seconds: numbers[3],
        nanoseconds: numbers[4], changeSeconds: numbers[5], changeNanoseconds: numbers[6])
    }
    let numbers: [Int64] = [1, 2, 3, 4, 5, 6, 7]
    XCTAssertTrue(stamp(numbers).isSame(as: stamp(numbers)))
    for index in numbers.indices {
      var other = numbers
      other[index] += 10
      XCTAssertEqual(stamp(numbers).isSame(as: stamp(other)), index > 4, "\(index)")
    }
  }
}
