import Unsaved

/// A text, and where its caret is: a selection of no length, in UTF-8.
struct SelectedText {
  var text: String
  var selection = 0
}

extension TraceReplay {
  /// The trace typed, as ``Grouping/typing`` does, with the caret behind each edit.
  ///
  /// - Parameters:
  ///   - replace: Edits the history, and moves what is carried in it.
  ///   - transaction: Does these edits as one step.
  @inline(__always)
  private func type(
    replace: (EditingTrace.Edit) -> Void, transaction: (Range<Int>) -> Void
  ) {
    let edits = trace.edits
    for range in trace.transactions {
      if range.count == 1 { replace(edits[range.lowerBound]) } else { transaction(range) }
    }
  }

  /// Each edit, and the selection that the history carries.
  func replayCarrying(on history: inout UndoHistory<SelectedText>) {
    let edits = trace.edits
    type { edit in
      history.edit.text.replaceSubrange(utf8: edit.range, with: edit.text)
      history.edit.selection = edit.caret
    } transaction: { range in
      history.transaction { editor in
        for index in range {
          editor.text.replaceSubrange(utf8: edits[index].range, with: edits[index].text)
          editor.selection = edits[index].caret
        }
      }
    }
  }

  /// Each edit, and a selection that the history knows nothing of.
  func replay(on history: inout UndoHistory<SelectedText>, beside selection: inout Int) {
    let edits = trace.edits
    type { edit in
      history.edit.text.replaceSubrange(utf8: edit.range, with: edit.text)
      selection = edit.caret
    } transaction: { range in
      history.transaction { editor in
        for index in range {
          editor.text.replaceSubrange(utf8: edits[index].range, with: edits[index].text)
          selection = edits[index].caret
        }
      }
    }
  }

  /// The same in a document that is nothing but the text.
  func replay(on history: inout UndoHistory<String>, beside selection: inout Int) {
    let edits = trace.edits
    type { edit in
      history.edit.replaceSubrange(utf8: edit.range, with: edit.text)
      selection = edit.caret
    } transaction: { range in
      history.transaction { editor in
        for index in range {
          editor.replaceSubrange(utf8: edits[index].range, with: edits[index].text)
          selection = edits[index].caret
        }
      }
    }
  }

  /// The start of the trace in a history that carries the selection.
  var restoring: UndoHistory<SelectedText> {
    var history = UndoHistory(initialValue: SelectedText(text: trace.start))
    history.restoreOnUndo(\.selection)
    return history
  }

  /// The log's bytes for a step that are there because the selection is carried; nil where the steps are others.
  var restoredBytes: Double? {
    var (restoring, plain) = (restoring, UndoHistory(initialValue: SelectedText(text: trace.start)))
    var selection = 0
    replayCarrying(on: &restoring)
    replay(on: &plain, beside: &selection)
    guard restoring.undoCount == plain.undoCount, restoring.selection == selection else { return nil }
    return Double(restoring.byteCount - plain.byteCount) / Double(max(1, plain.undoCount))
  }

  /// The log's bytes for a step that a selection costs that is not carried; nil where the steps are others.
  var uncarriedBytes: Double? {
    var (plain, text) = (
      UndoHistory(initialValue: SelectedText(text: trace.start)), UndoHistory(initialValue: trace.start)
    )
    var selection = 0
    replay(on: &plain, beside: &selection)
    replay(on: &text, beside: &selection)
    guard plain.undoCount == text.undoCount else { return nil }
    return Double(plain.byteCount - text.byteCount) / Double(max(1, text.undoCount))
  }
}

extension TraceReport {
  /// What the benchmarks are called where bars are checked by them.
  static let (carryingID, uncarriedID) = ("Trace.carry", "Trace.uncarried")
  /// Their peers.
  static let (besideCarrying, textAlone) = ("selection beside", "text alone")

  /// Adds the replay with a carried selection, and the one with a selection that is not carried.
  func addCarrying(to suite: inout Suite) {
    suite.benchmark(
      "carry", "all edits, with a restored selection", state: .fresh(upTo: 1), input: { _ in replay }
    ) {
      race in
      race.subject("UndoHistory", setUp: { $0.restoring }) { history, replay, operations in
        for _ in operations { replay.replayCarrying(on: &history) }
        return history.text.utf8.count &+ history.selection
      }
      race.peer(Self.besideCarrying, setUp: Self.uncarried, run: Self.replayBeside)
    }
    suite.benchmark(
      "uncarried", "all edits, with a selection beside", state: .fresh(upTo: 1), input: { _ in replay }
    ) { race in
      race.subject("UndoHistory", setUp: Self.uncarried, run: Self.replayBeside)
      race.peer(Self.textAlone, setUp: { (UndoHistory(initialValue: $0.trace.start), 0) }) {
        (state: inout (history: UndoHistory<String>, selection: Int), replay, operations) in
        for _ in operations { replay.replay(on: &state.history, beside: &state.selection) }
        return state.history.currentItem.utf8.count &+ state.selection
      }
    }
  }

  private typealias Uncarried = (history: UndoHistory<SelectedText>, selection: Int)

  private static func uncarried(_ replay: TraceReplay) -> Uncarried {
    (UndoHistory(initialValue: SelectedText(text: replay.trace.start)), 0)
  }

  private static func replayBeside(_ state: inout Uncarried, _ replay: TraceReplay, _ operations: Range<Int>) -> Int {
    for _ in operations { replay.replay(on: &state.history, beside: &state.selection) }
    return state.history.text.utf8.count &+ state.selection
  }
}

extension EditingTrace.Edit {
  /// Where the caret is behind it.
  fileprivate var caret: Int { range.lowerBound + text.utf8.count }
}
