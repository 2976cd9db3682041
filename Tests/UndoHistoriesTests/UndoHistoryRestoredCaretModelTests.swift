import TestSupport
import UndoHistories
import XCTest

/// Random edits of two histories that must behave alike.
///
/// One restores a single plain value on undo, which takes a fast path. The other also restores a second value, which no
/// edit changes, so that it takes the general path.
final class UndoHistoryRestoredCaretModelTests: XCTestCase {
  func testOneRestoredValueBehavesLikeOneOfSeveral() {
    withSeeds(400) { random in
      let pair = Pair(&random)
      let pairs = randomCopies(of: pair, steps: 60, using: &random) { pair, random in
        pair.act(&random)
        pair.check()
      }
      for var pair in pairs { pair.walkThrough() }
    }
  }
}

/// The document: a text, and values around it, one of which is restored on undo.
private struct Sheet: Equatable {
  struct Row: Equatable { var name = "", value = 0 }

  var mark: Int32?
  var text = ""
  var caret = 0
  var count = 0
  var selection = 0..<0
  var rows = [Row(), Row()]
  var untouched = 0
}

/// The value that is restored on undo, with a size of 8, 16 or 5 bytes.
private enum Restored: CaseIterable { case caret, selection, mark }

private enum Edit {
  case insert(String), remove(Int), replace(String), count(Int), move(Int), name(String), whole(text: String, Int)
  case transaction([Edit], label: String?, isRefused: Bool)

  init(_ random: inout SeededRandom, depth: Int) {
    switch random.int(in: 0..<16) {
    case 0..<5: self = .insert(["a", "b", "aa", ""].randomElement(using: &random)!)
    case 5: self = .remove(random.int(in: 1..<3))
    case 6: self = .replace("c")
    case 7: self = .count(random.int(in: 0..<4))
    case 8..<12: self = .move(random.int(in: 0..<6))
    case 12: self = .name(["", "x", "y"].randomElement(using: &random)!)
    case 13: self = .whole(text: ["", "a", "ab"].randomElement(using: &random)!, random.int(in: 0..<6))
    default:
      guard depth < 3 else {
        self = .move(1)
        return
      }
      let edits = (0..<random.int(in: 0..<6)).map { _ in Edit(&random, depth: depth + 1) }
      let label = depth == 0 && random.chance(oneIn: 6) ? "label" : nil
      self = .transaction(edits, label: label, isRefused: random.chance(oneIn: 4))
    }
  }
}

extension Sheet {
  /// Changes the restored value.
  fileprivate mutating func move(_ restored: Restored, to place: Int) {
    switch restored {
    case .caret: caret = place
    case .selection: selection = place..<place + 2
    case .mark: mark = place == 0 ? nil : Int32(place)
    }
  }
}

extension UndoCursor where Target == Sheet {
  fileprivate mutating func make(_ edit: Edit, _ restored: Restored) {
    let end = currentItem.text.utf8.count
    switch edit {
    case .insert(let text): self.text.insert(text, atUTF8: end)
    case .remove(let count): self.text.removeSubrange(utf8: max(0, end - count)..<end)
    case .replace(let text): self.text.replaceSubrange(utf8: max(0, end - 1)..<end, with: text)
    case .count(let count): self.count = count
    case .move(let place):
      switch restored {
      case .caret: self.caret = place
      case .selection: self.selection = place..<place + 2
      case .mark: self.mark = place == 0 ? nil : Int32(place)
      }
    case .name(let name): self.rows[1].name = name
    case .whole(let text, let place):
      var sheet = currentItem
      sheet.text = text
      sheet.move(restored, to: place)
      set(sheet)
    case .transaction(let edits, let label, let isRefused):
      try? transaction(label) { cursor in
        for edit in edits { cursor.make(edit, restored) }
        if isRefused { throw Refused() }
      }
    }
  }
}

private struct Pair {
  var alone = UndoHistory(initialValue: Sheet())
  var beside = UndoHistory(initialValue: Sheet())
  var tokens: [(alone: UndoHistory<Sheet>.OpenStep, beside: UndoHistory<Sheet>.OpenStep)] = []
  let restored: Restored

  init(_ random: inout SeededRandom) {
    restored = Restored.allCases.randomElement(using: &random)!
    for _ in 0..<random.int(in: 0..<3) { edit(.insert("z")) }
    let restored = restored
    both {
      switch restored {
      case .caret: $0.restoreOnUndo(\.caret)
      case .selection: $0.restoreOnUndo(\.selection)
      case .mark: $0.restoreOnUndo(\.mark)
      }
    }
    beside.restoreOnUndo(\.untouched)
  }

  mutating func both(_ body: (inout UndoHistory<Sheet>) -> Void) {
    body(&alone)
    body(&beside)
  }

  mutating func edit(_ edit: Edit) {
    let restored = restored
    both { $0.edit.make(edit, restored) }
  }

  mutating func act(_ random: inout SeededRandom) {
    switch random.int(in: 0..<40) {
    case 0..<3: both { $0.undo() }
    case 3..<5: both { $0.redo() }
    case 5:
      let position = random.int(in: 0..<(alone.undoCount + alone.redoCount + 1))
      both { $0.go(to: .step(position)) }
    case 6:
      let limit = random.chance(oneIn: 2) ? UndoLimit.steps(random.int(in: 1..<9)) : .unlimited
      both { $0.limit = limit }
    case 7: both { $0.markSaved() }
    case 8:
      let rule = [UndoCoalescing.typing, .none].randomElement(using: &random)!
      both { $0.coalescing = rule }
    case 9 where random.chance(oneIn: 3): both { $0.removeAllSteps() }
    case 10: tokens.append((alone.beginStep(), beside.beginStep()))
    case 11:
      if let token = tokens.randomElement(using: &random) {
        expectEqual(alone.endStep(token.alone), beside.endStep(token.beside))
      }
    case 12:
      if let token = tokens.randomElement(using: &random) {
        expectEqual(alone.cancelStep(token.alone), beside.cancelStep(token.beside))
      }
    case 13..<16:
      let (edit, restored) = (Edit(&random, depth: 1), restored)
      if case .whole(let text, let place) = edit {
        both {
          var sheet = $0.currentItem
          sheet.text = text
          sheet.move(restored, to: place)
          $0.currentItem = sheet
        }
      } else {
        self.edit(edit)
      }
    default: edit(Edit(&random, depth: 0))
    }
  }

  func check() {
    expectEqual(alone.currentItem, beside.currentItem)
    expectEqual([alone.undoCount, alone.redoCount], [beside.undoCount, beside.redoCount])
    expectEqual([alone.undoLabel, alone.redoLabel], [beside.undoLabel, beside.redoLabel])
    expectEqual(!alone.isDirty, !beside.isDirty)
  }

  mutating func walkThrough() {
    for _ in 0..<2 {
      while alone.undoCount > 0 {
        both { $0.undo() }
        check()
      }
      while alone.redoCount > 0 {
        both { $0.redo() }
        check()
      }
    }
  }
}
