import Dirtyables
import Drafts
import XCTest

/// Drafts of values that may move or disappear while they are edited: rows of a list, and the value of an optional.
final class DraftOfARowTests: XCTestCase {
  private struct Row: Identifiable, Equatable { var id: Int, name = "" }

  private final class Model {
    var rows = [Row(id: 0), Row(id: 1), Row(id: 2)]
    var selected: Row? = Row(id: 7, name: "selected")
  }

  private func draft(of model: Model, edited name: String? = nil) throws -> Draft<Row> {
    var draft = try XCTUnwrap(Draft(of: model, \.rows, id: 1))
    if let name { draft.name = name }
    return draft
  }

  func testRowThatMovedIsWrittenAtItsNewIndex() throws {
    let commits: [(inout Draft<Row>) throws -> Void] = [
      { try $0.commit() }, { try $0.commit(.failOnConflict) }, { try $0.commit(.overwrite) },
      { try $0.commit(.merge(.init(\.name))) },
    ]
    for commit in commits {
      let model = Model()
      var draft = try draft(of: model, edited: "x")
      model.rows.removeFirst()
      XCTAssertFalse(draft.sourceChanged)
      try commit(&draft)
      XCTAssertEqual(model.rows, [Row(id: 1, name: "x"), Row(id: 2)])
      XCTAssertFalse(draft.isDirty)
    }
  }

  func testDraftWithoutEditsFollowsItsRow() throws {
    let model = Model()
    var draft = try draft(of: model)
    model.rows.removeFirst()
    model.rows[0].name = "elsewhere"
    XCTAssertNoThrow(try draft.commit())
    XCTAssertEqual(draft.current, Row(id: 1, name: "elsewhere"))
  }

  func testDraftOfAnUnknownRowIsNil() {
    XCTAssertNil(Draft(of: Model(), \.rows, id: 3))
    XCTAssertNil(ObservableDraft(Draft(of: Model(), \.rows)).child(\.self, id: 3))
  }

  func testEditedRowThatWasRemovedIsAConflict() throws {
    let model = Model()
    var draft = try draft(of: model, edited: "x")
    model.rows.remove(at: 1)
    XCTAssertTrue(draft.sourceChanged && draft.sourceChanged(in: \.name) && draft.isDirty)
    for policy in [.failOnConflict, .overwrite, .merge(.init(\.name))] as [Draft<Row>.CommitPolicy] {
      XCTAssertThrowsError(try draft.commit(policy)) { error in
        let error = error as? Draft<Row>.CommitError
        XCTAssertEqual(error?.keyPaths, [\.self])
        XCTAssertEqual(error?.isSourceGone, true)
        XCTAssertEqual(error.map { "\($0)".contains("gone") }, true)
      }
    }
    let conflicts = draft.rebase(merging: .init(\.name))
    XCTAssertEqual(conflicts.keyPaths, [\.self])
    XCTAssertEqual(conflicts[\.self]?.mine.name, "x")
    XCTAssertThrowsError(try draft.commit())
    XCTAssertEqual(draft.current, Row(id: 1, name: "x"), "the edits are kept")
    XCTAssertEqual(model.rows, [Row(id: 0), Row(id: 2)], "no other row is written")
    XCTAssertFalse("\(draft)".isEmpty)
    draft.rollback()
    XCTAssertEqual(draft.current, Row(id: 1))
  }

  func testRowThatWasAddedAgainIsWritten() throws {
    let model = Model()
    var draft = try draft(of: model, edited: "x")
    let row = model.rows.remove(at: 1)
    XCTAssertThrowsError(try draft.commit(.failOnConflict))
    model.rows.append(row)
    try draft.commit(.failOnConflict)
    XCTAssertEqual(model.rows, [Row(id: 0), Row(id: 2), Row(id: 1, name: "x")])
  }

  func testUneditedRowThatWasRemovedIsNotAConflict() throws {
    let model = Model()
    var draft = try draft(of: model)
    model.rows = []
    try draft.commit(.failOnConflict)
    func commitInGenericCode<Value>(_ draft: inout Draft<Value>) throws { try draft.commit() }
    XCTAssertNoThrow(try commitInGenericCode(&draft))
    XCTAssertTrue(draft.rebase(merging: .init(\.name)).isEmpty)
    XCTAssertEqual(draft.current, Row(id: 1))
    XCTAssertEqual(model.rows, [])
  }

