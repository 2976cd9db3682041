/// Why a journal could not be opened, written or set aside.
package struct JournalError: Error, Hashable, Sendable {
  /// The part of the work that failed.
  package enum Step: Hashable, Sendable { case openFolder, open, write, setAside }

  package enum Reason: Hashable, Sendable {
    case system(SystemError)
    case notAFile, ofOthers, inAFolderOfOthers, inUse, busy, newerVersion, vanished, closed
  }

  package let step: Step
  package let reason: Reason

  package init(step: Step, reason: Reason) {
    self.step = step
    self.reason = reason
  }
}

/// What makes the system calls for a journal.
protocol JournalCalling: SystemCalling where Step == JournalError.Step, Failure == JournalError {}

extension JournalCalling {
  func failure(_ step: JournalError.Step, _ error: SystemError) -> JournalError {
    JournalError(step: step, reason: .system(error))
  }

  func refusal(_ step: JournalError.Step, _ reason: JournalError.Reason) -> JournalError {
    JournalError(step: step, reason: reason)
  }

  /// Opens a folder in which no other user may put a file in the place of another.
  ///
  /// It is the open folder that is looked at, whatever links have led to it, and everything is done in that one.
  func openOwnFolder(_ folder: String, _ step: JournalError.Step) throws(JournalError) -> Descriptor {
    let opened = try attempt(.openFolder, system.openFolder(folder))
    let status = try attempt(step, system.inspect(opened))
    guard isOwn(status), isClosed(opened, status) else { throw refusal(step, .inAFolderOfOthers) }
    return opened
  }

  func isOwn(_ folder: FileStatus) -> Bool { folder.user == system.user || folder.user == 0 }

  /// Whether nobody but this user, or the owner of the folder, can take away what is in it.
  func isClosed(_ folder: borrowing Descriptor, _ status: FileStatus) -> Bool {
    // Where a folder is sticky only the owners of a file and of the folder may rename or remove the file.
    status.permissions & 0o022 == 0 || status.permissions & 0o1000 != 0
      || status.permissions & 0o002 == 0 && system.isPrivateGroup(status.group) && !hasAccessControlList(folder)
  }

  /// Whether the permission bits of the group may be those of other users, or that is not known.
  private func hasAccessControlList(_ folder: borrowing Descriptor) -> Bool {
    do throws(SystemError) {
      return try system.accessControlList(of: folder) != nil
    } catch {
      return true
    }
  }
}
