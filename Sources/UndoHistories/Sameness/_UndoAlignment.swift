/// The difference of two sequences: the runs of items that don't match.
///
///     old   a b c d e        runs: c for x y, and f at the end
///     new   a b x y d e f
///
/// The algorithm is Bram Cohen's patience diff. It removes the common beginning and the common end. Then it matches the
/// items that occur exactly once in both sequences, in their longest common order, and continues between the matches.
/// Sequences without such items differ as a whole.
///
/// It takes O(*n* log *n*) for each of at most a hundred levels. Finding the shortest difference may take O(*n*²).
struct _UndoAlignment {
  /// The runs that differ, in order; the items between two runs are the same.
  private(set) var runs: [(old: Range<Int>, new: Range<Int>)] = []

  private let (old, new): ([Int], [Int])
  /// The place of each item in the current range: an index, `nowhere`, or `many`.
  private var (oldPlaces, newPlaces): ([Int], [Int])

  private static let (nowhere, many) = (-1, -2)

  init<Item: Hashable>(from old: [Item], to new: [Item]) {
    var numbers: [Item: Int] = [:]
    func number(_ item: Item) -> Int {
      if let number = numbers[item] { return number }
      numbers[item] = numbers.count
      return numbers.count - 1
    }
    (self.old, self.new) = (old.map(number), new.map(number))
    oldPlaces = [Int](repeating: Self.nowhere, count: old.count + new.count)
    newPlaces = oldPlaces
    align(0..<old.count, 0..<new.count, depth: 0)
  }

  private mutating func align(_ oldRange: Range<Int>, _ newRange: Range<Int>, depth: Int) {
    let (a, b) = (old[oldRange], new[newRange])
    let shorter = min(a.count, b.count)
    let start = zip(a, b).prefix { $0 == $1 }.count
    let tail = zip(a.reversed(), b.reversed()).prefix(shorter - start).prefix { $0 == $1 }.count
    let oldRange = oldRange.lowerBound + start..<oldRange.upperBound - tail
    let newRange = newRange.lowerBound + start..<newRange.upperBound - tail
    if oldRange.isEmpty, newRange.isEmpty { return }
    let matches = depth < 100 ? matches(oldRange, newRange) : []
    if matches.isEmpty { return runs.append((oldRange, newRange)) }
    var (i, j) = (oldRange.lowerBound, newRange.lowerBound)
    for match in matches {
      align(i..<match.old, j..<match.new, depth: depth + 1)
      (i, j) = (match.old + 1, match.new + 1)
    }
    align(i..<oldRange.upperBound, j..<newRange.upperBound, depth: depth + 1)
  }

  /// The items that occur once in both ranges, in their longest common order.
  private mutating func matches(_ oldRange: Range<Int>, _ newRange: Range<Int>) -> [(old: Int, new: Int)] {
    if oldRange.isEmpty || newRange.isEmpty { return [] }
    for index in oldRange { Self.note(index, of: old[index], in: &oldPlaces) }
    for index in newRange { Self.note(index, of: new[index], in: &newPlaces) }
    var pairs: [(old: Int, new: Int)] = []
    for index in oldRange where oldPlaces[old[index]] == index && newPlaces[old[index]] >= 0 {
      pairs.append((index, newPlaces[old[index]]))
    }
    for index in oldRange { oldPlaces[old[index]] = Self.nowhere }
    for index in newRange { newPlaces[new[index]] = Self.nowhere }
    return Self.longestIncreasing(pairs)
  }

  private static func note(_ index: Int, of item: Int, in places: inout [Int]) {
    places[item] = places[item] == nowhere ? index : many
  }

  /// The longest increasing subsequence, by patience sorting: each pair goes onto the first pile whose top is greater,
  /// and refers to the top of the previous pile.
  private static func longestIncreasing(_ pairs: [(old: Int, new: Int)]) -> [(old: Int, new: Int)] {
    var (tops, previous): ([Int], [Int?]) = ([], [])
    for (index, pair) in pairs.enumerated() {
      var piles = 0..<tops.count
      while !piles.isEmpty {
        let middle = (piles.lowerBound + piles.upperBound) / 2
        piles = pairs[tops[middle]].new < pair.new ? middle + 1..<piles.upperBound : piles.lowerBound..<middle
      }
      let pile = piles.lowerBound
      previous.append(pile > 0 ? tops[pile - 1] : nil)
      if pile < tops.count { tops[pile] = index } else { tops.append(index) }
    }
    var (result, next): ([(old: Int, new: Int)], Int?) = ([], tops.last)
    while let index = next {
      result.append(pairs[index])
      next = previous[index]
    }
    return result.reversed()
  }
}
