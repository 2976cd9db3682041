/// The system calls of this package: one method each, with names relative to an open folder.
///
/// A whole change works on one folder that was opened once. A folder that is renamed meanwhile is still the same
/// folder, and nothing put in its place is touched.
///
/// A method makes an interrupted call again. A short write is the caller's to continue: see ``appendAll(_:to:)``.
package protocol FileSystem: Sendable {
  /// Opens the folder at `path`.
  func openFolder(_ path: String) throws(SystemError) -> Descriptor
  /// Opens the folder at `path`, which is relative to `folder` unless it is absolute.
  func openFolder(_ path: String, in folder: borrowing Descriptor) throws(SystemError) -> Descriptor
  /// Makes the folder at `path`, for its owner alone, in one that is there.
  func makeFolder(_ path: String) throws(SystemError)
  /// Opens the folder `name`, a single component, in `folder`; a symbolic link is not followed but an error.
  func openSubfolder(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> Descriptor

  /// What `name` is. A symbolic link is itself, not what it points to.
  func inspect(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> FileStatus
  /// Which file is at `path`, and how large it is. A symbolic link is itself, also one that the path ends in.
  func lookUp(path: String) throws(SystemError) -> FileLookup
  /// What the open `file` is.
  func inspect(_ file: borrowing Descriptor) throws(SystemError) -> FileStatus
  /// The path that the symbolic link `name` holds, which must be UTF-8.
  func linkTarget(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> String

  /// Whether symbolic links in the folder lead to what a process has open, whatever path they hold.
  func hasLinksToOpenFiles(_ folder: borrowing Descriptor) throws(SystemError) -> Bool

  /// Opens the file `name` for reading; a symbolic link is not followed but an error.
  func openFile(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> Descriptor
  /// Makes and opens the file `name`, which must not exist. The process's umask takes its bits from `permissions`.
  func createFile(
    _ name: String, permissions: UInt16, in folder: borrowing Descriptor
  ) throws(SystemError) -> Descriptor
  /// Writes some of `contents` from `offset` on, and returns how many bytes.
  func append(_ contents: Data, from offset: Int, to file: borrowing Descriptor) throws(SystemError) -> Int
  /// Writes some of `bytes` from `index` on over what the file has at `offset`, and returns how many bytes.
  func overwrite(
    _ bytes: [UInt8], from index: Int, at offset: Int, to file: borrowing Descriptor
  ) throws(SystemError) -> Int
  /// Gives the file to `user` (nil leaves it) and `group`.
  func setOwner(user: UInt32?, group: UInt32, of file: borrowing Descriptor) throws(SystemError)
  /// Sets exactly these permission bits.
  func setPermissions(_ permissions: UInt16, of file: borrowing Descriptor) throws(SystemError)
  /// Returns when the file's bytes are on the device.
  func synchronizeFile(_ file: borrowing Descriptor) throws(SystemError)
  /// Returns when the bytes are on the device that were written over others; the file must not have become longer.
  func synchronizeData(_ file: borrowing Descriptor) throws(SystemError)
  /// Closes the file and reports the errors that only the closing shows.
  func finish(_ file: consuming Descriptor) throws(SystemError)

  /// Gives the file `source` the name `name`, in the place of what had it.
  func moveFile(_ source: String, to name: String, in folder: borrowing Descriptor) throws(SystemError)
  /// Gives the file `source` the name `name`, which nothing may have.
  ///
  /// Not every file system has such a call: see ``SystemError/isWithoutExchange``.
  func moveFileToFree(_ source: String, to name: String, in folder: borrowing Descriptor) throws(SystemError)
  /// Gives each of the two files the name of the other one, in one step.
  ///
  /// Not every file system has such a call: see ``SystemError/isWithoutExchange``.
  func exchangeFiles(_ name: String, _ other: String, in folder: borrowing Descriptor) throws(SystemError)
  /// Gives the file `source` one more name, which nothing may have; a symbolic link is not followed.
  func linkFile(_ source: String, to name: String, in folder: borrowing Descriptor) throws(SystemError)
  /// Takes the entry `name` out of the folder.
  func removeFile(_ name: String, in folder: borrowing Descriptor) throws(SystemError)
  /// The names in the folder that begin so; those that are not UTF-8 may be missing.
  func names(startingWith prefix: String, in folder: borrowing Descriptor) throws(SystemError) -> [String]
  /// Returns when the folder's entries are on the device, or the file system has no way to bring them there.
  func synchronizeFolder(_ folder: borrowing Descriptor) throws(SystemError)

  /// Gives the file `source` in `folder` one more name in the other folder, which nothing may have there.
  func linkFile(
    _ source: String, from folder: borrowing Descriptor, to name: String, in other: borrowing Descriptor
  ) throws(SystemError)
  /// The names of the extended attributes that a file in the place of this one should have as well.
  ///
  /// A name that is not UTF-8 is missing.
  func attributeNames(of file: borrowing Descriptor) throws(SystemError) -> [String]
  /// The value of the extended attribute `name`.
  func attribute(_ name: String, of file: borrowing Descriptor) throws(SystemError) -> [UInt8]
  /// Sets the extended attribute `name`.
  func setAttribute(_ name: String, to value: [UInt8], of file: borrowing Descriptor) throws(SystemError)
  /// The access control list of the file, as the system keeps it; nil where it has none.
  func accessControlList(of file: borrowing Descriptor) throws(SystemError) -> [UInt8]?
  /// Gives the file this access control list; nil takes away the one that it has.
  func setAccessControlList(_ list: [UInt8]?, of file: borrowing Descriptor) throws(SystemError)
  /// Makes a folder for a file that is to take the place of the one at `path`, where that one's own folder takes none.
  func makeReplacementFolder(for path: String) throws(SystemError) -> String
  /// Removes the empty folder at `path`.
  func removeFolder(_ path: String) throws(SystemError)
  /// Gives the file `source` in `folder` the name `name` in the other folder, in the place of what had it.
  func moveFile(
    _ source: String, from folder: borrowing Descriptor, to name: String, in other: borrowing Descriptor
  ) throws(SystemError)

  /// The user in whose name the process makes its calls.
  var user: UInt32 { get }
  /// Whether the group has no other member than the user: it is the user's primary group, and has the user's name.
  func isPrivateGroup(_ group: UInt32) -> Bool
  /// The time by the clock that dates files.
  var time: Date { get }
  /// Opens the file `name` for reading and writing, and makes it, for its owner alone, where it is not there.
  ///
  /// A symbolic link is not followed but an error.
  func openJournal(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> Descriptor
  /// Takes the one lock that there is for the file, until it is closed; fails at once where another process has it.
  func lock(_ file: borrowing Descriptor) throws(SystemError)
  /// Takes the lock of the folder, until ``unlock(_:)``; waits for a process that has it, but not for ever.
  func lockFolder(_ folder: borrowing Descriptor) throws(SystemError)
  /// Gives the lock back.
  func unlock(_ file: borrowing Descriptor) throws(SystemError)
  /// Reads what comes next in the file, no more than `count` bytes; nothing at its end.
  func read(upTo count: Int, from file: borrowing Descriptor) throws(SystemError) -> [UInt8]
  /// Cuts the file off after `count` bytes.
  func truncate(_ file: borrowing Descriptor, to count: Int) throws(SystemError)
}

/// What the system says of a name.
package struct FileStatus: Hashable, Sendable {
  package enum Kind: Hashable, Sendable { case file, folder, symbolicLink, other }

  package let kind: Kind
  /// The twelve permission bits.
  package let permissions: UInt16
  package let user: UInt32
  package let group: UInt32
  /// What changes with the contents.
  package let stamp: FileStamp
  /// Which file it is, whatever its name.
  package let identity: FileIdentity
}

/// The identity of a file among all that are there at the same time.
package struct FileIdentity: Hashable, Sendable {
  package let device: UInt64
  package let number: UInt64

  package init(device: UInt64, number: UInt64) {
    self.device = device
    self.number = number
  }
}

/// What a path leads to.
package struct FileLookup: Hashable, Sendable {
  package let identity: FileIdentity
  /// How many bytes the file has.
  package let size: UInt64

  package init(identity: FileIdentity, size: UInt64) {
    self.identity = identity
    self.size = size
  }
}

/// The part of what the system says of a file that changes with its contents.
package struct FileStamp: Hashable, Sendable, Codable {
  package let device: UInt64
  package let number: UInt64
  package let size: UInt64
  /// When the contents were changed last; a program may set this to any time.
  package let seconds: Int64
  package let nanoseconds: Int64
  /// When the contents, the name, the permissions or anything else of the file was changed last; only the system sets
  /// this.
  package let changeSeconds: Int64
  package let changeNanoseconds: Int64

  package init(
    device: UInt64, number: UInt64, size: UInt64, seconds: Int64, nanoseconds: Int64, changeSeconds: Int64,
    changeNanoseconds: Int64
  ) {
    self.device = device
    self.number = number
    self.size = size
    self.seconds = seconds
    self.nanoseconds = nanoseconds
    self.changeSeconds = changeSeconds
    self.changeNanoseconds = changeNanoseconds
  }

  /// Whether the two differ in nothing but the change time, as a file does before and after a rename.
  package func isSame(as other: FileStamp) -> Bool {
    device == other.device && number == other.number && size == other.size && seconds == other.seconds
      && nanoseconds == other.nanoseconds
  }
}

extension FileSystem {
  /// Writes all of `contents`, in as many calls as it takes.
  package func appendAll(_ contents: Data, to file: borrowing Descriptor) throws(SystemError) {
    var offset = 0
    while offset < contents.count {
      let count = try append(contents, from: offset, to: file)
      // A broken file system could keep us here for ever.
      guard count > 0 else { throw .noProgress }
      offset += count
    }
  }

  /// Writes all of `bytes` over what the file has at `offset`, in as many calls as it takes.
  package func overwriteAll(_ bytes: [UInt8], at offset: Int, to file: borrowing Descriptor) throws(SystemError) {
    var index = 0
    while index < bytes.count {
      let count = try overwrite(bytes, from: index, at: offset + index, to: file)
      guard count > 0 else { throw .noProgress }
      index += count
    }
  }
}

extension String {
  /// The folder and the name of what this path locates.
  ///
  /// A path that ends in a slash locates a folder and has the name `.`.
  package var folderAndName: (folder: String, name: String) {
    guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", self) }
    let next = utf8.index(after: slash)
    return (String(Substring(utf8[..<next])), next == endIndex ? "." : String(self[next...]))
  }
}
