import TestSupport
import UndoHistories

/// A model of a text view that only reads the changes that edits report, once in UTF-16 and once in UTF-8.
struct TextView: Equatable {
  private(set) var units: [UInt16]
  private(set) var bytes: [UInt8]

  init(_ text: String) {
    units = Array(text.utf16)
    bytes = Array(text.utf8)
  }

  mutating func follow(_ change: UndoTextChange?) {
    guard let change else { return }
    // The view must contain the text that the change says it replaces. Otherwise the ranges are wrong.
    guard expect(change.utf16Range.upperBound <= units.count), expect(change.utf8Range.upperBound <= bytes.count) else {
      return
    }
    expectEqual(Array(units[change.utf16Range]), Array(change.replaced.utf16))
    expectEqual(Array(bytes[change.utf8Range]), Array(change.replaced.utf8))
    units.replaceSubrange(change.utf16Range, with: change.replacement.utf16)
    bytes.replaceSubrange(change.utf8Range, with: change.replacement.utf8)
  }
}

extension Array {
  /// Applies the reported changes of a collection.
  ///
  /// `make` creates an inserted element and `change` updates an edited one.
  mutating func follow(
    _ changes: [UndoElementsChange], make: (Int) -> Element, change: (inout Element, Int) -> Void
  ) {
    for step in changes {
      switch step {
      case .range(let old, let new): replaceSubrange(old, with: new.map(make))
      case .element(let index): change(&self[index], index)
      case .swap(let first, let second): swapAt(first, second)
      case .move(let source, let target): insert(remove(at: source), at: target)
      }
    }
  }
}

/// A model of a view that shows every kind of part of a document, and updates itself from the edits of each step.
struct DocumentView: Equatable {
  struct RowView: Equatable {
    var title: TextView
    var note: TextView
    var tags: [TextView]
    var value: Int

    init(_ row: Document.Row) {
      (title, note, value) = (TextView(row.title), TextView(row.note ?? ""), row.value)
      tags = row.tags.map { TextView($0) }
    }

    mutating func follow(_ edit: borrowing UndoLiveEdit<Document.Row>) {
      title.follow(edit.text(at: \.title))
      note.follow(edit.text(at: \.note))
      if edit.touches(\.value) { value = edit.currentItem.value }
      for change in edit.elements(of: \.tags) {
        let current = edit.currentItem.tags
        if case .element(let index) = change {
          tags[index].follow(edit[\.tags, index].text)
        } else {
          tags.follow([change], make: { TextView(current[$0]) }, change: { _, _ in })
        }
      }
    }
  }

  struct SectionView: Equatable {
    var name: TextView
    var rows: [RowView]
    var marks: Set<String>
    var weights: [String: Int]

    init(_ section: Document.Section) {
      (name, marks, weights) = (TextView(section.name), section.marks, section.weights)
      rows = section.rows.map { RowView($0) }
    }

    mutating func follow(_ edit: borrowing UndoLiveEdit<Document.Section>) {
      name.follow(edit.text(at: \.name))
      if edit.touches(\.marks) { marks = edit.currentItem.marks }
      if edit.touches(\.weights) { weights = edit.currentItem.weights }
      for change in edit.elements(of: \.rows) {
        let current = edit.currentItem.rows
        if case .element(let index) = change {
          rows[index].follow(edit[\.rows, index])
        } else {
          rows.follow([change], make: { RowView(current[$0]) }, change: { _, _ in })
        }
      }
    }
  }

  var text: TextView
  var numbers: [Int]
  var sections: [SectionView]
  var count: Int
  var names: [String: String]

  init(_ document: Document) {
    (text, numbers, count) = (TextView(document.text), document.numbers, document.count)
    (sections, names) = (document.sections.map { SectionView($0) }, document.names)
  }

  mutating func follow(_ edit: borrowing UndoLiveEdit<Document>) {
    text.follow(edit.text(at: \.text))
    if edit.touches(\.count) { count = edit.currentItem.count }
    if edit.touches(\.names) { names = edit.currentItem.names }
    let (newNumbers, newSections) = (edit.currentItem.numbers, edit.currentItem.sections)
    numbers.follow(edit.elements(of: \.numbers), make: { newNumbers[$0] }, change: { $0 = newNumbers[$1] })
    for change in edit.elements(of: \.sections) {
      if case .element(let index) = change {
        sections[index].follow(edit[\.sections, index])
      } else {
        sections.follow([change], make: { SectionView(newSections[$0]) }, change: { _, _ in })
      }
    }
  }
}
