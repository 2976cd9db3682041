import Foundation
import Partials
import XCTest

/// Texts at key paths without an offset, such as subscripts, whose values any edit may remove.
final class PartialTextTests: XCTestCase {
  func testUnparsedTextOfAnElementOutOfRangeDoesNotTrap() {
    struct Scores { var name: String, scores: [Int] }
    var form = Partial(over: Scores(name: "Ada", scores: [1, 2, 3]))
    form.enter("4x", at: \.scores[2]) { Int($0) }
    form.scores = [1]
    form.enter("5x", at: \.scores[5]) { Int($0) }
    for policy in [Partial<Scores>.MergePolicy.replace, .keep] {
      var merged = Partial(over: Scores(name: "Grace", scores: []))
      merged.merge(form, policy: policy)
      merged.merge(form, policy: policy)
      XCTAssertEqual(merged.entered(\.scores[5]), "5x")
    }
    form.scores = [1]
    form[\.scores[5]] = nil
    let validation = Partial<Scores>.Validation(.required(\.name))
    XCTAssertEqual(validation.issues(in: form)?.map(\.kind), [.notUnderstood])
    XCTAssertEqual(form.entered(\.scores[2]), "4x")
    form[\.self] = Scores(name: "Grace", scores: [])
    XCTAssertNil(validation.issues(in: form))
  }

  func testParsedTextOfAnElementOutOfRangeIsDiscarded() {
    struct Scores: Equatable { var name: String, scores: [Int] }
    for hasOriginal in [true, false] {
      let ada = Scores(name: "Ada", scores: [1, 2, 3])
      var form = hasOriginal ? Partial(over: ada) : Partial(ada)
      form.enter("5", at: \.scores[2]) { Int($0) }
      XCTAssertEqual(form.entered(\.scores[2]), "5")
      form.name = "Grace"
      XCTAssertEqual(form.entered(\.scores[2]), "5")
      form.scores = [1]
      XCTAssertNil(Partial<Scores>.Validation(.required(\.name)).issues(in: form))
      XCTAssertNil(form.entered(\.scores[2]))
      XCTAssertEqual(form.scores, [1])
    }
  }

  func testTextOfAnUnwrappedOptionalThatBecameNilIsDiscarded() {
    struct Person { var name: String?, age = 1 }
    var form = Partial(over: Person(name: "Ada"))
    form.enter("Bob", at: \.name!) { $0 }
    form.name = .some(nil)
    XCTAssertNil(form.entered(\.name!))
    XCTAssertNil(Partial<Person>.Validation(.required(\.age)).issues(in: form))
  }

  func testTextOfAnElementRemovedByAMergeOrASetterIsDiscarded() {
    struct Order {
      var lines: [Int]
      var note = ""
      var list: [Int] {
        get { lines }
        set { lines = newValue }
      }
      var isCleared: Bool {
        get { lines.isEmpty }
        set { if newValue { lines = [] } }
      }
    }
    for setter in 0..<3 {
      var form = Partial(over: Order(lines: [1]))
      form.enter("5", at: \.lines[0]) { Int($0) }
      form.note = "a"
      form.merge(Partial())
      XCTAssertEqual(form.entered(\.lines[0]), "5")
      switch setter {
      case 0:
        var update = Partial<Order>()
        update.lines = []
        form.merge(update)
      case 1: form.list = []
      default: form.isCleared = true
      }
      form.merge(Partial())
      XCTAssertNil(form.entered(\.lines[0]))
    }
  }

  func testTextBelowANestedOptionalThatBecameNilIsDiscarded() {
    struct Size { var width: Double }
    struct Box { var size: Size?, depth = 1.0 }
    struct Parcel { var box: Box, note = "" }
    var form = Partial(over: Parcel(box: Box(size: Size(width: 1))))
    form.enter("3", at: \.box.size!.width) { Double($0) }
    form.box = Box(size: nil)
    XCTAssertNil(form.entered(\.box.size!.width))
    form.merge(Partial())
  }

  func testTextOfAComputedPropertyStaysIfOtherPropertiesAreSet() {
    struct Oven {
      var half = 10.0
      var uses: Int?
      var since = Date.distantPast
      var note: String?
      var whole: Double {
        get { 2 * half }
        set { half = newValue / 2 }
      }
    }
    var form = Partial(over: Oven())
    form.enter("70.", at: \.whole) { Double($0) }
    form.since = .distantFuture
    form.note = "warm"
    form.enter("41", at: \.uses) { Int($0) }
    XCTAssertEqual(form.entered(\.whole), "70.")
    // An unparsed text elsewhere doesn't discard the text either.
    var other = Partial(over: Oven())
    other.enter("70.", at: \.whole) { Double($0) }
    other.enter("-", at: \.uses) { Int($0) }
    var update = Partial<Oven>()
    update.uses = 3
    other.merge(update)
    XCTAssertEqual(other.entered(\.whole), "70.")
    form.half = 1
    XCTAssertNil(form.entered(\.whole))
  }
}
