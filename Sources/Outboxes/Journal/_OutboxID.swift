/// The identity of an entry, which no other entry of any journal has.
///
/// Each opening of a journal draws a random number, and counts the entries that it accepts. So an identity is never
/// given twice: not after damage, not by a journal that was removed and made anew, not by two copies of one journal.
package struct _OutboxID: Hashable, Sendable {
  package static let byteCount = 16

  /// The opening of the journal that accepted the entry.
  package let opening: UInt64
  /// The number of the entry among those that the opening accepted.
  package let number: UInt64

  package init(opening: UInt64, number: UInt64) {
    self.opening = opening
    self.number = number
  }
}

extension _OutboxID {
  /// The identity as the server gets it: printable ASCII, not more than 33 characters.
  package var text: String {
    let opening = String(opening, radix: 16)
    return String(repeating: "0", count: 16 - opening.utf8.count) + opening + "-" + String(number, radix: 16)
  }

  /// The identity with this text; nil where none has it.
  package init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let opening = UInt64(parts[0], radix: 16), let number = UInt64(parts[1], radix: 16) else {
      return nil
    }
    self.init(opening: opening, number: number)
    // Numbers have other spellings, which are no identities.
    guard self.text == text else { return nil }
  }
}
