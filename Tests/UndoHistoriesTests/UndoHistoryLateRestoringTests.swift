import Foundation
import TestSupport
import UndoArchives
import UndoHistories
import XCTest

/// Calls of `restoreOnUndo(_:)` for a property that was already edited.
///
/// They fail if a step edited inside of the property, because such a step doesn't have the whole value.
final class UndoHistoryLateRestoringTests: XCTestCase {
  private struct Page: UndoArchivable, Equatable {
    struct View: Codable, Equatable {
      var path: [String] = []
      var zoom = 1
    }

    var title = ""
    var selection = ""
    var marks: [Int] = []
    var sizes: [String: Int] = [:]
    var tags: Set<String> = []
    var view = View()

    static let undoParts = [
      UndoPart<Page>("title", \.title), UndoPart("selection", \.selection), UndoPart("marks", \.marks),
      UndoPart("sizes", \.sizes), UndoPart("tags", \.tags), UndoPart("view", \.view),
    ]
  }

  private typealias History = UndoHistory<Page>

  private typealias Case = (
    start: (inout Page) -> Void, edit: (inout History.Editor) -> Void, restoreOnUndo: (inout History) -> Bool
  )

  /// Edits inside of a property, each with the start value that it needs and the call that makes undo restore it.
  private let edits: [Case] = [
    ({ _ in }, { $0.selection.append("abc") }, { $0.restoreOnUndo(\.selection) }),
    ({ $0.selection = "abcdefgh" }, { $0.selection.removeSubrange(utf8: 1..<2) }, { $0.restoreOnUndo(\.selection) }),
    ({ _ in }, { $0.marks.append(1) }, { $0.restoreOnUndo(\.marks) }),
    ({ $0.marks = [1, 2, 3] }, { $0.marks.remove(at: 1) }, { $0.restoreOnUndo(\.marks) }),
    ({ $0.marks = [1, 2, 3] }, { $0.marks.swapAt(0, 2) }, { $0.restoreOnUndo(\.marks) }),
    ({ $0.marks = [1, 2, 3] }, { $0.marks.move(from: 0, to: 2) }, { $0.restoreOnUndo(\.marks) }),
    ({ $0.marks = [1, 2, 3] }, { $0.marks[1] = 7 }, { $0.restoreOnUndo(\.marks) }),
    ({ $0.marks = [1, 2, 3, 4, 5] }, { $0.marks.removeAll { $0 % 2 == 1 } }, { $0.restoreOnUndo(\.marks) }),
    ({ _ in }, { $0.sizes["a"] = 1 }, { $0.restoreOnUndo(\.sizes) }),
    ({ _ in }, { $0.tags.insert("x") }, { $0.restoreOnUndo(\.tags) }),
    ({ _ in }, { $0.view.path.append("folder") }, { $0.restoreOnUndo(\.view) }),
    ({ $0.view.path = ["a"] }, { $0.view.path[0].append("s") }, { $0.restoreOnUndo(\.view) }),
  ]

  private func page(before edit: Case) -> Page {
    var page = Page()
    edit.start(&page)
    return page
  }

  /// Assigns new values to all properties, so that records that edit a part of them don't fit any more.
  private func assignAll(_ history: inout History) {
    history.edit.selection.set("")
    history.edit.marks.set([])
    history.edit.sizes.set([:])
    history.edit.tags.set([])
    history.edit.view.set(Page.View(path: [], zoom: 9))
  }

  private func checkWalk(_ history: History, line: UInt = #line) {
    var history = history
    var pages = [history.currentItem]
    while history.undo() != nil { pages.append(history.currentItem) }
    for page in pages.dropLast().reversed() {
      XCTAssertNotNil(history.redo(), line: line)
      XCTAssertEqual(history.currentItem, page, line: line)
    }
  }

  func testRestoreOnUndoFailsIfAStepEditedInsideTheProperty() throws {
    for (number, edit) in edits.enumerated() {
      let page = page(before: edit)
      var history = History(initialValue: page)
      edit.edit(&history.edit)
      XCTAssertFalse(edit.restoreOnUndo(&history), "\(number)")
      let count = history.undoCount
      assignAll(&history)
      XCTAssertGreaterThan(history.undoCount, count, "\(number)")
      checkWalk(history)
      while history.undo() != nil {}
      XCTAssertEqual(history.currentItem, page, "\(number)")
      XCTAssertFalse(edit.restoreOnUndo(&history), "redo steps count as well, \(number)")
      history.removeAllSteps()
      XCTAssertTrue(edit.restoreOnUndo(&history), "no steps are left, \(number)")
      assignAll(&history)
    }
  }

  func testRestoreOnUndoFailsIfABranchEditedInsideTheProperty() {
    for edit in edits {
      let page = page(before: edit)
      var history = History(initialValue: page)
      history.keepsBranches = true
      edit.edit(&history.edit)
      history.undo()
      history.edit.title = "another"
      XCTAssertFalse(edit.restoreOnUndo(&history))
      assignAll(&history)
      XCTAssertTrue(history.go(to: history.branches[0]))
      history.removeAllSteps()
      XCTAssertTrue(edit.restoreOnUndo(&history))
    }
  }

  func testRestoreOnUndoFailsIfARemoteEditIsInsideTheProperty() {
    var history = History(initialValue: Page())
    history.edit.view.set(Page.View(path: ["mine"], zoom: 2))
    history.applyRemote { $0.view.path.append("theirs") }
    XCTAssertFalse(history.restoreOnUndo(\.view))
    XCTAssertTrue(history.recordRemoteEdit())
    history.edit.view.set(Page.View())
    checkWalk(history)
  }

  func testRestoreOnUndoSucceedsIfThePropertyWasOnlyAssigned() {
    var history = History(initialValue: Page())
    history.edit.view.set(Page.View(path: ["a"], zoom: 2))
    history.edit.view.zoom = 4
    history.edit.title.append("a")
    XCTAssertTrue(history.restoreOnUndo(\.view))
    XCTAssertTrue(history.restoreOnUndo(\.view), "the property is restored already")
    let count = history.undoCount
    history.edit.view.set(Page.View(path: [], zoom: 2))
    history.edit.view.set(Page.View(path: ["x"], zoom: 2))
    XCTAssertEqual(history.undoCount, count)
    for _ in 0..<count { XCTAssertNotNil(history.undo()) }
    for _ in 0..<count { XCTAssertNotNil(history.redo()) }
    XCTAssertEqual(history.title, "a")
  }

  /// This happens if a new version of an app restores a property that an earlier version recorded as edits.
  func testRestoreOnUndoFailsAfterRestoringEditsInsideTheProperty() throws {
    for (number, edit) in edits.enumerated() {
      let page = page(before: edit)
      var old = History(initialValue: page)
      edit.edit(&old.edit)
      old.edit.title.append("a")
      for undoCount in 0...2 {
        var history = History(initialValue: old.currentItem)
        XCTAssertTrue(edit.restoreOnUndo(&history))
        try history.restoreSteps(from: old.archive())
        XCTAssertEqual(history.undoCount, 2 - undoCount, "\(number)")
        XCTAssertFalse(edit.restoreOnUndo(&history), "\(number)")
        assignAll(&history)
        checkWalk(history)
        while history.undo() != nil {}
        XCTAssertEqual(history.currentItem, page)
        old.undo()
      }
    }
  }
}
