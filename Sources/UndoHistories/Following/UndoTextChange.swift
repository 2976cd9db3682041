// The change of a text, made from the offsets of an edit, or by comparing two texts from both ends. The bytes are
// compared and counted in `Sameness/_UnsafeUndoBytes`.

/// The change that an edit made to a text: the range that was replaced, and the replacement.
///
/// ```swift
/// var history = UndoHistory(initialValue: "Crème")
/// history.edit.append(" brûlée")
/// history.undo { edit in
///   guard let change = edit.text else { return }
///   print(change.utf8Range, change.utf16Range, change.replaced)  // 6..<15 5..<12  brûlée
/// }
/// ```
///
/// Ranges begin and end between Unicode scalars, possibly within a character, for example between CR and LF or before a
/// combining mark. A change keeps the text as the edit left it, so if you keep the change, the next edit has to copy
/// the text.
public struct UndoTextChange: Sendable {
  /// The text as the edit left it, contiguous.
  private let text: String

  /// The text that lay in the range, contiguous as well.
  public let replaced: String

  /// Where the replaced text lay, in UTF-8.
  public let utf8Range: Range<Int>

  /// Where the replacement lies, in UTF-8; it begins where the replaced text began.
  private let newUTF8Range: Range<Int>

  init(_ text: String, replaced: String, utf8Range: Range<Int>, newUTF8Range: Range<Int>) {
    self.text = text.contiguous
    self.replaced = replaced.contiguous
    self.utf8Range = utf8Range
    self.newUTF8Range = newUTF8Range
  }

  /// Creates the change from the common beginning of two texts to their common end; nil if the texts are the same.
  init?(from old: String, to new: String) {
    let (old, new) = (old.contiguous, new.contiguous)
    let (start, newEnd, oldEnd) = String.differingUTF8(old, new)
    if newEnd == start, oldEnd == start { return nil }
    self.init(
      new, replaced: old.slice(utf8: start..<oldEnd), utf8Range: start..<oldEnd, newUTF8Range: start..<newEnd)
  }

  /// The text that replaced the old one, which lies where the old one began.
  ///
  /// - Complexity: O(*r*), the length of the replacement.
  public var replacement: String { text.slice(utf8: newUTF8Range) }

  /// Where the replaced text lay, in UTF-16 as text views count.
  ///
  /// - Complexity: O(*n*) for *n* bytes from the beginning of the text to the end of the range, ASCII or not.
  public var utf16Range: Range<Int> {
    let start = text.utf16Count(utf8: 0..<utf8Range.lowerBound)
    return start..<start + replaced.utf16Count(utf8: 0..<replaced.utf8.count)
  }
}

extension UndoTextChange: CustomStringConvertible {
  /// The range that was replaced, in UTF-8, and the replacement.
  public var description: String { "\(utf8Range) -> \(replacement.debugDescription)" }
}
