import TestSupport
import UndoHistories
import XCTest

/// Random edits and remote edits of a text in which every character is another one, so that the characters tell where a
/// caret and a selection belong.
///
/// A second history, which restores the same values but doesn't move them, tells the text of each state.
final class UndoRestoredPositionModelTests: XCTestCase {
  func testPositionsStayAtTheirCharacters() {
    withSeeds(600) { random in
      var model = TextModel(&random)
      for _ in 0..<random.int(in: 1..<60) {
        model.act(&random)
        model.check()
      }
      model.walk()
    }
  }
}

private struct Note: Equatable {
  var text = ""
  var caret = 0
  var selection: Range<Int>? = nil
  var count = 0
  var lines: [String] = []
}

/// A caret and a selection, in the unit of the history.
private struct Places: Equatable {
  var caret = 0
  var selection: Range<Int>?
}

private struct TextModel {
  typealias History = UndoHistory<Note>
  typealias Text = [Unicode.Scalar]

  struct Step {
    var before: Places
    var after: Places
    /// The texts around the step.
    var old: Text
    var new: Text
    /// The texts and the places when the step was made.
    var made: (before: (Text, Places), after: (Text, Places))
    /// Whether a place may lie on either side of some text.
    ///
    /// A step with several edits of the text may have its caret at each of them. And if a remote edit arrived while
    /// another one hid the step, the two may reach the step in another order. So the place may lie on either side of
    /// their text, if they also removed the text around it.
    var isLoose = false

    init(before: Places, after: Places, old: Text, new: Text) {
      (self.before, self.after, self.old, self.new) = (before, after, old, new)
      made = ((old, before), (new, after))
    }

    mutating func assign(_ change: (inout Places) -> Void) {
      change(&after)
      change(&made.after.1)
    }
  }

  /// The text between a common beginning and a common end.
  struct Splice {
    var start: Int
    var oldEnd: Int
    var newEnd: Int

    init(_ old: Text, _ new: Text, _ unit: UndoTextUnit) {
      let first = zip(old, new).prefix { $0 == $1 }.count
      let common = zip(old.dropFirst(first).reversed(), new.dropFirst(first).reversed()).prefix { $0 == $1 }.count
      start = old[..<first].count(in: unit)
      (oldEnd, newEnd) = (old.dropLast(common).count(in: unit), new.dropLast(common).count(in: unit))
    }

    var isEmpty: Bool { start == oldEnd && start == newEnd }
    var growth: Int { newEnd - oldEnd }
  }

  var history = History(initialValue: Note())
  /// The history whose restored values stay as they are.
  var plain = History(initialValue: Note())
  let unit: UndoTextUnit

  var undo: [Step] = []
  /// The steps to redo, the next one last.
  var redo: [Step] = []
  var live = Places()
  /// Whether the next assignment belongs to the latest step.
  var awaitsCaret = false
  var awaitsSelection = false
  var characterCount: UInt32 = 0
  /// Whether a step or a remote edit has changed the text in several places.
  var hasSeveralEdits = false

  init(_ random: inout SeededRandom) {
    unit = random.chance(oneIn: 2) ? .utf8 : .utf16
    history.restoreOnUndo(\.caret, in: \.text, unit: unit)
    history.restoreOnUndo(\.selection, in: \.text, unit: unit)
    plain.restoreOnUndo(\.caret)
    plain.restoreOnUndo(\.selection)
    if random.chance(oneIn: 2) { both { $0.keepsBranches = true } }
    both { $0.transaction(as: "agent") { _ in } }
  }

  private var text: Text { Array(plain.text.unicodeScalars) }

  private mutating func both(_ body: (inout History) -> Void) {
    body(&history)
    body(&plain)
  }

  // MARK: Edits

  /// Characters that the text never had, of one to four bytes.
  private mutating func characters(_ count: Int) -> String {
    var text = ""
    for _ in 0..<count {
      characterCount += 1
      let start: UInt32 = [0x100, 0x4e00, 0x20000][Int(characterCount % 3)]
      text.unicodeScalars.append(Unicode.Scalar(start + characterCount)!)
    }
    return text
  }

