import Foundation
import Sameness
import XCTest

#if canImport(Glibc)
  import Glibc
#endif

/// Checks three answers about two values: provably the same, the same or equal, and not known to differ.
///
/// Almost every pair is made anew, so that the bytes alone do not decide.
final class SamenessTests: XCTestCase {
  private final class Object: Equatable {
    let name: String
    init(_ name: String) { self.name = name }
    static func == (left: Object, right: Object) -> Bool { left.name == right.name }
  }

  private final class Opaque {}

  /// Its `==` ignores the note.
  private struct Row: Equatable {
    var id = 1, note = "a note that is longer than fifteen bytes"
    static func == (left: Row, right: Row) -> Bool { left.id == right.id }
  }

  private enum Kind { case one, other, text(String) }

  private struct Answers: Equatable {
    var isProvablySame, isSameOrEqual, isNotKnownToDiffer: Bool
    init(_ answers: (Bool, Bool, Bool)) { (isProvablySame, isSameOrEqual, isNotKnownToDiffer) = answers }
  }

  private func expect<Value>(
    _ left: Value, _ right: Value, _ isProvablySame: Bool, _ isSameOrEqual: Bool, _ isNotKnownToDiffer: Bool,
    line: UInt = #line
  ) {
    for (left, right) in [(left, right), (right, left)] {
      let answers = (
        _areProvablySame(left, right), _areSameOrEqualWithin(left, right), !_areKnownToDiffer(left, right)
      )
      XCTAssertEqual(
        Answers(answers), Answers((isProvablySame, isSameOrEqual, isNotKnownToDiffer)), "\(left), \(right)", line: line)
    }
  }

  func testTextsAreComparedByTheirBytes() {
    let composed = "caf\u{e9} with more than fifteen bytes", decomposed = "cafe\u{301} with more than fifteen bytes"
    expect(composed, String(composed.reversed().reversed()), true, true, true)
    expect(composed, decomposed, false, false, true)
    expect(composed, composed + "x", false, false, false)
    expect([composed], [decomposed], false, false, true)
  }

  func testNaNsAndSignedZerosAreTheSameOrEqual() {
    expect([Double.nan], [Double.nan], false, true, true)
    expect(["a": Double.nan], ["a": Double.nan], false, true, true)
    expect(Optional([Float.nan]), [Float.nan], false, true, true)
    expect([0.0], [-0.0], false, true, true)
  }

  func testMembersThatEqualityIgnoresAreCompared() {
    expect(Row(), Row(), true, true, true)
    expect(Row(), Row(note: "another note of more than fifteen bytes"), false, false, false)
    expect([Row()], [Row(note: "another note of more than fifteen bytes")], false, false, false)
    expect(Set([1, 2]), Set([2, 1]), false, true, true)
    expect([1: Row()], [1: Row(note: "another note of more than fifteen bytes")], false, false, false)
  }

  func testObjectsAreComparedByIdentityAndEquality() {
    let object = Opaque()
    expect(object, object, true, true, true)
    expect(Opaque(), Opaque(), false, false, true)
    expect(Object("a"), Object("a"), false, true, true)
    expect(Object("a"), Object("b"), false, false, false)
    expect([Object("a")] as [AnyObject], [Object("b")], false, false, false)
    expect([Opaque()] as [Any], [1], false, false, false)
  }

  func testEnumCasesAreDistinguished() {
    expect(Kind.one, .one, true, true, true)
    expect(Kind.one, .other, false, false, false)
    expect(Kind.text("x"), .text("x"), true, true, true)
    expect(Kind.text("x"), .text("y"), false, false, false)
    expect(Kind?.none, .none, true, true, true)
    expect(Kind?.none, .one, false, false, false)
    enum Loose: Equatable {
      case one, other
      static func == (left: Loose, right: Loose) -> Bool { true }
    }
    expect(Loose.one, .other, false, true, true)
  }

