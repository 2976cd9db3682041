internal import Journals

extension FileChangeError {
  /// The reason why a change was not applied, with advice about it.
  ///
  /// A *transient* reason may go away by itself, so a ``FileChangeWriter`` retries the change. A permanent reason stays
  /// until something is done about it, so it is reported at once. More reasons may be added.
  public struct Reason: Hashable, Sendable, CustomStringConvertible {
    /// The reason in words.
    public let description: String
    /// The action that the user or the program can take.
    ///
    /// ``FileChangeWriter/retryFailures()`` retries the failures that a writer keeps.
    package let advice: String
    /// Whether the reason may go away by itself.
    package let isTransient: Bool

    private static func permanent(_ description: String, _ advice: String) -> Reason { Reason((description, advice)) }

    private init(_ explanation: JournalError.Explanation, isTransient: Bool = false) {
      (description, advice, self.isTransient) = (explanation.summary, explanation.advice, isTransient)
    }
  }
}

extension FileChangeError.Reason {
  // Reasons in the path itself.

  /// The path is relative.
  package static let relativePath = permanent("the path is relative", "Give an absolute path.")
  /// The URL doesn't refer to a local file.
  package static let notAFileURL = permanent("the URL doesn't locate a file on this machine", "Give the URL of a file.")
  /// The path has a `..` component.
  package static let parentReference = permanent("the path has a '..' in it", "Give the path without '..'.")
  /// The path names no file, has a null character in it, or is a link to a name that isn't UTF-8.
  package static let invalidPath = Self(SystemError.Kind.invalidText.explanation)
  /// The name or the whole path is longer than the file system allows.
  package static let nameTooLong = Self(SystemError.Kind.nameTooLong.explanation)

  /// The path isn't below the root of the options.
  package static let outsideRoot = permanent(
    "the path is outside of the root folder", "Give a path below the root folder.")

  // Reasons in the files at the path.

  /// The folder doesn't exist.
  public static let noSuchFolder = Self(SystemError.Kind.absent.explanation)
  /// The file to be moved doesn't exist.
  public static let noSuchFile = permanent("there is no such file", "Give the path of a file that is there.")
  /// The new name of a moved file is taken.
  ///
  /// To replace a file by moving another one, remove it in the same batch, before the move.
  package static let targetExists = permanent(
    "the new name is taken", "Choose another name, or remove what has it in the same batch.")
  /// The new name of a moved file is on another file system.
  package static let otherFileSystem = permanent(
    "the new name is on another file system", "Write the contents there, then remove the file.")
  /// Two paths of a batch lead to one file, through symbolic links.
  package static let sameFile = permanent(
    "another path of the batch leads to the same file", "Use one path for the file in the whole batch.")
  /// A part of the path before the file isn't a folder.
  package static let notAFolder = Self(SystemError.Kind.notAFolder.explanation)
  /// There is a folder at the path; folders are never replaced or removed.
  public static let folder = Self(SystemError.Kind.isAFolder.explanation)
  /// There is a device, pipe or socket at the path, or a link to the open file of a process, such as `/dev/stdout`.
  ///
  /// These are never replaced or removed.
  public static let notAFile = Self(JournalError.Reason.notAFile.explanation)
  /// No other file can take the name of this one, because another file system is mounted there, as containers do.
  ///
  /// The ``FileChange/Options/fallback`` writes such a file in place.
  public static let notReplaceable = permanent(
    "the file is mounted, so that no other file can take its place",
    "Mount its folder instead, or allow writing it in place.")
  /// There is a symbolic link that isn't followed, at the path or below the root.
  ///
  /// Links at a journal's name are never followed; links at a file's name only if `symbolicLinks` allows it.
  package static let symbolicLink = Self(SystemError.Kind.tooManyLinks.explanation)
  /// The symbolic links form a cycle, or there are too many of them.
  package static let tooManyLinks = permanent("the symbolic links do not end", "Correct the links, then try again.")

  /// Another program has changed the file since the version that the change is based on.
  ///
  /// Retrying doesn't help: get the file's version, read the file, and submit a change that is based on that version.
  package static let changedByAnother = permanent(
    "the file was found changed by another program", "Decide which version to keep.")

  // Reasons in the system's permissions and limits.

