import TestSupport
import UndoHistories

/// A document with every kind of part.
struct Document {
  struct Row {
    var title = ""
    var value = 0
    var tags: [String] = []
    var note: String?
  }

  struct Section {
    var name = ""
    var rows: [Row] = []
    var marks: Set<String> = []
    var weights: [String: Int] = [:]
  }

  /// A struct with elements that is recorded whole when it is assigned, because it refers to an object.
  struct Frame {
    final class Owner: Sendable {}
    struct Corner { var x = 0, y = 0 }

    var owner = Owner()
    var width = 0
    var corners: [Corner] = []
  }

  var count = 0
  var ratio = 0.5
  var isDone = false
  var choice: Int?
  var text = ""
  var sections: [Section] = []
  var numbers: [Int] = []
  var names: [String: String] = [:]
  /// Too large for a record.
  var matrix = Matrix()
  var vector = SIMD4<Double>(repeating: 0)
  var frame = Frame()
  /// Values that are difficult to compare: unused words, padding, and an equality that ignores properties.
  var anything: any Sendable = 0
  var hidden = Hidden()
  var odd = Odd()
  var half: Int {
    get { count / 2 }
    set { count = newValue * 2 }
  }
}

/// A value with padding, and with a mirror that hides its contents.
struct Hidden: CustomReflectable {
  var isSet = false
  var number = 0
  var small: Int8?
  var text: String?
  var customMirror: Mirror { Mirror(self, children: []) }
}

/// A value whose equality compares only the ratio.
///
/// With a NaN it doesn't even equal itself.
struct Odd: Equatable {
  var isSet = false
  var ratio = 0.0
  var name = ""
  static func == (a: Odd, b: Odd) -> Bool { a.ratio == b.ratio }
}

/// A value with more than 8 KB of inline storage.
///
/// As tuples, so many numbers would take the compiler half a minute.
struct Matrix {
  var first = Eight(Eight(Eight(0)))
  var second = Eight(Eight(Eight(0)))
  var last = 0
}

/// Eight parts of the same type.
struct Eight<Part> {
  var a, b, c, d, e, f, g, h: Part

  init(_ part: Part) { (a, b, c, d, e, f, g, h) = (part, part, part, part, part, part, part, part) }

  static var keyPaths: [WritableKeyPath<Eight, Part>] { [\.a, \.b, \.c, \.d, \.e, \.f, \.g, \.h] }
}

/// A document's contents, with texts compared byte by byte.
///
/// The equality of strings doesn't distinguish composed from decomposed characters.
struct Exact: Equatable, CustomStringConvertible {
  private(set) var bytes: [UInt8] = []

  init(_ document: Document) {
    add("\(document.count) \(document.ratio) \(document.isDone) \(document.choice ?? -1) \(document.numbers)")
    add("\(document.matrix.last) \(document.matrix.second.h.h.h) \(document.vector[3])")
    add("\(document.frame.width) \(document.frame.corners) \(document.anything)")
    add("\(document.hidden.isSet) \(document.hidden.number) \(document.hidden.small ?? -1)")
    add("\(document.odd.isSet) \(document.odd.ratio)")
    add(document.hidden.text ?? "nil")
    add(document.odd.name)
    add(document.text)
    add(document.names)
    for section in document.sections {
      add(section.name)
      for row in section.rows {
        add(row.title)
        add("\(row.value) \(row.tags.count) \(row.note == nil)")
        add(row.note ?? "")
        row.tags.forEach { add($0) }
      }
      add(Dictionary(uniqueKeysWithValues: section.marks.map { ($0, "") }))
      add(section.weights.mapValues { "\($0)" })
    }
  }

  private mutating func add(_ text: String) {
    bytes.append(contentsOf: text.utf8)
    bytes.append(0)
  }

  private mutating func add(_ table: [String: String]) {
    for (key, value) in table.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
      add(key)
      add(value)
    }
    bytes.append(1)
  }

  var description: String { String(decoding: bytes.map { $0 == 0 ? 124 : $0 }, as: UTF8.self) }
}

extension SeededRandom {
  mutating func row() -> Document.Row {
    Document.Row(title: text(), value: int(in: 0..<9), tags: (0..<int(in: 0..<3)).map { _ in text() }, note: nil)
  }
}

extension Document {
  /// Makes a random change by plain assignment.
  mutating func mutate(_ random: inout SeededRandom) {
    switch random.int(in: 0..<6) {
    case 0: break
    case 5: names[""] = (names[""] ?? "") + "a"
    case 1: count += 1
    case 2: text = random.text()
    case 3: sections.append(Section(name: random.text(), rows: [random.row()]))
    default: if !sections.isEmpty { sections[0].rows.shuffle(using: &random) }
    }
  }
}

extension String {
  /// Replaces a range of UTF-8 offsets on an array of bytes, independently of the code under test.
  mutating func replace(_ range: Range<Int>, with text: String) {
    let bytes = Array(utf8)
    self = String(decoding: bytes[..<range.lowerBound] + Array(text.utf8) + bytes[range.upperBound...], as: UTF8.self)
  }
}

