// The protocol by which a document names its parts for an archive, with conformances of arrays and texts.

/// A document whose undo history can be kept in a file (`UndoHistory/archive()`).
///
/// A history records offsets in memory, which mean nothing in a file. So the document names the parts of it that are
/// edited:
///
/// ```swift
/// struct Note: Codable {
///   var title = ""
///   var lines: [String] = []
///   var isPinned = false
/// }
/// extension Note: UndoArchivable {
///   static let undoParts = [
///     UndoPart<Note>("title", \.title), UndoPart("lines", \.lines), UndoPart("isPinned", \.isPinned),
///   ]
/// }
/// ```
///
/// A name means the same part in every version of the document, so don't reuse it for another part later. Texts and
/// arrays are archivable as they are. Any other collection of `Codable` elements that a cursor can edit needs only an
/// empty conformance.
public protocol UndoArchivable: Codable {
  /// The parts that are edited, each with its own name.
  ///
  /// An edit is kept under the name of the smallest part that contains it. For a change outside of all parts, made
  /// through `currentItem`, the history keeps the whole old document. The same change through a cursor can't be
  /// archived (`UndoArchiveError/unnamedPart(step:property:)`).
  ///
  /// The history reads this property with every change of `currentItem`, so store it in a `static let`.
  static var undoParts: [UndoPart<Self>] { get }
}

extension UndoArchivable
where
  Self: MutableCollection & RangeReplaceableCollection & RandomAccessCollection, Index == Int, Element: Codable
{
  /// The elements.
  public static var undoParts: [UndoPart<Self>] { [UndoPart("elements", \.self)] }
}

extension Array: UndoArchivable where Element: Codable {}
extension ContiguousArray: UndoArchivable where Element: Codable {}

extension String: UndoArchivable {
  /// The text.
  public static var undoParts: [UndoPart<String>] { [UndoPart("text", \.self)] }
}
