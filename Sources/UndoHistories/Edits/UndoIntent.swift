/// The purpose of a text edit, which decides whether the edit joins the step before it.
///
/// ```swift
/// var history = UndoHistory(initialValue: "")
/// for letter in ["f", "o", "o"] { history.edit.append(letter) }
/// history.edit.append("()", as: .typing)  // the editor adds the second bracket
/// history.edit.append(" // pasted")
/// print(history.undoCount)                // 2
/// ```
///
/// The intent has no effect inside a transaction or an open step, whose edits are one step anyway.
@frozen
public enum UndoIntent: Hashable, Sendable {
  /// The edit itself tells: what a single key does is typing or deleting, and anything else is a step of its own.
  ///
  /// These edits join the step before them:
  /// - one inserted character, of any number of scalars, at the end of what was typed; or a line break there, with the
  ///   white space that indents the next line;
  /// - one character in place of the last one that was typed, as when a dead key is resolved or a syllable grows;
  /// - one removed character next to what was removed before, in the same direction;
  /// - one letter with the space by which an input method separates it from the syllable before.
  ///
  /// One character in place of other text begins a step that typing continues, such as typing over a selection. For an
  /// assigned text, the difference from the old text counts.
  case automatic

  /// A key did this, whatever its length: a bracket that comes as a pair, or a typed abbreviation that was expanded.
  ///
  /// It joins the typing that it continues. An insertion or a replacement may also lie inside of what was typed.
  case typing

  /// An input method changed the text that it is composing (marked text).
  ///
  /// The edit joins the step before it if it replaces exactly what the previous edit with this intent left there. So a
  /// composition is one step, which neither a pause nor ``UndoCoalescing/none`` divides, and which nothing else joins.
  /// The edit that commits the composed text replaces it, and has this intent too. An insertion at the end begins the
  /// next composition. For a text that is assigned as a whole, which has no range, a difference at the end continues
  /// the composition.
  ///
  /// An undo removes a composition as a whole. After that, a new composition is a new step. A composition that is
  /// canceled, so that the text is as it was, leaves no step. But the redo steps were discarded when it began. A save
  /// or another edit during a composition divides it into two steps, and canceling it then leaves both.
  case composing

  /// The edit is a step of its own.
  case separate
}
