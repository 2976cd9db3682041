import Foundation
import TestSupport
import UndoArchives
import UndoHistories

/// A document for recorded histories, with texts, collections, parts in elements, and properties without a named part.
struct Outline: UndoArchivable, Equatable {
  struct Row: UndoArchivable, Equatable {
    /// Has no named part, and precedes a property that has one.
    var note: String?
    var title = ""
    var tags: [String] = []
    var value = 0

    static let undoParts = [
      UndoPart<Row>("title", \.title), UndoPart("tags", \.tags), UndoPart("value", \.value),
    ]
  }

  struct Frame: UndoArchivable, Equatable {
    var x = 0.0
    var y = 0.0
    var name = ""

    static let undoParts = [UndoPart<Frame>("x", \.x), UndoPart("y", \.y), UndoPart("name", \.name)]
  }

  /// A type without named parts.
  struct Item: Codable, Equatable {
    var text = ""
    var count = 0
  }

  /// Numbers and flags without named parts.
  struct View: Codable, Equatable {
    struct Style: Codable, Equatable { var isBold = false, isItalic = false }

    var x = 0.0
    var y = 0.0
    var style = Style()
  }

  struct Node: UndoArchivable, Equatable {
    var name = ""
    var children: [Node] = []

    static var undoParts: [UndoPart<Node>] { [UndoPart("name", \.name), UndoPart("children", \.children)] }
  }

  /// A text inside an enum, which has no address of its own.
  enum Kind: Codable, Equatable {
    case none, text(String)

    func typed(_ random: inout SeededRandom) -> Kind {
      let text: String? = if case .text(let text) = self { text } else { nil }
      return text.typed(&random).map { .text($0) } ?? .none
    }
  }

  var title = ""
  var body = ""
  var count = 0
  var ratio = 0.5
  var choice: Int?
  var subtitle: String?
  var rows: [Row] = []
  var items: [Item] = []
  var numbers: [Int] = []
  var lines: [String] = []
  var weights: [String: Int] = [:]
  var marks: Set<String> = []
  var frame = Frame()
  var nodes: [Node] = []
  var caret = 0
  var selection: String = ""
  var unnamed = 0
  var view = View()
  var remark = ""
  var places: [Int] = []
  var drafts: [Row] = []
  var verses: [String] = []
  var grid: [[Int]] = []
  var tallies: [String: Int] = [:]
  var notes: [String: String] = [:]
  var kind = Kind.none

  static let undoParts = [
    UndoPart<Outline>("title", \.title), UndoPart("body", \.body), UndoPart("count", \.count),
    UndoPart("ratio", \.ratio), UndoPart("choice", \.choice), UndoPart("subtitle", \.subtitle),
    UndoPart("rows", \.rows), UndoPart("items", \.items), UndoPart("numbers", \.numbers), UndoPart("lines", \.lines),
    UndoPart("weights", \.weights), UndoPart("marks", \.marks), UndoPart("frame", \.frame), UndoPart("nodes", \.nodes),
    UndoPart("caret", \.caret), UndoPart("selection", \.selection), UndoPart("notes", \.notes),
    UndoPart("kind", \.kind),
  ]
}

extension UndoPieceCoding {
  /// The coding that a session uses.
  static var json: UndoPieceCoding {
    UndoPieceCoding(
      encode: { Array(try encoder.encode($0)) },
      decode: { type, bytes in
        func decode<Piece: Decodable>(_ type: Piece.Type) throws -> any Decodable {
          try decoder.decode(type, from: Data(bytes))
        }
        return try decode(type)
      })
  }

  static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return encoder
  }

  static var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return decoder
  }
}

extension Outline {
  /// Changes several properties of a row, with and without named parts.
  mutating func changeRow(_ random: inout SeededRandom) {
    guard let index = rows.indices.randomElement(using: &random) else { return }
    if random.chance(oneIn: 2) { rows[index].note = random.text() }
    if random.chance(oneIn: 2) { rows[index].title += random.text() }
    if random.chance(oneIn: 2) { rows[index].tags.append(random.text()) }
    if random.chance(oneIn: 3), !rows[index].tags.isEmpty { rows[index].tags.removeFirst() }
    if random.chance(oneIn: 3) { rows.reverse() }
  }

  /// Types in a text inside an optional, a dictionary or an enum.
  mutating func type(_ random: inout SeededRandom) {
    switch random.int(in: 0..<3) {
    case 0: subtitle = subtitle.typed(&random)
    case 1: notes["b"] = notes["b"].typed(&random)
    default: kind = kind.typed(&random)
    }
  }

