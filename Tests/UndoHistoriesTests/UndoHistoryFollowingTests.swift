import Foundation
import TestSupport
import UndoArchives
import UndoHistories
import XCTest

/// Views that apply the reported changes of each edit must show the document without reading it.
final class UndoHistoryFollowingTests: XCTestCase {
  /// `UNSAVED_MODEL_HISTORIES=1000` tests more than 100,000 steps.
  func testViewsFollowEveryStep() {
    withSeeds(60) { random in
      for var followed in randomCopies(of: FollowedHistory(), steps: 100, using: &random, act: { $0.act(&$1) }) {
        followed.go(to: 0)
        followed.go(to: followed.history.steps.count)
      }
    }
  }

  /// The texts have steps of joined typing, and characters of several scalars.
  func testTextViewFollowsATextDocument() {
    withSeeds(150) { random in
      var text = random.text()
      var history = UndoHistory(initialValue: text)
      for _ in 0..<random.int(in: 1..<20) {
        if random.chance(oneIn: 4) {
          history.transaction { edit in
            for _ in 0..<random.int(in: 1..<5) { edit.editText(&text, &random) }
          }
        } else {
          history.edit.editText(&text, &random)
        }
      }
      var view = TextView(text)
      for _ in 0..<40 {
        let isBack = random.chance(oneIn: 2)
        var expected = history
        let change = isBack ? expected.undo() : expected.redo()
        let follow: (borrowing UndoLiveEdit<String>) -> Void = { edit in
          view.follow(edit.text)
          expectEqual(view, TextView(edit.currentItem))
        }
        expectEqual(isBack ? history.undo(onEdit: follow) : history.redo(onEdit: follow), change)
        expectEqual(view, TextView(history.currentItem))
        expectEqual(Array(history.currentItem.utf8), Array(expected.currentItem.utf8))
      }
    }
  }

  func testViewsFollowARestoredHistory() throws {
    try withSeeds(60) { random in
      var sheet = Sheet()
      var history = UndoHistory(initialValue: sheet)
      for _ in 0..<random.int(in: 1..<20) {
        let count = random.chance(oneIn: 2) ? 1 : random.int(in: 1..<4)
        history.transaction { edit in
          for _ in 0..<count { edit.edit(&sheet, &random) }
        }
      }
      history.go(to: .step(random.int(in: 0..<(history.steps.count + 1))))
      let file = try JSONEncoder().encode(history.archive())
      var restored = UndoHistory(initialValue: history.currentItem)
      try restored.restoreSteps(from: JSONDecoder().decode(UndoHistory<Sheet>.Archive.self, from: file))

      var view = SheetView(restored.currentItem)
      for _ in 0..<20 {
        let position = random.int(in: 0..<(history.steps.count + 1))
        restored.go(to: .step(position), onEdit: { view.follow($0) })
        history.go(to: .step(position))
        expectEqual(view, SheetView(restored.currentItem))
        expectEqual(view, SheetView(history.currentItem))
      }
    }
  }
}

/// A history and a view of its document.
///
/// The view is created again after each edit, and follows undo and redo.
private struct FollowedHistory {
  var history = UndoHistory(initialValue: Document())
  var plain = Document()
  var view = DocumentView(Document())

  mutating func act(_ random: inout SeededRandom) {
    switch random.int(in: 0..<16) {
    case 0..<3:
      step {
        $0.undo(onEdit: $1)
      } plain: {
        $0.undo()
      }
    case 3..<6:
      step {
        $0.redo(onEdit: $1)
      } plain: {
        $0.redo()
      }
    case 6: go(to: random.int(in: 0..<(history.steps.count + 1)))
    case 7 where random.chance(oneIn: 3): history.limit = .steps(random.int(in: 3..<30), bytes: 4_000)
    case 7: history.limit = .unlimited
    case 8: history.coalescing = random.chance(oneIn: 4) ? .none : .typing
    case 9:
      if random.chance(oneIn: 2) {
        plain.mutate(&random)
      } else {
        var scratch = UndoHistory(initialValue: plain)
        for _ in 0..<random.int(in: 1..<4) { scratch.edit.edit(&plain, &random) }
      }
      history.currentItem = plain
    case 10..<13:
      history.transaction(random.chance(oneIn: 2) ? "a label that needs memory" : nil) { edit in
        edit.editNested(&plain, &random, depth: 0)
        if random.chance(oneIn: 4), !plain.sections.isEmpty {
          plain.sections[0].rows.append(random.row())
          edit.sections[0].set(plain.sections[0])
        }
        if random.chance(oneIn: 20) { edit.set(plain) }
        if random.chance(oneIn: 4) { edit.numbers.removeFromSeveralRanges(&random) }
      }
    default: history.edit.edit(&plain, &random)
    }
    plain = history.currentItem
    view = DocumentView(plain)
  }

