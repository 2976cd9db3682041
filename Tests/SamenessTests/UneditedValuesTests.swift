import Foundation
import Sameness
import XCTest

/// Checks what a form asks about two values: whether one is an edit of the other, or whether only `==` denies that they
/// are the same.
final class UneditedValuesTests: XCTestCase {
  private final class Opaque {}

  private class Named: Equatable {
    let name: String
    init(_ name: String) { self.name = name }
    static func == (left: Named, right: Named) -> Bool { left.name == right.name }
  }

  private final class Renamed: Named {}

  /// Its `==` asks for the number alone, so it ignores the other members.
  private struct Row: Equatable {
    var id = 1
    var note: Int?
    var cache: Opaque?
    static func == (left: Row, right: Row) -> Bool { left.id == right.id }
  }

  /// Larger than two words, so that its bytes are compared first.
  private struct Place: Equatable { var x = 0.0, y = 0.0, z = 0.0 }

  private struct Answers: Equatable {
    var isEqualOrSame, isUnedited, isUnchanged, isUnchangedAsTyped: Bool
  }

  private func expect<Value: Equatable>(
    _ left: Value, _ right: Value, equalOrSame: Bool, unedited: Bool, unchanged: Bool, asTyped: Bool,
    line: UInt = #line
  ) {
    for (left, right) in [(left, right), (right, left)] {
      let answers = Answers(
        isEqualOrSame: _areEqualOrSame(left, right), isUnedited: _isUnedited(left, right),
        isUnchanged: _areUnchanged(left, right), isUnchangedAsTyped: _areUnchanged(left, right, asTyped: true))
      let expected = Answers(
        isEqualOrSame: equalOrSame, isUnedited: unedited, isUnchanged: unchanged, isUnchangedAsTyped: asTyped)
      XCTAssertEqual(answers, expected, "\(left), \(right)", line: line)
    }
  }

  func testNumbersAreUneditedIfTheyAreEqualOrTheSameNaN() {
    expect(1, 1, equalOrSame: true, unedited: true, unchanged: true, asTyped: true)
    expect(1, 2, equalOrSame: false, unedited: false, unchanged: false, asTyped: false)
    expect(true, false, equalOrSame: false, unedited: false, unchanged: false, asTyped: false)
    expect(0.0, -0.0, equalOrSame: true, unedited: true, unchanged: true, asTyped: true)
    expect(Double.nan, .nan, equalOrSame: true, unedited: true, unchanged: true, asTyped: true)
    expect(Double.nan, 1, equalOrSame: false, unedited: false, unchanged: false, asTyped: false)
    expect([Double.nan], [.nan], equalOrSame: true, unedited: true, unchanged: true, asTyped: true)
    expect(Place(y: .nan), Place(y: .nan), equalOrSame: true, unedited: true, unchanged: true, asTyped: true)
    expect(Place(y: .nan), Place(z: .nan), equalOrSame: false, unedited: false, unchanged: false, asTyped: false)
    expect(Place(y: 0), Place(y: -0.0), equalOrSame: true, unedited: true, unchanged: true, asTyped: true)
  }

  func testAnotherNormalFormIsAnEditOnlyIfItWasTyped() {
    let composed = "caf\u{e9} with more than fifteen bytes", decomposed = "cafe\u{301} with more than fifteen bytes"
    expect(composed, decomposed, equalOrSame: true, unedited: false, unchanged: true, asTyped: false)
    expect([composed], [decomposed], equalOrSame: true, unedited: false, unchanged: true, asTyped: false)
    expect(composed, composed + "", equalOrSame: true, unedited: true, unchanged: true, asTyped: true)
    expect(composed, composed + "x", equalOrSame: false, unedited: false, unchanged: false, asTyped: false)
    XCTAssertFalse(_hidesNoEdit(composed, decomposed))
    XCTAssertTrue(_hidesNoEdit(composed, String(composed.reversed().reversed())))
  }

  func testMemberThatEqualityIgnoresIsAnEdit() {
    expect(Row(note: 1), Row(note: 2), equalOrSame: true, unedited: false, unchanged: false, asTyped: false)
    expect(Row(note: nil), Row(note: 1), equalOrSame: true, unedited: false, unchanged: false, asTyped: false)
    expect([Row(note: 1)], [Row(note: 1)], equalOrSame: true, unedited: true, unchanged: true, asTyped: true)
    expect([Row(note: 1)], [Row(note: 2)], equalOrSame: true, unedited: false, unchanged: false, asTyped: false)
    expect([Row(), Row()], [Row()], equalOrSame: false, unedited: false, unchanged: false, asTyped: false)
  }

  func testObjectThatCannotBeInspectedIsNotAnEdit() {
    let (one, other) = (Row(cache: Opaque()), Row(cache: Opaque()))
    expect(one, other, equalOrSame: true, unedited: true, unchanged: true, asTyped: true)
    expect(one, Row(), equalOrSame: true, unedited: true, unchanged: true, asTyped: true)
    XCTAssertFalse(_areSameOrEqualWithin(one, other) || _areSameOrEqualWithin(one, Row()))
    XCTAssertTrue(_areSameOrEqualWithin(one, one))
    expect(Named("a"), Named("a"), equalOrSame: true, unedited: true, unchanged: true, asTyped: true)
    expect(Named("a"), Renamed("a"), equalOrSame: true, unedited: true, unchanged: true, asTyped: true)
    expect(Named("a"), Renamed("b"), equalOrSame: false, unedited: false, unchanged: false, asTyped: false)
    XCTAssertFalse(_areProvablySame(Named("a"), Renamed("a")))
    XCTAssertFalse(_areSameOrEqualWithin(Named("a") as Any, "a" as Any))
  }

