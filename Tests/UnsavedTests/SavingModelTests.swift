import TestSupport
import Unsaved
import XCTest

/// A history and a dirtyable with the same edits and the same saves give the same answers.
final class SavingModelTests: XCTestCase {
  func testHistoryAndDirtyableAskForTheSameSaves() {
    withSeeds(200) { random in
      var history = UndoHistory(initialValue: [0])
      var dirtyable = Dirtyable([0])
      var saves: [(UndoHistory<[Int]>.Save, Dirtyable<[Int]>.Save)] = []
      for number in 1...60 {
        switch random.int(in: 0..<10) {
        case 0..<3: history.edit.append(number)  // Never the same, so that each state is another value.
        case 3..<5: history.undo()
        case 5: history.redo()
        case 6:
          let save = history.beginSave(id: .init(rawValue: random.next()))
          saves.append((save, dirtyable.beginSave(id: .init(rawValue: random.next()))))
        case 7:
          guard let save = saves.randomElement(using: &random) else { continue }
          expectEqual(history.finishSave(save.0), dirtyable.finishSave(save.1))
        case 8:
          guard let save = saves.randomElement(using: &random) else { continue }
          expectEqual(history.failSave(save.0), dirtyable.failSave(save.1))
        default:
          guard random.chance(oneIn: 4) else { continue }
          history.markSaved()
          dirtyable.commit()
        }
        if dirtyable.current != history.currentItem { dirtyable.current = history.currentItem }
        expectEqual(history.isSaving, dirtyable.isSaving)
        expectEqual(history.needsSave, dirtyable.needsSave)
        expectEqual(!history.isDirty, !dirtyable.isDirty)
        expectEqual(history.savesInFlight.count, dirtyable.savesInFlight.count)
      }
    }
  }
}
