import TestSupport
import UndoHistories
import XCTest

/// Random edits of several origins, undone by origin, and compared with an oracle that gives every element an identity.
final class UndoOriginModelTests: XCTestCase {
  /// The number of histories: fewer in a debug build, where each takes thirty times as long.
  #if DEBUG
    private static let count = 300
  #else
    private static let count = 2_000
  #endif

  func testUndoByOriginMatchesAnIdentityOracle() {
    withSeeds(Self.count) { random in
      var model = OriginModel(originCount: random.int(in: 2..<5))
      for _ in 0..<random.int(in: 5..<40) { model.act(&random) }
      model.takeBackAll(&random)
    }
  }
}

/// A history, and a model of its steps that knows elements by their identities.
struct OriginModel {
  struct Step {
    var edits: [SharedEdit]
    var origin: UndoOrigin?
    /// The index of the step that this step undoes.
    var target: Int?
    var isUndoing = false
  }

  var history = UndoHistory(initialValue: SharedDocument())
  var steps: [Step] = []
  var redoable: [Step] = []
  var state = SharedState()
  let origins: [UndoOrigin?]
  var nextElement = 1

  init(originCount: Int) {
    origins = [nil, "agent", "server", "guest"].prefix(originCount).map { $0 }
    history.coalescing = .none
    history.transaction(as: "agent") { _ in }
  }

  mutating func act(_ random: inout SeededRandom) {
    switch random.int(in: 0..<16) {
    case 0..<2: takeBack(origins.randomElement(using: &random)!, .undoing)
    case 2: takeBack(origins.randomElement(using: &random)!, .redoing)
    case 3: takeBackAny(&random)
    case 4 where random.chance(oneIn: 2): undo()
    case 5 where random.chance(oneIn: 2): redo()
    default: edit(&random)
    }
    check()
  }

  func check() {
    expectEqual(history.currentItem, state.document)
    expectEqual(history.undoCount, steps.count)
    expectEqual(history.redoCount, redoable.count)
    let known = history.steps.prefix(steps.count)
    expectEqual(known.map(\.origin), steps.map(\.origin))
    let ids = known.map(\.stepID)
    expectEqual(Set(ids).count, ids.count)
    expectEqual(known.map(\.undoneStep), steps.map { $0.target.flatMap { ids[$0] } })
  }

  // MARK: Edits

  mutating func edit(_ random: inout SeededRandom) {
    let origin = origins.randomElement(using: &random)!
    guard let edits = makeEdits(&random) else { return }
    let before = state(before: steps.count)
    switch (origin, edits.count) {
    case (nil, 1): history.edit.make(edits, before)
    case (let origin?, 1): history[as: origin].make(edits, before)
    case (nil, _): history.transaction { $0.make(edits, before) }
    case (let origin?, _): history.transaction("Edits", as: origin) { $0.make(edits, before) }
    }
    if history.undoCount == steps.count {
      // Edits that recorded no step left the document as it was.
      expectEqual(state.document, before.document)
      state = before
      return
    }
    steps.append(Step(edits: edits, origin: origin))
    redoable = []
  }

  /// Makes one edit or several, and applies them to the state.
  mutating func makeEdits(_ random: inout SeededRandom) -> [SharedEdit]? {
    var edits: [SharedEdit] = []
    var texts: Set<SharedSequence> = []
    for _ in 0..<(random.chance(oneIn: 3) ? random.int(in: 2..<4) : 1) {
      guard let edit = makeEdit(&random) else { continue }
      // Two edits of one text may become one record.
      if let sequence = edit.sequence, sequence.isText, !texts.insert(sequence).inserted { continue }
      edits.append(edit)
      state.apply(edit)
    }
    return edits.isEmpty ? nil : edits
  }

  private mutating func elements(_ random: inout SeededRandom, in sequence: SharedSequence) -> [Int] {
    (0..<random.int(in: 0..<4)).map { _ in
      nextElement += 1
      if case .marks(let line) = sequence { return IdentityOracle.mark(nextElement, in: line) }
      return nextElement
    }
  }

