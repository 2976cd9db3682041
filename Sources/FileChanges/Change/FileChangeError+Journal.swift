package import Journals

extension FileChangeError {
  /// Makes the error of a journal.
  package init(_ error: JournalError, of journal: FileChange.Path) {
    let operation: Operation =
      switch error.step {
      case .openFolder: .openFolder
      case .open: .openJournal
      case .write: .writeJournal
      case .setAside: .setAsideJournal
      }
    switch error.reason {
    case .system(let cause): self.init(path: journal, operation: operation, error: cause)
    case .notAFile: self.init(path: journal, operation: operation, reason: .notAFile)
    case .ofOthers: self.init(path: journal, operation: operation, reason: .journalOfOthers)
    case .inAFolderOfOthers: self.init(path: journal, operation: operation, reason: .journalInAFolderOfOthers)
    case .inUse: self.init(path: journal, operation: operation, reason: .journalInUse)
    case .busy: self.init(path: journal, operation: operation, reason: .busy)
    case .newerVersion: self.init(path: journal, operation: operation, reason: .newerJournal)
    case .vanished: self.init(path: journal, operation: operation, reason: .journalVanished)
    case .closed: self.init(path: journal, operation: operation, reason: .isShutDown)
    }
  }
}
