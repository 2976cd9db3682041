import Foundation
import Unsaved
import XCTest

private struct Recipe: Hashable, Codable, UndoArchivable, Sendable {
  var title = "", steps: [String] = [], size = 1.0
  static let undoParts = [UndoPart<Recipe>("title", \.title), UndoPart("steps", \.steps), UndoPart("size", \.size)]
}

private struct Settings: Equatable, Sendable { var servings = 2, isMetric = true }

private struct Account: PartialSchemaProviding, PartialInitializable, Equatable, Sendable {
  var name: String, email: String

  static let partialSchema = Partial<Account>.Schema(("name", \.name), ("email", \.email))
  static let rules = Partial<Account>.Validation(.required(\.name, .notEmpty), .required(\.email, .notEmpty))

  init(from form: Partial<Account>) throws {
    name = try form.value(for: \.name)
    email = try form.value(for: \.email)
  }
}

private struct AppState: Equatable, Sendable {
  var recipe = UndoHistory(initialValue: Recipe())
  var zoom: UndoHistory<Recipe>.OpenStep?
  var draft: UndoHistory<Recipe>.Branch.ID?
  var settings = Dirtyable(Settings())
  var signUp = Partial<Account>()
  var account: Account?
}

private enum Action: Equatable, Sendable {
  case title(String), addStep(String), undo, redo
  case open(Recipe), reload(Recipe), save, saved(UndoHistory<Recipe>.Save), keepDrafts
  case beginZoom, zoom(Double), endZoom(UndoHistory<Recipe>.OpenStep)
  case servings(Int), saveSettings, revertSettings
  case settingsSaved(Dirtyable<Settings>.Save), settingsRefused(Dirtyable<Settings>.Save)
  case name(String), email(String), signUp
}

/// A reducer with its dependencies: new identities, and the answer of the server.
private struct AppReducer {
  var newID: () -> UInt64
  var accepts: (Settings) -> Bool

  /// Returns the action that the effect sends later.
  func reduce(_ state: inout AppState, _ action: Action) -> Action? {
    switch action {
    case .title(let title): state.recipe.edit.title = title
    case .addStep(let step): state.recipe.transaction("Add Step") { $0.steps.append(step) }
    case .undo: state.recipe.undo()
    case .redo: state.recipe.redo()
    case .open(let recipe): state.recipe = UndoHistory(initialValue: recipe)
    case .reload(let recipe): state.recipe.replaceDocument(with: recipe, label: "Reload")
    case .save: return .saved(state.recipe.beginSave(id: .init(rawValue: newID())))
    case .saved(let save): state.recipe.finishSave(save)
    case .keepDrafts: state.recipe.keepBranches(seed: newID())

    case .beginZoom: state.zoom = state.recipe.beginStep("Zoom", id: .init(rawValue: newID()))
    case .zoom(let size): state.recipe.edit.size = size
    case .endZoom(let step): if state.recipe.endStep(step) { state.zoom = nil }

    case .servings(let servings): state.settings.servings = servings
    case .revertSettings: state.settings.rollback()
    case .saveSettings:
      guard state.settings.needsSave else { return nil }
      let save = state.settings.beginSave(id: .init(rawValue: newID()))
      return accepts(save.value) ? .settingsSaved(save) : .settingsRefused(save)
    case .settingsSaved(let save): state.settings.finishSave(save)
    case .settingsRefused(let save): state.settings.failSave(save)

    case .name(let name): state.signUp.name = name
    case .email(let email): state.signUp.email = email
    case .signUp:
      if case .valid(let account) = Account.rules.validate(state.signUp) {
        (state.account, state.signUp) = (account, Partial())
      }
    }
    state.draft = state.recipe.branches.last?.id
    return nil
  }
}

/// Compares the whole state after each action with what the test says, as the `TestStore` of TCA does.
private final class TestStore {
  private(set) var state = AppState()
  private var unreceived: [Action] = []
  private let reducer: AppReducer

  init(_ reducer: AppReducer) { self.reducer = reducer }

  func send(_ action: Action, line: UInt = #line, _ change: (inout AppState) -> Void = { _ in }) {
    var expected = state
    change(&expected)
    if let next = reducer.reduce(&state, action) { unreceived.append(next) }
    XCTAssertEqual(state, expected, line: line)
  }

  func receive(line: UInt = #line, _ change: (inout AppState) -> Void = { _ in }) {
    guard !unreceived.isEmpty else { return XCTFail("nothing to receive", line: line) }
    send(unreceived.removeFirst(), line: line, change)
  }

  func finish(line: UInt = #line) { XCTAssertEqual(unreceived, [], line: line) }
}

/// An app whose state holds the library's types, tested by an exhaustive store; written as its author would write it.
final class RecipeReducerTests: XCTestCase {
  private var ids: UInt64 = 0
  private lazy var store = TestStore(
    AppReducer(
      newID: { [unowned self] in
        ids += 1
        return ids
      }, accepts: { $0.servings > 0 }))

  override func tearDown() { store.finish() }