  private mutating func makeEdit(_ random: inout SeededRandom) -> SharedEdit? {
    let line = state[.lines].randomElement(using: &random)
    switch random.int(in: 0..<12) {
    case 0..<3: return makeSplice(&random, .title)
    case 3..<5: return makeListEdit(&random, .numbers)
    case 5..<7: return makeListEdit(&random, .lines)
    case 7: return line.flatMap { makeSplice(&random, .text(of: $0)) }
    case 8: return line.flatMap { makeListEdit(&random, .marks(of: $0)) }
    case 9:
      let marks = line.map { state[.marks(of: $0)] } ?? []
      let number = (state[.numbers] + marks).randomElement(using: &random)
      guard let owner = [0, line, number].randomElement(using: &random)!
      else { return nil }
      let isOfLine = owner == line
      let range = isOfLine ? [0..<1, 1..<2, 2..<3, 1..<3].randomElement(using: &random)! : 0..<1
      let old = state.values[owner] ?? [owner, 0, 0]
      nextElement += 3
      return .values(owner: owner, range, old: Array(old[range]), new: range.map { nextElement - $0 })
    case 10:
      let key = random.int(in: 0..<4)
      let old = state.names[key]
      nextElement += 1
      return .key(key, old: old, new: old != nil && random.chance(oneIn: 2) ? nil : nextElement)
    default:
      let member = random.int(in: 0..<4)
      return .member(member, isThere: !state.tags.contains(member))
    }
  }

  private mutating func makeSplice(_ random: inout SeededRandom, _ sequence: SharedSequence) -> SharedEdit? {
    let elements = state[sequence]
    var range = random.range(upTo: elements.count)
    if range.count > 3 || random.chance(oneIn: 3) { range = range.lowerBound..<range.lowerBound }
    let new = self.elements(&random, in: sequence)
    if range.isEmpty, new.isEmpty { return nil }
    return .splices(sequence, [.init(start: range.lowerBound, old: Array(elements[range]), new: new)])
  }

  private mutating func makeListEdit(_ random: inout SeededRandom, _ sequence: SharedSequence) -> SharedEdit? {
    let elements = state[sequence]
    guard elements.count > 1, random.chance(oneIn: 2) else { return makeSplice(&random, sequence) }
    let (i, j) = (random.int(in: 0..<elements.count), random.int(in: 0..<elements.count))
    switch random.int(in: 0..<3) {
    case 0: return i == j ? nil : .swap(sequence, i, j)
    case 1: return i == j ? nil : .move(sequence, from: i, gap: j > i ? j + 1 : j)
    default:
      let places = elements.indices.filter { _ in random.chance(oneIn: 3) }
      if places.isEmpty { return nil }
      return .splices(sequence, places.ranges().map { .init(start: $0.lowerBound, old: Array(elements[$0]), new: []) })
    }
  }

  /// The state before a step.
  func state(before index: Int) -> SharedState {
    var state = SharedState()
    for step in steps[..<index] { for edit in step.edits { state.apply(edit) } }
    return state
  }

  // MARK: Undo by origin

  enum Effect { case undoing, redoing }

  /// The newest step of an origin that undo or redo by origin is to undo, according to the documentation.
  func newestStep(of origin: UndoOrigin?, _ effect: Effect) -> Int? {
    for index in steps.indices.reversed() where steps[index].origin == origin {
      if undoingStep(of: index) == nil, steps[index].isUndoing == (effect == .redoing) { return index }
      if effect == .redoing, steps[index].target == nil { return nil }
    }
    return nil
  }

  func undoingStep(of index: Int) -> Int? { steps.lastIndex { $0.target == index } }

  mutating func takeBack(_ origin: UndoOrigin?, _ effect: Effect) {
    let target = newestStep(of: origin, effect)
    let answer = effect == .undoing ? history.undo(by: origin) : history.redo(by: origin)
    check(answer, target)
  }

  mutating func takeBackAny(_ random: inout SeededRandom) {
    guard let index = steps.indices.randomElement(using: &random), let id = history.steps.dropFirst(index).first?.stepID
    else { return }
    var (newest, isThere): (Int?, Bool) = (index, true)
    while let undoing = newest.flatMap({ undoingStep(of: $0) }) { (newest, isThere) = (undoing, !isThere) }
    check(history.undo(step: id), isThere ? newest : nil)
  }

