// The text of a history for prints and failed tests: the document, the numbers of steps, and what each step changed.

extension UndoHistory: CustomDebugStringConvertible {
  /// The document, the numbers of undo and redo steps with the labels of the next undo and the next redo, and what each
  /// step changed.
  ///
  /// - Complexity: That of describing the document, and what the steps hold.
  public var debugDescription: String {
    let (undo, redo) = (undoLabel.map { " \"\($0)\"" } ?? "", redoLabel.map { " \"\($0)\"" } ?? "")
    let steps = describedSteps.isEmpty ? "" : ", steps: [\(describedSteps.joined(separator: "; "))]"
    return "UndoHistory(\(currentItem), undo: \(undoCount)\(undo), redo: \(redoCount)\(redo)\(steps))"
  }
}

extension UndoHistory: CustomReflectable {
  /// The document, the numbers of undo and redo steps, the labels of the next undo and the next redo, and a text for
  /// each step and branch.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "currentItem": currentItem, "undoCount": undoCount, "undoLabel": undoLabel as Any, "redoCount": redoCount,
        "redoLabel": redoLabel as Any, "steps": describedSteps, "branches": branches.map(\.description),
      ],
      displayStyle: .struct)
  }

  /// A text for each step, oldest first.
  ///
  /// If two histories compare their steps as different, the texts differ too, except if the values print alike.
  private var describedSteps: [String] {
    let records = storage.access.log.records
    var (steps, start): ([String], _UndoLocation) = ([], records.firstRecord(from: records.start))
    while start < records.end {
      let (isDone, step) = (start < records.firstRecord(from: records.location), records.summary(ofStepAt: start))
      let edits = records.edits(from: start, to: step.end).map { describedEdit($0, isDone, records) }
      steps.append((step.label.map { "\($0): " } ?? "") + edits.joined(separator: ", "))
      start = records.firstRecord(from: step.end)
    }
    return steps
  }

  /// The place of an edit, what it does there, and the value that the record holds: the old one of a step that can be
  /// undone, and the new one of a step that can be redone.
  private func describedEdit(_ record: _UndoRecord, _ isDone: Bool, _ records: _UndoRecords) -> String {
    let next = records.operations.table.edit(of: record)
    let edit = isDone ? next.inverted : next
    var text = _UndoFields<Value>.path(to: edit.bytes, in: currentItem)
    for depth in 0..<edit.levels.count {
      text += "[\(edit.levels[depth].index)]"
      // The element may not exist now, so its properties have no names.
      let offset = edit.range(at: depth + 1).bytes.lowerBound
      if offset > 0 { text += "@\(offset)" }
    }
    if let key = edit.change.key { text += "[\(key)]" }
    let kind = UndoEdit(edit.change.kind, start: 0, size: 0).description
    let value = describedValue(records.delta(of: record))
    return (text.isEmpty ? kind : "\(text) \(kind)") + (value.map { isDone ? " (was \($0))" : " (to \($0))" } ?? "")
  }

  private func describedValue(_ delta: some _UndoDelta) -> String? {
    if delta.other is Void { return nil }
    return (delta.other as? String).map(\.debugDescription) ?? "\(delta.other)"
  }
}
