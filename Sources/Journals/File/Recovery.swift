/// The result of reading the journal or the log of an earlier process.
///
/// Damage never keeps a writer, an outbox or a session from opening: it uses what it can read. Print the recovery for
/// the details.
public struct Recovery: Hashable, Sendable, CustomStringConvertible {
  /// Whether everything could be read; if not, tell the user.
  public let isIntact: Bool

  /// Whether there were changes that had been accepted, but were not written, sent or saved yet.
  public let hasUnfinishedChanges: Bool

  /// The place of a journal or a log that could be read only in part, or not at all; nil, as usual, if there is none.
  ///
  /// This file has every byte of it. You may inspect and remove it; only a log of a newer version is still in use. The
  /// place is also nil if a damaged file couldn't be moved aside yet. Then it is unchanged, and every write tries that
  /// first.
  public let setAside: URL?

  /// The details in words.
  public let description: String

  package init(isIntact: Bool, hasUnfinishedChanges: Bool, setAside: URL?, description: String) {
    self.isIntact = isIntact
    self.hasUnfinishedChanges = hasUnfinishedChanges
    self.setAside = setAside
    self.description = description
  }

  /// The details of reading a journal in words.
  ///
  /// - Parameter found: How many changes the journal has.
  package static func details(
    found: String, damage: [Range<Int>], readError: String?, setAside: String?
  ) -> String {
    var parts = [found]
    if !damage.isEmpty {
      let byteCount = damage.reduce(0) { $0 + $1.count }
      parts.append("\(byteCount) bytes damaged and dropped at \(damage.map(\.lowerBound))")
    }
    if let readError { parts.append(readError) }
    if let setAside { parts.append("the damaged journal is now \(setAside)") }
    return parts.joined(separator: ", ")
  }
}
