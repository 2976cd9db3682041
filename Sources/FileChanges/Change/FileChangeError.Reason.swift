internal import Journals

extension FileChangeError {
  /// Why a change was not carried out, and what can be done about it.
  ///
  /// A *transient* reason may go away by itself, and ``FileChangeWriter`` tries such a change again. A permanent one
  /// stays until something is done, so it is reported at once. More reasons may be added.
  public struct Reason: Hashable, Sendable, CustomStringConvertible {
    /// The reason in words.
    public let description: String
    /// What the user or the program can do.
    ///
    /// To try again what a writer keeps is ``FileChangeWriter/retryFailures()``.
    package let advice: String
    /// Whether the reason may go away by itself.
    package let isTransient: Bool

    private static func permanent(_ description: String, _ advice: String) -> Reason {
      permanent(JournalError.Explanation(description, advice))
    }

    private static func permanent(_ explanation: JournalError.Explanation) -> Reason {
      Reason(description: explanation.summary, advice: explanation.advice, isTransient: false)
    }

    private static func transient(_ explanation: JournalError.Explanation) -> Reason {
      Reason(description: explanation.summary, advice: explanation.advice, isTransient: true)
    }
  }
}

extension FileChangeError.Reason {
  // What the path itself rules out.

  /// The path is relative.
  package static let relativePath = permanent("the path is relative", "Give an absolute path.")
  /// The URL locates no file of this machine.
  package static let notAFileURL = permanent("the URL is none of a file on this machine", "Give the URL of a file.")
  /// The path has a `..` component.
  package static let parentReference = permanent("the path has a '..' in it", "Give the path without '..'.")
  /// The path names no file, has a null character in it, or is a link to a name that is not UTF-8.
  package static let invalidPath = permanent(SystemError.Kind.invalidText.explanation)
  /// The name or the whole path is longer than the file system allows.
  package static let nameTooLong = permanent(SystemError.Kind.nameTooLong.explanation)

  /// The path does not lead into the folder that the options give as the root.
  package static let outsideRoot = permanent(
    "the path is outside of the root folder", "Give a path below the root folder.")

  // What is at the path.

  /// The folder is not there.
  public static let noSuchFolder = permanent(SystemError.Kind.absent.explanation)
  /// There is no file of this name that could be moved.
  public static let noSuchFile = permanent("there is no such file", "Give the path of a file that is there.")
  /// The name that a file is to get is taken.
  ///
  /// To move a file over another one, remove that one in the same batch, before the move.
  package static let targetExists = permanent(
    "the new name is taken", "Choose another name, or remove what has it in the same batch.")
  /// The name that a file is to get is on another file system.
  package static let otherFileSystem = permanent(
    "the new name is on another file system", "Write the contents there, then remove the file.")
  /// Two paths of a batch lead to one file, through symbolic links.
  package static let sameFile = permanent(
    "another path of the batch leads to the same file", "Use one path for the file in the whole batch.")
  /// Something on the way to the file is not a folder.
  package static let notAFolder = permanent(SystemError.Kind.notAFolder.explanation)
  /// There is a folder at the path, and folders are never replaced or removed.
  public static let folder = permanent(SystemError.Kind.isAFolder.explanation)
  /// There is a device, pipe or socket at the path, or a link to what a process has open, as `/dev/stdout` is.
  ///
  /// These are never replaced or removed.
  public static let notAFile = permanent(JournalError.Reason.notAFile.explanation)
  /// There is a symbolic link at the path, or below the root, where it is not followed.
  ///
  /// A journal is never reached through a link of its name, a file only where `symbolicLinks` says so.
  package static let symbolicLink = permanent(SystemError.Kind.tooManyLinks.explanation)
  /// The symbolic links lead in a circle, or are too many.
  package static let tooManyLinks = permanent("the symbolic links do not end", "Correct the links, then try again.")

  /// Another program changed the file since the version that the change is based on.
  ///
  /// To try again does not help: take the file's version, read it, and submit a change that is based on that version.
  public static let changedByAnother = permanent(
    "the file was found changed by another program", "Decide which version to keep.")

  // What the system does not allow.