  /// A random offset in the text.
  private func offset(_ random: inout SeededRandom) -> Int {
    text.prefix(random.int(in: 0..<text.count + 1)).count(in: unit)
  }

  private mutating func splice(_ random: inout SeededRandom) -> (range: Range<Int>, new: String)? {
    let text = text
    let places = [live.caret, live.selection?.lowerBound, live.selection?.upperBound, offset(&random)]
    let place = places.compactMap(\.self).randomElement(using: &random)!
    var start = text.indices.first { text[..<$0].count(in: unit) >= place } ?? text.count
    var end = start
    if random.chance(oneIn: 2) {
      end = min(text.count, start + random.int(in: 0..<4))
      start = max(0, start - random.int(in: 0..<3))
    }
    let new = random.chance(oneIn: 3) ? "" : characters(random.int(in: 1..<4))
    if start == end, new.isEmpty { return nil }
    return (text[..<start].count(in: .utf8)..<text[..<end].count(in: .utf8), new)
  }

  mutating func act(_ random: inout SeededRandom) {
    switch random.int(in: 0..<24) {
    case 0..<3: step(by: -1)
    case 3..<5: step(by: 1)
    case 5..<8:
      guard let (range, new) = splice(&random) else { return }
      let intents: [UndoIntent] = [.automatic, .automatic, .typing, .composing, .separate]
      let intent = intents.randomElement(using: &random)!
      edit { $0.edit.text.replaceSubrange(utf8: range, with: new, as: intent) }
      if random.chance(oneIn: 2) { assignCaret(offset(&random)) }
      if intent == .composing, range.isEmpty, random.chance(oneIn: 3) { cancelComposition(of: new, &random) }
    case 8..<11: transaction(&random)
    case 11: edit { $0.edit.count += 1 }
    case 12: assignCaret(offset(&random))
    case 13: assignSelection(range(&random))
    case 14: recordRemoteEdit()
    case 15: undoByOrigin()
    case 16: replaceDocument(&random)
    case 17:
      // Copies share the values until one of them changes.
      var copy = history
      copy.applyRemote { $0.text.insert("#", atUTF8: 0) }
      copy.undo()
    default: applyRemote(&random)
    }
  }

  /// Removes the text that has just been composed, sometimes after a remote edit.
  private mutating func cancelComposition(of new: String, _ random: inout SeededRandom) {
    if random.chance(oneIn: 3) { applyRemote(&random) }
    let text = text
    guard let range = text.firstRange(of: Text(new.unicodeScalars)) else { return }
    let start = text[..<range.lowerBound].count(in: .utf8)
    edit { $0.edit.text.replaceSubrange(utf8: start..<start + new.utf8.count, with: "", as: .composing) }
    if random.chance(oneIn: 2) { assignCaret(offset(&random)) }
  }

  private func range(_ random: inout SeededRandom) -> Range<Int>? {
    let (one, other) = (offset(&random), offset(&random))
    return random.chance(oneIn: 4) ? nil : min(one, other)..<max(one, other)
  }

  /// Makes an edit, which is a step, joins the latest one, or removes it.
  private mutating func edit(_ body: (inout History) -> Void) {
    let (old, count) = (text, plain.undoCount)
    let isAtEnd = plain.redoCount == 0
    both(body)
    redo = []
    if plain.undoCount < count {
      // The edit has canceled a composition, which leaves no step. The places stay as they are.
      undo.removeLast()
      (awaitsCaret, awaitsSelection) = (false, false)
      return
    }
    if plain.undoCount > count {
      undo.append(Step(before: live, after: live, old: old, new: text))
    } else if isAtEnd, !undo.isEmpty {
      let joined = undo[undo.count - 1]
      undo[undo.count - 1].after = live
      undo[undo.count - 1].new = text
      undo[undo.count - 1].made = (joined.made.before, (text, live))
    }
    (awaitsCaret, awaitsSelection) = (true, true)
  }