  /// The process doesn't have permission, or the file is read-only or belongs to another user.
  ///
  /// The system would replace such a file if only its folder is writable. Use `replacesReadOnly` to allow that.
  public static let permissionDenied = Self(SystemError.Kind.permissionDenied.explanation)
  /// The file system is mounted read-only.
  public static let readOnly = Self(SystemError.Kind.readOnly.explanation)
  /// The file system is full, or the user's quota is used up.
  public static let deviceFull = Self(SystemError.Kind.noSpace.explanation)
  /// The contents are larger than the file system, a limit of the process, or a record of the journal allows.
  package static let tooLarge = permanent(
    "the file would be too large", "Write less; where the process has a limit of file sizes, raise that.")

  // Reasons that may go away by themselves.

  /// The process or the system has too many files open.
  package static let tooManyOpenFiles = Self(SystemError.Kind.tooManyOpenFiles.explanation, isTransient: true)
  /// Another program is using the file.
  package static let busy = Self(SystemError.Kind.busy.explanation, isTransient: true)
  /// The system is out of memory.
  package static let noMemory = Self(SystemError.Kind.noMemory.explanation, isTransient: true)
  /// The device failed to read or write.
  package static let deviceFailure = Self(SystemError.Kind.deviceFailure.explanation, isTransient: true)
  /// The server of a network file system doesn't respond as it should.
  package static let unreachable = Self(SystemError.Kind.unreachable.explanation, isTransient: true)
  /// Another program removed the temporary file.
  package static let temporaryVanished = Self(
    ("another program removed the temporary file", "Find out which program cleans this folder."), isTransient: true)
  /// The journal was removed or cut off; it is rewritten before an error is reported.
  static let journalVanished = Self(JournalError.Reason.vanished.explanation, isTransient: true)
  /// The system reported an unknown error number.
  package static let unknown = Self(SystemError.Kind.unknown.explanation, isTransient: true)

  // Reasons of the writer.

  /// The writer was shut down and accepts no more changes.
  public static let closed = permanent("the writer is shut down", "Submit to another writer.")
  /// The task was canceled while the change waited for room; the change was not accepted.
  public static let cancelled = permanent(
    "the task was cancelled before there was room", "Submit the change again where it is still wanted.")
  /// The batch failed in an earlier run and wasn't retried automatically, because its files may be newer now.
  package static let failedBefore = permanent(
    "the batch failed in an earlier run", "Look at its files, then try it again or remove it.")
  /// The wait ended before the file was written or read: the task was canceled, or the writer was shut down.
  ///
  /// Accepted changes are still accepted.
  public static let waitEnded = permanent(
    "the wait ended before the file was written", "Wait again; after a shutdown a journal keeps the rest.")
  /// Another writer, in this or another process, uses the journal.
  public static let journalInUse = permanent(
    "another writer uses the journal", "Shut that one down, or give each writer a journal of its own.")
  /// The journal belongs to another user, or other users may write it, so its contents cannot be trusted.
  package static let insecureJournal = Self(JournalError.Reason.ofOthers.explanation)
  /// The file is the writer's own journal.
  package static let isTheJournal = permanent("the file is the writer's journal", "Choose another name.")
  /// A newer version has written the journal, which was left unchanged.
  package static let newerJournal = Self(JournalError.Reason.newerVersion.explanation)
  /// An older version has written the journal, which was left unchanged because this version can't read it.
  package static let olderJournal = Self(JournalError.Reason.olderVersion.explanation)
  /// A newer version was writing the file in place and was killed; only it can restore the old contents.
  package static let newerCopy = permanent(
    "the copy of the file's old contents was written by a newer version", "Update this program, or use that version.")
  /// An older version was writing the file in place and was killed; only it can restore the old contents.
  package static let olderCopy = permanent(
    "the copy of the file's old contents was written by an older version that cannot be read any more",
    "Open the file with that version.")

  init(_ kind: SystemError.Kind, operation: FileChangeError.Operation) {
    self =
      switch kind {
      // A mounted file can't have a second name in its folder either.
      case .otherFileSystem where operation == .keep: .notReplaceable
      case .absent where operation == .replace: .temporaryVanished
      case .tooManyLinks where operation != .openJournal: .tooManyLinks
      case .otherFileSystem: .otherFileSystem
      case .tooLarge: .tooLarge
      case .tooManyOpenFiles, .busy, .noMemory, .deviceFailure, .unreachable, .unknown:
        Self(kind.explanation, isTransient: true)
      default: Self(kind.explanation)
      }
  }

  init(_ reason: JournalError.Reason, operation: FileChangeError.Operation) {
    self =
      switch reason {
      case .system(let error): Self(error.kind, operation: operation)
      case .inUse: .journalInUse
      case .closed: .closed
      case .busy: .busy
      case .vanished: .journalVanished
      default: Self(reason.explanation)
      }
  }
}
