import Dirtyables
import TestSupport
import XCTest

/// A value that is edited while a slow store saves it.
///
/// The original must be the value that the store holds.
final class DirtyableStoreModelTests: XCTestCase {
  /// Writes one save at a time, in the order begun; its answers may arrive late, twice, or not before the next write.
  private struct Store {
    var stored = 0
    var waiting: [Dirtyable<Int>.Save] = []
    /// Oldest first.
    var answers: [(save: Dirtyable<Int>.Save, succeeded: Bool)] = []

    mutating func work(succeeds: Bool) {
      guard !waiting.isEmpty else { return }
      let save = waiting.removeFirst()
      if succeeds { stored = save.value }
      answers.append((save, succeeds))
    }
  }

  func testNoEditIsLostWhateverTheStoreDoes() {
    withSeeds(1500) { random in
      var store = Store()
      var value = Dirtyable(0)
      var typed = 0
      var answered: [(save: Dirtyable<Int>.Save, succeeded: Bool)] = []

      func answer(_ answer: (save: Dirtyable<Int>.Save, succeeded: Bool)) -> Bool {
        answer.succeeded ? value.finishSave(answer.save) : value.failSave(answer.save)
      }
      func hearAnswer() {
        guard !store.answers.isEmpty else { return }
        let next = store.answers.removeFirst()
        expect(answer(next), "the first answer to a save counts")
        answered.append(next)
      }

      for _ in 0..<random.int(in: 1..<60) {
        switch random.int(in: 0..<8) {
        case 0, 1, 2:
          typed += 1
          value.current = typed
        case 3: if value.needsSave { store.waiting.append(value.beginSave(id: .init(rawValue: random.next()))) }
        case 4: store.work(succeeds: true)
        case 5: store.work(succeeds: false)
        case 6: hearAnswer()
        default:
          if let twice = answered.randomElement(using: &random) { expect(!answer(twice), "the second is refused") }
        }
        expectEqual(value.current, typed, "an edit is lost")
        if store.answers.isEmpty {
          expectEqual(value.original, store.stored, "after the last answer the original is what the store holds")
          expectEqual(value.isDirty, typed != store.stored)
        }
      }

      // The store is repaired, and the value is saved for as long as it asks to be.
      while value.needsSave || value.isSaving {
        if value.needsSave { store.waiting.append(value.beginSave(id: .init(rawValue: random.next()))) }
        store.work(succeeds: true)
        hearAnswer()
      }
      expectEqual(store.stored, typed)
      expect(!value.isDirty)
      expect(!value.isTouched)
    }
  }
}
