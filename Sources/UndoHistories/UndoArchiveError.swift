/// Why a history could not be archived, or restored from an archive.
public enum UndoArchiveError: Error, Hashable, Sendable {
  /// A step changed something that is in none of the document's `undoParts`.
  ///
  /// Steps are counted from the oldest, which is 0.
  case unnamedPart(step: Int)
  /// The archive belongs to another document, or to this one as it was at another time.
  case otherDocument
  /// The archive does not hold what was archived: it was written or read by something that is not exact, or damaged.
  ///
  /// A binary property list, for instance, makes one text of two that are canonically equal.
  case changed
  /// An edit does not fit the document as it must have been: the archive is a forgery, or of a broken build.
  case damaged
}

extension UndoArchiveError: CustomStringConvertible {
  /// What is wrong, and what can be done.
  public var description: String {
    switch self {
    case .unnamedPart(let step):
      "step \(step) changed a property that has no name in the archive; add it to undoParts, or remove the steps"
    case .otherDocument:
      "the archive belongs to another document, or to an earlier or later state of this one; go on without it"
    case .changed:
      "the archive is not as it was made; write it with an encoder that is exact, such as JSONEncoder, and not as a "
        + "binary property list; go on without this one"
    case .damaged:
      "the archive is damaged: an edit in it does not fit the document; go on without it"
    }
  }
}
