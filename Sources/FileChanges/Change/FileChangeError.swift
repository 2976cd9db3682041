public import Journals

/// The error of a file change that was not applied: the file, the step that failed, the reason, and advice.
///
/// ```swift
/// func tell(_ error: FileChangeError) -> String {
///   switch error.reason {
///   case .deviceFull: "The disk is full."
///   case .permissionDenied: "You may not change \(error.url.lastPathComponent)."
///   default: error.description
///   }
/// }
/// ```
///
/// An error never contains any of the file's contents.
public struct FileChangeError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
  /// The file as the change named it, or the journal if the journal failed.
  package let path: FileChange.Path

  /// The step that failed.
  package let operation: Operation

  /// The reason of the failure.
  public let reason: Reason

  /// The system's error number (`errno`), or nil if the error didn't come from the system.
  package let code: Int32?

  /// The path of another program's file that lost its name, or nil, as usual, if there is none.
  ///
  /// While a conflict is resolved, another program may put one more file at the path. One of the two files then keeps
  /// the name, and the other one is kept here, in the same folder. It is never removed.
  public var keptFile: URL? { keptPath?.url }

  package let keptPath: FileChange.Path?

  package init(
    path: FileChange.Path, operation: Operation, reason: Reason, code: Int32? = nil, keptPath: FileChange.Path? = nil
  ) {
    (self.path, self.operation, self.reason, self.code, self.keptPath) = (path, operation, reason, code, keptPath)
  }

  /// Makes an error from a system error.
  package init(path: FileChange.Path, operation: Operation, error: SystemError) {
    self.init(path: path, operation: operation, reason: Reason(error.kind, operation: operation), code: error.code)
  }

  /// The file as the change named it, or the journal if the journal failed.
  public var url: URL { path.url }

  /// Whether the same change may succeed if it is retried, even if nothing is done about the cause.
  public var isTransient: Bool { reason.isTransient }

  /// The error of a change of one file.
  ///
  /// If the file can't be replaced or removed because it is busy, it is mounted.
  var ofOneFile: FileChangeError {
    guard code == SystemError.mounted.code, [.replace, .remove].contains(operation) else { return self }
    return FileChangeError(path: path, operation: operation, reason: .notReplaceable, code: code, keptPath: keptPath)
  }

  /// Whether no new file could take the place of the old one, which may still be writable itself.
  var isOfReplacing: Bool {
    reason == .notReplaceable
      || [.permissionDenied, .readOnly].contains(reason)
        && [.createTemporary, .setPermissions, .replace].contains(operation)
  }

  /// Whether another program has changed the file meanwhile.
  ///
  /// Only the user or the program can decide between the two versions.
  public var isConflict: Bool { reason == .changedByAnother }

  /// The file, the step, the reason and advice, in one line.
  public var description: String { "\(path): \(explanation)" }

  /// The description without the file.
  var explanation: String {
    let kept = keptPath.map { " Another version of the file is kept at \($0)." } ?? ""
    return "\(cause). \(reason.advice)\(kept)"
  }

  /// The step and the reason.
  var cause: String {
    let number = code.map { " (errno \($0))" } ?? ""
    return "\(reason)\(number) while \(operation)"
  }

  /// The description, so that `localizedDescription` has all details, including advice.
  ///
  /// To inform a user, the ``reason`` and the ``recoverySuggestion`` are enough, without the path and the error number.
  public var errorDescription: String? { description }

  /// The step and the reason.
  public var failureReason: String? { cause }

  /// The action that the user or the program can take.
  public var recoverySuggestion: String? { reason.advice }

  /// A step of applying a change.
  ///
  /// More steps may be added.
  package struct Operation: Hashable, Sendable, CustomStringConvertible {
    /// The step in words, written to follow "while".
    public let description: String

    private init(_ description: String) { self.description = description }

    /// The writer decides whether it accepts the change.
    package static let submit = Operation("submitting the change")
    /// A caller waits until the file is written.
    package static let wait = Operation("waiting for the file")
    /// The journal is opened, locked and read.
    package static let openJournal = Operation("opening the journal")
    /// A damaged journal gets another name.
    package static let setAsideJournal = Operation("setting the damaged journal aside")
    /// Changes are recorded in the journal.
    package static let writeJournal = Operation("writing the journal")
    /// The folder of the file is opened.
    package static let openFolder = Operation("opening the folder")
    /// The file's kind and permissions are inspected.
    package static let inspect = Operation("looking at the file")
    /// The temporary file is made beside the file.
    package static let createTemporary = Operation("creating the temporary file")
    /// The contents are written to the temporary file.
    package static let write = Operation("writing the contents")
    /// The temporary file gets the permissions of the file it will replace.
    package static let setPermissions = Operation("setting the permissions")
    /// The temporary file gets the extended attributes of the file it will replace.
    package static let setAttributes = Operation("copying the extended attributes")
    /// The contents are written from the system's cache to the device.
    package static let synchronize = Operation("synchronizing the contents")
    /// The temporary file replaces the file.
    package static let replace = Operation("replacing the file")
    /// The file to be replaced gets a second name, in case it must be restored.
    package static let keep = Operation("keeping the old file")
    /// The file gets its new name.
    package static let move = Operation("moving the file")
    /// The file is removed from its folder.
    package static let remove = Operation("removing the file")
    /// The folder's entries are written to the device.
    ///
    /// The change is already visible then.
    package static let synchronizeFolder = Operation("synchronizing the folder")
  }

  /// Makes the error of a journal.
  package init(_ error: JournalError, of journal: FileChange.Path) {
    let operation: Operation =
      switch error.step {
      case .openFolder: .openFolder
      case .open: .openJournal
      case .write: .writeJournal
      case .setAside: .setAsideJournal
      }
    self.init(path: journal, operation: operation, reason: Reason(error.reason, operation: operation), code: error.code)
  }
}
