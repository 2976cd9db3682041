import ForwardingFileSystem
import Foundation
import Journals

/// The real system with a device that takes its time, so that many insertions come while one group is written.
struct SlowFileSystem: ForwardingFileSystem {
  let delay: Duration
  let real: PosixFileSystem

  init(delay: Duration) { (self.delay, real) = (delay, PosixFileSystem()) }

  func around<Result: ~Copyable>(
    _ call: FileSystemCall, _ body: @autoclosure () throws(SystemError) -> Result
  ) throws(SystemError) -> Result {
    if call == .synchronizeData || call == .synchronizeFile { Thread.sleep(forTimeInterval: delay / .seconds(1)) }
    return try body()
  }
}
