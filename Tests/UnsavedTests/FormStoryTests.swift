import Unsaved
import XCTest

/// A form from its first field to the request that saves it, edited in a sheet meanwhile.
final class FormStoryTests: XCTestCase {
  private struct User: Equatable, Sendable, PartialInitializable {
    var name: String
    var email: String
    var age: Int?

    init(name: String, email: String, age: Int? = nil) {
      self.name = name
      self.email = email
      self.age = age
    }

    init(from form: Partial<User>) throws {
      self.init(
        name: try form.value(for: \.name), email: try form.value(for: \.email), age: form.value(for: \.age))
    }

    static let validation = Partial<User>.Validation(
      .required(\.name, .notEmpty), .required(\.email), .check(\.email, "An address has an @") { $0.contains("@") })
  }

  private final class Account {
    var user: Dirtyable<User>
    init(user: User) { self.user = Dirtyable(user) }
  }

  func testFormBuildsAnAccountWhoseEditsBecomeARequest() {
    var form = Partial<User>()
    form.email = "ada"
    XCTAssertEqual(
      User.validation.issues(in: form)?.map(\.message), ["name is missing", "An address has an @"])
    form.name = "Ada"
    form.email = "ada@example.com"
    guard case .valid(let user) = User.validation.validate(form) else { return XCTFail("The form is complete") }
    let account = Account(user: user)
    XCTAssertFalse(account.user.isDirty)

    account.user.age = 36
    XCTAssertEqual(account.user.changedKeyPaths(among: \.name, \.email, \.age), [\User.age])

    // The request contains only the changes, and makes the same edit elsewhere.
    var request = Partial<User>()
    if let age = account.user.change(for: \.age) { request.age = .some(age.new) }
    XCTAssertEqual(request.count, 1)
    var stored = account.user.original
    XCTAssertEqual(request.apply(to: &stored), [])
    XCTAssertEqual(stored, account.user.current)
    account.user.commit()
    XCTAssertFalse(account.user.isDirty)
  }

  /// A partial wraps each property in one more optional than its model, which assignments need not mention.
  func testUndoRestoresOptionalPropertiesOfAForm() {
    struct Stay { var guest: String, wish: String?, nights: ClosedRange<Int>, floors: Range<Int>? }
    var history = UndoHistory(initialValue: Partial<Stay>())
    history.edit.guest = "Ada"
    history.edit.wish = "a long wish that does not fit into sixteen bytes"
    history.edit.wish = "a long wish that does not fit into sixteen bytes"
    history.edit.nights = 1...3
    history.edit.nights = 1...3
    history.edit.nights = 1...4
    history.edit.floors = 2..<5
    XCTAssertEqual(history.undoCount, 5, "setting the same value does not record a step")
    history.edit.wish = .some(nil)
    history.edit.wish = nil
    XCTAssertEqual(history.undoCount, 7, "a wish of nil differs from a wish that is not set")
    XCTAssertFalse(history.currentItem.contains(\.wish))

    history.undo()
    XCTAssertEqual(history.currentItem.wish, .some(nil))
    history.undo()
    XCTAssertEqual(history.currentItem.wish, "a long wish that does not fit into sixteen bytes")
    history.undo()
    history.undo()
    XCTAssertEqual(history.currentItem.nights, 1...3)
    XCTAssertFalse(history.currentItem.contains(\.floors))
    while history.undo() != nil {}
    XCTAssertTrue(history.currentItem.isEmpty)
    while history.redo() != nil {}
    XCTAssertEqual(history.currentItem.floors, 2..<5)
  }

  func testSheetEditsADraftDuringASave() throws {
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

    try sheet.commit()
    XCTAssertEqual(account.user.changedKeyPaths(among: \.name, \.email, \.age), [\User.email])
    account.user.rollback()
    XCTAssertEqual(account.user.current, User(name: "Ada King", email: "ada@example.com"))
  }

  func testCommitOfADraftIsOneStepOfTheHistory() throws {
    final class Model { var history = UndoHistory(initialValue: User(name: "Ada", email: "")) }
    let model = Model()
    var draft = Draft(of: model, \.history.currentItem)
    draft.name = "Grace"
    draft.email = "grace@example.com"
    try draft.commit()
    XCTAssertEqual(model.history.undoCount, 1)

    // Another commit without edits does not record a step.
    try draft.commit()
    XCTAssertEqual(model.history.undoCount, 1)
    model.history.undo()
    XCTAssertEqual(model.history.currentItem, User(name: "Ada", email: ""))
  }
}
