/// The reason why a journal could not be opened, written or moved aside.
package struct JournalError: Error, Hashable, Sendable {
  /// The part of the work that failed.
  package enum Step: Hashable, Sendable { case openFolder, open, write, setAside }

  package enum Reason: Hashable, Sendable {
    case system(SystemError)
    case notAFile, ofOthers, inAFolderOfOthers, inUse, busy, newerVersion, olderVersion, mounted, vanished, closed
  }

  package let step: Step
  package let reason: Reason

  package init(step: Step, reason: Reason) {
    self.step = step
    self.reason = reason
  }
}

/// A type that makes system calls for a journal.
protocol JournalCalling: SystemCalling where Step == JournalError.Step, Failure == JournalError {}

extension JournalCalling {
  func failure(_ step: JournalError.Step, _ error: SystemError) -> JournalError {
    JournalError(step: step, reason: .system(error))
  }

  func refusal(_ step: JournalError.Step, _ reason: JournalError.Reason) -> JournalError {
    JournalError(step: step, reason: reason)
  }

  /// Opens a folder in which no other user can replace a file.
  ///
  /// The checks apply to the open folder, whatever links led to it, and all work is done in that folder.
  func openOwnFolder(_ folder: String, _ step: JournalError.Step) throws(JournalError) -> Descriptor {
    let opened = try attempt(.openFolder, system.openFolder(folder))
    let status = try attempt(step, system.inspect(opened))
    guard isOwn(status), isClosed(opened, status) else { throw refusal(step, .inAFolderOfOthers) }
    return opened
  }

  func isOwn(_ folder: FileStatus) -> Bool { folder.user == system.user || folder.user == 0 }

  /// Whether only this user and the owner of the folder can remove files from it.
  func isClosed(_ folder: borrowing Descriptor, _ status: FileStatus) -> Bool {
    // In a sticky folder only the owners of the file and of the folder may rename or remove a file.
    status.permissions & 0o022 == 0 || status.permissions & 0o1000 != 0
      || status.permissions & 0o002 == 0 && system.isPrivateGroup(status.group)
        // With an access control list, the group's bits may apply to other users.
        && (try? system.accessControlList(of: folder) == nil) ?? false
  }
}
