import TestSupport
import UndoHistories
import XCTest

/// Random local and remote edits, compared with an oracle that gives every element an identity.
final class UndoRemoteEditsModelTests: XCTestCase {
  func testRemoteEditsMatchAnIdentityOracle() {
    withSeeds(2_000) { random in
      var model = RemoteEditsModel()
      for _ in 0..<random.int(in: 5..<40) { model.act(&random) }
      model.walkThrough()
    }
  }
}

/// A history, and the edits that were made, in their order.
private struct RemoteEditsModel {
  struct Made {
    var edits: [SharedEdit]
    var isStep: Bool
  }

  var base = OriginModel(originCount: 1)
  var made: [Made] = []
  var redoable: [[SharedEdit]] = []

  var history: UndoHistory<SharedDocument> {
    get { base.history }
    _modify { yield &base.history }
  }

  mutating func act(_ random: inout SeededRandom) {
    switch random.int(in: 0..<12) {
    case 0..<3: undo()
    case 3..<5: redo()
    case 5..<8: applyRemote(&random)
    default: edit(&random)
    }
    check()
  }

  func check() {
    expectEqual(history.currentItem, base.state.document)
    expectEqual(history.canUndo, nextUndo() != nil)
    expectEqual(history.redoCount, redoable.count)
    let isBlocked = made.contains(where: \.isStep) && nextUndo() == nil
    expectEqual(history.blockingRemoteEdit != nil, isBlocked)
  }

  mutating func edit(_ random: inout SeededRandom) {
    guard let edits = makeEdits(&random) else { return }
    let (before, count) = (base.state, history.undoCount)
    apply(edits)
    history.transaction { $0.make(edits, before) }
    if history.undoCount == count { return expectNoChange(since: before) }
    made.append(Made(edits: edits, isStep: true))
    redoable = []
  }

  mutating func applyRemote(_ random: inout SeededRandom) {
    guard let edits = makeEdits(&random) else { return }
    let before = base.state
    apply(edits)
    history.applyRemote { $0.make(edits, before) }
    // The redo steps belong to the state before the remote edit. Removing its inverse transforms them to follow it.
    let back = edits.reversed().map(\.inverted)
    var (rest, kept) = (redoable, [[SharedEdit]]())
    while let step = rest.popLast() {
      let all = redoable.suffix(kept.count).reversed().flatMap(\.self) + step
      guard let crossed = base.remove(back, from: base.state, then: all)?.later else { break }
      kept.append(crossed.suffix(step.count).map(\.recordedForRedo))
    }
    redoable = kept.reversed()
    made.append(Made(edits: edits, isStep: false))
  }

  /// Checks that edits that recorded no step left the document as it was.
  private mutating func expectNoChange(since before: SharedState) {
    expectEqual(base.state.document, before.document)
    base.state = before
  }

  private mutating func makeEdits(_ random: inout SeededRandom) -> [SharedEdit]? {
    let state = base.state
    defer { base.state = state }
    // Without moves: the record of a move that no longer moves anything doesn't say on which side of the element it
    // led. The oracle remembers the side longer than the record does, so the two could differ.
    guard let edits = base.makeEdits(&random), !edits.contains(where: \.isMove) else { return nil }
    return edits
  }

  private mutating func apply(_ edits: [SharedEdit]) {
    for edit in edits { base.state.apply(edit) }
  }

  /// The edits of the next undo, and the edits that remain after it; nil if there is no step, or undo is blocked.
  private func nextUndo() -> (inverses: [SharedEdit], made: [Made])? {
    guard let index = made.lastIndex(where: \.isStep) else { return nil }
    var state = SharedState()
    for edit in made[..<index].flatMap(\.edits) { state.apply(edit) }
    let later = made[(index + 1)...]
    guard let (crossed, inverses) = base.remove(made[index].edits, from: state, then: later.flatMap(\.edits)) else {
      return nil
    }
    var (rest, result) = (crossed[...], Array(made[..<index]))
    for other in later {
      result.append(Made(edits: rest.prefix(other.edits.count).map(\.recorded), isStep: false))
      rest = rest.dropFirst(other.edits.count)
    }
    return (inverses, result)
  }

  mutating func undo() {
    let next = nextUndo()
    expectEqual(history.undo() != nil, next != nil)
    guard let next else { return }
    apply(next.inverses)
    made = next.made
    redoable.append(next.inverses.reversed().map(\.inverted.recordedForRedo))
  }

  mutating func redo() {
    expectEqual(history.redo() != nil, !redoable.isEmpty)
    guard let edits = redoable.popLast() else { return }
    apply(edits)
    made.append(Made(edits: edits.map(\.recorded), isStep: true))
  }

  /// Undoes as many steps as possible and redoes all of them, twice.
  mutating func walkThrough() {
    for _ in 0..<2 {
      while nextUndo() != nil {
        undo()
        check()
      }
      while !redoable.isEmpty {
        redo()
        check()
      }
    }
  }
}