  func testEditedOptionalThatBecameNilIsAConflict() throws {
    let model = Model()
    var draft = Draft(
      source: Draft<String>.Source(get: { model.selected?.name }, set: { model.selected?.name = $0 }))
    draft.current = "x"
    model.selected = nil
    XCTAssertTrue(draft.sourceChanged)
    XCTAssertThrowsError(try draft.commit(.failOnConflict))
    func isGone<Value>(_ draft: inout Draft<Value>) -> Bool? {
      do { try draft.commit() } catch { return error.isSourceGone }
      return nil
    }
    XCTAssertEqual(isGone(&draft), true, "generic code refuses the commit as well")
    XCTAssertEqual([draft.current, model.selected?.name], ["x", nil])
    model.selected = Row(id: 8)
    XCTAssertThrowsError(try draft.commit(), "another row may be selected now")
    XCTAssertEqual(isGone(&draft), false)
    XCTAssertEqual(model.selected?.name, Row(id: 8).name)
    try draft.commit(.overwrite)
    XCTAssertEqual(model.selected?.name, "x")
  }

  func testKeyPathToARemovedRowOrOptionalIsAConflict() throws {
    let model = Model()
    var row = Draft(of: model, \.rows[2])
    var name = Draft(of: model, \.selected!.name)
    row.name = "x"
    name.current = "y"
    try row.commit(.failOnConflict)
    XCTAssertEqual(model.rows[2].name, "x")
    row.name = "z"
    model.rows.removeFirst()
    model.selected = nil
    XCTAssertTrue(row.sourceChanged && name.sourceChanged && row.sourceChanged(in: \.name))
    XCTAssertThrowsError(try row.commit(.merge(.init(\.name))))
    XCTAssertThrowsError(try name.commit(.failOnConflict))
    XCTAssertEqual(row.rebase(merging: .init(\.name)).keyPaths, [\.self])
    XCTAssertThrowsError(try row.commit())
    XCTAssertThrowsError(try name.commit())
    XCTAssertEqual([row.name, name.current], ["z", "y"], "the edits are kept")
    XCTAssertEqual(model.rows, [Row(id: 1), Row(id: 2, name: "x")], "no other row is written")
    row.rollback()
    XCTAssertEqual(row.name, "x")
    model.selected = Row(id: 8)
    try name.commit(.overwrite)
    XCTAssertEqual(model.selected?.name, "y")
  }

  func testKeyPathToARowMergesTheRow() throws {
    let model = Model()
    var draft = Draft(of: model, \.rows)
    let observed = ObservableDraft(Draft(of: model, \.rows))
    draft.current[1].name = "x"
    observed.current[1].name = "x"
    model.rows[0].name = "y"
    XCTAssertTrue(observed.rebase(merging: .init(\.[1].name)).isEmpty)
    try draft.commit(.merge(.init(\.[1].name)))
    XCTAssertEqual(model.rows, [Row(id: 0, name: "y"), Row(id: 1, name: "x"), Row(id: 2)])
    draft.current[2].name = "z"
    model.rows.removeLast()
    XCTAssertThrowsError(try draft.commit(.merge(.init(\.[2].name))))
    XCTAssertEqual(draft.rebase(merging: .init(\.[2].name))[\.[2].name]?.theirs, .some(nil))
    XCTAssertEqual(draft.current[2].name, "z")
  }

  func testKeyPathToARowReportsItsChanges() {
    let model = Model()
    var draft = Draft(of: model, \.rows)
    draft.current.append(Row(id: 3))
    XCTAssertTrue(draft.isDirty(\.[3]) && draft.isDirty(\.[3].name))
    XCTAssertFalse(draft.isDirty(\.[2].name) || draft.isDirty(\.[4].name))
    XCTAssertEqual(draft.edits.change(for: \.[3].id)?.new, 3)
    XCTAssertFalse(draft.sourceChanged(in: \.[3]))
    model.rows.removeLast()
    XCTAssertTrue(draft.sourceChanged(in: \.[2]) && !draft.sourceChanged(in: \.[1]))
    draft.current[0].name = "x"
    draft.rollback(\.[0].name)
    draft.rollback(\.[3].name)
    XCTAssertEqual(draft.current, [Row(id: 0), Row(id: 1), Row(id: 2), Row(id: 3)])
  }

  func testObservableDraftAndItsChildrenTakeAKeyPathToARow() throws {
    let model = Model()
    let parent = ObservableDraft(Draft(of: model, \.rows))
    let child = parent.child(\.[2].name)
    let selected = ObservableDraft(Draft(of: model, \.selected!.name))
    child.current = "x"
    selected.current = "y"
    try child.commit(.failOnConflict)
    XCTAssertTrue(parent.draft.isDirty(\.[2].name) && !parent.draft.isDirty(\.[3].name))
    child.current = "z"
    parent.current.removeLast()
    model.selected = nil
    XCTAssertThrowsError(try child.commit(.failOnConflict))
    XCTAssertThrowsError(try selected.commit(.failOnConflict))
    parent.rollback(\.[2].name)
    XCTAssertEqual([child.current, selected.current], ["z", "y"])
    XCTAssertEqual(parent.current, [Row(id: 0), Row(id: 1)])
  }

