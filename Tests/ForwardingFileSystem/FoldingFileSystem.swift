package import Foundation
package import Journals

/// A file system whose folders ignore the case of names but keep it, as those of a Mac do.
///
/// Only the calls that take the name of an entry, or a path whose last name is one, are affected.
package struct FoldingFileSystem: FileSystem {
  private let base: any FileSystem

  package init(_ base: any FileSystem = PosixFileSystem()) { self.base = base }

  /// The name with which the folder has the entry; the same name if it has none.
  private func stored(_ name: String, in folder: borrowing Descriptor) -> String {
    let names = (try? PosixFileSystem().names(startingWith: "", in: folder)) ?? []
    return names.first { $0 == name } ?? names.first { $0.lowercased() == name.lowercased() } ?? name
  }

  /// The path with the names that its folders have.
  private func stored(_ path: String) -> String {
    var known = ""
    for name in path.split(separator: "/") {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: known + "/")) ?? []
      let name = String(name)
      known += "/" + (names.first { $0 == name } ?? names.first { $0.lowercased() == name.lowercased() } ?? name)
    }
    return known
  }

  package func openFolder(_ path: String) throws(SystemError) -> Descriptor { try base.openFolder(stored(path)) }
  package func openFolder(_ path: String, in folder: borrowing Descriptor) throws(SystemError) -> Descriptor {
    try base.openFolder(path.hasPrefix("/") ? stored(path) : path, in: folder)
  }
  package func makeFolder(_ path: String) throws(SystemError) { try base.makeFolder(stored(path)) }
  package func openSubfolder(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> Descriptor {
    try base.openSubfolder(stored(name, in: folder), in: folder)
  }
  package func inspect(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> FileStatus {
    try base.inspect(stored(name, in: folder), in: folder)
  }
  package func lookUp(path: String) throws(SystemError) -> FileLookup { try base.lookUp(path: stored(path)) }
  package func inspect(_ file: borrowing Descriptor) throws(SystemError) -> FileStatus { try base.inspect(file) }
  package func linkTarget(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> String {
    try base.linkTarget(stored(name, in: folder), in: folder)
  }
  package func hasLinksToOpenFiles(_ folder: borrowing Descriptor) throws(SystemError) -> Bool {
    try base.hasLinksToOpenFiles(folder)
  }
  package func openFile(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> Descriptor {
    try base.openFile(stored(name, in: folder), in: folder)
  }
  package func openToOverwrite(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> Descriptor {
    try base.openToOverwrite(stored(name, in: folder), in: folder)
  }
  package func setModificationTime(of file: borrowing Descriptor, like stamp: FileStamp) throws(SystemError) {
    try base.setModificationTime(of: file, like: stamp)
  }
  package func createFile(
    _ name: String, permissions: UInt16, in folder: borrowing Descriptor
  ) throws(SystemError) -> Descriptor {
    try base.createFile(stored(name, in: folder), permissions: permissions, in: folder)
  }
  package func append(_ contents: Data, from offset: Int, to file: borrowing Descriptor) throws(SystemError) -> Int {
    try base.append(contents, from: offset, to: file)
  }
  package func overwrite(
    _ bytes: [UInt8], from index: Int, at offset: Int, to file: borrowing Descriptor
  ) throws(SystemError) -> Int {
    try base.overwrite(bytes, from: index, at: offset, to: file)
  }
  package func setOwner(user: UInt32?, group: UInt32, of file: borrowing Descriptor) throws(SystemError) {
    try base.setOwner(user: user, group: group, of: file)
  }
  package func setPermissions(_ permissions: UInt16, of file: borrowing Descriptor) throws(SystemError) {
    try base.setPermissions(permissions, of: file)
  }
  package func synchronizeFile(_ file: borrowing Descriptor) throws(SystemError) { try base.synchronizeFile(file) }
  package func synchronizeData(_ file: borrowing Descriptor) throws(SystemError) { try base.synchronizeData(file) }
  package func finish(_ file: consuming Descriptor) throws(SystemError) { try base.finish(file) }
  package func moveFile(
    _ source: String, from folder: borrowing Descriptor, to name: String, in other: borrowing Descriptor
  ) throws(SystemError) {
    let old = stored(source, in: folder)
    // A rename to another case changes the name of the entry.
    try base.moveFile(
      old, from: folder, to: old.lowercased() == name.lowercased() ? name : stored(name, in: other), in: other)
  }
  package func moveFileToFree(_ source: String, to name: String, in folder: borrowing Descriptor) throws(SystemError) {
    try base.moveFileToFree(stored(source, in: folder), to: stored(name, in: folder), in: folder)
  }
  package func exchangeFiles(_ name: String, _ other: String, in folder: borrowing Descriptor) throws(SystemError) {
    try base.exchangeFiles(stored(name, in: folder), stored(other, in: folder), in: folder)
  }
  package func linkFile(
    _ source: String, from folder: borrowing Descriptor, to name: String, in other: borrowing Descriptor
  ) throws(SystemError) {
    try base.linkFile(stored(source, in: folder), from: folder, to: stored(name, in: other), in: other)
  }
  package func removeFile(_ name: String, in folder: borrowing Descriptor) throws(SystemError) {
    try base.removeFile(stored(name, in: folder), in: folder)
  }
  package func names(startingWith prefix: String, in folder: borrowing Descriptor) throws(SystemError) -> [String] {
    try base.names(startingWith: prefix, in: folder)
  }
  package func synchronizeFolder(_ folder: borrowing Descriptor) throws(SystemError) {
    try base.synchronizeFolder(folder)
  }
  package func attributeNames(of file: borrowing Descriptor) throws(SystemError) -> [String] {
    try base.attributeNames(of: file)
  }
  package func attribute(_ name: String, of file: borrowing Descriptor) throws(SystemError) -> [UInt8] {
    try base.attribute(name, of: file)
  }
  package func setAttribute(_ name: String, to value: [UInt8], of file: borrowing Descriptor) throws(SystemError) {
    try base.setAttribute(name, to: value, of: file)
  }
  package func accessControlList(of file: borrowing Descriptor) throws(SystemError) -> [UInt8]? {
    try base.accessControlList(of: file)
  }
  package func setAccessControlList(_ list: [UInt8]?, of file: borrowing Descriptor) throws(SystemError) {
    try base.setAccessControlList(list, of: file)
  }
  package func makeReplacementFolder(for path: String) throws(SystemError) -> String {
    try base.makeReplacementFolder(for: path)
  }
  package func removeFolder(_ path: String) throws(SystemError) { try base.removeFolder(stored(path)) }
  package var user: UInt32 { base.user }
  package func isPrivateGroup(_ group: UInt32) -> Bool { base.isPrivateGroup(group) }
  package var time: Date { base.time }
  package func openJournal(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> Descriptor {
    try base.openJournal(stored(name, in: folder), in: folder)
  }
  package func lock(_ file: borrowing Descriptor) throws(SystemError) { try base.lock(file) }
  package func awaitLock(of file: borrowing Descriptor) throws(SystemError) { try base.awaitLock(of: file) }
  package func unlock(_ file: borrowing Descriptor) throws(SystemError) { try base.unlock(file) }
  package func read(upTo count: Int, from file: borrowing Descriptor) throws(SystemError) -> [UInt8] {
    try base.read(upTo: count, from: file)
  }
  package func truncate(_ file: borrowing Descriptor, to count: Int) throws(SystemError) {
    try base.truncate(file, to: count)
  }
}
