internal import Dispatch

/// Removes temporary files that killed processes have left, and finishes their exchanges of files.
///
/// A file is removed if no process can still need it: it has a name of ours, it is a regular file of this user, it was
/// not written to for an hour, and its writer doesn't hold its lock any more. If files cannot be locked, none is
/// removed.
///
/// A folder isn't listed for each change, but only once, and again after an hour.
package final class Sweeper: @unchecked Sendable {
  /// The sweeper for changes that aren't made by a writer.
  package static let shared = Sweeper()

  /// The least time in seconds since the last write to a file that is removed.
  package static let age = 3600

  private let lock = DispatchQueue(label: "Sweeper")
  /// When each folder was last listed; only used under the lock.
  private var listed: [FileIdentity: Int64] = [:]

  package init() {}

  /// Removes what killed processes left in the folder, unless it was listed recently; ignores errors.
  package func sweep(_ folder: borrowing Descriptor, in system: any FileSystem) {
    let now = Int64(system.time.timeIntervalSince1970)
    guard let identity = try? system.inspect(folder).identity, isDue(identity, now) else { return }
    guard let names = try? system.names(startingWith: Self.prefix, in: folder) else { return forget(identity) }
    for name in names where Self.isTemporary(name) { remove(name, in: folder, system, now) }
    settle(names, in: folder, in: system)
  }

  private func isDue(_ folder: FileIdentity, _ now: Int64) -> Bool {
    lock.sync {
      if let last = listed[folder], (last..<last + Int64(Self.age)).contains(now) { return false }
      // Limits the memory of a process that writes to ever new folders.
      if listed.count >= 4096 { listed = [:] }
      listed[folder] = now
      return true
    }
  }

  /// The folder could not be listed, so the next change of a file in it tries again.
  private func forget(_ folder: FileIdentity) { lock.sync { listed[folder] = nil } }

  private func remove(_ name: String, in folder: borrowing Descriptor, _ system: any FileSystem, _ now: Int64) {
    guard let status = try? system.inspect(name, in: folder), status.kind == .file, status.user == system.user,
      status.stamp.seconds <= now - Int64(Self.age), let file = try? system.openFile(name, in: folder),
      (try? system.lock(file)) != nil,
      // Checked once more under the lock: it may have been in use, or removed, meanwhile.
      let held = try? system.inspect(file), held.identity == status.identity, held.stamp == status.stamp,
      (try? system.inspect(name, in: folder))?.identity == status.identity
    else { return }
    try? system.removeFile(name, in: folder)
  }

  // MARK: Names

  private static let prefix = ".unsaved-"

  /// A random name for a temporary file.
  ///
  /// The number always has 16 digits, so that the name isn't mistaken for another program's.
  package static func randomName() -> String { prefix + UInt64.random(in: .min ... .max).digits }

  /// The name of the temporary file for a change that a journal has recorded.
  package static func name(writer: UInt64, sequence: UInt64) -> String {
    prefix + String(writer, radix: 16) + "-" + String(sequence, radix: 16)
  }

  /// The prefix of the names of a batch's files; each name ends with a number.
  package static func batchPrefix(writer: UInt64, sequence: UInt64) -> String {
    name(writer: writer, sequence: sequence) + "-"
  }

  /// Whether this can be the name of a temporary file of a change or of a journal.
  package static func isTemporary(_ name: String) -> Bool {
    guard name.hasPrefix(prefix) else { return false }
    let isOfAJournal = name.hasPrefix(JournalWorker.temporaryPrefix)
    let rest = name.dropFirst((isOfAJournal ? JournalWorker.temporaryPrefix : prefix).count)
    var parts = rest.split(separator: "-", omittingEmptySubsequences: false)
    if isOfAJournal, parts.last == "copy" { parts.removeLast() }
    let areNumbers = parts.allSatisfy { part in
      (1...16).contains(part.utf8.count) && part.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }
    if isOfAJournal { return areNumbers && parts.count == 1 }
    return areNumbers && (2...3 ~= parts.count || parts.count == 1 && parts[0].utf8.count == 16)
  }
}