  func testObservableDraftFindsARowThatMoved() throws {
    let model = Model()
    let draft = try XCTUnwrap(Draft(of: model, \.rows, id: 1).map(ObservableDraft.init))
    draft.name = "x"
    model.rows.removeFirst()
    try draft.commit(.failOnConflict)
    XCTAssertEqual(model.rows, [Row(id: 1, name: "x"), Row(id: 2)])
    draft.name = "y"
    model.rows.removeFirst()
    XCTAssertTrue(draft.draft.sourceChanged)
    XCTAssertThrowsError(try draft.commit(.merge(.init(\.name))))
    XCTAssertEqual(draft.rebase(merging: .init(\.name)).keyPaths, [\.self])
    XCTAssertThrowsError(try draft.commit())
    XCTAssertEqual([draft.name, "\(model.rows.count)"], ["y", "1"])
    draft.rollback()
    XCTAssertEqual(draft.name, "x")
  }

  func testChildDraftFindsItsRowInTheParent() throws {
    let model = Model()
    let parent = ObservableDraft(Draft(of: model, \.rows))
    let child = try XCTUnwrap(parent.child(\.self, id: 1))
    child.name = "x"
    parent.current.removeFirst()
    try child.commit(.failOnConflict)
    XCTAssertEqual(parent.current, [Row(id: 1, name: "x"), Row(id: 2)])
    child.name = "y"
    parent.rollback()
    parent.current = [Row(id: 2)]
    XCTAssertThrowsError(try child.commit(.failOnConflict))
    child.rollback()
    try parent.commit()
    XCTAssertEqual([child.name, "\(model.rows.map(\.id))"], ["x", "[2]"])
  }

  func testRowIsFoundAfterItsIdentityWasEdited() throws {
    let model = Model()
    var draft = try draft(of: model, edited: "x")
    let copy = draft
    // Another row has the new identity as well.
    for id in [5, 0] {
      draft.current.id = id
      try draft.commit(.failOnConflict)
      XCTAssertFalse(draft.sourceChanged || draft.isDirty)
      XCTAssertEqual(model.rows, [Row(id: 0), Row(id: id, name: draft.name), Row(id: 2)])
      draft.name += "y"
      try draft.commit(.merge(.init(\.id, \.name)))
    }
    XCTAssertEqual(model.rows, [Row(id: 0), Row(id: 0, name: "xyy"), Row(id: 2)])
    XCTAssertTrue(copy.sourceChanged(in: \.id), "a copy is a draft of the same row")
    draft.current.id = 1
    try draft.commit()
    model.rows.removeFirst()
    draft.name = "z"
    try draft.commit()
    XCTAssertEqual(model.rows, [Row(id: 1, name: "z"), Row(id: 2)])
    draft.name = "w"
    model.rows[0].id = 9
    XCTAssertThrowsError(try draft.commit(), "the identity was changed elsewhere")
  }

  func testObserversFindTheRowWhileItsIdentityIsWritten() throws {
    final class Observed {
      var notify: () -> Void = {}
      var rows = [Row(id: 0), Row(id: 1)] {
        willSet { notify() }
        didSet { notify() }
      }
    }
    let model = Observed()
    let parent = ObservableDraft(Draft(of: model, \.rows))
    let child = try XCTUnwrap(parent.child(\.self, id: 1))
    child.current.id = 7
    try child.commit(.failOnConflict)
    XCTAssertEqual(parent.current.map(\.id), [0, 7])
    child.name = "x"
    try child.commit(.failOnConflict)
    XCTAssertEqual(parent.current, [Row(id: 0), Row(id: 7, name: "x")])

    var draft = try XCTUnwrap(Draft(of: model, \.rows, id: 1))
    let copy = draft
    model.rows[1].name = "old"
    var names: [String] = []
    model.notify = {
      var seen = copy
      try? seen.commit()
      names.append(seen.name)
    }
    draft.current = Row(id: 8, name: "new")
    try draft.commit(.overwrite)
    XCTAssertEqual(names, ["old", "new"])
  }

  func testUneditedFieldOfARowTakesTheirsByItsRule() throws {
    let model = Model()
    var draft = try draft(of: model, edited: " ")
    let fields = Dirtyable<Row>.Fields(\.id).normalizing(\.name, .trimmed)
    XCTAssertFalse(draft.edits.isDirty(by: fields))
    model.rows.swapAt(0, 1)
    model.rows[0].name = "elsewhere"
    try draft.commit(.merge(fields))
    XCTAssertEqual(model.rows[0], Row(id: 1, name: "elsewhere"))
    XCTAssertEqual(draft.current, model.rows[0])
  }

  func testDirtyRowIsFoundByItsIdentity() throws {
    var draft = Draft(of: Model(), \.rows)
    XCTAssertFalse(draft.edits.isDirty(\.self, id: 9))
    draft.current.insert(Row(id: 9), at: 0)
    draft.current[1].name = "x"
    draft.current.removeLast()
    XCTAssertEqual([9, 0, 1, 2, 5].map { draft.edits.isDirty(\.self, id: $0) }, [true, true, false, true, false])
  }
}