  mutating func go(to position: Int) {
    history.go(to: .step(position), onEdit: { follow($0, &view) })
    expectEqual(history.undoCount, position)
    expectEqual(view, DocumentView(history.currentItem))
  }

  /// Undoes or redoes a step with a view that follows, and compares it with the same step of a copy without a view.
  private mutating func step(
    _ followed: (inout UndoHistory<Document>, (borrowing UndoLiveEdit<Document>) -> Void)
      -> UndoHistory<Document>.Change?,
    plain: (inout UndoHistory<Document>) -> UndoHistory<Document>.Change?
  ) {
    var copy = history
    var count = 0
    let change = followed(&history) { edit in
      count += 1
      follow(edit, &view)
    }
    expectEqual(change, plain(&copy))
    expectEqual(count, change?.edits.count ?? 0)
    expectEqual(Exact(history.currentItem), Exact(copy.currentItem))
    // A limit of bytes counts the capacities of buffers, which differ after a shared buffer was copied.
    if history.limit.bytes == .max { expectEqual(history.byteCount, copy.byteCount) }
    expectEqual(history.undoCount, copy.undoCount)
    expectEqual(view, DocumentView(history.currentItem))
  }
}

/// Updates the view, and checks it between two edits of a step as well.
private func follow(_ edit: borrowing UndoLiveEdit<Document>, _ view: inout DocumentView) {
  view.follow(edit)
  expectEqual(view, DocumentView(edit.currentItem))
}

/// A document that can be archived, because its parts have names.
private struct Sheet: Codable, UndoArchivable {
  struct Row: Codable {
    var title = ""
    var value = 0
  }

  var text = ""
  var note: String?
  var rows: [Row] = []

  static var undoParts: [UndoPart<Sheet>] {
    [UndoPart("text", \.text), UndoPart("note", \.note), UndoPart("rows", \.rows)]
  }
}

private struct SheetView: Equatable {
  struct RowView: Equatable {
    var title: TextView
    var value: Int

    init(_ row: Sheet.Row) { (title, value) = (TextView(row.title), row.value) }
  }

  var text: TextView
  var note: TextView
  var rows: [RowView]

  init(_ sheet: Sheet) {
    (text, note, rows) = (TextView(sheet.text), TextView(sheet.note ?? ""), sheet.rows.map { RowView($0) })
  }

  mutating func follow(_ edit: borrowing UndoLiveEdit<Sheet>) {
    text.follow(edit.text(at: \.text))
    note.follow(edit.text(at: \.note))
    let current = edit.currentItem.rows
    for change in edit.elements(of: \.rows) {
      if case .element(let index) = change {
        rows[index].title.follow(edit[\.rows, index].text(at: \.title))
        rows[index].value = current[index].value
      } else {
        rows.follow([change], make: { RowView(current[$0]) }, change: { _, _ in })
      }
    }
  }
}

extension UndoHistory<Sheet>.Editor {
  /// Makes one random edit, both in the document and in a plain value.
  fileprivate mutating func edit(_ plain: inout Sheet, _ random: inout SeededRandom) {
    let count = plain.rows.count
    switch random.int(in: 0..<9) {
    case 0..<3: self.text.editText(&plain.text, &random)
    case 3:
      plain.note = random.chance(oneIn: 3) ? nil : random.text()
      self.note = plain.note
    case 4 where count > 0:
      let index = random.int(in: 0..<count)
      self.rows[index].title.editText(&plain.rows[index].title, &random)
    case 5 where count > 1:
      let (i, j) = (random.int(in: 0..<count), random.int(in: 0..<count))
      self.rows.move(from: i, to: j)
      plain.rows.insert(plain.rows.remove(at: i), at: j)
    case 6:
      self.rows.removeAll { $0.value == 1 }
      plain.rows.removeAll { $0.value == 1 }
    case 7:
      plain.text = random.text()
      plain.note = random.text()
      self.set(plain)
    default:
      let row = Sheet.Row(title: random.text(), value: random.int(in: 0..<3))
      self.rows.insert(row, at: count / 2)
      plain.rows.insert(row, at: count / 2)
    }
  }
}

extension UndoCursor where Target == [Int] {
  /// Adds so many elements that several ranges are recorded one by one, and removes the elements of these ranges.
  fileprivate mutating func removeFromSeveralRanges(_ random: inout SeededRandom) {
    append(contentsOf: (0..<24).map { _ in random.int(in: 5..<12) })
    let number = random.int(in: 5..<12)
    removeAll { $0 == number }
  }
}
