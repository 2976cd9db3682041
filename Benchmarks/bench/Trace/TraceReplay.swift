import Foundation
import Unsaved

/// Replays a trace's edits, with and without a history.
struct TraceReplay {
  let trace: EditingTrace

  /// The edits that become one undo step.
  enum Grouping: CaseIterable {
    /// Each transaction of the trace is a step.
    case transactions
    /// Like `transactions`, but the history may join adjoining transactions of a single edit.
    case typing
    /// Like `typing`, but each edit assigns the whole text, as a text field does.
    case assigning
  }

  /// Replays all edits without recording.
  func replay(on text: inout String) {
    for edit in trace.edits { text.replaceUTF8(edit.range, with: edit.text) }
  }

  /// Replays all edits with recording.
  func replay(on history: inout UndoHistory<String>, _ grouping: Grouping) {
    // The loop uses indices because a slice for each transaction would be retained and released, which isn't part of
    // recording.
    let edits = trace.edits
    if grouping == .assigning { return replayAssigning(on: &history) }
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

  /// Replays all edits with recording, and assigns the whole text for each of them.
  private func replayAssigning(on history: inout UndoHistory<String>) {
    let edits = trace.edits
    var field = trace.start
    for transaction in trace.transactions {
      if transaction.count == 1 {
        field.replaceUTF8(edits[transaction.lowerBound].range, with: edits[transaction.lowerBound].text)
        history.edit.set(field)
      } else {
        history.transaction { editor in
          for index in transaction {
            field.replaceUTF8(edits[index].range, with: edits[index].text)
            editor.set(field)
          }
        }
      }
    }
  }

  /// Like `replayAssigning(on:)` with a history, but instead of recording, compares the new text with the old one.
  func replayAssigning(on text: inout String) -> Int {
    var field = trace.start
    var common = 0
    for edit in trace.edits {
      field.replaceUTF8(edit.range, with: edit.text)
      common &+= field.commonEndsUTF8(with: text)
      text = field
    }
    return common
  }

  /// The number of snapshots after each transaction, and the bytes of their texts.
  ///
  /// Transactions without edits have none.
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

  /// A history that has recorded all edits.
  func recorded(_ grouping: Grouping) -> UndoHistory<String> {
    var history = UndoHistory(initialValue: trace.start)
    replay(on: &history, grouping)
    return history
  }
}

// MARK: - Checking

extension TraceReplay {
  /// Records, undoes and redoes everything, and returns the wrong results, one sentence each.
  ///
  /// Texts are compared by bytes, because strings with different scalars may be equal.
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

extension String {
  /// The length of the common beginning plus the common end of two texts, found at the speed of `memcmp`.
  fileprivate mutating func commonEndsUTF8(with other: String) -> Int {
    var other = other
    return withUTF8 { a in
      other.withUTF8 { b in
        let limit = Swift.min(a.count, b.count)
        func common(_ limit: Int, _ areSame: (_ start: Int, _ count: Int) -> Bool) -> Int {
          var length = 0
          for piece in [4096, 512, 64, 8, 1] {
            while length + piece <= limit, areSame(length, piece) { length += piece }
          }
          return length
        }
        guard limit > 0, let x = a.baseAddress, let y = b.baseAddress else { return 0 }
        let start = common(limit) { unsafe memcmp(x + $0, y + $0, $1) == 0 }
        let (xEnd, yEnd) = unsafe (x + a.count, y + b.count)
        return start + common(limit - start) { unsafe memcmp(xEnd - $0 - $1, yEnd - $0 - $1, $1) == 0 }
      }
    }
  }
}
