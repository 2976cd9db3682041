import TestSupport
import UndoHistories
import XCTest

/// Random typing, pasting, deleting and composing, for which the rules tell how many steps there are, and snapshots
/// tell where they lead.
final class UndoIntentModelTests: XCTestCase {
  func testStepsAreThoseThatTheRulesPredict() {
    withSeeds(500) { random in
      var model = TypedText(&random)
      for _ in 0..<random.int(in: 1..<200) {
        model.act(&random)
        model.check()
      }
      model.walk()
    }
  }
}

/// A history of a text, a snapshot for each state of it, and what the rules say about the next edit.
private struct TypedText {
  private struct Note: Equatable { var text = "", count = 0 }

  /// The edits that may join the latest step.
  private enum Run { case none, typing, composition, deletion, backward, forward }

  private struct Edit {
    var range: Range<Int>
    var inserted: String
    var intent = UndoIntent.automatic
  }

  private var history = UndoHistory(initialValue: Note())
  private var snapshots = [""]
  private var position = 0
  private let clock = ManualClock()
  private var joinsTyping = true
  private var isPaused = false
  private var hasTimer = false

  private var run = Run.none
  /// The range of the text that the latest step inserted, or from which it removed.
  private var place = 0..<0

  private static let keys = ["a", "b", " ", "é", "ㅎ", "하", "한", "👍🏽", "e\u{301}", "\n", "\n  ", "n", "か"]
  private static let texts = ["ab", "pasted text", "\n\n", "가나", "んk", "\nx", "你好", "  \n"]

  init(_ random: inout SeededRandom) {
    switch random.int(in: 0..<4) {
    case 0:
      history.coalescing = .none
      joinsTyping = false
    case 1:
      history.coalescing = .typing(within: .seconds(1), clock: clock)
      hasTimer = true
    default: break
    }
  }

  mutating func act(_ random: inout SeededRandom) {
    switch random.int(in: 0..<24) {
    case 0: step(by: -1)
    case 1: step(by: 1)
    case 2:
      clock.advance(by: .seconds(2))
      isPaused = hasTimer
    case 3:
      history.endCoalescing()
      run = .none
    case 4:
      history.edit.count += 1
      record(isJoined: false)
      run = .none
    case 5:
      // Copies share the record until one of them changes it.
      var copy = history
      copy.edit.text.append("x", as: .typing)
      copy.edit.text.append("y", as: .composing)
    default: make(edit(&random), in: random.int(in: 0..<3))
    }
  }

  // MARK: Edits

  /// An edit that often continues the latest one.
  private func edit(_ random: inout SeededRandom) -> Edit {
    let characters = Array(history.text)
    func offset(_ index: Int) -> Int { characters[..<index].reduce(0) { $0 + $1.utf8.count } }
    func index(_ place: Int) -> Int? { (0...characters.count).first { offset($0) == place } }
    let caret: Int
    switch random.int(in: 0..<8) {
    case 0: caret = random.int(in: 0..<characters.count + 1)
    case 1: caret = index(place.lowerBound) ?? 0
    default: caret = index(place.upperBound) ?? characters.count
    }
    let intent: UndoIntent = [.automatic, .automatic, .automatic, .typing, .composing, .separate]
      .randomElement(using: &random)!
    let text = (random.chance(oneIn: 6) ? Self.texts : Self.keys).randomElement(using: &random)!
    var range = offset(caret)..<offset(caret)
    switch random.int(in: 0..<12) {
    case 0..<5: break
    case 5, 6: range = offset(max(0, caret - 1))..<offset(caret)
    case 7: range = offset(caret)..<offset(min(characters.count, caret + 1))
    case 8: range = offset(max(0, caret - 3))..<offset(caret)
    default: if index(place.lowerBound) != nil, index(place.upperBound) != nil { range = place }
    }
    let isDeletion = !range.isEmpty && random.chance(oneIn: 2)
    return Edit(range: range, inserted: isDeletion ? "" : text, intent: intent)
  }

