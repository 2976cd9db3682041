import ForwardingFileSystem
import Foundation
import Journals

/// The real file system with a slow device, so that many insertions arrive while one group is written.
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
