import Dirtyables
import Drafts
import TestSupport
import XCTest

/// Random edits, changes of the source, commits with every policy and rollbacks, against three plain values.
final class DraftModelTests: XCTestCase {
  struct Form: Hashable {
    var name = 0
    var size = 0

    mutating func edit(_ random: inout SeededRandom) {
      if random.chance(oneIn: 2) { name = random.int(in: 0..<3) } else { size = random.int(in: 0..<3) }
    }
  }

  /// A value that contains NaN, and whose `==` ignores the form.
  struct Page: Equatable {
    var form = Form()
    var ratio = Double.nan
    var ratios = [Double.nan]

    static func == (left: Self, right: Self) -> Bool { left.ratio == right.ratio && left.ratios == right.ratios }
  }

  private final class Box {
    var page = Page()
    var form: Form {
      get { page.form }
      set { page.form = newValue }
    }
  }

  func testRandomHistoriesFollowTheModel() throws {
    try withSeeds(2000) { random in
      let box = Box()
      var draft = Draft(of: box, \.page)
      var (base, mine) = (Form(), Form())

      for _ in 0..<random.int(in: 1..<40) {
        let theirs = box.form
        switch random.int(in: 0..<12) {
        case 0, 1, 2:
          mine.edit(&random)
          draft.update { [mine] in
            $0.form = mine
            // The same numbers in other storage.
            $0.ratios = $0.ratios.map(\.self)
          }
        case 3, 4: box.form.edit(&random)
        case 5:
          try draft.commit(.overwrite)
          if mine == base { mine = theirs }
          base = mine
          expectEqual(box.form, mine)
        case 6:
          draft.rollback()
          (base, mine) = (theirs, theirs)
        case 7:
          draft.rollback(\.form.name)
          mine.name = base.name
        case 8:
          let isConflict = mine != base && theirs != base && mine != theirs
          expectEqual(Self.refusal(.failOnConflict, of: &draft), isConflict ? [\.self] : nil)
          if !isConflict {
            if mine == base { mine = theirs }
            base = mine
          }
          expectEqual(box.form, isConflict ? theirs : mine)
        case 9:
          let (merged, conflicts) = Self.merge(base, mine, theirs)
          expectEqual(
            Self.refusal(.merge(.init(\.form.name, \.form.size)), of: &draft), conflicts.isEmpty ? nil : conflicts)
          if conflicts.isEmpty { (base, mine) = (merged, merged) }
          expectEqual(box.form, conflicts.isEmpty ? merged : theirs)
        case 10:
          let (merged, expected) = Self.merge(base, mine, theirs)
          let conflicts = draft.rebase(merging: .init(\.form.name, \.form.size))
          expectEqual(conflicts.keyPaths, expected)
          expectEqual([conflicts.base.form, conflicts.mine.form, conflicts.theirs.form], [base, mine, theirs])
          (base, mine) = (theirs, merged)
          expectEqual(box.form, theirs, "a rebase leaves the source alone")
        default:
          expectEqual(Self.refusal(.overwrite, of: &draft), nil)
          if mine == base { mine = theirs }
          base = mine
          expectEqual(box.form, mine)
        }
        expectEqual(draft.base.form, base)
        expectEqual(draft.current.form, mine)
        expectEqual(draft.isDirty, mine != base)
        expectEqual(Self.hasEditsInGenericCode(draft), mine != base)
        expectEqual(draft.isTouched || !draft.isDirty, true)
        expectEqual(draft.sourceChanged, box.form != base)
        expectEqual(draft.isDirty(\.form.size), mine.size != base.size)
        expectEqual(draft.sourceChanged(in: \.form.name), box.form.name != base.name)
      }
    }
  }

  private static func hasEditsInGenericCode<Value>(_ draft: Draft<Value>) -> Bool { draft.isDirty }

  /// The key paths in conflict if a commit with this policy is refused, or nil.
  private static func refusal(_ policy: Draft<Page>.CommitPolicy, of draft: inout Draft<Page>) -> [PartialKeyPath<
    Page
  >]? {
    do {
      try draft.commit(policy)
      return nil
    } catch {
      return error.keyPaths
    }
  }

  private static func merge(_ base: Form, _ mine: Form, _ theirs: Form) -> (Form, [PartialKeyPath<Page>]) {
    var merged = mine
    var conflicts: [PartialKeyPath<Page>] = []
    if mine.name == base.name {
      merged.name = theirs.name
    } else if theirs.name != base.name, theirs.name != mine.name {
      conflicts.append(\.form.name)
    }
    if mine.size == base.size {
      merged.size = theirs.size
    } else if theirs.size != base.size, theirs.size != mine.size {
      conflicts.append(\.form.size)
    }
    return (merged, conflicts)
  }
}
