internal import Dispatch

/// Takes away temporary files that killed processes have left, and ends their exchanges of files.
///
/// A file goes if no process can still want it. Its name is one of ours. It is a regular file of this user. It was not
/// written to for an hour. Its writer does not hold the lock any more. Where files cannot be locked, none goes.
///
/// To find them a folder is listed: once, and again when an hour has passed, not for each change.
package final class Sweeper: @unchecked Sendable {
  /// The one of the changes that no writer carries out.
  package static let shared = Sweeper()

  /// For how many seconds a file that is taken away has not been written to.
  package static let age = 3600

  private let lock = DispatchQueue(label: "Sweeper")
  /// When each folder was listed; only touched under the lock.
  private var listed: [FileIdentity: Int64] = [:]

  package init() {}

  /// Takes away what was left in the folder, if that was not looked for lately; errors do not matter.
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
      // A process that writes to ever new folders does not remember all of them.
      if listed.count >= 4096 { listed = [:] }
      listed[folder] = now
      return true
    }
  }

  /// The folder could not be listed: the next change of a file in it tries again.
  private func forget(_ folder: FileIdentity) { lock.sync { listed[folder] = nil } }

  private func remove(_ name: String, in folder: borrowing Descriptor, _ system: any FileSystem, _ now: Int64) {
    guard let status = try? system.inspect(name, in: folder), status.kind == .file, status.user == system.user,
      status.stamp.seconds <= now - Int64(Self.age), let file = try? system.openFile(name, in: folder),
      (try? system.lock(file)) != nil,
      // Now that it is held, it is looked at once more: it may have been another's, or gone meanwhile.
      let held = try? system.inspect(file), held.identity == status.identity, held.stamp == status.stamp,
      (try? system.inspect(name, in: folder))?.identity == status.identity
    else { return }
    try? system.removeFile(name, in: folder)
  }
}

// MARK: - Names

extension Sweeper {
  private static let prefix = ".unsaved-"

  /// A name for a temporary file that no other has.
  package static func randomName() -> String {
    let number = String(UInt64.random(in: .min ... .max), radix: 16)
    // Always as long, so that it is not taken for another program's name.
    return prefix + String(repeating: "0", count: 16 - number.count) + number
  }

  /// The name of the temporary file of a change that a journal has.
  package static func name(writer: UInt64, sequence: UInt64) -> String {
    prefix + String(writer, radix: 16) + "-" + String(sequence, radix: 16)
  }

  /// The beginning of the names of a batch's files; a number ends each of them.
  package static func batchPrefix(writer: UInt64, sequence: UInt64) -> String {
    name(writer: writer, sequence: sequence) + "-"
  }

  /// Whether a temporary file of a change or of a journal may have this name.
  package static func isTemporary(_ name: String) -> Bool {
    guard name.hasPrefix(prefix) else { return false }
    var parts = name.dropFirst(prefix.count).split(separator: "-", omittingEmptySubsequences: false)
    let isOfAJournal = name.hasPrefix(JournalWorker.temporaryPrefix)
    if isOfAJournal {
      parts.removeFirst()
      if parts.last == "copy" { parts.removeLast() }
    }
    let areNumbers = parts.allSatisfy { part in
      (1...16).contains(part.utf8.count) && part.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }
    if isOfAJournal { return areNumbers && parts.count == 1 }
    return areNumbers && (2...3 ~= parts.count || parts.count == 1 && parts[0].utf8.count == 16)
  }
}
