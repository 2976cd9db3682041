#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// What a file change asks of the system: one method per system call, names relative to an open folder.
///
/// The whole of a change works on one folder that was opened once, so a folder that is renamed meanwhile is still
/// the same folder, and nothing put in its place is touched.
///
/// A method makes its call exactly once: interrupted and short calls are the caller's to repeat, which makes the
/// repetition testable.
package protocol _FileSystem: Sendable {
  /// Opens the folder at `path`.
  func openFolder(_ path: String) throws(_SystemError) -> _Descriptor
  /// Opens the folder at `path`, which is relative to `folder` unless it is absolute.
  func openFolder(_ path: String, in folder: borrowing _Descriptor) throws(_SystemError) -> _Descriptor
  /// Opens the folder `name`, a single component, in `folder`; a symbolic link is not followed but an error.
  func openSubfolder(_ name: String, in folder: borrowing _Descriptor) throws(_SystemError) -> _Descriptor

  /// What `name` is. A symbolic link is itself, not what it points to.
  func inspect(_ name: String, in folder: borrowing _Descriptor) throws(_SystemError) -> _FileStatus
  /// What is at `path`. A symbolic link is itself, also one that the path ends in.
  func inspect(path: String) throws(_SystemError) -> _FileStatus
  /// What the open `file` is.
  func inspect(_ file: borrowing _Descriptor) throws(_SystemError) -> _FileStatus
  /// The path that the symbolic link `name` holds, which must be UTF-8.
  func linkTarget(_ name: String, in folder: borrowing _Descriptor) throws(_SystemError) -> String

  /// Opens the file `name` for reading; a symbolic link is not followed but an error.
  func openFile(_ name: String, in folder: borrowing _Descriptor) throws(_SystemError) -> _Descriptor
  /// Makes and opens the file `name`, which must not exist. The process's umask takes its bits from `permissions`.
  func createFile(
    _ name: String, permissions: UInt16, in folder: borrowing _Descriptor
  ) throws(_SystemError) -> _Descriptor
  /// Writes some of `contents` from `offset` on, and returns how many bytes.
  func append(_ contents: Data, from offset: Int, to file: borrowing _Descriptor) throws(_SystemError) -> Int
  /// Gives the file to `user` (nil leaves it) and `group`.
  func setOwner(user: UInt32?, group: UInt32, of file: borrowing _Descriptor) throws(_SystemError)
  /// Sets exactly these permission bits.
  func setPermissions(_ permissions: UInt16, of file: borrowing _Descriptor) throws(_SystemError)
  /// Returns when the file's bytes are on the device.
  func synchronizeFile(_ file: borrowing _Descriptor) throws(_SystemError)
  /// Closes the file and reports what only the closing tells.
  func finish(_ file: consuming _Descriptor) throws(_SystemError)

  /// Gives the file `source` the name `name`, in the place of what had it.
  func moveFile(_ source: String, to name: String, in folder: borrowing _Descriptor) throws(_SystemError)
  /// Gives the file `source` one more name, which nothing may have; a symbolic link is not followed.
  func linkFile(_ source: String, to name: String, in folder: borrowing _Descriptor) throws(_SystemError)
  /// Takes the entry `name` out of the folder.
  func removeFile(_ name: String, in folder: borrowing _Descriptor) throws(_SystemError)
  /// The names in the folder that begin so; those that are not UTF-8 may be missing.
  func names(startingWith prefix: String, in folder: borrowing _Descriptor) throws(_SystemError) -> [String]
  /// Returns when the folder's entries are on the device, or the file system has no way to bring them there.
  func synchronizeFolder(_ folder: borrowing _Descriptor) throws(_SystemError)

  /// The user in whose name the process makes its calls.
  var user: UInt32 { get }
  /// The time by the clock that dates files.
  var time: Date { get }
  /// Opens the file `name` for reading and appending, and makes it, for its owner alone, where it is not there.
  ///
  /// A symbolic link is not followed but an error.
  func openJournal(_ name: String, in folder: borrowing _Descriptor) throws(_SystemError) -> _Descriptor
  /// Takes the one lock that there is for the file, until it is closed; fails at once where somebody else has it.
  func lock(_ file: borrowing _Descriptor) throws(_SystemError)
  /// Gives the lock back.
  func unlock(_ file: borrowing _Descriptor) throws(_SystemError)
  /// Reads what comes next in the file, no more than `count` bytes; nothing at its end.
  func read(upTo count: Int, from file: borrowing _Descriptor) throws(_SystemError) -> [UInt8]
  /// Cuts the file off after `count` bytes.
  func truncate(_ file: borrowing _Descriptor, to count: Int) throws(_SystemError)
}

/// An error number as the system gave it.
package struct _SystemError: Error, Hashable {
  package let code: Int32
  package init(code: Int32) { self.code = code }
}

/// What the system says of a name.
package struct _FileStatus: Hashable, Sendable {
  package enum Kind: Hashable, Sendable { case file, folder, symbolicLink, other }

  package let kind: Kind
  /// The twelve permission bits.
  package let permissions: UInt16
  package let user: UInt32
  package let group: UInt32
  /// What changes with the contents.
  package let stamp: _FileStamp
  /// Which file it is, whatever its name.
  package let identity: _FileIdentity
}

/// What tells a file from every other that is there at the same time.
package struct _FileIdentity: Hashable, Sendable {
  package let device: UInt64
  package let number: UInt64
}
