import Unsaved
import XCTest

/// A form from its first field to the request that saves it, edited in a sheet meanwhile.
final class FormStoryTests: XCTestCase {
  private struct User: Equatable, Sendable {
    var name: String
    var email: String
    var age: Int?
  }

  private final class Account {
    var user: Dirtyable<User>
    init(user: User) { self.user = Dirtyable(user) }
  }

  func testFormBecomesAnAccountAndItsEditsARequest() throws {
    var form = Partial<User>()
    form.name = "Ada"
    XCTAssertThrowsError(try user(from: form)) { error in
      XCTAssertEqual((error as? Partial<User>.MissingValueError)?.keyPath, \User.email)
    }
    form.email = "ada@example.com"
    let account = Account(user: try user(from: form))
    XCTAssertFalse(account.user.isDirty)

    account.user.age = 36
    XCTAssertEqual(account.user.changedKeyPaths(among: \.name, \.email, \.age), [\User.age])
    account.user.commit()
    XCTAssertFalse(account.user.isDirty)
  }

  func testSheetEditsADraftWhileASaveIsUnderWay() throws {
    let account = Account(user: User(name: "Ada", email: "ada@example.com"))
    account.user.name = "Ada King"
    let save = account.user.beginSave()

    // A sheet with "Apply" and "Cancel" above the account.
    var sheet = Draft(of: account, \.user.current)
    sheet.email = "king@example.com"
    XCTAssertEqual(account.user.email, "ada@example.com")

    account.user.finishSave(save)
    XCTAssertFalse(account.user.isDirty)
    XCTAssertFalse(sheet.sourceChanged)

    sheet.commit()
    XCTAssertEqual(account.user.changedKeyPaths(among: \.name, \.email, \.age), [\User.email])
    account.user.rollback()
    XCTAssertEqual(account.user.current, User(name: "Ada King", email: "ada@example.com"))
  }

  func testDraftOfAHistoryIsOneStep() {
    final class Model { var history = UndoHistory(initialValue: User(name: "Ada", email: "")) }
    let model = Model()
    var draft = Draft(of: model, \.history.currentItem)
    draft.name = "Grace"
    draft.email = "grace@example.com"
    draft.commit()
    XCTAssertEqual(model.history.undoCount, 1)

    // Applied once more without edits: no step.
    draft.commit()
    XCTAssertEqual(model.history.undoCount, 1)
    model.history.undo()
    XCTAssertEqual(model.history.currentItem, User(name: "Ada", email: ""))
  }

  private func user(from form: Partial<User>) throws -> User {
    User(name: try form.value(for: \.name), email: try form.value(for: \.email), age: form.value(for: \.age))
  }
}