  /// Changes properties without a named part.
  mutating func changeView(_ random: inout SeededRandom) {
    if random.chance(oneIn: 2) { view.x = Double(random.int(in: 0..<3)) }
    if random.chance(oneIn: 2) { view.y = Double(random.int(in: 0..<3)) }
    if random.chance(oneIn: 2) { view.style.isBold.toggle() }
    if random.chance(oneIn: 2) { view.style.isItalic.toggle() }
  }
}

extension UndoHistory<Outline>.Editor {
  /// Makes one random edit of a named part.
  mutating func editNamed(_ random: inout SeededRandom) {
    let outline = currentItem
    switch random.int(in: 0..<26) {
    case 22: self.subtitle = outline.subtitle.typed(&random)
    case 23..<25:
      let key = random.chance(oneIn: 5) ? "a" : "b"
      self.notes[key] = outline.notes[key].typed(&random)
    case 25: self.kind.set(outline.kind.typed(&random))
    case 0..<4: self.title.type(&random)
    case 4: self.body.type(&random)
    case 5: self.title = random.text()
    case 6: self.count = random.int(in: 0..<5)
    case 7: self.ratio = [0, -0.0, .infinity, 1.5].randomElement(using: &random)!
    case 8: self.choice = random.chance(oneIn: 2) ? nil : random.int(in: 0..<3)
    case 9: self.subtitle = random.chance(oneIn: 3) ? nil : random.text()
    case 10..<12:
      self.numbers.change(&random)
    case 12:
      if outline.lines.isEmpty || random.chance(oneIn: 3) { return self.lines.append(random.text()) }
      self.lines[random.int(in: 0..<outline.lines.count)].type(&random)
    case 13: self.weights[random.text()] = random.chance(oneIn: 3) ? nil : random.int(in: 0..<9)
    case 14:
      let mark = random.text()
      if random.chance(oneIn: 2) { self.marks.insert(mark) } else { self.marks.remove(mark) }
    case 15: self.frame.x = Double(random.int(in: 0..<9))
    case 16: self.frame.name.type(&random)
    case 17:
      guard !outline.nodes.isEmpty else {
        return self.nodes.append(Outline.Node(name: "a", children: [Outline.Node()]))
      }
      if random.chance(oneIn: 2) { return self.nodes[0].children.append(Outline.Node(name: random.text())) }
      if !outline.nodes[0].children.isEmpty { self.nodes[0].children[0].name.type(&random) }
    default:
      let row = Outline.Row(title: random.text(), tags: [random.text()], value: random.int(in: 0..<9))
      guard !outline.rows.isEmpty, !random.chance(oneIn: 5) else { return self.rows.append(row) }
      editRow(random.int(in: 0..<outline.rows.count), row, outline.rows, &random)
    }
  }

  /// Edits a text that may be a restored value.
  mutating func editSelection(_ random: inout SeededRandom) { self.selection.type(&random) }

  private mutating func editRow(_ i: Int, _ row: Outline.Row, _ old: [Outline.Row], _ random: inout SeededRandom) {
    switch random.int(in: 0..<10) {
    case 0..<3: self.rows[i].title.type(&random)
    case 3: self.rows[i].value += 1
    case 4: self.rows[i].tags.append("tag")
    case 5 where !old[i].tags.isEmpty: self.rows[i].tags[0].type(&random)
    case 6: self.rows.remove(at: i)
    case 7: self.rows.removeAll { $0.value % 3 == 0 }
    case 8: self.rows[i].set(row)
    case 9: self.rows.sort { $0.value < $1.value }
    default: self.rows.insert(row, at: i)
    }
  }

