import FileChanges
import Foundation
import Journals

/// The real system with a device that takes its time, so that many insertions come while one group is written.
struct SlowFileSystem: FileSystem {
  let delay: Duration
  private let real = PosixFileSystem()

  init(delay: Duration) { self.delay = delay }

  func synchronizeData(_ file: borrowing Descriptor) throws(SystemError) {
    Thread.sleep(forTimeInterval: delay / .seconds(1))
    try real.synchronizeData(file)
  }

  func synchronizeFile(_ file: borrowing Descriptor) throws(SystemError) {
    Thread.sleep(forTimeInterval: delay / .seconds(1))
    try real.synchronizeFile(file)
  }
}

// MARK: - As ever

extension SlowFileSystem {
  var user: UInt32 { real.user }
  var time: Date { real.time }

  func makeFolder(_ path: String) throws(SystemError) { try real.makeFolder(path) }
  func openFolder(_ path: String) throws(SystemError) -> Descriptor { try real.openFolder(path) }
  func openFolder(_ path: String, in folder: borrowing Descriptor) throws(SystemError) -> Descriptor {
    try real.openFolder(path, in: folder)
  }
  func openSubfolder(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> Descriptor {
    try real.openSubfolder(name, in: folder)
  }
  func inspect(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> FileStatus {
    try real.inspect(name, in: folder)
  }
  func lookUp(path: String) throws(SystemError) -> FileLookup { try real.lookUp(path: path) }
  func inspect(_ file: borrowing Descriptor) throws(SystemError) -> FileStatus { try real.inspect(file) }
  func linkTarget(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> String {
    try real.linkTarget(name, in: folder)
  }
  func openFile(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> Descriptor {
    try real.openFile(name, in: folder)
  }
  func createFile(
    _ name: String, permissions: UInt16, in folder: borrowing Descriptor
  ) throws(SystemError) -> Descriptor {
    try real.createFile(name, permissions: permissions, in: folder)
  }
  func append(_ contents: Data, from offset: Int, to file: borrowing Descriptor) throws(SystemError) -> Int {
    try real.append(contents, from: offset, to: file)
  }
  func overwrite(
    _ bytes: [UInt8], from index: Int, at offset: Int, to file: borrowing Descriptor
  ) throws(SystemError) -> Int {
    try real.overwrite(bytes, from: index, at: offset, to: file)
  }
  func moveFile(_ source: String, to name: String, in folder: borrowing Descriptor) throws(SystemError) {
    try real.moveFile(source, to: name, in: folder)
  }
  func moveFileToFree(_ source: String, to name: String, in folder: borrowing Descriptor) throws(SystemError) {
    try real.moveFileToFree(source, to: name, in: folder)
  }
  func exchangeFiles(_ name: String, _ other: String, in folder: borrowing Descriptor) throws(SystemError) {
    try real.exchangeFiles(name, other, in: folder)
  }
  func setOwner(user: UInt32?, group: UInt32, of file: borrowing Descriptor) throws(SystemError) {
    try real.setOwner(user: user, group: group, of: file)
  }
  func setPermissions(_ permissions: UInt16, of file: borrowing Descriptor) throws(SystemError) {
    try real.setPermissions(permissions, of: file)
  }
  func finish(_ file: consuming Descriptor) throws(SystemError) { try real.finish(file) }
  func linkFile(_ source: String, to name: String, in folder: borrowing Descriptor) throws(SystemError) {
    try real.linkFile(source, to: name, in: folder)
  }
  func removeFile(_ name: String, in folder: borrowing Descriptor) throws(SystemError) {
    try real.removeFile(name, in: folder)
  }
  func names(startingWith prefix: String, in folder: borrowing Descriptor) throws(SystemError) -> [String] {
    try real.names(startingWith: prefix, in: folder)
  }
  func synchronizeFolder(_ folder: borrowing Descriptor) throws(SystemError) { try real.synchronizeFolder(folder) }
  func linkFile(
    _ source: String, from folder: borrowing Descriptor, to name: String, in other: borrowing Descriptor
  ) throws(SystemError) {
    try real.linkFile(source, from: folder, to: name, in: other)
  }
  func attributeNames(of file: borrowing Descriptor) throws(SystemError) -> [String] {
    try real.attributeNames(of: file)
  }
  func attribute(_ name: String, of file: borrowing Descriptor) throws(SystemError) -> [UInt8] {
    try real.attribute(name, of: file)
  }
  func setAttribute(_ name: String, to value: [UInt8], of file: borrowing Descriptor) throws(SystemError) {
    try real.setAttribute(name, to: value, of: file)
  }
  func hasLinksToOpenFiles(_ folder: borrowing Descriptor) throws(SystemError) -> Bool {
    try real.hasLinksToOpenFiles(folder)
  }
  func accessControlList(of file: borrowing Descriptor) throws(SystemError) -> [UInt8]? {
    try real.accessControlList(of: file)
  }
  func setAccessControlList(_ list: [UInt8]?, of file: borrowing Descriptor) throws(SystemError) {
    try real.setAccessControlList(list, of: file)
  }
  func isPrivateGroup(_ group: UInt32) -> Bool { real.isPrivateGroup(group) }
  func makeReplacementFolder(for path: String) throws(SystemError) -> String {
    try real.makeReplacementFolder(for: path)
  }
  func removeFolder(_ path: String) throws(SystemError) { try real.removeFolder(path) }
  func moveFile(
    _ source: String, from folder: borrowing Descriptor, to name: String, in other: borrowing Descriptor
  ) throws(SystemError) {
    try real.moveFile(source, from: folder, to: name, in: other)
  }
  func openJournal(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> Descriptor {
    try real.openJournal(name, in: folder)
  }
  func lock(_ file: borrowing Descriptor) throws(SystemError) { try real.lock(file) }
  func lockFolder(_ folder: borrowing Descriptor) throws(SystemError) { try real.lockFolder(folder) }
  func unlock(_ file: borrowing Descriptor) throws(SystemError) { try real.unlock(file) }
  func read(upTo count: Int, from file: borrowing Descriptor) throws(SystemError) -> [UInt8] {
    try real.read(upTo: count, from: file)
  }
  func truncate(_ file: borrowing Descriptor, to count: Int) throws(SystemError) {
    try real.truncate(file, to: count)
  }
}