  /// Makes several edits and assigns the caret, in a transaction or an open step, which may be rolled back.
  private mutating func transaction(_ random: inout SeededRandom) {
    guard let (range, new) = splice(&random) else { return }
    let (old, caret, isThrown, isOpenStep) = (
      text, offset(&random), random.chance(oneIn: 6), random.chance(oneIn: 4)
    )
    let origin: UndoOrigin? = random.chance(oneIn: 3) && !isOpenStep ? "agent" : nil
    let other = random.chance(oneIn: 4) ? characters(2) : ""
    func edit(_ edit: inout History.Editor) {
      edit.text.replaceSubrange(utf8: range, with: new)
      edit.count += 1
      edit.caret = caret
      if !other.isEmpty { edit.text.insert(other, atUTF8: 0) }
    }
    both { history in
      if isOpenStep {
        let step = history.beginStep("Edit")
        edit(&history.edit)
        _ = isThrown ? history.cancelStep(step) : history.endStep(step)
      } else {
        try? history.transaction("Edit", as: origin) {
          edit(&$0)
          if isThrown { throw Refused() }
        }
      }
    }
    if isOpenStep { (awaitsCaret, awaitsSelection) = (false, false) }
    if isThrown { return }
    var after = live
    after.caret = caret
    undo.append(Step(before: live, after: after, old: old, new: text))
    undo[undo.count - 1].isLoose = !other.isEmpty
    hasSeveralEdits = hasSeveralEdits || !other.isEmpty
    // Assigning the same value changes nothing.
    if !isOpenStep { (awaitsCaret, awaitsSelection) = (after == live, after == live) }
    live = after
    redo = []
  }

  private mutating func assignCaret(_ place: Int) {
    both { $0.edit.caret = place }
    if live.caret == place { return }
    live.caret = place
    if awaitsCaret { undo[undo.count - 1].assign { $0.caret = place } }
    awaitsCaret = false
  }

  private mutating func assignSelection(_ range: Range<Int>?) {
    both { $0.currentItem.selection = range }
    if live.selection == range { return }
    live.selection = range
    if awaitsSelection { undo[undo.count - 1].assign { $0.selection = range } }
    awaitsSelection = false
  }

  // MARK: Edits of others

  private mutating func applyRemote(_ random: inout SeededRandom) {
    guard let (range, new) = splice(&random) else { return }
    let (old, way) = (text, random.int(in: 0..<5))
    let other = way == 4 ? characters(2) : ""
    both { history in
      switch way {
      case 0:
        var note = history.currentItem
        let start = note.text.utf8.index(note.text.startIndex, offsetBy: range.lowerBound)
        note.text.replaceSubrange(start..<note.text.utf8.index(start, offsetBy: range.count), with: new)
        history.applyRemote(note)
      case 1:
        history.applyRemote {
          $0.text.replaceSubrange(utf8: range, with: new)
          $0.count = 7
        }
      case 4:
        history.applyRemote {
          $0.text.replaceSubrange(utf8: range, with: new)
          $0.text.insert(other, atUTF8: 0)
        }
      default: history.applyRemote { $0.text.replaceSubrange(utf8: range, with: new) }
      }
    }
    redo.removeFirst(redo.count - plain.redoCount)
    if way == 4 || undo.last?.isLoose == true {
      check(live, in: old)
      live = Places(caret: history.caret, selection: history.selection)
      (awaitsCaret, awaitsSelection) = (false, false)
      moveSteps()
      if way == 4 {
        hasSeveralEdits = true
        for index in undo.indices { undo[index].isLoose = true }
        for index in redo.indices { redo[index].isLoose = true }
      }
    } else {
      didApplyRemote(old)
    }
  }