extension UndoCursor where Target == String {
  mutating func editText(_ text: inout String, _ random: inout SeededRandom) {
    switch random.int(in: 0..<8) {
    case 0..<2:
      let piece = random.text()
      append(piece)
      text.replace(text.utf8.count..<text.utf8.count, with: piece)
    case 2..<4:
      guard let last = text.unicodeScalars.last else { return }
      let range = (text.utf8.count - String(last).utf8.count)..<text.utf8.count
      removeSubrange(utf8: range)
      text.replace(range, with: "")
    case 4 where !text.isEmpty:
      let index = text.index(text.startIndex, offsetBy: random.int(in: 0..<text.count))
      let offset = text.utf8.distance(from: text.startIndex, to: index)
      let character = remove(at: index)
      text.replace(offset..<offset + String(character).utf8.count, with: "")
    case 5:
      let (offset, piece) = (random.offset(in: text), random.text())
      insert(piece, atUTF8: offset)
      text.replace(offset..<offset, with: piece)
    case 6:
      let piece = random.text()
      set(piece)
      text = piece
    default:
      let (range, piece) = (random.range(in: text), random.text())
      replaceSubrange(utf8: range, with: piece)
      text.replace(range, with: piece)
    }
  }
}

extension UndoCursor where Target == [Int] {
  mutating func editNumbers(_ numbers: inout [Int], _ random: inout SeededRandom) {
    let number = random.int(in: 0..<5)
    guard !numbers.isEmpty, !random.chance(oneIn: 3) else {
      append(number)
      numbers.append(number)
      return
    }
    let (i, j) = (random.int(in: 0..<numbers.count), random.int(in: 0..<numbers.count))
    switch random.int(in: 0..<14) {
    case 0: (self[i], numbers[i]) = (number, number)
    case 1: expectEqual(remove(at: i), numbers.remove(at: i))
    case 2:
      insert(number, at: i)
      numbers.insert(number, at: i)
    case 3:
      swapAt(i, j)
      numbers.swapAt(i, j)
    case 4:
      move(from: i, to: j)
      numbers.insert(numbers.remove(at: i), at: j)
    case 5:
      let (range, new) = (random.range(upTo: numbers.count), (0..<random.int(in: 0..<4)).map { _ in number })
      replaceSubrange(range, with: new)
      numbers.replaceSubrange(range, with: new)
    case 6:
      sort()
      numbers.sort()
    case 7:
      self[i] += 1
      numbers[i] += 1
    case 8:
      let new = Array(numbers.reversed().dropFirst(random.int(in: 0..<2)))
      set(new)
      numbers = new
    case 9:
      append(contentsOf: [1, 2, 3])
      numbers += [1, 2, 3]
    case 10 where random.chance(oneIn: 4):
      removeAll()
      numbers.removeAll()
    case 11: expectEqual(removeFirst(), numbers.removeFirst())
    case 12:
      removeAll { $0 == number }
      numbers.removeAll { $0 == number }
    default: expectEqual(removeLast(), numbers.removeLast())
    }
  }
}

extension UndoCursor where Target == [Document.Row] {
  mutating func editRows(_ rows: inout [Document.Row], _ random: inout SeededRandom) {
    guard !rows.isEmpty, !random.chance(oneIn: 4) else {
      let row = random.row()
      append(row)
      rows.append(row)
      return
    }
    let (i, j) = (random.int(in: 0..<rows.count), random.int(in: 0..<rows.count))
    switch random.int(in: 0..<10) {
    case 0:
      let text = random.text()
      (self[i].title, rows[i].title) = (text, text)
    case 1:
      self[i].value += 2
      rows[i].value += 2
    case 2:
      let text = random.chance(oneIn: 3) ? nil : random.chance(oneIn: 2) ? random.text() : (rows[i].note ?? "") + "a"
      (self[i].note, rows[i].note) = (text, text)
    case 3:
      let text = random.text()
      self[i].tags.append(text)
      rows[i].tags.append(text)
    case 4 where !rows[i].tags.isEmpty:
      self[i].tags[0].editText(&rows[i].tags[0], &random)
    case 5:
      remove(at: i)
      rows.remove(at: i)
    case 6:
      sort { $0.value < $1.value }
      rows.sort { $0.value < $1.value }
    case 7:
      let row = random.row()
      self[i].set(row)
      rows[i] = row
    case 8:
      removeAll { $0.value == rows[i].value }
      rows.removeAll { [value = rows[i].value] in $0.value == value }
    default:
      move(from: i, to: j)
      rows.insert(rows.remove(at: i), at: j)
    }
  }
}