  func testSlicesAreUneditedAtOtherIndices() {
    expect([1, 1][0..<1], [1, 1][1..<2], equalOrSame: true, unedited: true, unchanged: true, asTyped: true)
    expect("aa".prefix(1), "aa".suffix(1), equalOrSame: true, unedited: true, unchanged: true, asTyped: true)
    XCTAssertFalse(_haveSameContents([1, 1][0..<1], [1, 1][1..<2]))
    XCTAssertFalse(_haveSameContents("aa".prefix(1), "aa".suffix(1)))
    XCTAssertFalse(_haveSameContents("aa".prefix(1), "aa".prefix(2)))
    XCTAssertTrue(_haveSameContents("aa".prefix(1), "aa".prefix(1)))
  }

  // MARK: Types whose values may not equal themselves

  private struct Number: Hashable { var value = 0.5 }
  private struct Numbers: Hashable { var values = [0.5], name = "" }
  private struct Counts: Hashable {
    var values = [1], name = "", id = UUID(), url = URL(filePath: "/"), data = Data([1])
  }
  private struct Deep: Hashable { var numbers: [String: [Number?]] = ["": [Number()]] }
  private enum Shape: Hashable { case circle(Double) }

  func testOnlyTypesWithNumbersInContainersMayHideNaN() {
    func expect<Value>(_ value: Value, _ mayHide: Bool, line: UInt = #line) {
      XCTAssertEqual(_mayHideWhatEqualsNothing(value), mayHide, "\(value)", line: line)
      // The first value has decided for its type.
      XCTAssertEqual(_mayHideWhatEqualsNothing(value), mayHide, "\(value)", line: line)
    }
    expect(1, false)
    expect("a", false)
    expect(Number(), false)
    expect(Counts(), false)
    expect(Named("a"), false)
    expect([true], false)
    expect([Character("a")], false)
    expect(["a": 1], false)
    expect(Optional(Number()), false)
    expect([Number()], true)
    expect(Numbers(), true)
    expect(Deep(), true)
    expect([0.5: 1], true)
    expect([1: 0.5], true)
    expect(Set([0.5]), true)
    expect([0.5][...], true)
    expect(ContiguousArray([0.5]), true)
    expect([Shape.circle(1)], true)
    expect([Date()], true)
    expect([UUID()], false)
    expect(Optional([0.5]), true)
  }

  func testEmptyContainerDecidesNothing() {
    struct Item {
      var value: Any
    }
    XCTAssertTrue(_mayHideWhatEqualsNothing([Item]()), "the element's type is not known yet")
    XCTAssertFalse(_mayHideWhatEqualsNothing([Item(value: 1)]))
    XCTAssertFalse(_mayHideWhatEqualsNothing([Item]()), "the answer is kept")
  }

  func testValueThatDoesNotEqualItselfIsFound() {
    XCTAssertTrue(_mayEqualNothing(Double.nan) && _mayEqualNothing(Number(value: .nan)))
    XCTAssertFalse(_mayEqualNothing(1.5) || _mayEqualNothing("a") || _mayEqualNothing(Counts()))
    XCTAssertTrue(_mayEqualNothing(Numbers(values: [.nan])))
  }

  // MARK: Bytes

  private struct Pair { var first: Int32 = 1, second: Int32 = 2 }

  func testBytesOfEachSizeAreCompared() {
    func expect<Value>(_ value: Value, _ others: Value..., line: UInt = #line) {
      XCTAssertTrue(UnsafeValueBytes.areSame(value, value), line: line)
      XCTAssertTrue(UnsafeValueBytes.areSameExceptPadding(value, value), line: line)
      for other in others {
        XCTAssertFalse(UnsafeValueBytes.areSame(value, other), "\(other)", line: line)
        XCTAssertFalse(UnsafeValueBytes.areSameExceptPadding(value, other), "\(other)", line: line)
      }
    }
    expect(1 as UInt8, 2)
    expect(1 as UInt16, 0x101)
    expect(1 as UInt32, 1 << 31)
    expect(1 as UInt64, 1 << 63)
    expect((1, 2), (1, 3), (3, 2))
    expect((1, 2, 3), (1, 2, 4), (0, 2, 3))
    expect(())
    XCTAssertFalse(UnsafeValueBytes.areSame(1 as UInt8, 1 as UInt16), "values of two sizes")
  }

  func testBytesOfAPartAreCompared() {
    let (one, other) = (Pair(), Pair(second: 3))
    XCTAssertTrue(UnsafeValueBytes.areSame(one, other, in: 0..<4))
    XCTAssertFalse(UnsafeValueBytes.areSame(one, other, in: 4..<8))
    XCTAssertTrue(UnsafeValueBytes.areSame(one, other, in: 8..<8))
    XCTAssertTrue(UnsafeValueBytes.areSame(2 as Int32, at: 4, in: one))
    XCTAssertFalse(UnsafeValueBytes.areSame(2 as Int32, at: 0, in: one))
    XCTAssertFalse(UnsafeValueBytes.areSame(2 as Int32, at: 4, in: other))
  }

  func testTextsAreTheSameInOtherStorage() {
    let text = "a text of more than fifteen bytes"
    XCTAssertTrue(UnsafeValueBytes.areSameText(text, String(Array(text))))
    XCTAssertFalse(UnsafeValueBytes.areSameText(text, text + " "))
    XCTAssertFalse(UnsafeValueBytes.areSameText(text, String(text.reversed())))
    XCTAssertTrue(UnsafeValueBytes.areSameText("", ""))
  }
}