  /// Makes one random edit, also of properties without a named part.
  mutating func edit(_ random: inout SeededRandom) {
    if random.chance(oneIn: 20) {
      var outline = currentItem
      outline.type(&random)
      return self.set(outline)
    }
    switch random.int(in: 0..<21) {
    case 0: self.unnamed += 1
    case 14: self.view.x = Double(random.int(in: 0..<3))
    case 15: self.remark.type(&random)
    case 16:
      self.places.change(&random)
    case 17: self.tallies[random.text()] = random.chance(oneIn: 3) ? nil : random.int(in: 0..<9)
    case 19:
      let count = currentItem.verses.count
      if count == 0 || random.chance(oneIn: 4) { return self.verses.append("aa") }
      self.verses[random.int(in: 0..<count)].type(&random)
    case 20:
      let grid = currentItem.grid
      guard let index = grid.indices.randomElement(using: &random) else { return self.grid.append([1, 1]) }
      self.grid[index].change(&random)
    case 18:
      let row = Outline.Row(title: random.text(), tags: [random.text()], value: random.int(in: 0..<9))
      let drafts = currentItem.drafts
      guard let index = drafts.indices.randomElement(using: &random) else { return self.drafts.append(row) }
      switch random.int(in: 0..<6) {
      case 0: self.drafts.swapAt(0, index)
      case 1: self.drafts.insert(row, at: index)
      case 2: self.drafts[index].note = random.text()
      case 3: self.drafts[index].value += 1
      case 4: self.drafts[index].tags.append("t")
      default: self.drafts[index].title.type(&random)
      }
    case 1:
      let old = currentItem.rows
      if !old.isEmpty { self.rows[0].note = random.chance(oneIn: 3) ? nil : random.text() }
    case 2:
      if currentItem.items.isEmpty { return self.items.append(Outline.Item()) }
      self.items[0].text.type(&random)
    case 3: if !currentItem.items.isEmpty { self.items[0].count += 1 }
    case 4: self.selection.append("s")
    case 5...6: self.caret = random.int(in: 0..<50)
    default: editNamed(&random)
    }
  }
}

extension UndoCursor where Target == String {
  /// Types so that most edits join.
  mutating func type(_ random: inout SeededRandom) {
    let text = currentItem
    let intent: UndoIntent = [.automatic, .automatic, .typing, .composing, .separate].randomElement(using: &random)!
    switch random.int(in: 0..<14) {
    case 10: append(random.text(), as: intent)
    case 11: set(text + ["é", "ㅎ", "xy"].randomElement(using: &random)!, as: intent)
    case 12 where !text.isEmpty:
      let start = text.utf8.count - String(text.last!).utf8.count
      replaceSubrange(utf8: start..<text.utf8.count, with: ["하", "é", ""].randomElement(using: &random)!, as: intent)
    case 13: replaceSubrange(utf8: random.range(in: text), with: random.text(), as: intent)
    case 0..<4: append(["a", "b", "é"].randomElement(using: &random)!)
    case 4: set(text + "a")
    case 5:
      var shorter = text
      _ = shorter.popLast()
      set(shorter)
    case 6 where !text.isEmpty:
      removeSubrange(utf8: text.utf8.count - String(text.unicodeScalars.last!).utf8.count..<text.utf8.count)
    case 7 where !text.isEmpty:
      removeSubrange(utf8: 0..<String(text.unicodeScalars.first!).utf8.count)
    case 8: replaceSubrange(utf8: random.range(in: text), with: random.text())
    default: set(random.text())
    }
  }
}

extension String? {
  /// The text after a keystroke, which is usually at the end.
  func typed(_ random: inout SeededRandom) -> String? {
    guard let text = self else { return "a" }
    switch random.int(in: 0..<8) {
    case 0..<4: return text + ["a", "b", "é"].randomElement(using: &random)!
    case 4..<6: return text.count < 2 && random.chance(oneIn: 2) ? nil : String(text.dropLast())
    case 6: return "a" + text
    default: return random.text()
    }
  }
}

extension UndoCursor where Target == [Int] {
  /// Makes one random edit.
  mutating func change(_ random: inout SeededRandom) {
    let (number, count) = (random.int(in: 0..<5), self.count)
    guard count > 0, !random.chance(oneIn: 3) else { return append(number) }
    let (i, j) = (random.int(in: 0..<count), random.int(in: 0..<count))
    switch random.int(in: 0..<12) {
    case 0: self[i] = number
    case 1: self[i] += 1
    case 2: insert(number, at: i)
    case 3: append(contentsOf: [1, 2, 3])
    case 4: remove(at: i)
    case 5: removeLast()
    case 6: removeAll { $0 == number }
    case 7 where random.chance(oneIn: 4): removeAll()
    case 8: swapAt(i, j)
    case 9: move(from: i, to: j)
    case 10: if random.chance(oneIn: 2) { sort() } else { reverse() }
    case 11: set(Array(currentItem.reversed().dropFirst(random.int(in: 0..<2))))
    default:
      replaceSubrange(random.range(upTo: count), with: Array(repeating: number, count: random.int(in: 0..<4)))
    }
  }
}

extension UndoHistory where Value: Codable {
  /// Changes the history, and reads the changes with a recorder afterwards.
  mutating func observed<Result, Failure: Error>(
    by recorder: UndoRecorder<Value>, _ body: (inout UndoHistory) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if recorder.isUnmarked { recorder.mark(&self) }
    defer { recorder.read(&self) }
    return try body(&self)
  }
}
