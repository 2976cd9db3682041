import UndoHistories

extension Suite {
  /// Edits of a document of 1 MB under a limit of 64 KB, in nine ways.
  ///
  /// After 200 edits, the memory in use is at most that of the document, the newest step, however large, and the limit.
  mutating func addLimitedEdits() {
    for way in Way.all {
      benchmark(
        way.name, "\(way.operation), after 200 such edits of 1 MB under a limit of 64 KB"
      ) { _ in
        // Two versions, so that every edit changes everything that it replaces.
        [Desk(version: 0), Desk(version: 1)]
      } contenders: { race in
        race.subject("UndoHistory") { desks in
          var history = UndoHistory(initialValue: Desk(version: 0))
          history.limit = .bytes(limitOfBytes)
          for i in 0..<200 { way.edit(&history, desks[(i &+ 1) & 1]) }
          return history
        } run: { history, desks, operations in
          for i in operations { way.edit(&history, desks[(i &+ 1) & 1]) }
          return history.currentItem.pages.count
        }
        race.floor("limit, document and step") { _ in
          Bound(
            document: Desk(version: 0), step: way.step(Desk(version: 1)),
            limit: [UInt8](repeating: 0, count: limitOfBytes))
        } run: { bound, _, operations in
          bound.document.pages.count
        }
      }
    }
  }

  /// The names of these benchmarks.
  static var limitedEdits: [String] { Way.all.map { "UndoHistory.\($0.name)" } }
}

/// All the memory that may be in use.
private struct Bound {
  var document: Desk
  var step: Any?
  var limit: [UInt8]
}

/// An edit that assigns a part of another document, and the value that its step has to keep if that is large.
private struct Way {
  let name: String
  let operation: String
  let edit: (inout UndoHistory<Desk>, Desk) -> Void
  var step: (Desk) -> Any? = { _ in nil }

  static var all: [Way] {
    [
      Way(name: "limited.title", operation: "assign a title", edit: { $0.currentItem.title = $1.title }),
      Way(
        name: "limited.text", operation: "assign a text of which a word differs",
        edit: { $0.currentItem.text = $1.text }),
      Way(
        name: "limited.number", operation: "change a number in place",
        edit: { history, _ in history.currentItem.numbers[7] &+= 1 }),
      Way(
        name: "limited.member", operation: "assign a property of an element",
        edit: { $0.currentItem.pages[1].name = $1.title }),
      Way(
        name: "limited.array", operation: "assign 256 KB", edit: { $0.currentItem.numbers = $1.numbers },
        step: { $0.numbers }),
      Way(
        name: "limited.set", operation: "set 256 KB", edit: { $0.edit.numbers.set($1.numbers) }, step: { $0.numbers }),
      Way(
        name: "limited.remove", operation: "remove and append an element of 64 KB",
        edit: {
          $0.edit.pages.remove(at: 0)
          $0.edit.pages.append($1.pages[0])
        }, step: { $0.pages[0] }),
      Way(
        name: "limited.replace", operation: "replace an element of 64 KB by another",
        edit: { $0.edit.pages.replaceSubrange(0..<1, with: $1.pages[..<1]) }, step: { $0.pages[0] }),
      Way(
        name: "limited.key", operation: "give a key another value of 256 KB",
        edit: { $0.edit.table[1] = $1.table[1] }, step: { $0.table[1] }),
    ]
  }
}

private struct Sheet {
  var name: String
  var bytes: [UInt8]
}

/// A document of 1 MB, in four parts of 256 KB.
private struct Desk {
  var title: String
  var text: String
  var numbers: [Int]
  var pages: [Sheet]
  var table: [Int: [UInt8]]

  init(version: Int) {
    title = "a title that is too long to be kept inline: \(version)"
    text = String(repeating: "word ", count: 26_000) + "\(version)" + String(repeating: " word", count: 26_000)
    numbers = (0..<(32 << 10)).map { $0 &* 2 &+ version }
    pages = (0..<4).map { page in Sheet(name: "\(page)", bytes: [UInt8](repeating: UInt8(version), count: 64 << 10)) }
    table = [1: [UInt8](repeating: UInt8(version), count: 256 << 10)]
  }
}

private let limitOfBytes = 64 << 10
