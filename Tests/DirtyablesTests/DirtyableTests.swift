import Dirtyables
import TestSupport
import XCTest

final class DirtyableTests: XCTestCase {
  func testMembersAreWrittenAtAnyDepth() {
    var document = Dirtyable(Document())
    document.title = "One"
    document.address.city = "Leiden"
    document.items[1] += 10
    document.items.append(4)
    document.heading = "LOUD"
    XCTAssertEqual(
      document.current,
      Document(title: "loud", items: [1, 12, 3, 4], address: Document.Address(city: "Leiden", number: 1)))
    XCTAssertEqual(document.original, Document())
  }

  func testReadOnlyMembersAreRead() {
    let document = Dirtyable(Document())
    XCTAssertEqual(document.items.count, 3)
    XCTAssertEqual(document.hashValue, Dirtyable(Document()).hashValue)
    XCTAssertEqual(document.heading, "DRAFT")
  }

  func testUpdateEditsTwoMembersAtOnce() {
    var pair = Dirtyable([1, 2])
    let sum = pair.update { array in
      array.swapAt(0, 1)
      return array[0] + array[1]
    }
    XCTAssertEqual(sum, 3)
    XCTAssertEqual(pair.current, [2, 1])
    XCTAssertEqual(pair.original, [1, 2])
  }

  private struct Refused: Error, Equatable {}

  func testUpdateThatThrowsKeepsItsEdits() {
    var document = Dirtyable(Document())
    XCTAssertThrowsError(
      try document.update { value throws(Refused) in
        value.count = 1
        throw Refused()
      }
    ) { XCTAssertEqual($0 as? Refused, Refused()) }
    XCTAssertEqual(document.count, 1)
    XCTAssertEqual(document.original.count, 0)
    XCTAssertTrue(document.isDirty)
  }

  /// The code after a `yield` is skipped if the caller throws, so the original must be kept before it.
  func testMemberAccessThatThrowsKeepsTheOriginal() {
    func change(_ count: inout Int) throws {
      count = 1
      throw Refused()
    }
    var document = Dirtyable(Document())
    XCTAssertThrowsError(try change(&document.count))
    XCTAssertEqual(document.count, 1)
    XCTAssertEqual(document.original.count, 0)
    XCTAssertTrue(document.isTouched)

    var whole = Dirtyable(Document())
    XCTAssertThrowsError(try change(&whole.current.count))
    XCTAssertEqual(whole.original.count, 0)
    XCTAssertEqual(whole.current.count, 1)
  }

  func testDirtyableIsMadeFromAnOriginalAndAnEdit() {
    var document = Dirtyable(original: Document(), current: Document(count: 3))
    XCTAssertTrue(document.isDirty)
    XCTAssertEqual(document.updated?.count, 3)
    document.rollback()
    XCTAssertEqual(document.count, 0)
  }

  func testMembersOfDirtyableHideThoseOfTheValue() {
    struct Clash: Equatable { var original = 1, isDirty = "yes" }
    var clash = Dirtyable(Clash())
    clash.current.original = 2
    XCTAssertEqual(clash.original, Clash())
    XCTAssertEqual(clash.current.original, 2)
    XCTAssertEqual(clash.original.isDirty, "yes")
    XCTAssertTrue(clash.isDirty)
  }

  func testOptionalValueCanBeSetToNil() {
    var name = Dirtyable<String?>(nil)
    name.current = "Ada"
    XCTAssertEqual(name.updated, .some("Ada"))
    name.commit()
    name.current = nil
    XCTAssertTrue(name.isDirty)
    XCTAssertEqual(name.updated, .some(nil))
    XCTAssertEqual(name.original, "Ada")
  }

  func testSizeIsAtMostThatOfTheValueAndAPointer() {
    func check<Value>(_: Value.Type, line: UInt = #line) {
      let size = MemoryLayout<Dirtyable<Value>>.size
      XCTAssertLessThanOrEqual(size, MemoryLayout<Value>.size + 8, "\(Value.self)", line: line)
    }
    check(Bool.self)
    check((UInt8, UInt8, UInt8).self)
    check(Int32.self)
    check(Int.self)
    check(Double?.self)
    check(String.self)
    check([Int].self)
    check(Document.self)
    check((Int, Bool).self)
    check(Dirtyable<Document>.self)
    check(AnyObject.self)
    check(Void.self)
  }
}
