/// The reason why a history couldn't be archived, or restored from an archive.
///
/// An archive that another version of this package wrote is refused earlier: decoding it throws a `DecodingError`.
public enum UndoArchiveError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A step changed something that is in none of the document's `undoParts`.
  ///
  /// Steps are counted from the oldest, which is 0. The property is named as in Swift, for example `frame.origin`, or
  /// by the offset of its bytes where that isn't known.
  case unnamedPart(step: Int, property: String)
  /// The archive belongs to another document, or to another state of this document.
  case otherDocument
  /// The archive isn't as it was made: it is damaged, or the encoder isn't exact.
  ///
  /// For example, a binary property list makes one text of two that are canonically equal.
  case changed
  /// An edit doesn't fit the document: the archive is forged, or was made by a faulty build.
  case damaged

  /// The problem, and what you can do about it.
  public var description: String {
    switch self {
    case .unnamedPart(let step, let property):
      "step \(step) changed the property \(property), which has no name in the archive; add it to undoParts, or remove "
        + "the steps"
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
