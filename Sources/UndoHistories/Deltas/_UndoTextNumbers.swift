/// Where the delta of a text begins, how much lies there now, and how much did.
package struct _UndoTextNumbers: Equatable {
  package var start: Int
  package var count: Int
  package var removed: Int
}

extension _UndoTextNumbers {
  /// Those of a record of a text, by what its next exchange does; nil for any other record.
  package init?(_ next: _UndoEdit) {
    guard next.isOfText, case .range(let splice) = next.change else { return nil }
    self.init(start: splice.start, count: splice.old, removed: splice.new)
  }
}
