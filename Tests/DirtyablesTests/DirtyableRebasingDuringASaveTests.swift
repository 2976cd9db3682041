import Dirtyables
import TestSupport
import XCTest

/// Rebases while a save is in flight, because of a push or of the value that the store returned.
final class DirtyableRebasingDuringASaveTests: XCTestCase {
  private static let fields = Dirtyable<Document>.Fields(\.title, \.count, \.items, \.address.city, \.address.number)

  /// A document with the title "One", and the save in flight that writes it.
  private func saving() -> (Dirtyable<Document>, Dirtyable<Document>.Save) {
    var document = Dirtyable(Document())
    document.title = "One"
    let save = document.beginSave()
    return (document, save)
  }

  func testPushDuringASaveReachesEveryKindOfMember() {
    var (document, save) = saving()
    let pushed = Document(items: [4], address: Document.Address(city: "Leiden", number: 9))
    XCTAssertTrue(document.rebase(onto: pushed, merging: Self.fields).isEmpty)
    document.address.number = 10
    document.finishSave(save)
    XCTAssertEqual(document.original.address, pushed.address)
    XCTAssertEqual(document.original.items, [4])
    XCTAssertEqual(
      document.changedKeyPaths(among: \.title, \.items, \.address.city, \.address.number), [\.address.number])
  }

  func testElementsPushedDuringASaveAreNotDirty() {
    struct Row: Identifiable, Equatable { var id: Int, text = "" }
    struct List: Equatable { var name = "", rows: [Row] }
    let fields = Dirtyable<List>.Fields(\.name).merging(elementsOf: \.rows)
    var list = Dirtyable(List(rows: [Row(id: 1), Row(id: 2)]))
    list.rows[0].text = "mine"
    let save = list.beginSave()
    let pushed = List(name: "Theirs", rows: [Row(id: 1), Row(id: 2, text: "theirs"), Row(id: 3)])
    XCTAssertTrue(list.rebase(onto: pushed, merging: fields).isEmpty)
    list.finishSave(save)
    XCTAssertFalse(list.isDirty)
    XCTAssertEqual(list.original.rows.map(\.text), ["mine", "theirs", ""])
    XCTAssertEqual(list.original.name, "Theirs")
  }

  func testNormalFormOfASavedTextSurvivesAPush() {
    var document = Dirtyable(Document(title: "\u{E9}"))
    document.title = "e\u{301}"
    let save = document.beginSave()
    XCTAssertTrue(document.rebase(onto: Document(title: "\u{E9}", count: 7), merging: Self.fields).isEmpty)
    XCTAssertEqual(document.title.unicodeScalars.count, 2)
    document.finishSave(save)
    XCTAssertEqual(document.original.title.unicodeScalars.count, 2)
  }

  func testSavedNaNIsReplacedByTheStoredValue() {
    var number = Dirtyable(1.0)
    number.current = .nan
    let save = number.beginSave()
    XCTAssertEqual(number.finishSave(save, stored: 7)?.isEmpty, true)
    XCTAssertEqual(number.current, 7)
    XCTAssertFalse(number.isTouched)
  }
}
