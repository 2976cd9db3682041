import Partials
import TestSupport
import XCTest

private struct Lamp: Hashable, Sendable, PartialSchemaProviding {
  var level = 1
  var color: Int? = 2
  var name = "lamp"
  var twice: Int {
    get { level * 2 }
    set { level = newValue / 2 }
  }
  static let partialSchema = Partial<Lamp>.Schema(("level", \.level), ("color", \.color), ("name", \.name))
}

/// A model of a field: the text or value that was entered last, and the value that follows from it.
private enum Field: Equatable {
  case untouched
  case set(Int)
  case typed(String)

  var value: Int? {
    switch self {
    case .untouched: nil
    case .set(let value): value
    case .typed(let text): Int(text)
    }
  }

  var text: String? { if case .typed(let text) = self { text } else { nil } }
}

final class PartialEnteringModelTests: XCTestCase {
  func testEnteredTextsAgreeWithAModelOfTextAndValue() {
    withSeeds(300) { random in
      let isOver = random.chance(oneIn: 2)
      var form = isOver ? Partial(over: Lamp()) : Partial<Lamp>()
      var (level, color) = (Field.untouched, Field.untouched)
      for _ in 0..<30 {
        let number = random.int(in: 0..<9)
        let text = random.chance(oneIn: 2) ? "\(number)" : "\(number)x"
        let (before, fieldBefore) = (form, level)
        switch random.int(in: 0..<9) {
        case 0, 1:
          form.enter(text, at: \.level) { Int($0) }
          level = .typed(text)
        case 2, 3:
          form.enter(text, at: \.color) { Int($0) }
          color = .typed(text)
        case 4:
          form.level = number
          level = .set(number)
        case 5:
          form.color = nil
          color = .untouched
        case 6: form.name = text
        case 7:
          var other = isOver ? Partial(over: Lamp()) : Partial<Lamp>()
          other.enter(text, at: \.level) { Int($0) }
          form.merge(other)
          level = .typed(text)
        default:
          form[\.self] = Lamp(level: number, color: number)
          (level, color) = (.set(number), .set(number))
        }
        expectEqual(form.entered(\.level), level.text)
        expectEqual(form.entered(\.color), color.text)
        expectEqual(before.entered(\.level), fieldBefore.text, "a copy")
        expectEqual(form.changes.level, level.value)
        expectEqual(form.changes.color ?? nil, color.value)
        expectEqual(form.level, level.value ?? (isOver ? 1 : nil))
        let unread = [level, color].filter { $0.text != nil && $0.value == nil }.count
        expectEqual(Partial<Lamp>.Validation().issues(in: form)?.count ?? 0, unread)
        if !Self.same(form, before) { expect(form != before, "equal despite different texts") }
      }
    }
  }

  private static func same(_ left: Partial<Lamp>, _ right: Partial<Lamp>) -> Bool {
    left.entered(\.level) == right.entered(\.level) && left.entered(\.color) == right.entered(\.color)
  }

  func testMergeDiscardsTheSameTextsAsTheSameEdits() {
    withSeeds(400) { random in
      var form = random.chance(oneIn: 2) ? Partial(over: Lamp()) : Partial<Lamp>()
      for _ in 0..<random.int(in: 0..<3) { Self.edit(&form, from: &random) }
      if random.chance(oneIn: 8) { form.enter("?", at: \.self) { _ in nil } }
      var (direct, other) = (form, Partial<Lamp>())
      var again = random
      Self.edit(&direct, from: &again)
      Self.edit(&other, from: &random)
      form.merge(other)
      expectEqual(form.entered(\.level), direct.entered(\.level))
      expectEqual(form.entered(\.color), direct.entered(\.color))
      expectEqual(form.entered(\.twice), direct.entered(\.twice))
      expectEqual(form.entered(\.self), direct.entered(\.self))
    }
  }

  /// Sets values before it enters a text, because a partial keeps neither the order of the two nor removed values.
  private static func edit(_ form: inout Partial<Lamp>, from random: inout SeededRandom) {
    var hasSetter = false
    for _ in 0..<random.int(in: 0..<3) {
      let number = random.int(in: 0..<4)
      switch random.int(in: 0..<6) {
      case 0: form.level = number
      case 1, 2:
        form.twice = number * 2
        hasSetter = true
      case 3: form.color = number
      case 4: form[\.self] = Lamp(level: number)
      default: form.name = "lamp \(number)"
      }
    }
    let text = random.chance(oneIn: 2) ? "\(random.int(in: 0..<4) * 2)" : "?"
    switch random.int(in: 0..<4) {
    case 0: form.enter(text, at: \.level) { Int($0) }
    // If a setter ran on a root that was set, removing the setter's value doesn't undo it.
    case 1: form.enter(hasSetter ? "2" : text, at: \.twice) { Int($0) }
    case 2: form.enter(text, at: \.color) { Int($0) }
    default: break
    }
  }

  func testASetterNeverLeavesATextThatContradictsTheValue() {
    withSeeds(200) { random in
      var form = Partial(over: Lamp())
      for _ in 0..<20 {
        let number = random.int(in: 0..<4)
        switch random.int(in: 0..<5) {
        case 0: form.enter("0\(number)", at: \.level) { Int($0) }
        case 1: form.enter("0\(number)", at: \.twice) { Int($0) }
        case 2: form.twice = number
        case 3: form.level = number
        default: form.twice = nil
        }
        if let text = form.entered(\.level) { expectEqual(form.level, Int(text)) }
        if let text = form.entered(\.twice), text.last != "1", text.last != "3" {
          expectEqual(form.twice, Int(text))
        }
      }
    }
  }
}
