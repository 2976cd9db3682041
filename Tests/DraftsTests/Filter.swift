/// The value that the tests edit: the filter of a shop, whose price has a screen of its own.
struct Filter: Hashable, Sendable {
  struct Price: Hashable, Sendable {
    var from = 0
    var to = 100
  }

  var text = ""
  var limit = 10
  var price = Price()
}

/// The source of the drafts, which counts how often the filter is written.
final class Shop {
  var filter = Filter() {
    didSet { writes += 1 }
  }
  private(set) var writes = 0
}
