#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Who makes system calls for one file, and reports what goes wrong as an error of that file.
protocol _SystemCalling {
  var path: FileChange.Path { get }
  var system: any _FileSystem { get }
}

extension _SystemCalling {
  /// Makes a system call until no signal interrupts it.
  func attempt<Result: ~Copyable>(
    _ operation: FileChangeError.Operation, _ call: () throws(_SystemError) -> Result
  ) throws(FileChangeError) -> Result {
    while true {
      do throws(_SystemError) {
        return try call()
      } catch {
        if error != .interrupted { throw failure(operation, error) }
      }
    }
  }

  /// Writes all of `contents`, in as many calls as it takes.
  func append(
    _ contents: Data, to file: borrowing _Descriptor, _ operation: FileChangeError.Operation
  ) throws(FileChangeError) {
    var offset = 0
    while offset < contents.count {
      let count = try attempt(operation) { () throws(_SystemError) in
        try system.append(contents, from: offset, to: file)
      }
      // Nothing written and no error: a broken file system could keep us here for ever.
      guard count > 0 else { throw refusal(operation, .deviceFailure) }
      offset += count
    }
  }

  /// The folder and the name of what `path` locates; a path that ends in a slash locates a folder and has the name `.`.
  func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
    let next = path.utf8.index(after: slash)
    return (String(Substring(path.utf8[..<next])), next == path.endIndex ? "." : String(path[next...]))
  }

  func failure(_ operation: FileChangeError.Operation, _ error: _SystemError) -> FileChangeError {
    FileChangeError(path: path, operation: operation, code: error.code)
  }

  func refusal(_ operation: FileChangeError.Operation, _ reason: FileChangeError.Reason) -> FileChangeError {
    FileChangeError(path: path, operation: operation, reason: reason)
  }
}
