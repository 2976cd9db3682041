import FileChanges
import Foundation
import Journals
import PendingChanges
import XCTest

final class FileChangeErrorTests: XCTestCase {
  private func error(_ code: Int32, _ operation: FileChangeError.Operation = .write) -> FileChangeError {
    FileChangeError(path: "/a", operation: operation, error: SystemError(code: code))
  }

  func testErrorNumbersMapToReasons() {
    let permanent: [(FileChangeError.Reason, [Int32])] = [
      (.permissionDenied, [EACCES, EPERM]), (.noSuchFolder, [ENOENT]), (.notAFolder, [ENOTDIR]), (.folder, [EISDIR]),
      (.tooManyLinks, [ELOOP]), (.nameTooLong, [ENAMETOOLONG]), (.readOnly, [EROFS]), (.deviceFull, [ENOSPC, EDQUOT]),
      (.tooLarge, [EFBIG]), (.invalidPath, [EILSEQ]),
    ]
    let transient: [(FileChangeError.Reason, [Int32])] = [
      (.tooManyOpenFiles, [EMFILE, ENFILE]), (.busy, [EAGAIN, EBUSY, ETXTBSY]), (.noMemory, [ENOMEM, ENOBUFS]),
      (.deviceFailure, [EIO, ENXIO, ENODEV]),
      (
        .unreachable,
        [ESTALE, ETIMEDOUT, EHOSTDOWN, EHOSTUNREACH, ENETDOWN, ENETUNREACH, ENOTCONN, ECONNRESET]
      ),
      (.unknown, [EINVAL, 0, -1, .max]),
    ]
    for (table, isTransient) in [(permanent, false), (transient, true)] {
      for (reason, codes) in table {
        for code in codes {
          XCTAssertEqual(error(code).reason, reason, "\(code)")
          XCTAssertEqual(error(code).code, code)
          XCTAssertEqual(error(code).isTransient, isTransient, "\(code)")
        }
      }
    }
  }

  func testMissingFileDuringReplaceMeansTheTemporaryFileVanished() {
    XCTAssertEqual(error(ENOENT, .replace).reason, .temporaryVanished)
    XCTAssertTrue(error(ENOENT, .replace).isTransient)
  }

  func testDescriptionHasThePathReasonOperationAndAdvice() {
    XCTAssertEqual(
      error(ENOSPC).description,
      "/a: no space is left (errno 28) while writing the contents. Free some space, then try again.")
    XCTAssertEqual(
      FileChangeError(path: "a", operation: .submit, reason: .relativePath).description,
      "a: the path is relative while submitting the change. Give an absolute path.")
    XCTAssertEqual(
      FileChangeError(path: "/a", operation: .inspect, reason: .changedByAnother).description,
      "/a: the file was found changed by another program while looking at the file. Decide which version to keep.")
  }

  func testLocalizedTextsMatchTheDescription() {
    let full = error(ENOSPC)
    XCTAssertEqual(full.localizedDescription, full.description)
    XCTAssertEqual(full.failureReason, "no space is left (errno 28) while writing the contents")
    XCTAssertEqual(full.recoverySuggestion, "Free some space, then try again.")
  }

  func testFailureDescriptionNamesThePathOnce() {
    let failure = FileChangeWriter.Failure(
      id: PendingChangeID(rawValue: 1), change: .write("secret", to: "/a"), error: error(ENOSPC))
    XCTAssertEqual(
      failure.description,
      "write 6 bytes to /a: no space is left (errno 28) while writing the contents. Free some space, then try again."
    )
  }

  func testReasonsWorkAsPatternsInASwitch() {
    switch error(EDQUOT).reason {
    case .permissionDenied: XCTFail("wrong reason")
    case .deviceFull: break
    default: XCTFail("no case matches")
    }
  }
}
