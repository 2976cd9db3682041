extension JournalError {
  /// An error in words for the user of a program, which fit every client of a journal: the reason, written to follow a
  /// path and a colon, and the action that the user or the program can take.
  package typealias Explanation = (summary: String, advice: String)

  /// The system's error number, or nil if the error didn't come from the system.
  package var code: Int32? { if case .system(let error) = reason { error.code } else { nil } }

  /// The reason, with the error number if there is one.
  var summary: String { reason.explanation.summary + (code.map { " (errno \($0))" } ?? "") }
}

extension JournalError.Reason {
  package var explanation: JournalError.Explanation {
    switch self {
    case .system(let error): error.kind.explanation
    case .notAFile: ("what is there is not a regular file", "Choose another name or move away what is there.")
    case .ofOthers:
      (
        "others can write the journal",
        "Find out where it is from; remove it, or take the right to write it from others."
      )
    case .inAFolderOfOthers:
      (
        "others can write the journal's folder",
        "Take the right to write it from others, or choose a folder of your own."
      )
    case .inUse: ("the journal is in use", "Close what uses it, or choose another journal.")
    case .busy: ("the journal is busy", "Try again later.")
    case .newerVersion: ("the journal was written by a newer version", "Update this program, or use that version.")
    case .olderVersion:
      ("the journal was written by an older version that cannot be read any more", "Open it with that version.")
    case .mounted:
      (
        "the journal is mounted, so that no other file can take its place",
        "Mount its folder instead, or choose another journal."
      )
    case .vanished: ("the journal was removed or cut off", "Try again: it is made anew.")
    case .closed: ("the journal was closed", "Open it again.")
    }
  }
}

extension SystemError.Kind {
  /// The meaning of the error for a journal.
  package var explanation: JournalError.Explanation {
    switch self {
    case .permissionDenied: ("permission is denied", "Allow writing to the folder and the file, then try again.")
    case .absent: ("there is no such folder", "Create the folder, then try again.")
    case .notAFolder:
      ("a part of the path is not a folder", "Move away what is in the folder's place, then try again.")
    case .isAFolder: ("there is a folder of this name", "Choose another name or move the folder.")
    case .tooManyLinks: ("there is a symbolic link of this name", "Give the path that the link leads to.")
    case .nameTooLong: ("the name is too long", "Choose a shorter name.")
    case .invalidText: ("the path cannot name a file", "Give the path of a file.")
    case .readOnly:
      ("the file system is read-only", "Choose another folder, or make it writable and try again.")
    case .noSpace: ("no space is left", "Free some space, then try again.")
    case .otherFileSystem: ("the file would move to another file system", "Choose another folder.")
    case .tooLarge: ("the file would be too large", "Where the process has a limit of file sizes, raise that.")
    case .tooManyOpenFiles: ("too many files are open", "Close some, or raise the limit of open files.")
    case .busy: ("the file is busy", "Try again later.")
    case .noMemory: ("the system is out of memory", "Try again later.")
    case .deviceFailure: ("the device failed", "Check the device, then try again.")
    case .unreachable: ("the file server is out of reach", "Check the connection, then try again.")
    case .unknown: ("the system refused", "Look up the error number.")
    }
  }
}