  func testFoundationTypesAreComparedByTheirEquality() {
    expect(IndexSet([1, 2]), IndexSet([1, 2]), false, true, true)
    expect(IndexSet([1, 2]), IndexSet([1]), false, false, false)
    expect(URL(filePath: "/a"), URL(filePath: "/a"), false, true, true)
    expect(Data(count: 100), Data(count: 100), false, true, true)
  }

  func testAnyIsComparedByItsContents() {
    XCTAssertTrue(_areProvablySame(1 as Any, 1 as Any) && _areSameOrEqualWithin(1 as Any, 1 as Any))
    XCTAssertFalse(_areProvablySame(1 as Any, "1" as Any) || _areSameOrEqualWithin(1 as Any, "1" as Any))
    XCTAssertTrue(_areKnownToDiffer(1 as Any, 2 as Any) && !_areKnownToDiffer(1 as Any, 1 as Any))
    expect([1, "a", nil] as [Any?], [1, "a", nil], false, true, true)
  }

  /// Undo asks this to find out whether an assignment changes anything that is stored.
  func testSameContentsAreFoundInOtherStorage() {
    func text(_ end: String) -> String { "a text of more than fifteen bytes" + end }
    func expect<Value>(_ left: Value, _ right: Value, _ isSame: Bool, line: UInt = #line) {
      XCTAssertEqual(_haveSameContents(left, right), isSame, "\(left), \(right)", line: line)
      XCTAssertEqual(_haveSameContents(left as Any, right as Any), isSame, "\(left), \(right)", line: line)
    }
    expect([text("")], [text("")], true)
    expect(["caf\u{e9}"], ["cafe\u{301}"], false)
    expect([Row()], [Row(note: text(""))], false)
    expect([0.0], [-0.0], false)
    expect(Set([Double.nan, 1]), Set([1, Double.nan]), true)
    expect([Double.nan: [1]], [Double.nan: [1]], true)
    expect([Double.nan: [1]], [Double.nan: [2]], false)
    expect(text("a").prefix(9), text("a").prefix(9), true)
    expect(text("a").prefix(9), text("b").prefix(9), false)
    expect([[1], [1], [1]][0..<2], [[1], [1], [1]][0..<2], true)
    expect([[1], [1], [1]][0..<2], [[1], [1], [1]][1..<3], false)
    expect(AnyHashable([text("")]), AnyHashable([text("")]), true)
    expect(AnyHashable("caf\u{e9}"), AnyHashable("cafe\u{301}"), false)
    expect([Kind.one, .text(text(""))], [.one, .text(text(""))], true)
    expect([Kind.one], [.other], false)
    expect(Data(count: 100), Data(count: 100), true)
    expect(IndexSet([1, 2]), IndexSet([1]), false)
    expect(Object("a"), Object("a"), false)
  }

  #if canImport(Glibc)
    func testValuesOfUnknownTypesAreComparedByTheirBytes() {
      func erased<Value>(_ value: Value) -> Any { value }
      let (info, same) = (erased(tcp_info()), erased(tcp_info()))
      XCTAssertTrue(_areSameOrEqualWithin(info, same) && _areProvablySame(info, same))
      var other = tcp_info()
      other.tcpi_snd_wscale = 3
      XCTAssertFalse(_areSameOrEqualWithin(info, erased(other)) || _areProvablySame(info, erased(other)))
    }
  #endif

  func testVeryDeepValuesAreNotCompared() {
    func nested(_ depth: Int, _ end: Any) -> Any { depth == 0 ? end : [nested(depth - 1, end)] }
    expect(nested(90, 1), nested(90, 1), false, true, true)
    expect(nested(90, 1), nested(90, 2), false, false, false)
    expect(nested(300, 1), nested(300, 1), false, false, true)
    indirect enum Chain { case end(Int), link(Chain) }
    func chain(_ depth: Int, _ end: Int) -> Chain { depth == 0 ? .end(end) : .link(chain(depth - 1, end)) }
    expect(chain(100, 1), chain(100, 2), false, false, false)
    expect(chain(101, 1), chain(101, 2), false, false, true)
  }
}
