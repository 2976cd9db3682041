import Dirtyables
import XCTest

/// Code that knows nothing of a value is answered as code that does, where the value's type can be compared.
final class DirtyableGenericTests: XCTestCase {
  private func isDirty<Value>(_ value: Dirtyable<Value>) -> Bool { value.isDirty }
  private func needsSave<Value>(_ value: Dirtyable<Value>) -> Bool { value.needsSave }

  /// Dirty while it is another, and clean again when it is set back; `isTouched` all the while.
  private func check<Value>(_ value: Value, _ other: Value, line: UInt = #line) {
    var edited = Dirtyable(value)
    XCTAssertFalse(edited.isDirty, line: line)
    edited.current = other
    XCTAssertTrue(edited.isDirty, line: line)
    XCTAssertTrue(edited.needsSave, line: line)
    edited.current = value
    XCTAssertFalse(edited.isDirty, line: line)
    XCTAssertFalse(edited.needsSave, line: line)
    XCTAssertTrue(edited.isTouched, "written, if to the same value", line: line)

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

  func testValuesThatCanBeComparedAreClean() {
    check(1, 2)
    check("a", "b")
    check(Document(), Document(title: "Other"))
    check([Document()], [])
    check(AnyHashable(1), AnyHashable("1"))
    check(Dog("Rex") as Animal, Animal("Rex2"))
    check(["a": [1: Set([2])]], [:])
  }

  /// The type is asked, not the value: nil has a type too, and what is in an optional is not the optional.
  func testOptionals() {
    check(Int?.none, 1)
    check(1, Int?.none)
    check(Int??.none, .some(.none))
    check(Int??.some(.none), .none)
    check([Int?.none, 1], [1, nil])
  }

  func testValuesOfUnknownTypeAreDirtyOnceWritten() {
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
    // An existential may hold what can be compared now, and something else next.
    check(1 as Any)
    check(Any?.some(1))
    check(1 as any Sendable)
    check([1] as [any Equatable])
  }

  func testTheAnswersOfBothKindsOfCodeAgree() {
    var document = Dirtyable(Document())
    document.title = "Other"
    document.title = "Draft"
    XCTAssertFalse(document.isDirty)
    XCTAssertFalse(isDirty(document))
    document.count = 1
    XCTAssertTrue(isDirty(document))
    XCTAssertTrue(needsSave(document))

    // Not-a-number is the same as itself, for either.
    var number = Dirtyable(Double.nan)
    XCTAssertFalse(isDirty(number))
    number.current = .nan
    XCTAssertFalse(number.isDirty)
    XCTAssertFalse(isDirty(number))
  }
}
