/// An element that counts how often it is hashed and compared.
struct Counted: Hashable {
  let number: Int
  let calls: Calls

  static func == (left: Counted, right: Counted) -> Bool {
    left.calls.comparisons += 1
    return left.number == right.number
  }

  func hash(into hasher: inout Hasher) {
    calls.hashes += 1
    hasher.combine(number)
  }
}

final class Calls: @unchecked Sendable {
  var hashes = 0
  var comparisons = 0

  func reset() {
    hashes = 0
    comparisons = 0
  }
}