  private mutating func make(_ edit: Edit, in way: Int) {
    let bytes = Array(history.text.utf8)
    let removed = String(decoding: bytes[edit.range], as: UTF8.self)
    if removed.utf8.elementsEqual(edit.inserted.utf8) { return }
    let isJoined = joins(edit, removed)
    switch way {
    case 0: history.edit.text.replaceSubrange(utf8: edit.range, with: edit.inserted, as: edit.intent)
    case 1:
      history.joiningTransaction { $0.text.replaceSubrange(utf8: edit.range, with: edit.inserted, as: edit.intent) }
    default:
      let text = history.text
      let start = text.utf8.index(text.startIndex, offsetBy: edit.range.lowerBound)
      let end = text.utf8.index(start, offsetBy: edit.range.count)
      history.edit.text.replaceSubrange(start..<end, with: edit.inserted, as: edit.intent)
    }
    let isRewritten = edit.range.lowerBound < place.upperBound && run == .typing || run == .composition
    if isJoined {
      join(edit, removed)
    } else {
      run = begun(by: edit, removed)
      place = edit.range.lowerBound..<edit.range.lowerBound + edit.inserted.utf8.count
    }
    isPaused = false
    record(isJoined: isJoined)
    if isJoined, isRewritten, snapshots[position].utf8.elementsEqual(snapshots[position - 1].utf8) {
      snapshots.removeLast()
      position -= 1
      run = .none
    }
  }

  // MARK: The rules

  private func isTyped(_ text: String) -> Bool {
    if text.count == 1 { return true }
    return text.first?.isNewline == true && text.dropFirst().allSatisfy { $0 == " " || $0 == "\t" }
  }

  /// Both texts without their common beginning.
  private func ends(_ old: String, _ new: String) -> (old: String, new: String) {
    let common = zip(old, new).prefix { $0.utf8.elementsEqual($1.utf8) }.count
    return (String(old.dropFirst(common)), String(new.dropFirst(common)))
  }

  private func begun(by edit: Edit, _ removed: String) -> Run {
    switch edit.intent {
    case .separate: return .none
    case .composing: return .composition
    case _ where !joinsTyping: return .none
    case .typing: return edit.inserted.isEmpty ? .deletion : .typing
    case .automatic:
      if edit.inserted.isEmpty { return removed.count == 1 ? .deletion : .none }
      return isTyped(edit.inserted) || !removed.isEmpty && isTyped(ends(removed, edit.inserted).new) ? .typing : .none
    }
  }

  private func joins(_ edit: Edit, _ removed: String) -> Bool {
    if edit.intent == .composing { return run == .composition && edit.range == place }
    if isPaused || edit.intent == .separate { return false }
    let isTyping = edit.intent == .typing
    switch run {
    case .none, .composition: return false
    case .deletion, .backward, .forward:
      let adjoins =
        edit.range.lowerBound == place.lowerBound && run != .backward
        || edit.range.upperBound == place.lowerBound && run != .forward
      return edit.inserted.isEmpty && adjoins && (isTyping || removed.count == 1)
    case .typing:
      guard !edit.inserted.isEmpty, place.lowerBound <= edit.range.lowerBound, edit.range.upperBound <= place.upperBound
      else { return false }
      if isTyping { return true }
      let bytes = Array(history.text.utf8)
      let rest = String(decoding: bytes[edit.range.upperBound..<place.upperBound], as: UTF8.self)
      let (old, new) = ends(removed + rest, edit.inserted + rest)
      let isSyllable =
        new.count == 2
        && (1...2 ~= old.utf8.count && old.allSatisfy(\.isASCII) && "んか".contains(new.first!)
          || old == "한" && new.hasPrefix("하"))
      if removed.isEmpty, !rest.isEmpty { return isSyllable }
      return isSyllable || (removed + rest).count < 2 && isTyped(edit.inserted + rest) || old.count < 2 && isTyped(new)
    }
  }

  private mutating func join(_ edit: Edit, _ removed: String) {
    switch run {
    case .deletion, .backward, .forward:
      run = edit.range.lowerBound == place.lowerBound ? .forward : .backward
      place = edit.range.lowerBound..<edit.range.lowerBound
    default: place = place.lowerBound..<place.upperBound - edit.range.count + edit.inserted.utf8.count
    }
  }

  // MARK: Snapshots

  private mutating func record(isJoined: Bool) {
    if !isJoined { position += 1 }
    snapshots.removeLast(snapshots.count - position)
    snapshots.append(history.text)
  }

  private mutating func step(by distance: Int) {
    guard snapshots.indices.contains(position + distance) else { return }
    if distance < 0 { history.undo() } else { history.redo() }
    position += distance
    run = .none
  }

  func check() {
    expectEqual(history.undoCount, position)
    expectEqual(history.redoCount, snapshots.count - 1 - position)
    expectEqual(Array(history.text.utf8), Array(snapshots[position].utf8))
  }

  mutating func walk() {
    for distance in [-1, 1, -1] {
      while snapshots.indices.contains(position + distance) {
        step(by: distance)
        check()
      }
    }
  }
}
