import Dirtyables
import Drafts
import XCTest

/// Members with and without a setter, also many in one expression, which must not take the compiler long.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
final class DraftMembersTests: XCTestCase {
  private struct Table {
    var f0 = 0, f1 = 1, f2 = 2, f3 = 3, f4 = 4, f5 = 5, f6 = 6, f7 = 7, f8 = 8, f9 = 9, f10 = 10, f11 = 11
    let constant = 100
    var computed: Int { f0 + f1 }
  }

  private final class Home {
    var table = Table()
  }

  func testExpressionCanUseTwelveMembers() {
    let edited = Dirtyable(Table())
    let draft = Draft(of: Home(), \.table)
    let shared = ObservableDraft(Draft(of: Home(), \.table))
    XCTAssertEqual(
      [
        edited.f0, edited.f1, edited.f2, edited.f3, edited.f4, edited.f5, edited.f6, edited.f7, edited.f8, edited.f9,
        edited.f10, edited.f11,
      ].reduce(0, +), 66)
    XCTAssertEqual(
      [
        draft.f0, draft.f1, draft.f2, draft.f3, draft.f4, draft.f5, draft.f6, draft.f7, draft.f8, draft.f9, draft.f10,
        draft.f11,
      ].reduce(0, +), 66)
    XCTAssertEqual(
      [
        shared.f0, shared.f1, shared.f2, shared.f3, shared.f4, shared.f5, shared.f6, shared.f7, shared.f8, shared.f9,
        shared.f10, shared.f11,
      ].reduce(0, +), 66)
    let sum =
      draft.f0 + draft.f1 + draft.f2 + draft.f3 + draft.f4 + draft.f5 + draft.f6 + draft.f7 + draft.f8 + draft.f9
      + draft.f10 + draft.f11
    XCTAssertEqual(sum, 66)
  }

  func testConstantsAndComputedMembersAreRead() {
    var edited = Dirtyable(Table())
    edited.f0 = 5
    var draft = Draft(of: Home(), \.table)
    draft.f0 += 5
    let shared = ObservableDraft(Draft(of: Home(), \.table))
    shared.f0 = 5
    XCTAssertEqual([edited.current.constant, draft.current.constant, shared.current.constant], [100, 100, 100])
    XCTAssertEqual([edited.current.computed, draft.current.computed, shared.current.computed], [6, 6, 6])
  }
}
