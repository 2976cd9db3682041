import Foundation

/// A program that may be installed.
struct Tool {
  let name: String

  init(_ name: String) {
    self.name = name
  }

  /// Runs it, and answers whether it is there and exited with 0.
  ///
  /// What it says is dropped.
  func succeeds(_ arguments: String...) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [name] + arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}