  private mutating func didApplyRemote(_ old: Text) {
    let latest = undo.last
    moveSteps()
    let isLatest = latest.map { $0.new == old && undo[undo.count - 1].new == text } ?? false
    func moved<Place: Equatable>(_ key: KeyPath<Places, Place>, _ place: Place) -> Place {
      guard isLatest, let latest, latest.after[keyPath: key] == place else {
        return self.moved(live, old, text)[keyPath: key]
      }
      return undo[undo.count - 1].after[keyPath: key]
    }
    live = Places(caret: moved(\.caret, live.caret), selection: moved(\.selection, live.selection))
    (awaitsCaret, awaitsSelection) = (false, false)
  }

  private mutating func recordRemoteEdit() {
    guard plain.blockingRemoteEdit != nil else { return }
    let new = text
    both { $0.recordRemoteEdit() }
    var copy = plain
    copy.undo()
    let old = Array(copy.text.unicodeScalars)
    undo.append(Step(before: moved(live, new, old), after: live, old: old, new: new))
    undo[undo.count - 1].made.before = (new, live)
    undo[undo.count - 1].isLoose = hasSeveralEdits
    redo = []
    (awaitsCaret, awaitsSelection) = (true, true)
    moveSteps()
  }

  private mutating func undoByOrigin() {
    let (old, count) = (text, plain.undoCount)
    both { $0.undo(by: "agent") }
    (awaitsCaret, awaitsSelection) = (false, false)
    if plain.undoCount == count { return }
    let places = live
    didMakeStep(from: old)
    (awaitsCaret, awaitsSelection) = (live.caret == places.caret, live.selection == places.selection)
  }

  private mutating func replaceDocument(_ random: inout SeededRandom) {
    guard let (range, new) = splice(&random) else { return }
    let old = text
    var text = plain.text
    let start = text.utf8.index(text.startIndex, offsetBy: range.lowerBound)
    text.replaceSubrange(start..<text.utf8.index(start, offsetBy: range.count), with: new)
    both { $0.replaceDocument(with: Note(text: text, caret: 3, count: 1 - $0.count)) }
    (awaitsCaret, awaitsSelection) = (false, false)
    didMakeStep(from: old)
  }

  /// Adds a step that moves the positions.
  private mutating func didMakeStep(from old: Text) {
    var after = moved(live, old, text)
    if hasSeveralEdits {
      check(live, in: old)
      after = Places(caret: history.caret, selection: history.selection)
    }
    undo.append(Step(before: live, after: after, old: old, new: text))
    undo[undo.count - 1].isLoose = hasSeveralEdits
    live = after
    redo = []
  }

  // MARK: The rules

  /// The places in another text.
  private func moved(_ places: Places, _ old: Text, _ new: Text) -> Places {
    let splice = Splice(old, new, unit)
    func moved(_ place: Int, staysBefore: Bool) -> Int {
      if splice.isEmpty || place < splice.start { return place }
      if place == splice.start, splice.oldEnd > splice.start || staysBefore { return place }
      return place < splice.oldEnd ? splice.start : place + splice.growth
    }
    var result = Places(caret: moved(places.caret, staysBefore: true), selection: nil)
    if let selection = places.selection {
      let isCaret = selection.isEmpty
      let start = moved(selection.lowerBound, staysBefore: isCaret)
      result.selection = start..<(isCaret ? start : max(start, moved(selection.upperBound, staysBefore: true)))
    }
    return result
  }

  /// Moves the places of a state from the old to the new text; carets stay at the text of their step.
  private func moved(_ places: Places, _ texts: (old: Text, new: Text), step: Splice, now: Splice, isAfter: Bool)
    -> Places
  {
    var result = moved(places, texts.old, texts.new)
    let end = isAfter ? step.newEnd : step.oldEnd
    func isAtStep(_ place: Int) -> Bool { !step.isEmpty && step.start <= place && place <= end }
    if isAtStep(places.caret) { result.caret = places.caret + now.start - step.start }
    if let selection = places.selection, selection.isEmpty, isAtStep(selection.lowerBound) {
      let place = selection.lowerBound + now.start - step.start
      result.selection = place..<place
    }
    return result
  }

