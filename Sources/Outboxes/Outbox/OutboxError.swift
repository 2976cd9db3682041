public import Journals

/// Why an outbox did not do what was asked: which journal, for which reason, and what can be done.
///
/// ```swift
/// func explain(_ error: OutboxError) -> String {
///   switch error.reason {
///   case .deviceFull: "The disk is full."
///   case .inUse: "The app runs twice."
///   default: error.description
///   }
/// }
/// ```
///
/// Of a change's contents an error carries the keys of dictionaries at most, unless the change's own coding throws an
/// error that has more.
public struct OutboxError: Error, Hashable, Sendable {
  /// The path of the outbox's journal.
  public let path: String

  /// Why it was not done.
  public let reason: Reason

  /// The system's error number (`errno`), or nil where the refusal did not come from the system.
  public let code: Int32?

  package init(path: String, reason: Reason, code: Int32? = nil) {
    self.path = path
    self.reason = reason
    self.code = code
  }

  init(_ error: JournalError, path: String) {
    self.init(path: path, reason: Reason(error.reason.explanation), code: error.code)
  }

  /// What a coding says is wrong, by the place in the change; what is there, it does not say.
  static func explanation(of error: any Error) -> String {
    func place(_ path: [any CodingKey]) -> String {
      path.isEmpty ? "the change" : path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
    }
    return switch error {
    case EncodingError.invalidValue(let value, let context):
      "\(place(context.codingPath)) is a \(type(of: value)) that cannot be encoded"
    case DecodingError.keyNotFound(let key, let context): "\(place(context.codingPath + [key])) is not there"
    case DecodingError.valueNotFound(let type, let context): "\(place(context.codingPath)) has no \(type)"
    case DecodingError.typeMismatch(let type, let context): "\(place(context.codingPath)) is no \(type)"
    case DecodingError.dataCorrupted(let context): "\(place(context.codingPath)) is not readable"
    default: "\(error)"
    }
  }

  /// Whether the disk has no space for what should be written.
  var lacksSpace: Bool { reason == .deviceFull || reason == .tooLarge }
}

extension OutboxError: CustomStringConvertible {
  /// The journal, the reason and what can be done, in one line.
  public var description: String { "\(path): \(cause). \(reason.advice)" }

  private var cause: String { code.map { "\(reason) (errno \($0))" } ?? reason.description }
}

extension OutboxError: LocalizedError {
  /// The description, so that `localizedDescription` says as much.
  public var errorDescription: String? { description }

  /// The reason.
  public var failureReason: String? { cause }

  /// What can be done.
  public var recoverySuggestion: String? { reason.advice }
}

extension OutboxError {
  /// Why an outbox did not do what was asked, and what can be done about it.
  ///
  /// More reasons may be added.
  public struct Reason: Hashable, Sendable, CustomStringConvertible {
    /// The reason in words.
    public let description: String
    /// What the user or the program can do.
    package let advice: String

    init(_ description: String, _ advice: String) {
      self.description = description
      self.advice = advice
    }

    init(_ explanation: JournalError.Explanation) { self.init(explanation.summary, explanation.advice) }
  }
}

extension OutboxError.Reason {
  // What the outbox refuses.

  /// The URL locates no file of this machine.
  package static let invalidPath = Self("the URL cannot locate a journal", "Give the file URL of a file.")
  /// Another outbox or writer, of this or another process, uses the journal.
  public static let inUse = Self(JournalError.Reason.inUse.explanation)
  /// The outbox was closed.
  public static let closed = Self("the outbox is closed", "Make another outbox with this journal.")
  /// More waits than `waitingByteLimit` allows; the change was not accepted.
  public static let full = Self(
    "more waits than the limit allows", "Insert again when changes were sent, or raise the limit.")
  /// The change cannot be encoded so that it can be decoded again, or is too large for a record; it was not accepted.
  public static func unencodable(_ why: String) -> Self {
    Self("the change cannot be recorded: \(why)", "Correct the change or its coding.")
  }
  /// A change in the journal cannot be decoded.
  ///
  /// If it is still to be sent, the journal was left as it is. If it is a dead letter, ``Outbox/Recovery/setAside`` has
  /// it.
  public static func undecodable(_ why: String) -> Self {
    Self(
      "a change in the journal cannot be decoded: \(why)",
      "Open it with the version that wrote it, or with a coding that reads both.")
  }
  /// The journal holds changes of the type with this name; it was left as it is.
  public static func ofAnotherType(_ name: String) -> Self {
    Self(
      "the journal holds changes of another type, \(name)",
      "Give each outbox its own journal. If the type was renamed, pass its old name as the configuration's typeName.")
  }
  /// The time was up before everything was sent.
  public static let notDrained = Self(
    "not everything was sent in time", "Wait longer; the rest stays in the journal and is sent later.")
  /// The task was cancelled while it waited.
  public static let cancelled = Self("the task was cancelled", "Wait again where it is still wanted.")

  // What the system does not allow.

  /// The journal belongs to another user, or others than its owner may write it: it may say what they want.
  package static let journalOfOthers = Self(JournalError.Reason.ofOthers.explanation)
  /// Others may put files into the journal's folder, or take them away: so an old journal may come back.
  package static let journalInAFolderOfOthers = Self(JournalError.Reason.inAFolderOfOthers.explanation)
  /// The journal was written by a newer version, or by something else than an outbox; it was left as it is.
  public static let newerJournal = Self(JournalError.Reason.newerVersion.explanation)
  /// What is there is a device, a pipe or a socket.
  package static let notAFile = Self(JournalError.Reason.notAFile.explanation)
  /// The folder of the journal is not there.
  package static let noSuchFolder = Self(SystemError.Kind.absent.explanation)
  /// Something on the way to the journal is not a folder.
  package static let notAFolder = Self(SystemError.Kind.notAFolder.explanation)
  /// There is a folder at the path.
  @_documentation(visibility: internal)
  public static let folder = Self(SystemError.Kind.isAFolder.explanation)
  /// There is a symbolic link at the path.
  package static let symbolicLink = Self(SystemError.Kind.tooManyLinks.explanation)
  /// The process may not do this.
  @_documentation(visibility: internal)
  public static let permissionDenied = Self(SystemError.Kind.permissionDenied.explanation)
  /// The file system is mounted for reading only.
  @_documentation(visibility: internal)
  public static let readOnly = Self(SystemError.Kind.readOnly.explanation)
  /// The file system is full, or the user's share of it.
  public static let deviceFull = Self(SystemError.Kind.noSpace.explanation)
  /// The journal is larger than the file system or the process's limit allows.
  package static let tooLarge = Self(SystemError.Kind.tooLarge.explanation)
  /// The process or the system has too many files open.
  package static let tooManyOpenFiles = Self(SystemError.Kind.tooManyOpenFiles.explanation)
  /// The device failed to read or write.
  package static let deviceFailure = Self(SystemError.Kind.deviceFailure.explanation)
}
