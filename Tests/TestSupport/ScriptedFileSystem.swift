// Scripts use the calls of this module.
@_exported public import ForwardingFileSystem
package import Foundation
package import Journals

/// The real file system with injected faults.
///
/// It also records every call.
package final class ScriptedFileSystem: ForwardingFileSystem, @unchecked Sendable {
  package typealias Call = FileSystemCall

  package enum Fault {
    /// The call is not made and fails with this error number.
    case failure(Int32)
    /// The call takes effect and still fails with this error number.
    case lateFailure(Int32)
    /// At most this many bytes are written.
    case short(Int)
    /// The call is not made but seems to succeed. Only for a lock that is awaited.
    case skipped
    /// Neither this call nor any later one is made, as if the process had been killed.
    case death
  }

  package let real = PosixFileSystem()
  private let lock = NSLock()
  private var recorded = RecordedDevice()
  /// Whether effects are recorded in ``device``.
  ///
  /// The files must be in one folder.
  private let isRecording: Bool
  private var log: [Call] = []
  private var died = false
  private var isArmed: Bool
  /// How far the clock is ahead.
  ///
  /// Set it before the first use.
  package var secondsAhead: TimeInterval = 0
  /// Makes the replacement folder, for systems without one.
  ///
  /// Set it before the first use.
  package var replacementFolder: (() throws(SystemError) -> String)?
  private let script: (_ call: Call, _ number: Int) -> Fault?

  /// - Parameters:
  ///   - isArmed: Whether the script applies from the beginning. Otherwise, it applies from ``arm()`` on.
  ///   - script: Returns the fault for a call, or nil. Its second argument is the number of the call, counted from 0.
  ///     If threads make calls in parallel, don't rely on the number.
  ///   - isRecording: Whether effects are recorded in ``device``.
  package init(
    isArmed: Bool = true, isRecording: Bool = false, _ script: @escaping (Call, Int) -> Fault? = { _, _ in nil }
  ) {
    self.isArmed = isArmed
    self.isRecording = isRecording
    self.script = script
  }

  /// Starts the faults, for example after a writer has opened its journal.
  package func arm() { lock.withLock { isArmed = true } }

  /// Ends the faults, as when a disk has space again.
  package func disarm() { lock.withLock { isArmed = false } }

  /// Makes no call any more, as if the process had been killed.
  package func kill() { lock.withLock { died = true } }

  package var calls: [Call] { lock.withLock { log } }

  /// The recorded effects.
  package var device: RecordedDevice { lock.withLock { recorded } }

  private func record(_ effect: @autoclosure () -> RecordedDevice.Effect) {
    guard isRecording else { return }
    let effect = effect()
    lock.withLock { recorded.add(effect) }
  }

  /// Records the effect of a call, and returns its result.
  private func recorded<Result: ~Copyable>(
    _ result: consuming Result, _ effect: @autoclosure () -> RecordedDevice.Effect
  ) -> Result {
    record(effect())
    return result
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

  package func around<Result: ~Copyable>(
    _ call: Call, _ body: @autoclosure () throws(SystemError) -> Result
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

  package func createFile(
    _ name: String, permissions: UInt16, in folder: borrowing Descriptor
  ) throws(SystemError) -> Descriptor {
    try around(
      .createFile,
      recorded(try real.createFile(name, permissions: permissions, in: folder), .name(name, number(name, folder))))
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

  package func synchronizeFile(_ file: borrowing Descriptor) throws(SystemError) {
    try around(.synchronizeFile, recorded(try real.synchronizeFile(file), .synchronizeFile(number(file))))
  }

  package func synchronizeData(_ file: borrowing Descriptor) throws(SystemError) {
    try around(.synchronizeData, recorded(try real.synchronizeData(file), .synchronizeData(number(file))))
  }

  package func finish(_ file: consuming Descriptor) throws(SystemError) {
    let fault = note(.finish)
    try real.finish(file)
    if case .failure(let code) = fault { throw SystemError(code: code) }
    if case .death = fault { throw SystemError(code: EIO) }
  }

  package func moveFileToFree(
    _ source: String, to name: String, in folder: borrowing Descriptor
  ) throws(SystemError) {
    try around(
      .moveFileToFree,
      recorded(try real.moveFileToFree(source, to: name, in: folder), .move(source, to: name, number(name, folder))))
  }

  package func exchangeFiles(
    _ name: String, _ other: String, in folder: borrowing Descriptor
  ) throws(SystemError) {
    try around(
      .exchangeFiles,
      recorded(
        try real.exchangeFiles(name, other, in: folder),
        .exchange(name, number(name, folder), other, number(other, folder))))
  }

  package func removeFile(_ name: String, in folder: borrowing Descriptor) throws(SystemError) {
    try around(.removeFile, recorded(try real.removeFile(name, in: folder), .remove(name)))
  }

  package func synchronizeFolder(_ folder: borrowing Descriptor) throws(SystemError) {
    try around(.synchronizeFolder, recorded(try real.synchronizeFolder(folder), .synchronizeFolder))
  }

  package func linkFile(
    _ source: String, from folder: borrowing Descriptor, to name: String, in other: borrowing Descriptor
  ) throws(SystemError) {
    try around(
      .linkFile,
      recorded(try real.linkFile(source, from: folder, to: name, in: other), .name(name, number(name, other))))
  }

  package func makeReplacementFolder(for path: String) throws(SystemError) -> String {
    guard let replacementFolder else {
      return try around(.makeReplacementFolder, try real.makeReplacementFolder(for: path))
    }
    return try around(.makeReplacementFolder, try replacementFolder())
  }

  package func moveFile(
    _ source: String, from folder: borrowing Descriptor, to name: String, in other: borrowing Descriptor
  ) throws(SystemError) {
    try around(
      .moveFile,
      recorded(
        try real.moveFile(source, from: folder, to: name, in: other), .move(source, to: name, number(name, other))))
  }

  package var time: Date { real.time + secondsAhead }

  package func openJournal(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> Descriptor {
    try around(.openJournal, recorded(try real.openJournal(name, in: folder), .name(name, number(name, folder))))
  }

  package func awaitLock(of file: borrowing Descriptor) throws(SystemError) {
    switch note(.awaitLock) {
    case .failure(let code), .lateFailure(let code): throw SystemError(code: code)
    case .death: throw SystemError(code: EIO)
    case .skipped: return
    case .short, nil: try real.awaitLock(of: file)
    }
  }

  package func unlock(_ file: borrowing Descriptor) throws(SystemError) {
    // A process that dies loses its locks, so the call is made in any case.
    _ = note(.unlock)
    try real.unlock(file)
  }

  package func truncate(_ file: borrowing Descriptor, to count: Int) throws(SystemError) {
    try around(.truncate, recorded(try real.truncate(file, to: count), .resize(number(file), count)))
  }
}
