import Dirtyables
import Drafts
import TestSupport
import XCTest

/// A sheet that edits a draft of a record, which is saved and rebased while the sheet is open.
final class DraftOfASavedRecordTests: XCTestCase {
  private final class Model {
    var filter = Dirtyable(Filter())
    var sheet: Draft<Filter> { Draft(of: self, \.filter.current) }
  }

  private static let fields = Dirtyable<Filter>.Fields(\.text, \.limit, \.price.from, \.price.to)

  func testPushDuringASaveReachesTheSheet() throws {
    let model = Model()
    model.filter.text = "hats"
    let save = model.filter.beginSave()
    var sheet = model.sheet
    sheet.limit = 50

    XCTAssertTrue(model.filter.rebase(onto: Filter(price: .init(from: 7, to: 100)), merging: Self.fields).isEmpty)
    XCTAssertTrue(sheet.sourceChanged(in: \.price))
    XCTAssertTrue(sheet.rebase(merging: Self.fields).isEmpty)
    XCTAssertEqual(sheet.edits.changedKeyPaths(among: \.text, \.limit, \.price), [\.limit])
    XCTAssertEqual(sheet.base, Filter(text: "hats", price: .init(from: 7, to: 100)))

    model.filter.finishSave(save)
    XCTAssertFalse(sheet.sourceChanged)
    try sheet.commit(.failOnConflict)
    XCTAssertEqual(model.filter.changedKeyPaths(among: \.text, \.limit, \.price), [\.limit])
  }

  func testValueThatTheStoreReturnedReachesTheSheet() throws {
    let model = Model()
    model.filter.text = "hats"
    let save = model.filter.beginSave()
    var sheet = model.sheet
    sheet.limit = 50
    model.filter.finishSave(save, stored: Filter(text: "HATS", limit: 10), merging: Self.fields)
    try sheet.commit(.merge(Self.fields))
    XCTAssertEqual(model.filter.current, Filter(text: "HATS", limit: 50))
    XCTAssertEqual(model.filter.changedKeyPaths(among: \.text, \.limit, \.price), [\.limit])
  }

  /// A source may correct the committed value, which is then the base of the next edits.
  func testRebaseStartsFromTheValueThatTheSourceCorrected() throws {
    var stored = Filter()
    var draft = Draft(source: .init(get: { stored }, set: { stored = Filter(text: $0.text, limit: min($0.limit, 20)) }))
    draft.limit = 50
    try draft.commit()
    draft.text = "newer"
    XCTAssertTrue(draft.rebase(merging: Self.fields).isEmpty)
    XCTAssertEqual(draft.base, Filter(limit: 20))
    XCTAssertEqual(draft.current, Filter(text: "newer", limit: 20))
    XCTAssertEqual(draft.edits.changedKeyPaths(among: \.text, \.limit), [\.text])
  }

  func testUneditedMembersAreNeverDirty() {
    let members: [any WritableKeyPath<Filter, Int> & Sendable] = [\.limit, \.price.from, \.price.to]
    withSeeds(500) { random in
      let model = Model()
      var server = Filter()
      var sheet = model.sheet
      var isEdited = [false, false, false]
      let mine = members.indices.filter { _ in random.chance(oneIn: 2) }

      for _ in 0..<random.int(in: 1..<40) {
        let (number, new) = (mine.randomElement(using: &random), random.int(in: 0..<4))
        switch random.int(in: 0..<12) {
        case 0, 1:
          guard let number else { continue }
          sheet[dynamicMember: members[number]] = new
          isEdited[number] = true
        case 2:
          guard let number else { continue }
          model.filter[dynamicMember: members[number]] = new
          isEdited[number] = true
        case 3, 4: _ = model.filter.beginSave(id: .init(rawValue: random.next()))
        case 5: if let save = model.filter.savesInFlight.randomElement(using: &random) { model.filter.failSave(save) }
        case 6:
          guard let save = model.filter.savesInFlight.randomElement(using: &random) else { continue }
          model.filter.finishSave(save)
          server = model.filter.original
        case 7:
          guard let save = model.filter.savesInFlight.randomElement(using: &random) else { continue }
          server = save.value
          server[keyPath: members.randomElement(using: &random) ?? \.limit] = new
          model.filter.finishSave(save, stored: server, merging: Self.fields)
        case 8, 9:
          server = model.filter.original
          server[keyPath: members.randomElement(using: &random) ?? \.limit] = new
          _ = model.filter.rebase(onto: server, merging: Self.fields)
        case 10: _ = sheet.rebase(merging: Self.fields)
        default: do { try sheet.commit(.merge(Self.fields)) } catch { sheet.rollback() }
        }
        expectEqual(model.filter.original, server)
        for (number, member) in members.enumerated() where !isEdited[number] {
          expect(!model.filter.isDirty(member), "\(number) of the record is dirty")
          expect(!sheet.isDirty(member), "\(number) of the sheet has edits")
        }
      }
      _ = sheet.rebase(merging: Self.fields)
      expectEqual(sheet.base, model.filter.current)
    }
  }
}
