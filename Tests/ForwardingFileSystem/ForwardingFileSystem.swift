package import Foundation
package import Journals

/// The calls of ``FileSystem`` that are made through ``ForwardingFileSystem/around(_:_:)``.
package enum FileSystemCall: String, CaseIterable {
  case openFolder, makeFolder, openSubfolder, inspect, identityOfPath, inspectFile, linkTarget, createFile, append
  case setOwner, setPermissions
  case synchronizeFile, finish, moveFile, linkFile, removeFile, synchronizeFolder
  case attributeNames, attribute, setAttribute, makeReplacementFolder, removeFolder
  case accessControlList, setAccessControlList, hasLinksToOpenFiles
  case moveFileToFree, exchangeFiles, awaitLock
  case openFile, openJournal, lock, unlock, read, truncate, names, overwrite, synchronizeData
  case openToOverwrite, setModificationTime
}

/// The real file system, with a hook around each call.
package protocol ForwardingFileSystem: FileSystem {
  var real: PosixFileSystem { get }

  /// Performs the call by running `body`, or does something else in its place.
  func around<Result: ~Copyable>(
    _ call: FileSystemCall, _ body: @autoclosure () throws(SystemError) -> Result
  ) throws(SystemError) -> Result
}

extension ForwardingFileSystem {
  package var user: UInt32 { real.user }
  package var time: Date { real.time }
  package func isPrivateGroup(_ group: UInt32) -> Bool { real.isPrivateGroup(group) }
  package func finish(_ file: consuming Descriptor) throws(SystemError) { try real.finish(file) }
  package func openFolder(_ path: String) throws(SystemError) -> Descriptor {
    try around(.openFolder, try real.openFolder(path))
  }
  package func openFolder(_ path: String, in folder: borrowing Descriptor) throws(SystemError) -> Descriptor {
    try around(.openFolder, try real.openFolder(path, in: folder))
  }
  package func makeFolder(_ path: String) throws(SystemError) {
    try around(.makeFolder, try real.makeFolder(path))
  }
  package func openSubfolder(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> Descriptor {
    try around(.openSubfolder, try real.openSubfolder(name, in: folder))
  }
  package func inspect(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> FileStatus {
    try around(.inspect, try real.inspect(name, in: folder))
  }
  package func lookUp(path: String) throws(SystemError) -> FileLookup {
    try around(.identityOfPath, try real.lookUp(path: path))
  }
  package func inspect(_ file: borrowing Descriptor) throws(SystemError) -> FileStatus {
    try around(.inspectFile, try real.inspect(file))
  }
  package func linkTarget(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> String {
    try around(.linkTarget, try real.linkTarget(name, in: folder))
  }
  package func hasLinksToOpenFiles(_ folder: borrowing Descriptor) throws(SystemError) -> Bool {
    try around(.hasLinksToOpenFiles, try real.hasLinksToOpenFiles(folder))
  }
  package func openFile(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> Descriptor {
    try around(.openFile, try real.openFile(name, in: folder))
  }
  package func openToOverwrite(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> Descriptor {
    try around(.openToOverwrite, try real.openToOverwrite(name, in: folder))
  }
  package func setModificationTime(of file: borrowing Descriptor, like stamp: FileStamp) throws(SystemError) {
    try around(.setModificationTime, try real.setModificationTime(of: file, like: stamp))
  }
  package func createFile(
    _ name: String, permissions: UInt16, in folder: borrowing Descriptor
  ) throws(SystemError) -> Descriptor {
    try around(.createFile, try real.createFile(name, permissions: permissions, in: folder))
  }
  package func append(_ contents: Data, from offset: Int, to file: borrowing Descriptor) throws(SystemError) -> Int {
    try around(.append, try real.append(contents, from: offset, to: file))
  }
  package func overwrite(
    _ bytes: [UInt8], from index: Int, at offset: Int, to file: borrowing Descriptor
  ) throws(SystemError) -> Int {
    try around(.overwrite, try real.overwrite(bytes, from: index, at: offset, to: file))
  }
  package func setOwner(user: UInt32?, group: UInt32, of file: borrowing Descriptor) throws(SystemError) {
    try around(.setOwner, try real.setOwner(user: user, group: group, of: file))
  }
  package func setPermissions(_ permissions: UInt16, of file: borrowing Descriptor) throws(SystemError) {
    try around(.setPermissions, try real.setPermissions(permissions, of: file))
  }
  package func synchronizeFile(_ file: borrowing Descriptor) throws(SystemError) {
    try around(.synchronizeFile, try real.synchronizeFile(file))
  }
  package func synchronizeData(_ file: borrowing Descriptor) throws(SystemError) {
    try around(.synchronizeData, try real.synchronizeData(file))
  }
  package func moveFileToFree(_ source: String, to name: String, in folder: borrowing Descriptor) throws(SystemError) {
    try around(.moveFileToFree, try real.moveFileToFree(source, to: name, in: folder))
  }
  package func exchangeFiles(_ name: String, _ other: String, in folder: borrowing Descriptor) throws(SystemError) {
    try around(.exchangeFiles, try real.exchangeFiles(name, other, in: folder))
  }
  package func removeFile(_ name: String, in folder: borrowing Descriptor) throws(SystemError) {
    try around(.removeFile, try real.removeFile(name, in: folder))
  }
  package func names(startingWith prefix: String, in folder: borrowing Descriptor) throws(SystemError) -> [String] {
    try around(.names, try real.names(startingWith: prefix, in: folder))
  }
  package func synchronizeFolder(_ folder: borrowing Descriptor) throws(SystemError) {
    try around(.synchronizeFolder, try real.synchronizeFolder(folder))
  }
  package func linkFile(
    _ source: String, from folder: borrowing Descriptor, to name: String, in other: borrowing Descriptor
  ) throws(SystemError) {
    try around(.linkFile, try real.linkFile(source, from: folder, to: name, in: other))
  }
  package func attributeNames(of file: borrowing Descriptor) throws(SystemError) -> [String] {
    try around(.attributeNames, try real.attributeNames(of: file))
  }
  package func attribute(_ name: String, of file: borrowing Descriptor) throws(SystemError) -> [UInt8] {
    try around(.attribute, try real.attribute(name, of: file))
  }
  package func setAttribute(_ name: String, to value: [UInt8], of file: borrowing Descriptor) throws(SystemError) {
    try around(.setAttribute, try real.setAttribute(name, to: value, of: file))
  }
  package func accessControlList(of file: borrowing Descriptor) throws(SystemError) -> [UInt8]? {
    try around(.accessControlList, try real.accessControlList(of: file))
  }
  package func setAccessControlList(_ list: [UInt8]?, of file: borrowing Descriptor) throws(SystemError) {
    try around(.setAccessControlList, try real.setAccessControlList(list, of: file))
  }
  package func makeReplacementFolder(for path: String) throws(SystemError) -> String {
    try around(.makeReplacementFolder, try real.makeReplacementFolder(for: path))
  }
  package func removeFolder(_ path: String) throws(SystemError) {
    try around(.removeFolder, try real.removeFolder(path))
  }
  package func moveFile(
    _ source: String, from folder: borrowing Descriptor, to name: String, in other: borrowing Descriptor
  ) throws(SystemError) {
    try around(.moveFile, try real.moveFile(source, from: folder, to: name, in: other))
  }
  package func openJournal(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> Descriptor {
    try around(.openJournal, try real.openJournal(name, in: folder))
  }
  package func lock(_ file: borrowing Descriptor) throws(SystemError) {
    try around(.lock, try real.lock(file))
  }
  package func awaitLock(of file: borrowing Descriptor) throws(SystemError) {
    try around(.awaitLock, try real.awaitLock(of: file))
  }
  package func unlock(_ file: borrowing Descriptor) throws(SystemError) {
    try around(.unlock, try real.unlock(file))
  }
  package func read(upTo count: Int, from file: borrowing Descriptor) throws(SystemError) -> [UInt8] {
    try around(.read, try real.read(upTo: count, from: file))
  }
  package func truncate(_ file: borrowing Descriptor, to count: Int) throws(SystemError) {
    try around(.truncate, try real.truncate(file, to: count))
  }
}