  private mutating func check(_ answer: UndoHistory<SharedDocument>.Answer, _ target: Int?) {
    guard let target else {
      expectEqual(answer, .nothing)
      return
    }
    let inverses = inverses(ofStep: target)
    switch answer {
    case .nothing: expect(false, "there is a step to undo")
    case .undone(let change):
      guard let inverses = inverses?.map(\.recorded.joined) else {
        expect(false, "the step was undone although it conflicts with a later one")
        return
      }
      for edit in inverses { state.apply(edit) }
      expectEqual(change.edits.count, inverses.count)
      expect(change.label != nil)
      steps.append(
        Step(edits: inverses, origin: steps[target].origin, target: target, isUndoing: !steps[target].isUndoing))
      redoable = []
    case .blocked(let obstacles):
      expect(inverses == nil, "no step conflicts, but undo is blocked by \(obstacles)")
      expect(!obstacles.isEmpty)
      checkObstacles(obstacles, target)
    }
  }

  /// Checks that every blocking step that was reported can be undone, and that the target can be undone after them.
  ///
  /// A blocking step may itself be blocked by a step that doesn't block the target. If steps were undone by origin
  /// before, or an element was moved, its neighbors may be gone, so that the target may be blocked again. These cases
  /// aren't checked.
  private func checkObstacles(_ obstacles: [UndoStepID], _ target: Int) {
    if steps.contains(where: { $0.target != nil || $0.edits.contains(where: \.isMove) }) { return }
    var copy = history
    guard let id = copy.steps.dropFirst(target).first?.stepID else { return }
    for blockingEditID in obstacles {
      switch copy.undo(step: blockingEditID) {
      case .undone: break
      case .blocked: return
      case .nothing: expect(false, "\(blockingEditID) blocks undo, but isn't a step that can be undone")
      }
    }
    if case .undone = copy.undo(step: id) { return }
    expect(false, "not every blocking step was reported")
  }

  /// The edits that undo a step after all later steps; nil if it conflicts with one of them.
  ///
  /// A later step and the step that undid it are both left out if possible.
  func inverses(ofStep target: Int) -> [SharedEdit]? {
    var later = Array(zip(steps.indices, steps).dropFirst(target + 1)).map { (index: $0, edits: $1.edits) }
    for index in steps.indices.dropFirst(target + 1).reversed() {
      guard let undoing = undoingStep(of: index), let end = later.firstIndex(where: { $0.index == undoing }),
        let start = later.firstIndex(where: { $0.index == index })
      else { continue }
      let before = state(before: target + 1, then: later[..<start])
      let between = later[(start + 1)..<end]
      guard
        let (crossed, inverses) = remove(later[start].edits, from: before, then: between.flatMap(\.edits)),
        inverses.map(\.recorded.joined) == later[end].edits.map(\.recorded.joined)
      else { continue }
      var rest = crossed[...]
      let moved = between.map { (index: $0.index, edits: rest.popFirst($0.edits.count)) }
      later.replaceSubrange(start...end, with: moved)
    }
    return remove(steps[target].edits, from: state(before: target), then: later.flatMap(\.edits))?.inverses
  }

  private func state(before index: Int, then later: ArraySlice<(index: Int, edits: [SharedEdit])>) -> SharedState {
    var state = state(before: index)
    for step in later { for edit in step.edits { state.apply(edit) } }
    return state
  }

  func remove(
    _ edits: [SharedEdit], from start: SharedState, then later: [SharedEdit]
  ) -> (later: [SharedEdit], inverses: [SharedEdit])? {
    var (later, inverses): ([SharedEdit], [SharedEdit]) = (later, [])
    for index in edits.indices.reversed() {
      var before = start
      for edit in edits[..<index] { before.apply(edit) }
      guard let (crossed, inverse) = IdentityOracle.remove(edits[index], from: before, then: later) else { return nil }
      (later, inverses) = (crossed, inverses + [inverse])
    }
    return (later, inverses)
  }

  // MARK: Undo and redo

  mutating func undo() {
    expectEqual(history.undo() != nil, !steps.isEmpty)
    guard let step = steps.popLast() else { return }
    redoable.append(step)
    state = state(before: steps.count)
  }

  mutating func redo() {
    expectEqual(history.redo() != nil, !redoable.isEmpty)
    guard let step = redoable.popLast() else { return }
    steps.append(step)
    for edit in step.edits { state.apply(edit) }
  }

  /// Undoes and redoes as many steps of each origin as possible, and then undoes all steps.
  mutating func takeBackAll(_ random: inout SeededRandom) {
    for origin in origins {
      for effect in [Effect.undoing, .redoing] {
        var count = -1
        while count != steps.count {
          count = steps.count
          takeBack(origin, effect)
          check()
        }
      }
    }
    while !steps.isEmpty {
      undo()
      check()
    }
  }
}

