import Dirtyables
import Drafts
import TestSupport
import XCTest

/// Random edits, moves of the source, commits under every policy and cancels, against three plain values.
final class DraftModelTests: XCTestCase {
  struct Form: Hashable {
    var name = 0
    var size = 0

    mutating func edit(_ random: inout SeededRandom) {
      if random.chance(oneIn: 2) { name = random.int(in: 0..<3) } else { size = random.int(in: 0..<3) }
    }
  }

  private final class Box {
    var form = Form()
  }

  func testRandomHistories() {
    withSeeds(2000) { random in
      let box = Box()
      var draft = Draft(of: box, \.form)
      var (base, mine) = (Form(), Form())

      for _ in 0..<random.int(in: 1..<40) {
        let theirs = box.form
        switch random.int(in: 0..<12) {
        case 0, 1, 2:
          mine.edit(&random)
          draft.update { [mine] in $0 = mine }
        case 3, 4: box.form.edit(&random)
        case 5:
          let overwritten = draft.commit()
          let isMoved = mine != base && theirs != base && theirs != mine
          expectEqual(overwritten, isMoved ? theirs : nil)
          if mine == base { mine = theirs }
          base = mine
          expectEqual(box.form, mine)
        case 6:
          draft.cancel()
          (base, mine) = (theirs, theirs)
        case 7:
          draft.cancel(\.name)
          mine.name = base.name
        case 8:
          let isConflict = mine != base && theirs != base && mine != theirs
          expectEqual(refusal(.failOnConflict, of: &draft), isConflict ? [\.self] : nil)
          if !isConflict {
            if mine == base { mine = theirs }
            base = mine
          }
          expectEqual(box.form, isConflict ? theirs : mine)
        case 9:
          let (merged, conflicts) = merge(base, mine, theirs)
          expectEqual(refusal(.merge(\.name, \.size), of: &draft), conflicts.isEmpty ? nil : conflicts)
          if conflicts.isEmpty { (base, mine) = (merged, merged) }
          expectEqual(box.form, conflicts.isEmpty ? merged : theirs)
        case 10:
          let (merged, expected) = merge(base, mine, theirs)
          let conflicts = draft.rebase(\.name, \.size)
          expectEqual(conflicts.keyPaths, expected)
          expectEqual([conflicts.base, conflicts.mine, conflicts.theirs], [base, mine, theirs])
          (base, mine) = (theirs, merged)
          expectEqual(box.form, theirs, "a rebase leaves the source alone")
        default:
          expectEqual(refusal(.overwrite, of: &draft), nil)
          if mine == base { mine = theirs }
          base = mine
          expectEqual(box.form, mine)
        }
        expectEqual(draft.base, base)
        expectEqual(draft.current, mine)
        expectEqual(draft.hasEdits, mine != base)
        expectEqual(hasEditsInGenericCode(draft), mine != base)
        expectEqual(draft.isTouched || !draft.hasEdits, true)
        expectEqual(draft.sourceChanged, box.form != base)
        expectEqual(draft.hasEdits(in: \.size), mine.size != base.size)
        expectEqual(draft.sourceChanged(in: \.name), box.form.name != base.name)
      }
    }
  }

  private func hasEditsInGenericCode<Value>(_ draft: Draft<Value>) -> Bool { draft.hasEdits }

  /// The key paths with which a commit under this policy is refused, or nil.
  private func refusal(_ policy: Draft<Form>.CommitPolicy, of draft: inout Draft<Form>) -> [PartialKeyPath<Form>]? {
    do {
      try draft.commit(policy)
      return nil
    } catch {
      return error.keyPaths
    }
  }

  private func merge(_ base: Form, _ mine: Form, _ theirs: Form) -> (Form, [PartialKeyPath<Form>]) {
    var merged = mine
    var conflicts: [PartialKeyPath<Form>] = []
    if mine.name == base.name {
      merged.name = theirs.name
    } else if theirs.name != base.name, theirs.name != mine.name {
      conflicts.append(\.name)
    }
    if mine.size == base.size {
      merged.size = theirs.size
    } else if theirs.size != base.size, theirs.size != mine.size {
      conflicts.append(\.size)
    }
    return (merged, conflicts)
  }
}
