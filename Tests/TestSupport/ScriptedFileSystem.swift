package import Foundation
package import Journals

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The real system, except for what a test wants to go wrong at a certain call; notes every call.
package final class ScriptedFileSystem: FileSystem, @unchecked Sendable {
  package enum Call: String, CaseIterable {
    case openFolder, makeFolder, openSubfolder, inspect, identityOfPath, inspectFile, linkTarget, createFile, append
    case setOwner, setPermissions
    case synchronizeFile, finish, moveFile, linkFile, removeFile, synchronizeFolder
    case attributeNames, attribute, setAttribute, makeReplacementFolder, removeFolder
    case accessControlList, setAccessControlList, hasLinksToOpenFiles
    case moveFileToFree, exchangeFiles, lockFolder
    case openFile, openJournal, lock, unlock, read, truncate, names, overwrite, synchronizeData
  }

  package enum Fault {
    /// The call is not made and fails with this error number.
    case failure(Int32)
    /// The call is made, and fails all the same.
    case lateFailure(Int32)
    /// No more than this many bytes are written.
    case short(Int)
    /// The call is not made, and seems to have been; only for the lock of a folder.
    case skipped
    /// The call is not made, and none after it, as if the process had come to its end.
    case death
  }

  private let real = PosixFileSystem()
  private let lock = NSLock()
  private var recorded = RecordedDevice()
  /// Whether what is done is kept for ``device``; for files in one folder.
  private let isRecording: Bool
  private var log: [Call] = []
  private var died = false
  private var isArmed: Bool
  /// How far its clock is ahead; set before anybody uses it.
  package var secondsAhead: TimeInterval = 0
  /// Makes the folder for a successor, where this system has none; set before the first use.
  package var replacementFolder: (() throws(SystemError) -> String)?
  private let script: (_ call: Call, _ number: Int) -> Fault?

  /// - Parameters:
  ///   - isArmed: Whether the script is followed from the beginning; else from ``arm()`` on.
  ///   - script: What goes wrong at a call, which is given with its number among all calls, counted from 0. Where
  ///     threads make calls beside each other, the number says nothing.
  ///   - isRecording: Whether what is done is kept for ``device``.
  package init(
    isArmed: Bool = true, isRecording: Bool = false, _ script: @escaping (Call, Int) -> Fault? = { _, _ in nil }
  ) {
    self.isArmed = isArmed
    self.isRecording = isRecording
    self.script = script
  }

  /// From now on things go wrong, such as when a writer has opened its journal.
  package func arm() { lock.withLock { isArmed = true } }

  /// From now on nothing goes wrong, such as when a disk has room again.
  package func disarm() { lock.withLock { isArmed = false } }

  package var calls: [Call] { lock.withLock { log } }

  /// What the device was given so far.
  package var device: RecordedDevice { lock.withLock { recorded } }

  private func record(_ effect: @autoclosure () -> RecordedDevice.Effect) {
    guard isRecording else { return }
    let effect = effect()
    lock.withLock { recorded.add(effect) }
  }

  private func number(_ file: borrowing Descriptor) -> RecordedDevice.File {
    (try? real.inspect(file))?.identity.number ?? 0
  }

  private func number(_ name: String, _ folder: borrowing Descriptor) -> RecordedDevice.File {
    (try? real.inspect(name, in: folder))?.identity.number ?? 0
  }

  package var isDead: Bool { lock.withLock { died } }

  private func note(_ call: Call) -> Fault? {
    let (number, follows): (Int?, Bool) = lock.withLock {
      if died { return (nil, false) }
      log.append(call)
      return (log.count - 1, isArmed)
    }
    guard let number else { return .death }
    let fault = follows ? script(call, number) : nil
    if case .death = fault { lock.withLock { died = true } }
    return fault
  }

  private func make<Result: ~Copyable>(
    _ call: Call, _ body: () throws(SystemError) -> Result
  ) throws(SystemError) -> Result {
    switch note(call) {
    case .failure(let code): throw SystemError(code: code)
    case .death: throw SystemError(code: EIO)
    case .lateFailure(let code):
      _ = try body()
      throw SystemError(code: code)
    case .short, .skipped, nil: return try body()
    }
  }

  package func openFolder(_ path: String) throws(SystemError) -> Descriptor {
    try make(.openFolder) { () throws(SystemError) in try real.openFolder(path) }
  }

  package func openFolder(_ path: String, in folder: borrowing Descriptor) throws(SystemError) -> Descriptor {
    try make(.openFolder) { () throws(SystemError) in try real.openFolder(path, in: folder) }
  }

  package func makeFolder(_ path: String) throws(SystemError) {
    try make(.makeFolder) { () throws(SystemError) in try real.makeFolder(path) }
  }

  package func openSubfolder(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> Descriptor {
    try make(.openSubfolder) { () throws(SystemError) in try real.openSubfolder(name, in: folder) }
  }

  package func inspect(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> FileStatus {
    try make(.inspect) { () throws(SystemError) in try real.inspect(name, in: folder) }
  }

  package func lookUp(path: String) throws(SystemError) -> FileLookup {
    try make(.identityOfPath) { () throws(SystemError) in try real.lookUp(path: path) }
  }

  package func inspect(_ file: borrowing Descriptor) throws(SystemError) -> FileStatus {
    try make(.inspectFile) { () throws(SystemError) in try real.inspect(file) }
  }

  package func linkTarget(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> String {
    try make(.linkTarget) { () throws(SystemError) in try real.linkTarget(name, in: folder) }
  }

  package func openFile(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> Descriptor {
    try make(.openFile) { () throws(SystemError) in try real.openFile(name, in: folder) }
  }

  package func createFile(
    _ name: String, permissions: UInt16, in folder: borrowing Descriptor
  ) throws(SystemError) -> Descriptor {
    try make(.createFile) { () throws(SystemError) in
      let file = try real.createFile(name, permissions: permissions, in: folder)
      record(.name(name, number(file)))
      return file
    }
  }

  package func append(_ contents: Data, from offset: Int, to file: borrowing Descriptor) throws(SystemError) -> Int {
    let fault = note(.append)
    var contents = contents
    switch fault {
    case .failure(let code): throw SystemError(code: code)
    case .death: throw SystemError(code: EIO)
    case .short(let count): contents = contents.prefix(min(contents.count, offset + count))
    case .lateFailure, .skipped, nil: break
    }
    let size = isRecording ? Int(try real.inspect(file).stamp.size) : 0
    let count = try real.append(contents, from: offset, to: file)
    record(.write(number(file), offset: size, Array(contents.dropFirst(offset).prefix(count))))
    if case .lateFailure(let code) = fault { throw SystemError(code: code) }
    return count
  }

  package func overwrite(
    _ bytes: [UInt8], from index: Int, at offset: Int, to file: borrowing Descriptor
  ) throws(SystemError) -> Int {
    let fault = note(.overwrite)
    var bytes = bytes
    switch fault {
    case .failure(let code): throw SystemError(code: code)
    case .death: throw SystemError(code: EIO)
    case .short(let count): bytes = Array(bytes.prefix(index + count))
    case .lateFailure, .skipped, nil: break
    }
    let count = try real.overwrite(bytes, from: index, at: offset, to: file)
    record(.write(number(file), offset: offset, Array(bytes[index..<index + count])))
    if case .lateFailure(let code) = fault { throw SystemError(code: code) }
    return count
  }

  package func setOwner(user: UInt32?, group: UInt32, of file: borrowing Descriptor) throws(SystemError) {
    try make(.setOwner) { () throws(SystemError) in try real.setOwner(user: user, group: group, of: file) }
  }

  package func setPermissions(_ permissions: UInt16, of file: borrowing Descriptor) throws(SystemError) {
    try make(.setPermissions) { () throws(SystemError) in try real.setPermissions(permissions, of: file) }
  }

  package func synchronizeFile(_ file: borrowing Descriptor) throws(SystemError) {
    try make(.synchronizeFile) { () throws(SystemError) in
      try real.synchronizeFile(file)
      record(.synchronizeFile(number(file)))
    }
  }

  package func synchronizeData(_ file: borrowing Descriptor) throws(SystemError) {
    try make(.synchronizeData) { () throws(SystemError) in
      try real.synchronizeData(file)
      record(.synchronizeData(number(file)))
    }
  }

  package func finish(_ file: consuming Descriptor) throws(SystemError) {
    let fault = note(.finish)
    try real.finish(file)
    if case .failure(let code) = fault { throw SystemError(code: code) }
    if case .death = fault { throw SystemError(code: EIO) }
  }

  package func moveFile(_ source: String, to name: String, in folder: borrowing Descriptor) throws(SystemError) {
    try make(.moveFile) { () throws(SystemError) in
      try real.moveFile(source, to: name, in: folder)
      record(.move(source, to: name, number(name, folder)))
    }
  }

  package func moveFileToFree(
    _ source: String, to name: String, in folder: borrowing Descriptor
  ) throws(SystemError) {
    try make(.moveFileToFree) { () throws(SystemError) in
      try real.moveFileToFree(source, to: name, in: folder)
      record(.move(source, to: name, number(name, folder)))
    }
  }

  package func exchangeFiles(
    _ name: String, _ other: String, in folder: borrowing Descriptor
  ) throws(SystemError) {
    try make(.exchangeFiles) { () throws(SystemError) in
      try real.exchangeFiles(name, other, in: folder)
      record(.exchange(name, number(name, folder), other, number(other, folder)))
    }
  }

  package func linkFile(_ source: String, to name: String, in folder: borrowing Descriptor) throws(SystemError) {
    try make(.linkFile) { () throws(SystemError) in
      try real.linkFile(source, to: name, in: folder)
      record(.name(name, number(name, folder)))
    }
  }

  package func removeFile(_ name: String, in folder: borrowing Descriptor) throws(SystemError) {
    try make(.removeFile) { () throws(SystemError) in
      try real.removeFile(name, in: folder)
      record(.remove(name))
    }
  }

  package func names(startingWith prefix: String, in folder: borrowing Descriptor) throws(SystemError) -> [String] {
    try make(.names) { () throws(SystemError) in try real.names(startingWith: prefix, in: folder) }
  }

  package func synchronizeFolder(_ folder: borrowing Descriptor) throws(SystemError) {
    try make(.synchronizeFolder) { () throws(SystemError) in
      try real.synchronizeFolder(folder)
      record(.synchronizeFolder)
    }
  }

  package func linkFile(
    _ source: String, from folder: borrowing Descriptor, to name: String, in other: borrowing Descriptor
  ) throws(SystemError) {
    try make(.linkFile) { () throws(SystemError) in
      try real.linkFile(source, from: folder, to: name, in: other)
      record(.name(name, number(name, other)))
    }
  }

  package func attributeNames(of file: borrowing Descriptor) throws(SystemError) -> [String] {
    try make(.attributeNames) { () throws(SystemError) in try real.attributeNames(of: file) }
  }

  package func attribute(_ name: String, of file: borrowing Descriptor) throws(SystemError) -> [UInt8] {
    try make(.attribute) { () throws(SystemError) in try real.attribute(name, of: file) }
  }

  package func setAttribute(
    _ name: String, to value: [UInt8], of file: borrowing Descriptor
  ) throws(SystemError) {
    try make(.setAttribute) { () throws(SystemError) in try real.setAttribute(name, to: value, of: file) }
  }

  package func accessControlList(of file: borrowing Descriptor) throws(SystemError) -> [UInt8]? {
    try make(.accessControlList) { () throws(SystemError) in try real.accessControlList(of: file) }
  }

  package func setAccessControlList(_ list: [UInt8]?, of file: borrowing Descriptor) throws(SystemError) {
    try make(.setAccessControlList) { () throws(SystemError) in try real.setAccessControlList(list, of: file) }
  }

  package func hasLinksToOpenFiles(_ folder: borrowing Descriptor) throws(SystemError) -> Bool {
    try make(.hasLinksToOpenFiles) { () throws(SystemError) in try real.hasLinksToOpenFiles(folder) }
  }

  package func makeReplacementFolder(for path: String) throws(SystemError) -> String {
    try make(.makeReplacementFolder) { () throws(SystemError) in
      guard let replacementFolder else { return try real.makeReplacementFolder(for: path) }
      return try replacementFolder()
    }
  }

  package func removeFolder(_ path: String) throws(SystemError) {
    try make(.removeFolder) { () throws(SystemError) in try real.removeFolder(path) }
  }

  package func moveFile(
    _ source: String, from folder: borrowing Descriptor, to name: String, in other: borrowing Descriptor
  ) throws(SystemError) {
    try make(.moveFile) { () throws(SystemError) in
      try real.moveFile(source, from: folder, to: name, in: other)
      record(.move(source, to: name, number(name, other)))
    }
  }

  package var user: UInt32 { real.user }

  package func isPrivateGroup(_ group: UInt32) -> Bool { real.isPrivateGroup(group) }

  package var time: Date { real.time + secondsAhead }

  package func openJournal(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> Descriptor {
    try make(.openJournal) { () throws(SystemError) in
      let file = try real.openJournal(name, in: folder)
      record(.name(name, number(file)))
      return file
    }
  }

  package func lock(_ file: borrowing Descriptor) throws(SystemError) {
    try make(.lock) { () throws(SystemError) in try real.lock(file) }
  }

  package func lockFolder(_ folder: borrowing Descriptor) throws(SystemError) {
    switch note(.lockFolder) {
    case .failure(let code), .lateFailure(let code): throw SystemError(code: code)
    case .death: throw SystemError(code: EIO)
    case .skipped: return
    case .short, nil: try real.lockFolder(folder)
    }
  }

  package func unlock(_ file: borrowing Descriptor) throws(SystemError) {
    // The lock goes with the process.
    _ = note(.unlock)
    try real.unlock(file)
  }

  package func read(upTo count: Int, from file: borrowing Descriptor) throws(SystemError) -> [UInt8] {
    try make(.read) { () throws(SystemError) in try real.read(upTo: count, from: file) }
  }

  package func truncate(_ file: borrowing Descriptor, to count: Int) throws(SystemError) {
    try make(.truncate) { () throws(SystemError) in
      try real.truncate(file, to: count)
      record(.resize(number(file), count))
    }
  }
}