extension UndoHistory<Document>.Editor {
  /// Makes one random edit, both in the document and in a plain value.
  mutating func edit(_ plain: inout Document, _ random: inout SeededRandom) {
    switch random.int(in: 0..<23) {
    case 20:
      let text = plain.anything as? String
      let anything: any Sendable =
        random.chance(oneIn: 2) ? text.map { $0 + "a" } ?? random.text() : random.int(in: 0..<2)
      plain.anything = anything
      self.anything.set(anything)
    case 21:
      plain.hidden = Hidden(
        isSet: random.chance(oneIn: 2), number: random.int(in: 0..<2), small: random.chance(oneIn: 2) ? nil : 1,
        text: random.chance(oneIn: 2) ? nil : random.text())
      self.hidden.set(plain.hidden)
    case 22:
      plain.odd = Odd(
        isSet: random.chance(oneIn: 2), ratio: [0, .nan].randomElement(using: &random)!, name: random.text())
      self.odd.set(plain.odd)
    case 0:
      self.count += 1
      plain.count += 1
    case 1:
      let ratio = [0, -0.0, .nan, 1.5].randomElement(using: &random)!
      (self.ratio, plain.ratio) = (ratio, ratio)
    case 2: (self.isDone, plain.isDone) = (true, true)
    case 3:
      let choice = random.chance(oneIn: 2) ? nil : random.int(in: 0..<3)
      (self.choice, plain.choice) = (choice, choice)
    case 4..<7: self.text.editText(&plain.text, &random)
    case 7..<9: self.numbers.editNumbers(&plain.numbers, &random)
    case 9:
      var (key, value) = (random.text(), random.chance(oneIn: 3) ? nil : random.text())
      // Types in the text of a key.
      if random.chance(oneIn: 2) { (key, value) = ("", (plain.names[""] ?? "") + "ab".suffix(random.int(in: 1..<3))) }
      self.names[key] = value
      plain.names[key] = value
    case 10:
      plain.matrix.last += 1
      plain.matrix.second.h.h.h += 1
      self.matrix.set(plain.matrix)
    case 11:
      plain.vector += 1
      self.vector.set(plain.vector)
    case 12:
      self.half += 1
      plain.half += 1
    case 13..<16: editFrame(&plain.frame, &random)
    default: editSection(&plain, &random)
    }
  }

  mutating func editFrame(_ plain: inout Document.Frame, _ random: inout SeededRandom) {
    let number = random.int(in: 0..<9)
    switch random.int(in: 0..<5) {
    case 0:
      plain = Document.Frame(width: number, corners: Array(repeating: .init(x: number), count: number))
      self.frame.set(plain)
    case 1:
      self.frame.width = number
      plain.width = number
    case 2 where plain.corners.count < 20:
      self.frame.corners.append(.init(y: number))
      plain.corners.append(.init(y: number))
    default:
      guard let i = plain.corners.indices.randomElement(using: &random) else { return }
      self.frame.corners[i].x = number
      plain.corners[i].x = number
    }
  }

  private mutating func editSection(_ plain: inout Document, _ random: inout SeededRandom) {
    guard !plain.sections.isEmpty, !random.chance(oneIn: 5) else {
      let section = Document.Section(name: random.text(), rows: [random.row()])
      self.sections.append(section)
      plain.sections.append(section)
      return
    }
    let i = random.int(in: 0..<plain.sections.count)
    switch random.int(in: 0..<8) {
    case 0: self.sections[i].name.editText(&plain.sections[i].name, &random)
    case 1:
      let mark = random.text()
      self.sections[i].marks.insert(mark)
      plain.sections[i].marks.insert(mark)
    case 2:
      let mark = random.text()
      let old = self.sections[i].marks.remove(mark)
      expectEqual(old, plain.sections[i].marks.remove(mark))
    case 3:
      let mark = random.text()
      self.sections[i].marks.update(with: mark)
      plain.sections[i].marks.update(with: mark)
    case 4:
      let key = random.text()
      self.sections[i].weights[key, default: 0] += 1
      plain.sections[i].weights[key, default: 0] += 1
    case 5:
      let key = random.text()
      expectEqual(self.sections[i].weights.removeValue(forKey: key), plain.sections[i].weights.removeValue(forKey: key))
    default: self.sections[i].rows.editRows(&plain.sections[i].rows, &random)
    }
  }

  /// Makes several edits, some of them in nested transactions.
  ///
  /// Some of these transactions throw and are rolled back.
  mutating func editNested(_ plain: inout Document, _ random: inout SeededRandom, depth: Int) {
    for _ in 0..<random.int(in: 0..<4) {
      guard depth < 3, random.chance(oneIn: 4) else {
        edit(&plain, &random)
        continue
      }
      var inner = plain
      let isRefused = random.chance(oneIn: 2)
      do {
        try transaction("inner") { edit in
          edit.editNested(&inner, &random, depth: depth + 1)
          if isRefused { throw Refused() }
        }
        plain = inner
      } catch {
        expectEqual(Exact(self.currentItem), Exact(plain), "an inner transaction that threw was not rolled back")
      }
    }
  }
}
