import Dirtyables
import XCTest

/// Generic code gets the same answers as concrete code if the value's type is `Equatable`.
final class DirtyableGenericTests: XCTestCase {
  private func isDirty<Value>(_ value: Dirtyable<Value>) -> Bool { value.isDirty }
  private func needsSave<Value>(_ value: Dirtyable<Value>) -> Bool { value.needsSave }

  /// Checks that a value is dirty while it differs, and clean but still touched once it is set back.
  private func check<Value>(_ value: Value, _ other: Value, line: UInt = #line) {
    var edited = Dirtyable(value)
    XCTAssertFalse(edited.isDirty, line: line)
    edited.current = other
    XCTAssertTrue(edited.isDirty, line: line)
    XCTAssertTrue(edited.needsSave, line: line)
    edited.current = value
    XCTAssertFalse(edited.isDirty, line: line)
    XCTAssertFalse(edited.needsSave, line: line)
    XCTAssertTrue(edited.isTouched, "written, although to the same value", line: line)

    let save = edited.beginSave()
    edited.current = other
    XCTAssertTrue(edited.needsSave, line: line)
    edited.current = value
    XCTAssertFalse(edited.needsSave, line: line)
    edited.finishSave(save)
    XCTAssertFalse(edited.isDirty, line: line)
    XCTAssertTrue(edited.isTouched, line: line)
    edited.commit()
    XCTAssertFalse(edited.isTouched, line: line)
  }

  private class Animal: Equatable {
    let name: String
    init(_ name: String) { self.name = name }
    static func == (left: Animal, right: Animal) -> Bool { left.name == right.name }
  }

  private final class Dog: Animal {}

  private struct Box<Content> { var content: Content }

  func testEquatableValuesAreCleanOnceSetBack() {
    check(1, 2)
    check("a", "b")
    check(Document(), Document(title: "Other"))
    check([Document()], [])
    check(AnyHashable(1), AnyHashable("1"))
    check(Dog("Rex") as Animal, Animal("Rex2"))
    check(["a": [1: Set([2])]], [:])
  }

  /// The static type decides, not the value: nil has a type too, and a wrapped value is not the optional.
  func testOptionalsAreCleanOnceSetBack() {
    check(Int?.none, 1)
    check(1, Int?.none)
    check(Int??.none, .some(.none))
    check(Int??.some(.none), .none)
    check([Int?.none, 1], [1, nil])
  }

  func testValuesThatAreNotEquatableAreDirtyOnceWritten() {
    func check<Value>(_ value: Value, line: UInt = #line) {
      var edited = Dirtyable(value)
      edited.current = value
      XCTAssertTrue(edited.isDirty, line: line)
      XCTAssertTrue(edited.needsSave, line: line)
      let save = edited.beginSave()
      XCTAssertFalse(edited.needsSave, line: line)
      edited.finishSave(save)
      XCTAssertFalse(edited.isDirty, line: line)
    }
    check(Box(content: 1))
    check(Box?.some(Box(content: 1)))
    check([Box(content: 1)])
    check((1, "a"))
    // An existential may hold an `Equatable` value now, and another value later.
    check(1 as Any)
    check(Any?.some(1))
    check(1 as any Sendable)
    check([1] as [any Equatable])
  }

  func testGenericAndConcreteCodeAgree() {
    var document = Dirtyable(Document())
    document.title = "Other"
    document.title = "Draft"
    XCTAssertFalse(document.isDirty)
    XCTAssertFalse(isDirty(document))
    document.count = 1
    XCTAssertTrue(isDirty(document))
    XCTAssertTrue(needsSave(document))

    // NaN is the same as itself in both.
    var number = Dirtyable(Double.nan)
    XCTAssertFalse(isDirty(number))
    number.current = .nan
    XCTAssertFalse(number.isDirty)
    XCTAssertFalse(isDirty(number))
  }
}
