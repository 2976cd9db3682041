/// The numbers of a text record, by which a recorder sees what typing has changed: where the text begins, how long it
/// is in the document, and how long the text was that it replaced.
package struct _UndoTextNumbers: Equatable {
  package var start: Int
  package var count: Int
  package var removed: Int
}

extension _UndoTextNumbers {
  /// Creates the numbers of a text record from its next exchange; nil for any other record.
  package init?(_ next: _UndoEdit) {
    guard next.isOfText, case .range(let splice) = next.change else { return nil }
    self.init(start: splice.start, count: splice.old, removed: splice.new)
  }
}
