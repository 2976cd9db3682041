@_exported public import FileChanges

/// The reason why an ``EditingSession`` couldn't open, save or close its file.
///
/// None of these errors loses edits: the document stays in the session, and its edits in the log, as far as the log can
/// be written.
public struct EditingSessionError: Error, Sendable {
  /// The kind of failure.
  public enum Reason: Sendable {
    /// The file could not be read or written.
    case file(FileChangeError)
    /// The log in the recovery folder couldn't be opened or written. The error has its path.
    case log(FileChangeError)
    /// The file doesn't exist, and no document was given for a new one.
    case missing
    /// The format couldn't read the file's contents, and threw this error.
    case unreadable(any Error)
    /// The format couldn't write the document, and threw this error.
    case unwritable(any Error)
    /// Another program has changed the file; call ``EditingSession/resolve(_:)``.
    case conflict
    /// There is a file where the session was to be saved or moved, and no version of it may be replaced.
    case fileExists
    /// The session is closed.
    case closed
  }

  /// The file of the session.
  public let file: URL
  /// The kind of failure.
  public let reason: Reason

  /// A suggestion for the user, in one sentence.
  public var advice: String {
    switch reason {
    case .log(let error) where error.reason == .journalInUse: "Close it there, then open it again."
    case .file(let error), .log(let error): error.recoverySuggestion ?? "Try again."
    case .missing: "Pass a new document to open a file that is not there yet; where it was removed, keep yours."
    case .unreadable: "Open the file with the format in which it was written."
    case .unwritable: "Change the document so that the format can write it, then save again."
    case .conflict: "Decide which of the two stays."
    case .fileExists: "Choose another name, or replace the file."
    case .closed: "Open the file again."
    }
  }
}

extension EditingSessionError: CustomStringConvertible, LocalizedError {
  /// The file, the failure and the suggestion, in one line.
  public var description: String {
    switch reason {
    case .log(let error) where error.reason == .journalInUse:
      "\(file.path): another session has the file open. \(advice)"
    case .file(let error), .log(let error): error.description
    case .missing: "\(file.path): there is no such file. \(advice)"
    case .unreadable(let error): "\(file.path): the contents aren't a document: \(Self.cause(error)). \(advice)"
    case .unwritable(let error): "\(file.path): the document cannot be written: \(Self.cause(error)). \(advice)"
    case .conflict: "\(file.path): another program has changed the file. \(advice)"
    case .fileExists: "\(file.path): there is a file already. \(advice)"
    case .closed: "\(file.path): the session is closed. \(advice)"
    }
  }

  /// The message of a coder and the place in the document, without the value there: a description goes into logs, and
  /// an `EncodingError` prints the value that it refuses.
  private static func cause(_ error: any Error) -> String {
    let context: (path: [any CodingKey], text: String)? =
      switch error {
      case EncodingError.invalidValue(_, let context): (context.codingPath, context.debugDescription)
      case DecodingError.dataCorrupted(let context), DecodingError.typeMismatch(_, let context),
        DecodingError.valueNotFound(_, let context), DecodingError.keyNotFound(_, let context):
        (context.codingPath, context.debugDescription)
      default: nil
      }
    guard let context else { return "\(error)" }
    let path = context.path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    return path.isEmpty ? context.text : "\(context.text) (at \(path))"
  }

  /// The description.
  public var errorDescription: String? { description }

  /// The suggestion for the user.
  public var recoverySuggestion: String? { advice }
}
