import Dirtyables
import Foundation
import XCTest

/// Values whose `==` ignores stored properties, or that do not equal themselves.
final class DirtyableEqualityTests: XCTestCase {
  private struct Item: Equatable {
    var id = 1, name = "a"
    static func == (left: Item, right: Item) -> Bool { left.id == right.id }
  }

  private func isDirty<Value>(_ value: Dirtyable<Value>) -> Bool { value.isDirty }
  private func needsSave<Value>(_ value: Dirtyable<Value>) -> Bool { value.needsSave }

  func testEditThatEqualityIgnoresIsDirty() {
    var item = Dirtyable(Item())
    item.name = "typed"
    XCTAssertTrue(item.isDirty && item.needsSave && item.isDirty(\.name) && item.isDirty(\.self))
    XCTAssertTrue(isDirty(item) && needsSave(item))
    item.name = "a"
    XCTAssertFalse(item.isDirty || item.needsSave || isDirty(item) || needsSave(item))
  }

  func testEditThatEqualityIgnoresIsDirtyInArraysAndOptionals() {
    struct Page: Equatable { var rows = [Item()], choice: Item? = Item(), named = ["a": Item()] }
    let edits: [(inout Page) -> Void] = [
      { $0.rows[0].name = "typed" }, { $0.choice?.name = "typed" }, { $0.named["a"]?.name = "typed" },
    ]
    for edit in edits {
      var page = Dirtyable(Page())
      page.update(edit)
      XCTAssertTrue(page.isDirty && page.needsSave)
      XCTAssertEqual(page.changedKeyPaths(among: \.rows, \.choice, \.named).count, 1)
      let save = page.beginSave()
      XCTAssertFalse(page.needsSave)
      page.current = Page()
      XCTAssertTrue(page.needsSave)
      page.finishSave(save)
      XCTAssertTrue(page.isDirty)
    }
  }

  func testTextInAnotherNormalFormIsDirty() {
    struct Note: Equatable { var text = "caf\u{e9}", tags = ["caf\u{e9}"] }
    var note = Dirtyable(Note())
    note.text = "cafe\u{301}"
    XCTAssertTrue(note.isDirty && note.isDirty(\.text) && note.needsSave)
    XCTAssertEqual(note.change(for: \.text)?.new.utf8.count, 6)
    note.text = "caf\u{e9}"
    XCTAssertFalse(note.isDirty)
    note.tags = ["cafe\u{301}"]
    XCTAssertTrue(note.isDirty && note.isDirty(\.tags))
  }

  func testAnEqualValueInOtherStorageIsNotDirty() {
    struct Form: Equatable {
      var text = "a text that is too long to lie inline", rows = [1, 2], names = ["a text too long to lie inline"]
      var zero = 0.0, price = Decimal(1)
    }
    var form = Dirtyable(Form())
    form.text = String(decoding: Array(form.text.utf8), as: UTF8.self)
    form.rows = [1, 2].map(\.self)
    form.names = form.names.map { String(decoding: Array($0.utf8), as: UTF8.self) }
    (form.zero, form.price) = (-0.0, Decimal(string: "1.0")!)
    XCTAssertFalse(form.isDirty || form.needsSave || isDirty(form))
    XCTAssertTrue(form.changedKeyPaths(among: \.text, \.rows, \.names, \.zero, \.price).isEmpty)
  }

  func testNaNIsTheSameAsItself() {
    struct Point: Equatable {
      var x = Double.nan, xs = [1, Double.nan], some = Double?.some(.nan), time = Date(timeIntervalSince1970: .nan)
      var note = ""
    }
    var point = Dirtyable(Point())
    point.note = "a"
    point.note = ""
    XCTAssertFalse(point.isDirty || point.needsSave || isDirty(point) || needsSave(point))
    XCTAssertTrue(point.changedKeyPaths(among: \.x, \.xs, \.some, \.time, \.note).isEmpty)
    XCTAssertNil(point.change(for: \.x))
    XCTAssertNil(point.change(for: \.xs))
    // Moves the array to other storage, so that it isn't found equal by its address.
    point.xs.append(3)
    XCTAssertTrue(point.isDirty && point.isDirty(\.xs))
    point.xs.removeLast()
    XCTAssertFalse(point.isDirty || point.needsSave || isDirty(point) || needsSave(point) || point.isDirty(\.xs))
    XCTAssertNil(point.change(for: \.xs))
    XCTAssertTrue(point == point)
    XCTAssertTrue(point == Dirtyable(Point()))
    let save = point.beginSave()
    XCTAssertTrue(save == point.savesInFlight[0])
    XCTAssertFalse(point.needsSave || needsSave(point))
    point.finishSave(save)
    XCTAssertFalse(point.isDirty || point.needsSave)
    point.x = 5
    XCTAssertTrue(point.isDirty && isDirty(point) && point.isDirty(\.x))
    XCTAssertFalse(point == Dirtyable(Point()))
  }

  func testValuesThatContainNaNInOtherStorageAreTheSame() {
    struct Line: Equatable { var points = [[1, Double.nan]], name = "a" }
    struct Sheet: Equatable {
      var lines = [Line()], line: Line? = Line(), named = ["a": [Float.nan]], slice = [Double.nan][...]
      var range: [ClosedRange<Double>] = [], time = [Date(timeIntervalSince1970: .nan)], count = 1
    }
    func copy() -> Sheet {
      var sheet = Sheet()
      sheet.lines.append(Line())
      sheet.lines.removeLast()
      return sheet
    }
    var sheet = Dirtyable(original: Sheet(), current: copy())
    XCTAssertFalse(sheet.isDirty || sheet.needsSave || isDirty(sheet) || needsSave(sheet))
    XCTAssertTrue(
      sheet.changedKeyPaths(among: \.lines, \.line, \.named, \.slice, \.time, \.self).isEmpty)
    XCTAssertTrue(sheet == Dirtyable(Sheet()))
    XCTAssertTrue(sheet.rebase(onto: copy(), merging: .init(\.lines)).isEmpty)
    XCTAssertTrue(sheet.rebase(onto: copy()).isEmpty)
    sheet.count = 2
    var theirs = copy()
    theirs.line = nil
    XCTAssertEqual(sheet.rebase(onto: theirs, merging: .init(\.lines, \.line, \.named, \.slice, \.time)).keyPaths, [])
    XCTAssertNil(sheet.line)
    XCTAssertTrue(sheet.isDirty && isDirty(sheet) && sheet.count == 2)
    sheet.count = 1
    XCTAssertFalse(sheet.isDirty)
    sheet.lines[0].points[0][0] = 2
    XCTAssertEqual(sheet.changedKeyPaths(among: \.lines, \.line, \.named), [\.lines])
    XCTAssertFalse(sheet == Dirtyable(theirs))
  }
}