  /// Moves the places of all steps, after an edit of others has changed the texts around them.
  private mutating func moveSteps() {
    func moved(_ step: Step, _ old: Text, _ new: Text) -> Step {
      let (was, now) = (Splice(step.old, step.new, unit), Splice(old, new, unit))
      var result = step
      result.before = self.moved(step.before, (step.old, old), step: was, now: now, isAfter: false)
      result.after = self.moved(step.after, (step.new, new), step: was, now: now, isAfter: true)
      (result.old, result.new) = (old, new)
      return result
    }
    var copy = plain
    func text() -> Text { Array(copy.text.unicodeScalars) }
    for index in redo.indices.reversed() {
      let old = text()
      copy.redo()
      redo[index] = moved(redo[index], old, text())
    }
    copy = plain
    var isHidden = false
    for index in undo.indices.reversed() {
      // A remote edit that blocks undo is recorded and undone first.
      while !copy.canUndo, copy.recordRemoteEdit() {
        copy.undo()
        isHidden = true
      }
      let new = text()
      if copy.undo() == nil { return }
      undo[index] = moved(undo[index], text(), new)
      undo[index].isLoose = undo[index].isLoose || isHidden
    }
  }

  // MARK: Undo and redo

  private mutating func step(by distance: Int) {
    guard distance < 0 ? plain.canUndo : plain.canRedo else { return }
    both { if distance < 0 { $0.undo() } else { $0.redo() } }
    (awaitsCaret, awaitsSelection) = (false, false)
    guard let step = distance < 0 ? undo.popLast() : redo.popLast() else { return }
    if distance < 0 { redo.append(step) } else { undo.append(step) }
    live = distance < 0 ? step.before : step.after
    let (made, places) = distance < 0 ? step.made.before : step.made.after
    check(places, in: made)
    expectEqual(text, distance < 0 ? step.old : step.new)
    if step.isLoose { live = Places(caret: history.caret, selection: history.selection) }
  }

  /// Checks that the characters around the places are still on the same sides of them.
  private func check(_ places: Places, in made: Text) {
    func sides(_ text: Text, _ place: Int) -> (left: Set<Unicode.Scalar>, right: Set<Unicode.Scalar>) {
      var (offset, left, right): (Int, Set<Unicode.Scalar>, Set<Unicode.Scalar>) = (0, [], [])
      for character in text {
        if offset >= place { right.insert(character) }
        offset += [character].count(in: unit)
        if offset <= place { left.insert(character) }
      }
      return (left, right)
    }
    func check(_ place: Int, _ now: Int) {
      let (old, new) = (sides(made, place), sides(text, now))
      expect(old.left.isDisjoint(with: new.right) && old.right.isDisjoint(with: new.left), "\(place) became \(now)")
    }
    check(places.caret, history.caret)
    expectEqual(places.selection == nil, history.selection == nil)
    guard let old = places.selection, let new = history.selection else { return }
    check(old.lowerBound, new.lowerBound)
    check(old.upperBound, new.upperBound)
  }

  func check() {
    expectEqual(history.text, plain.text)
    expectEqual([history.undoCount, history.redoCount], [plain.undoCount, plain.redoCount])
    expectEqual(history.redoCount, redo.count)
    expectEqual(history.caret, live.caret)
    expectEqual(history.selection, live.selection)
  }

  mutating func walk() {
    for distance in [-1, 1, -1] {
      while distance < 0 ? plain.canUndo || plain.blockingRemoteEdit != nil : plain.canRedo {
        if distance < 0, !plain.canUndo { recordRemoteEdit() }
        step(by: distance)
        check()
      }
    }
  }
}

extension Sequence<Unicode.Scalar> {
  fileprivate func count(in unit: UndoTextUnit) -> Int {
    reduce(0) { $0 + (unit == .utf8 ? $1.utf8.count : $1.utf16.count) }
  }
}