  func testUndoIsPartOfTheState() {
    for title in ["S", "So", "Sou", "Soup"] { store.send(.title(title)) { $0.recipe.edit.title = title } }
    store.send(.addStep("Boil")) { $0.recipe.transaction("Add Step") { $0.steps.append("Boil") } }
    store.send(.undo) { $0.recipe.undo() }
    store.send(.undo) { $0.recipe.undo() }
    XCTAssertEqual(store.state.recipe.currentItem, Recipe(), "typing is one step")
    store.send(.redo) { $0.recipe.redo() }
    XCTAssertEqual(store.state.recipe.currentItem, Recipe(title: "Soup"))
    store.send(.title("Soup"))
    XCTAssertTrue(store.state.recipe.canRedo, "nothing was changed")
  }

  func testReloadIsAStepOfTheState() {
    let other = Recipe(title: "Soup", steps: ["Boil"])
    store.send(.title("S")) { $0.recipe.edit.title = "S" }
    store.send(.reload(other)) { $0.recipe.replaceDocument(with: other, label: "Reload") }
    XCTAssertEqual(store.state.recipe.steps.last?.label, "Reload")
    store.send(.undo) { $0.recipe.undo() }
    XCTAssertEqual(store.state.recipe.currentItem, Recipe(title: "S"))
  }

  func testOpenStepIsPartOfTheState() {
    store.send(.beginZoom) { $0.zoom = $0.recipe.beginStep("Zoom", id: .init(rawValue: 1)) }
    for size in [1.5, 2, 2.5] { store.send(.zoom(size)) { $0.recipe.edit.size = size } }
    let zoom = store.state.zoom!
    store.send(.endZoom(zoom)) {
      $0.recipe.endStep(zoom)
      $0.zoom = nil
    }
    XCTAssertEqual(store.state.recipe.steps.map(\.label), ["Zoom"])
    XCTAssertEqual(store.state.recipe.steps.reversed().map(\.id), [1])
  }

  func testAnswersToAReplacedFormAreRefused() {
    store.send(.beginZoom) { $0.zoom = $0.recipe.beginStep("Zoom", id: .init(rawValue: 1)) }
    let zoom = store.state.zoom!
    store.send(.save) { _ = $0.recipe.beginSave(id: .init(rawValue: 2)) }
    store.send(.open(Recipe(title: "Bread"))) { $0.recipe = UndoHistory(initialValue: Recipe(title: "Bread")) }
    store.send(.beginZoom) { $0.zoom = $0.recipe.beginStep("Zoom", id: .init(rawValue: 3)) }
    store.send(.zoom(3)) { $0.recipe.edit.size = 3 }
    store.send(.endZoom(zoom))
    XCTAssertNotNil(store.state.zoom, "the zoom of the first recipe ended the zoom of the second")
    store.receive()
    XCTAssertTrue(store.state.recipe.isDirty, "the save of the first recipe counted for the second")
  }

  func testIdentitiesOfBranchesArePartOfTheState() {
    store.send(.keepDrafts) { $0.recipe.keepBranches(seed: 1) }
    for title in ["A", "B", "C"] {
      store.send(.title(title)) {
        $0.recipe.edit.title = title
        $0.draft = $0.recipe.branches.last?.id
      }
      store.send(.undo) { $0.recipe.undo() }
    }
    XCTAssertEqual(store.state.recipe.branches.count, 2)
  }

  func testStateIsStoredWithItsSteps() throws {
    store.send(.title("S")) { $0.recipe.edit.title = "S" }
    store.send(.addStep("Boil")) { $0.recipe.transaction("Add Step") { $0.steps.append("Boil") } }
    let encoder = JSONEncoder()
    encoder.userInfo[.undoSteps] = true
    let decoded = try JSONDecoder().decode(UndoHistory<Recipe>.self, from: encoder.encode(store.state.recipe))
    XCTAssertEqual(decoded, store.state.recipe)
    XCTAssertEqual(Set([decoded, store.state.recipe]).count, 1)
  }

  func testEditsDuringASaveStayDirty() {
    store.send(.servings(4)) { $0.settings.servings = 4 }
    store.send(.saveSettings) { _ = $0.settings.beginSave(id: .init(rawValue: 1)) }
    store.send(.saveSettings)
    store.send(.servings(6)) { $0.settings.servings = 6 }
    store.receive { $0.settings = Dirtyable(original: Settings(servings: 4), current: Settings(servings: 6)) }
    store.send(.revertSettings) { $0.settings = Dirtyable(Settings(servings: 4)) }
    store.send(.saveSettings)
  }

  func testRefusedSaveLeavesTheEditsAndALateAnswerChangesNothing() {
    store.send(.servings(0)) { $0.settings.servings = 0 }
    store.send(.saveSettings) { _ = $0.settings.beginSave(id: .init(rawValue: 1)) }
    let save = store.state.settings.savesInFlight[0]
    store.receive { $0.settings = Dirtyable(original: Settings(), current: Settings(servings: 0)) }
    store.send(.settingsSaved(save))
    XCTAssertTrue(store.state.settings.isDirty)
  }

  func testFormBecomesAnAccountOnceItIsComplete() throws {
    store.send(.name("Ada")) { $0.signUp.name = "Ada" }
    store.send(.signUp)
    store.send(.email("ada@example.com")) { $0.signUp.email = "ada@example.com" }
    let form = store.state.signUp
    store.send(.signUp) {
      $0.account = try? Account(from: form)
      $0.signUp = Partial()
    }
    XCTAssertEqual(store.state.account?.name, "Ada")
  }
}
