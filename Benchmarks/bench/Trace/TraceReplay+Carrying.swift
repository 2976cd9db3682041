import Unsaved

/// A text with its caret, which is an empty selection at a UTF-8 offset.
struct SelectedText {
  var text: String
  var selection = 0
}

extension TraceReplay {
  /// Replays the trace as ``Grouping/typing`` does, with the caret at the end of each edit.
  ///
  /// - Parameters:
  ///   - replace: Applies an edit to the history, and moves the caret.
  ///   - transaction: Applies these edits as one step.
  @inline(__always)
  private func type(
    replace: (EditingTrace.Edit) -> Void, transaction: (Range<Int>) -> Void
  ) {
    let edits = trace.edits
    for range in trace.transactions {
      if range.count == 1 { replace(edits[range.lowerBound]) } else { transaction(range) }
    }
  }

  /// Replays the edits, and sets a selection that the history restores on undo.
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

  /// Replays the edits, and sets a selection outside the history.
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

  /// Replays the edits in a document that consists only of the text, with a selection outside the history.
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

  /// A history with the start of the trace, which restores the selection on undo.
  var restoring: UndoHistory<SelectedText> {
    var history = UndoHistory(initialValue: SelectedText(text: trace.start))
    history.restoreOnUndo(\.selection)
    return history
  }

  /// The bytes that restoring the selection adds to the log for each step.
  ///
  /// Nil if the numbers of steps differ.
  var restoredBytes: Double? {
    var (restoring, plain) = (restoring, UndoHistory(initialValue: SelectedText(text: trace.start)))
    var selection = 0
    replayCarrying(on: &restoring)
    replay(on: &plain, beside: &selection)
    guard restoring.undoCount == plain.undoCount, restoring.selection == selection else { return nil }
    return Double(restoring.byteCount - plain.byteCount) / Double(max(1, plain.undoCount))
  }

  /// The bytes that an unrestored selection adds to the log for each step.
  ///
  /// Nil if the numbers of steps differ.
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
  /// The ids of the benchmarks, for bars.
  static let (carryingID, uncarriedID) = ("Trace.carry", "Trace.uncarried")
  /// The names of their peers.
  static let (besideCarrying, textAlone) = ("selection beside", "text alone")

  /// Adds the replay with a restored selection, and the one with an unrestored selection.
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
  /// The position of the caret after this edit.
  fileprivate var caret: Int { range.lowerBound + text.utf8.count }
}
