/// The system calls of this package: one method each, with names relative to an open folder.
///
/// All calls for a change use one open folder. If the folder is renamed meanwhile, they still apply to the same folder
/// and don't touch another one that took its place.
///
/// The methods repeat interrupted calls. The caller must continue a short write: see ``appendAll(_:to:)``.
package protocol FileSystem: Sendable {
  /// Opens the folder at `path`.
  func openFolder(_ path: String) throws(SystemError) -> Descriptor
  /// Opens the folder at `path`, which is relative to `folder` unless it is absolute.
  func openFolder(_ path: String, in folder: borrowing Descriptor) throws(SystemError) -> Descriptor
  /// Makes the folder at `path`, accessible only to its owner, in an existing folder.
  func makeFolder(_ path: String) throws(SystemError)
  /// Opens the folder `name`, a single component, in `folder`; fails for a symbolic link.
  func openSubfolder(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> Descriptor

  /// The status of `name`. Symbolic links aren't followed.
  func inspect(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> FileStatus
  /// The identity and the size of the file at `path`. Symbolic links are not followed if they are the last component.
  func lookUp(path: String) throws(SystemError) -> FileLookup
  /// The status of the open `file`.
  func inspect(_ file: borrowing Descriptor) throws(SystemError) -> FileStatus
  /// The path that the symbolic link `name` contains; it must be UTF-8.
  func linkTarget(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> String

  /// Whether symbolic links in the folder lead to the open files of a process, whatever path they contain.
  func hasLinksToOpenFiles(_ folder: borrowing Descriptor) throws(SystemError) -> Bool

  /// Opens the file `name` for reading; fails for a symbolic link.
  func openFile(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> Descriptor
  /// Opens the existing file `name` for reading and writing; fails for a symbolic link.
  func openToOverwrite(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> Descriptor
  /// Sets the time of the last change of the contents to that of the stamp.
  func setModificationTime(of file: borrowing Descriptor, like stamp: FileStamp) throws(SystemError)
  /// Makes and opens the file `name`, which must not exist. The process's umask is removed from `permissions`.
  func createFile(
    _ name: String, permissions: UInt16, in folder: borrowing Descriptor
  ) throws(SystemError) -> Descriptor
  /// Writes some of `contents` from `offset` on, and returns the number of bytes written.
  func append(_ contents: Data, from offset: Int, to file: borrowing Descriptor) throws(SystemError) -> Int
  /// Overwrites the file at `offset` with some of `bytes` from `index` on, and returns the number of bytes written.
  func overwrite(
    _ bytes: [UInt8], from index: Int, at offset: Int, to file: borrowing Descriptor
  ) throws(SystemError) -> Int
  /// Sets the owner of the file, unless `user` is nil, and its group.
  func setOwner(user: UInt32?, group: UInt32, of file: borrowing Descriptor) throws(SystemError)
  /// Sets exactly these permission bits.
  func setPermissions(_ permissions: UInt16, of file: borrowing Descriptor) throws(SystemError)
  /// Returns when the file's bytes are on the device.
  func synchronizeFile(_ file: borrowing Descriptor) throws(SystemError)
  /// Returns when bytes that overwrote others are on the device; the file must not have grown.
  func synchronizeData(_ file: borrowing Descriptor) throws(SystemError)
  /// Closes the file, and reports errors that only closing shows.
  func finish(_ file: consuming Descriptor) throws(SystemError)

  /// Moves the file `source` from `folder` to `name` in the other folder, replacing what has that name.
  func moveFile(
    _ source: String, from folder: borrowing Descriptor, to name: String, in other: borrowing Descriptor
  ) throws(SystemError)
  /// Renames the file `source` to `name`, which must be free.
  ///
  /// Not every file system supports this: see ``SystemError/isWithoutExchange``.
  func moveFileToFree(_ source: String, to name: String, in folder: borrowing Descriptor) throws(SystemError)
  /// Exchanges the names of two files in one step.
  ///
  /// Not every file system supports this: see ``SystemError/isWithoutExchange``.
  func exchangeFiles(_ name: String, _ other: String, in folder: borrowing Descriptor) throws(SystemError)
  /// Gives the file `source` in `folder` a second name in the other folder, where `name` must be free; doesn't follow a
  /// symbolic link.
  func linkFile(
    _ source: String, from folder: borrowing Descriptor, to name: String, in other: borrowing Descriptor
  ) throws(SystemError)
  /// Removes the entry `name` from the folder.
  func removeFile(_ name: String, in folder: borrowing Descriptor) throws(SystemError)
  /// The names in the folder with this prefix; names that aren't UTF-8 may be missing.
  func names(startingWith prefix: String, in folder: borrowing Descriptor) throws(SystemError) -> [String]
  /// Returns when the folder's entries are on the device, or the file system has no way to write them there.
  func synchronizeFolder(_ folder: borrowing Descriptor) throws(SystemError)

  /// The names of the extended attributes that a replacement of this file should have, too.
  ///
  /// A name that isn't UTF-8 is missing.
  func attributeNames(of file: borrowing Descriptor) throws(SystemError) -> [String]
  /// The value of the extended attribute `name`.
  func attribute(_ name: String, of file: borrowing Descriptor) throws(SystemError) -> [UInt8]
  /// Sets the extended attribute `name`.
  func setAttribute(_ name: String, to value: [UInt8], of file: borrowing Descriptor) throws(SystemError)
  /// The access control list of the file, in the system's format; nil if it has none.
  func accessControlList(of file: borrowing Descriptor) throws(SystemError) -> [UInt8]?
  /// Sets the access control list of the file; nil removes it.
  func setAccessControlList(_ list: [UInt8]?, of file: borrowing Descriptor) throws(SystemError)
  /// Makes a folder for a replacement of the file at `path`, for use if the file's own folder accepts no new files.
  func makeReplacementFolder(for path: String) throws(SystemError) -> String
  /// Removes the empty folder at `path`.
  func removeFolder(_ path: String) throws(SystemError)

  /// The user whose rights the process has.
  var user: UInt32 { get }
  /// Whether the user is the only member of the group: it is the user's primary group and has the user's name.
  func isPrivateGroup(_ group: UInt32) -> Bool
  /// The time of the clock that dates files.
  var time: Date { get }
  /// Opens the file `name` for reading and writing; makes it, accessible only to its owner, if it doesn't exist.
  ///
  /// Fails for a symbolic link.
  func openJournal(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> Descriptor
  /// Takes the exclusive lock of the file until it is closed; fails at once if another process has it.
  func lock(_ file: borrowing Descriptor) throws(SystemError)
  /// Takes the lock of the file or folder until ``unlock(_:)``; waits for another process that has it, but not forever.
  func awaitLock(of file: borrowing Descriptor) throws(SystemError)
  /// Releases the lock.
  func unlock(_ file: borrowing Descriptor) throws(SystemError)
  /// Reads the next bytes of the file, at most `count`; none at its end.
  func read(upTo count: Int, from file: borrowing Descriptor) throws(SystemError) -> [UInt8]
  /// Cuts the file off after `count` bytes.
  func truncate(_ file: borrowing Descriptor, to count: Int) throws(SystemError)
}

/// The system's information about a file.
package struct FileStatus: Hashable, Sendable {
  package enum Kind: Hashable, Sendable { case file, folder, symbolicLink, other }

  package let kind: Kind
  /// The twelve permission bits.
  package let permissions: UInt16
  package let user: UInt32
  package let group: UInt32
  /// The part that changes with the contents.
  package let stamp: FileStamp

  package var identity: FileIdentity { stamp.identity }
}

/// The identity of a file, unique among all files that exist at the same time.
package struct FileIdentity: Hashable, Sendable {
  package let device: UInt64
  package let number: UInt64
}

/// The file that a path leads to, with its size.
package typealias FileLookup = (identity: FileIdentity, size: UInt64)

/// The part of a file's status that changes with its contents.
package struct FileStamp: Hashable, Sendable, Codable {
  package let device: UInt64
  package let number: UInt64
  package let size: UInt64
  /// When the contents were last changed; a program may set this to any time.
  package let seconds: Int64
  package let nanoseconds: Int64
  /// When the contents, the name, the permissions or anything else of the file was last changed; only the system sets
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

  /// The identity of the file, whatever its name.
  package var identity: FileIdentity { FileIdentity(device: device, number: number) }

  /// Whether the two differ at most in the change time, as a file's stamps before and after a rename do.
  package func isSame(as other: FileStamp) -> Bool {
    device == other.device && number == other.number && size == other.size && seconds == other.seconds
      && nanoseconds == other.nanoseconds
  }
}

extension FileSystem {
  /// Renames the file `source` to `name`, replacing what has that name.
  package func moveFile(_ source: String, to name: String, in folder: borrowing Descriptor) throws(SystemError) {
    try moveFile(source, from: folder, to: name, in: folder)
  }

  /// Gives the file `source` the second name `name`, which must be free; doesn't follow a symbolic link.
  package func linkFile(_ source: String, to name: String, in folder: borrowing Descriptor) throws(SystemError) {
    try linkFile(source, from: folder, to: name, in: folder)
  }

  /// Writes all of `contents`, in as many calls as needed.
  package func appendAll(_ contents: Data, to file: borrowing Descriptor) throws(SystemError) {
    var offset = 0
    while offset < contents.count {
      let count = try append(contents, from: offset, to: file)
      // A broken file system could otherwise cause an endless loop.
      guard count > 0 else { throw .noProgress }
      offset += count
    }
  }

  /// Reads the rest of the file.
  package func readAll(_ file: borrowing Descriptor) throws(SystemError) -> Data {
    var contents = Data()
    while case let bytes = try read(upTo: 1 << 20, from: file), !bytes.isEmpty { contents.append(contentsOf: bytes) }
    return contents
  }

  /// Overwrites the file at `offset` with all of `bytes`, in as many calls as needed.
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
  /// The folder and the name that this path consists of.
  ///
  /// A path that ends in a slash refers to a folder and has the name `.`.
  package var folderAndName: (folder: String, name: String) {
    guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", self) }
    let next = utf8.index(after: slash)
    return (String(Substring(utf8[..<next])), next == endIndex ? "." : String(Substring(utf8[next...])))
  }
}
