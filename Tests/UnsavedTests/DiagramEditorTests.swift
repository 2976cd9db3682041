import Foundation
import Observation
import Unsaved
import XCTest

private struct Shape: Identifiable, Equatable {
  let id: String
  var title: String
  var frame: CGRect
}

private struct Connection: Hashable { var from, to: String }

private struct Diagram: Equatable {
  var shapes: [Shape] = []
  var connections: Set<Connection> = []
  var selection: Set<String> = []
}

@MainActor
@Observable
private final class DiagramModel {
  var history: UndoHistory<Diagram> { didSet { undo.didEdit() } }
  @ObservationIgnored private(set) lazy var undo = UndoDriver(self, \.history) { $1(&$0.history) }
  private var drag: UndoHistory<Diagram>.OpenStep?

  init(_ diagram: Diagram = Diagram()) {
    history = UndoHistory(initialValue: diagram)
    history.restoreOnUndo(\.selection)
  }

  // MARK: Commands

  func add(_ id: String, at origin: CGPoint = .zero) {
    history.transaction("Add Shape") { edit in
      edit.shapes.append(Shape(id: id, title: id, frame: CGRect(origin: origin, size: CGSize(width: 80, height: 40))))
      edit.selection.set([id])
    }
  }

  func connect(_ from: String, _ to: String) {
    history.transaction("Connect") { _ = $0.connections.insert(Connection(from: from, to: to)) }
  }

  func delete() {
    let selection = history.selection
    history.transaction("Delete") { edit in
      edit.shapes.removeAll { selection.contains($0.id) }
      for connection in edit.connections.currentItem
      where selection.contains(connection.from) || selection.contains(connection.to) {
        edit.connections.remove(connection)
      }
      edit.selection.set([])
    }
  }

  func sizeToFit(_ id: String) {
    guard let index = index(of: id) else { return }
    let size = CGSize(width: 12 * history.shapes[index].title.count, height: 40)
    let frame = CGRect(origin: history.shapes[index].frame.origin, size: size)
    history.transaction("Size to Fit") { $0.shapes[index].frame.set(frame) }
  }

  // MARK: Mouse and keyboard

  func click(_ ids: Set<String>) { history.edit.selection.set(ids) }

  func mouseDown() { drag = history.beginStep("Move") }

  func mouseDragged(_ x: Double, _ y: Double) {
    for index in history.shapes.indices where history.selection.contains(history.shapes[index].id) {
      history.edit.shapes[index].frame.origin.x += x
      history.edit.shapes[index].frame.origin.y += y
    }
  }

  func mouseUp() { if let drag { history.endStep(drag) } }

  func escape() { if let drag { history.cancelStep(drag) } }

  func focusTitle() { undo.beginUndoGrouping("Rename") }

  func type(_ title: String, for id: String) {
    if let index = index(of: id) { history.edit.shapes[index].title = title }
  }

  func leaveTitle() { undo.endUndoGrouping() }

  private func index(of id: String) -> Int? { history.shapes.firstIndex { $0.id == id } }
}

/// A diagram editor with an Edit menu, written as its author would write it after reading the documentation.
@MainActor
final class DiagramEditorTests: XCTestCase {
  private let model = DiagramModel()
  private var menu: [String] { [model.undo.undoMenuItemTitle, model.undo.redoMenuItemTitle] }

  func testEditMenuNamesEachCommand() async {
    XCTAssertEqual(menu, ["Undo", "Redo"])
    XCTAssertFalse(model.undo.canUndo)
    model.add("a")
    model.connect("a", "a")
    XCTAssertEqual(menu, ["Undo Connect", "Redo"])
    model.undo.undo()
    XCTAssertEqual(menu, ["Undo Add Shape", "Redo Connect"])
    model.undo.redo()
    XCTAssertEqual(menu, ["Undo Connect", "Redo"])
    XCTAssertFalse(model.undo.canRedo)
  }

  func testDeletingAShapeRemovesItsConnectionsAndUndoRestoresTheSelection() async {
    for id in ["a", "b", "c"] { model.add(id) }
    model.connect("a", "b")
    model.connect("b", "c")
    let whole = model.history.currentItem

    model.click(["a"])
    model.delete()
    XCTAssertEqual(model.history.shapes.map(\.id), ["b", "c"])
    XCTAssertEqual(model.history.connections, [Connection(from: "b", to: "c")])
    model.click(["c"])

    model.undo.undo()
    XCTAssertEqual(menu, ["Undo Connect", "Redo Delete"])
    XCTAssertEqual(model.history.shapes, whole.shapes)
    XCTAssertEqual(model.history.connections, whole.connections)
    XCTAssertEqual(model.history.selection, ["a"])
    model.undo.redo()
    XCTAssertEqual(model.history.selection, [])
  }

  func testDragIsOneStep() async {
    model.add("a")
    model.add("b", at: CGPoint(x: 100, y: 0))
    model.click(["a", "b"])
    model.mouseDown()
    for _ in 1...50 { model.mouseDragged(1, 2) }
    model.mouseUp()
    XCTAssertEqual(model.history.shapes.map(\.frame.origin), [CGPoint(x: 50, y: 100), CGPoint(x: 150, y: 100)])
    XCTAssertEqual(menu, ["Undo Move", "Redo"])
    model.undo.undo()
    XCTAssertEqual(model.history.shapes.map(\.frame.origin), [.zero, CGPoint(x: 100, y: 0)])
    XCTAssertEqual(menu, ["Undo Add Shape", "Redo Move"])
  }

  func testEscapeCancelsADragAndKeepsWhatCouldBeRedone() async {
    model.add("a")
    model.connect("a", "a")
    model.undo.undo()
    model.mouseDown()
    for _ in 1...50 { model.mouseDragged(1, 2) }
    model.escape()
    model.mouseUp()
    XCTAssertEqual(model.history.shapes[0].frame.origin, .zero)
    XCTAssertEqual(menu, ["Undo Add Shape", "Redo Connect"])
    XCTAssertTrue(model.undo.canRedo)
  }

  func testTypingInATitleIsOneNamedStep() async {
    model.add("a")
    model.focusTitle()
    for title in ["ab", "abc", "abcd"] { model.type(title, for: "a") }
    model.leaveTitle()
    model.sizeToFit("a")
    XCTAssertEqual(model.history.shapes[0].frame.width, 48)
    model.undo.undo()
    XCTAssertEqual(model.history.shapes[0].frame.width, 80)
    XCTAssertEqual(menu, ["Undo Rename", "Redo Size to Fit"])
    model.undo.undo()
    XCTAssertEqual(model.history.shapes[0].title, "a")

    model.focusTitle()
    model.leaveTitle()
    XCTAssertEqual(menu, ["Undo Add Shape", "Redo Rename"], "nothing was typed")
  }

  func testWindowKnowsWhetherTheDiagramIsSaved() async {
    model.add("a")
    model.history.markSaved()
    model.click([])
    XCTAssertFalse(model.history.isDirty, "a click is not an edit")
    model.connect("a", "a")
    XCTAssertTrue(model.history.isDirty)
    model.undo.undo()
    XCTAssertFalse(model.history.isDirty)
  }
}
