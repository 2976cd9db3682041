import Unsaved

/// Carries out a trace's edits, with a history and without.
struct TraceReplay {
  let trace: EditingTrace

  /// What becomes one step to undo.
  enum Grouping: CaseIterable {
    /// A transaction of the trace.
    case transactions
    /// The same, but transactions of a single edit are left to the history, which joins those that adjoin.
    case typing
  }

  /// The text after all edits, without any recording.
  func replay(on text: inout String) {
    for edit in trace.edits { text.replaceUTF8(edit.range, with: edit.text) }
  }

  /// The same, recorded.
  func replay(on history: inout UndoHistory<String>, _ grouping: Grouping) {
    // By indices: a slice for each transaction would be retained and released, and is no part of recording.
    let edits = trace.edits
    for transaction in trace.transactions {
      if grouping == .typing, transaction.count == 1 {
        let edit = edits[transaction.lowerBound]
        history.edit.replaceSubrange(utf8: edit.range, with: edit.text)
      } else {
        history.transaction { editor in
          for index in transaction { editor.replaceSubrange(utf8: edits[index].range, with: edits[index].text) }
        }
      }
    }
  }

  /// Bytes of text that snapshots after each transaction would hold, and how many these are; nothing for those
  /// without edits.
  var snapshots: (count: Int, bytes: Int) {
    var size = trace.start.utf8.count
    var count = 1
    var bytes = size
    for transaction in trace.transactions where !transaction.isEmpty {
      for edit in trace.edits[transaction] { size += edit.text.utf8.count - edit.range.count }
      count += 1
      bytes += size
    }
    return (count, bytes)
  }

  /// A history that has recorded everything.
  func recorded(_ grouping: Grouping) -> UndoHistory<String> {
    var history = UndoHistory(initialValue: trace.start)
    replay(on: &history, grouping)
    return history
  }
}

// MARK: - Checking

extension TraceReplay {
  /// What came out wrong when everything was recorded, undone and redone, a sentence each; by bytes, since strings
  /// that differ in their scalars may be equal.
  func problems(_ grouping: Grouping) -> [String] {
    var problems: [String] = []
    var history = recorded(grouping)
    func expect(_ text: String, after work: String) {
      let found = history.currentItem.utf8
      guard !found.elementsEqual(text.utf8) else { return }
      let common = zip(found, text.utf8).prefix { $0 == $1 }.count
      problems.append("\(work), the text differs from the recorded one at UTF-8 offset \(common)")
    }

    let steps = history.undoCount
    expect(trace.end, after: "after all edits")
    var undone = 0
    while history.undo() != nil { undone += 1 }
    expect(trace.start, after: "after undoing \(undone) steps")
    var redone = 0
    while history.redo() != nil { redone += 1 }
    expect(trace.end, after: "after redoing \(redone) steps")
    if undone != steps || redone != steps {
      problems.append("of \(steps) steps \(undone) were undone and \(redone) redone")
    }
    return problems
  }
}