extension SharedSequence {
  var isText: Bool {
    switch self {
    case .title, .text: true
    case .numbers, .lines, .marks: false
    }
  }
}

extension Array where Element == Int {
  /// The ranges of consecutive numbers; the numbers are in increasing order.
  fileprivate func ranges() -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    for number in self {
      if let last = ranges.last, last.upperBound == number {
        ranges[ranges.count - 1] = last.lowerBound..<number + 1
      } else {
        ranges.append(number..<number + 1)
      }
    }
    return ranges
  }
}

extension ArraySlice {
  fileprivate mutating func popFirst(_ count: Int) -> [Element] {
    defer { self = dropFirst(count) }
    return Array(prefix(count))
  }
}

// MARK: - The same edits through cursors

extension UndoCursor where Target == SharedDocument {
  mutating func make(_ edits: [SharedEdit], _ state: SharedState) {
    var state = state
    for edit in edits {
      make(edit, state)
      state.apply(edit)
    }
  }

  private mutating func make(_ edit: SharedEdit, _ state: SharedState) {
    func line(_ id: Int) -> Int { state[.lines].firstIndex(of: id) ?? -1 }
    switch edit {
    case .splices(let sequence, let splices):
      let elements = state[sequence]
      switch sequence {
      case .title: self.title.make(splices[0], elements)
      case .text(let owner): self.lines[line(owner)].text.make(splices[0], elements)
      case .numbers: self.numbers.make(splices) { [$0] }
      case .marks(let owner): self.lines[line(owner)].marks.make(splices) { [$0] }
      case .lines: self.lines.make(splices) { [SharedDocument.Line(value: $0)] }
      }
    case .swap(let sequence, let i, let j):
      switch sequence {
      case .numbers: self.numbers.swapAt(i, j)
      case .marks(let owner): self.lines[line(owner)].marks.swapAt(i, j)
      default: self.lines.swapAt(i, j)
      }
    case .move(let sequence, let source, let gap):
      let target = gap > source ? gap - 1 : gap
      switch sequence {
      case .numbers: self.numbers.move(from: source, to: target)
      case .marks(let owner): self.lines[line(owner)].marks.move(from: source, to: target)
      default: self.lines.move(from: source, to: target)
      }
    case .values(0, _, _, let new): self.count = new[0]
    case .values(let owner, let range, _, let new):
      if let index = state[.numbers].firstIndex(of: owner) {
        self.numbers[index] = new[0]
      } else if let index = state[.lines].firstIndex(of: owner) {
        switch range {
        case 0..<1: self.lines[index].value = new[0]
        case 1..<2: self.lines[index].frame.width = new[0]
        case 2..<3: self.lines[index].frame.height = new[0]
        default: self.lines[index].frame.set(.init(width: new[0], height: new[1]))
        }
      } else if let owning = IdentityOracle.parent(of: owner),
        let index = state[.marks(of: owning)].firstIndex(of: owner)
      {
        self.lines[line(owning)].marks[index] = new[0]
      }
    case .key(let key, _, let new): self.names[key] = new
    case .member(let member, let isThere):
      if isThere { self.tags.insert(member) } else { self.tags.remove(member) }
    }
  }
}

extension UndoCursor where Target == String {
  fileprivate mutating func make(_ splice: SharedEdit.Splice, _ elements: [Int]) {
    let start = SharedState.text(Array(elements[..<splice.start])).utf8.count
    let count = SharedState.text(splice.old).utf8.count
    replaceSubrange(utf8: start..<start + count, with: SharedState.text(splice.new))
  }
}

extension UndoCursor
where
  Target: MutableCollection & RangeReplaceableCollection & RandomAccessCollection, Target.Index == Int
{
  fileprivate mutating func make(_ splices: [SharedEdit.Splice], _ elements: (Int) -> [Target.Element]) {
    let ranges = splices.map { $0.start..<$0.start + $0.old.count }
    guard splices.count == 1, let splice = splices.first else {
      var index = -1
      return removeAll { _ in
        index += 1
        return ranges.contains { $0.contains(index) }
      }
    }
    let new = splice.new.flatMap(elements)
    switch (splice.old.count, new.count) {
    case (0, 1): insert(new[0], at: splice.start)
    case (1, 0): remove(at: splice.start)
    default: replaceSubrange(ranges[0], with: new)
    }
  }
}
