import Drafts
import XCTest

/// The example of the blog post: a filter screen edits a copy, "Apply" commits it, and "Cancel" drops it.
final class DraftPostTests: XCTestCase {
  private struct FilterScreen {
    var filter: Draft<Filter>
    var isPresented = true

    mutating func apply() throws {
      try filter.commit()
      isPresented = false
    }

    mutating func rollback() {
      filter.rollback()
      isPresented = false
    }
  }

  func testApplyCommitsTheEdits() throws {
    let shop = Shop()
    var screen = FilterScreen(filter: Draft(source: .init(get: { shop.filter }, set: { shop.filter = $0 })))
    screen.filter.text = "shoes"
    screen.filter.price.to = 50
    XCTAssertEqual(shop.filter, Filter(), "nothing is filtered while the screen is open")
    XCTAssertEqual(screen.filter.text, "shoes", "but the screen shows the edit")
    try screen.apply()
    XCTAssertEqual(shop.filter, Filter(text: "shoes", price: Filter.Price(from: 0, to: 50)))
    XCTAssertEqual(shop.writes, 1)
  }

  func testCancelLeavesTheSourceUntouched() {
    let shop = Shop()
    var screen = FilterScreen(filter: Draft(of: shop, \.filter))
    screen.filter.text = "shoes"
    screen.rollback()
    XCTAssertEqual(shop.filter, Filter())
    XCTAssertEqual(shop.writes, 0)
    XCTAssertEqual(screen.filter.text, "", "a screen shown again starts from the source")
  }
}