  /// The process may not do this, or the file is read-only, or another user's.
  ///
  /// Of the folder alone it would depend whether such a file can be replaced. It is replaced where `replacesReadOnly`
  /// asks for it.
  public static let permissionDenied = permanent(SystemError.Kind.permissionDenied.explanation)
  /// The file system is mounted for reading only.
  public static let readOnly = permanent(SystemError.Kind.readOnly.explanation)
  /// The file system is full, or the user's share of it.
  public static let deviceFull = permanent(SystemError.Kind.noSpace.explanation)
  /// The contents are larger than the file system, the process's limit or a record of the journal allows.
  public static let tooLarge = permanent(
    "the file would be too large", "Write less; where the process has a limit of file sizes, raise that.")

  // What may go away by itself.

  /// The process or the system has too many files open.
  package static let tooManyOpenFiles = transient(SystemError.Kind.tooManyOpenFiles.explanation)
  /// Something else holds the file.
  package static let busy = transient(SystemError.Kind.busy.explanation)
  /// The system is out of memory.
  package static let noMemory = transient(SystemError.Kind.noMemory.explanation)
  /// The device failed to read or write.
  package static let deviceFailure = transient(SystemError.Kind.deviceFailure.explanation)
  /// The server of a network file system does not answer as it should.
  package static let unreachable = transient(SystemError.Kind.unreachable.explanation)
  /// Another program removed the temporary file.
  package static let temporaryVanished = transient(
    .init("another program removed the temporary file", "Find out which program cleans this folder."))
  /// The journal was removed or cut off, and is made anew before anybody is told.
  static let journalVanished = transient(JournalError.Reason.vanished.explanation)
  /// An error number that has no entry here.
  package static let unknown = transient(SystemError.Kind.unknown.explanation)

  // What the writer refuses.

  /// The writer was shut down and takes no more changes.
  public static let closed = permanent("the writer is shut down", "Submit to another writer.")
  /// The task was cancelled while the change waited for room; it was not accepted.
  public static let cancelled = permanent(
    "the task was cancelled before there was room", "Submit the change again where it is still wanted.")
  /// The batch failed for good in an earlier run, and was not tried again by itself: its files may be newer by now.
  package static let failedBefore = permanent(
    "the batch failed in an earlier run", "Look at its files, then try it again or remove it.")
  /// The wait ended before the file was written: the task was cancelled, or the writer was shut down.
  ///
  /// What was accepted is still accepted.
  public static let waitEnded = permanent(
    "the wait ended before the file was written", "Wait again; after a shutdown a journal keeps the rest.")
  /// Another writer, of this or another process, uses the journal.
  public static let journalInUse = permanent(
    "another writer uses the journal", "Shut that one down, or give each writer a journal of its own.")
  /// The journal belongs to another user, or others than its owner may write it: it may say what they want.
  package static let journalOfOthers = permanent(JournalError.Reason.ofOthers.explanation)
  /// Others may put files into the journal's folder, or take them away: so an old journal may come back.
  package static let journalInAFolderOfOthers = permanent(JournalError.Reason.inAFolderOfOthers.explanation)
  /// The file is the writer's own journal.
  package static let isTheJournal = permanent("the file is the writer's journal", "Choose another name.")
  /// The journal was written by a newer version; it was left as it is.
  public static let newerJournal = permanent(JournalError.Reason.newerVersion.explanation)
}

extension FileChangeError.Reason {
  init(_ kind: SystemError.Kind, operation: FileChangeError.Operation) {
    self =
      switch kind {
      case .permissionDenied: .permissionDenied
      case .absent: operation == .replace ? .temporaryVanished : .noSuchFolder
      case .notAFolder: .notAFolder
      case .isAFolder: .folder
      case .tooManyLinks: operation == .openJournal ? .symbolicLink : .tooManyLinks
      case .nameTooLong: .nameTooLong
      case .invalidText: .invalidPath
      case .readOnly: .readOnly
      case .noSpace: .deviceFull
      case .otherFileSystem: .otherFileSystem
      case .tooLarge: .tooLarge
      case .tooManyOpenFiles: .tooManyOpenFiles
      case .busy: .busy
      case .noMemory: .noMemory
      case .deviceFailure: .deviceFailure
      case .unreachable: .unreachable
      case .unknown: .unknown
      }
  }
}
