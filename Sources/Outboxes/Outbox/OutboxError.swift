public import Journals

/// An error of an outbox: the path of the journal, the reason, and what can be done.
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
/// An error contains no contents of a change except keys of dictionaries, unless the change's own coding throws an
/// error that has more.
public struct OutboxError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
  /// The path of the outbox's journal.
  package let path: String

  /// Why the outbox failed to do what was asked.
  public let reason: Reason

  /// The system's error number (`errno`), or nil if the error doesn't come from the system.
  package let code: Int32?

  package init(path: String, reason: Reason, code: Int32? = nil) {
    self.path = path
    self.reason = reason
    self.code = code
  }

  init(_ error: JournalError, path: String) {
    self.init(path: path, reason: Reason(error.reason.explanation), code: error.code)
  }

  /// Explains a coding error by the place in the change, without showing the contents there.
  static func explanation(of error: any Error) -> String {
    func place(_ path: [any CodingKey]) -> String {
      path.isEmpty ? "the change" : path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
    }
    return switch error {
    case EncodingError.invalidValue(let value, let context):
      "\(place(context.codingPath)) is a \(type(of: value)) that cannot be encoded"
    case DecodingError.keyNotFound(let key, let context): "\(place(context.codingPath + [key])) is not there"
    case DecodingError.valueNotFound(let type, let context): "\(place(context.codingPath)) has no \(type)"
    case DecodingError.typeMismatch(let type, let context): "\(place(context.codingPath)) isn't a value of type \(type)"
    case DecodingError.dataCorrupted(let context): "\(place(context.codingPath)) is not readable"
    default: "\(error)"
    }
  }

  /// Whether the disk has no space for the write.
  var lacksSpace: Bool { reason == .deviceFull || reason == .tooLarge }

  /// The journal, the reason and what can be done, in one line.
  public var description: String { "\(path): \(cause). \(reason.advice)" }

  private var cause: String { code.map { "\(reason) (errno \($0))" } ?? reason.description }

  /// The description, so that `localizedDescription` says as much.
  public var errorDescription: String? { description }

  /// The reason.
  public var failureReason: String? { cause }

  /// A way to solve the problem.
  public var recoverySuggestion: String? { reason.advice }

  /// Why an outbox failed to do what was asked, and what can be done about it.
  ///
  /// More reasons may be added.
  public struct Reason: Hashable, Sendable, CustomStringConvertible {
    /// The reason in words.
    public let description: String
    /// A way for the user or the program to solve the problem.
    package let advice: String

    init(_ description: String, _ advice: String) {
      self.description = description
      self.advice = advice
    }

    init(_ explanation: JournalError.Explanation) { self.init(explanation.summary, explanation.advice) }
  }
}

extension OutboxError.Reason {
  // Reasons of the outbox.

  /// The URL doesn't locate a file on this machine.
  package static let invalidPath = Self("the URL cannot locate a journal", "Give the file URL of a file.")
  /// Another outbox or writer uses the journal, in this process or in another.
  public static let inUse = Self(JournalError.Reason.inUse.explanation)
  /// The outbox was closed.
  public static let closed = Self("the outbox is closed", "Make another outbox with this journal.")
  /// More bytes wait than `waitingByteLimit` allows; the change was not accepted.
  public static let full = Self(
    "more waits than the limit allows", "Insert again when changes were sent, or raise the limit.")
  /// The change can't be encoded so that it can be decoded again, or is too large for a record; it was not accepted.
  package static func unencodable(_ why: String) -> Self {
    Self("the change cannot be recorded: \(why)", "Correct the change or its coding.")
  }

  /// Neither a change in the journal nor its key can be decoded; the journal was left as it is.
  package static func undecodable(_ why: String) -> Self {
    Self(
      "a change in the journal cannot be decoded: \(why)",
      "Open it with the version that wrote it, or with a coding that reads both.")
  }

  /// The journal holds changes of another type, which has this name; it was left as it is.
  package static func ofAnotherType(_ name: String) -> Self {
    Self(
      "the journal holds changes of another type, \(name)",
      "Give each outbox its own journal. If the type was renamed, pass its old name as the configuration's typeName.")
  }

  /// The time was up before everything was sent.
  public static let notDrained = Self(
    "not everything was sent in time", "Wait longer; the rest stays in the journal and is sent later.")
  /// The call was made inside of `send`, and would wait for the attempt that makes it.
  public static let insideSend = Self(
    "the call would wait for the attempt that makes it", "Return from send first, or call it from a detached task.")
  /// The task was cancelled while it waited.
  public static let cancelled = Self("the task was cancelled", "Wait again where it is still wanted.")

  // Reasons of the system.

  /// The journal was written by a newer version, or by another type such as `FileChangeWriter`; it was left as it is.
  package static let newerJournal = Self(JournalError.Reason.newerVersion.explanation)
  /// The folder of the journal doesn't exist.
  package static let noSuchFolder = Self(SystemError.Kind.absent.explanation)
  /// The path leads to a folder.
  @_documentation(visibility: internal)
  public static let folder = Self(SystemError.Kind.isAFolder.explanation)
  /// The process lacks the permission.
  @_documentation(visibility: internal)
  public static let permissionDenied = Self(SystemError.Kind.permissionDenied.explanation)
  /// The file system is read-only.
  @_documentation(visibility: internal)
  public static let readOnly = Self(SystemError.Kind.readOnly.explanation)
  /// The file system is full, or the user's quota is used up.
  public static let deviceFull = Self(SystemError.Kind.noSpace.explanation)
  /// The journal is larger than the file system or the process's limit allows.
  package static let tooLarge = Self(SystemError.Kind.tooLarge.explanation)
  /// The device failed to read or write.
  package static let deviceFailure = Self(SystemError.Kind.deviceFailure.explanation)
}
