public import Sameness

// The ranges in which two collections differ, found in linear time.
//
// Two elements are the same if their bytes are, or by the closure `isSame`, if there is one.

extension RandomAccessCollection where Index == Int {
  /// The ranges in which this collection differs from an old one with the same start index.
  ///
  /// Collections of the same length are compared index by index, which finds any number of changed runs. In collections
  /// of different lengths, everything between the common beginning and the common end is one run. If many runs together
  /// would take more memory than the old elements, the whole collection is one run.
  @inlinable
  func runs(changedFrom old: Self, _ isSame: ((Element, Element) -> Bool)?) -> [(old: Range<Int>, new: Range<Int>)] {
    if count != old.count { return [middle(changedFrom: old, isSame)] }
    // A run costs about 64 bytes, so runs that are close together become one.
    let stride = MemoryLayout<Element>.stride
    let gap = Swift.max(1, 64 / stride)
    var runs: [(old: Range<Int>, new: Range<Int>)] = []
    var cost = 0
    var index = startIndex
    index += old.countOfSame(from: index, in: self, from: index, atMost: endIndex - index, isSame)
    while index < endIndex {
      var end = index + 1
      var same = 0
      while end < endIndex {
        if isSame == nil {
          end += old.countOfOtherBytes(from: end, in: self, atMost: endIndex - end)
        }
        same = old.countOfSame(from: end, in: self, from: end, atMost: endIndex - end, isSame)
        if same >= gap || end + same == endIndex { break }
        end += same + 1
        same = 0
      }
      runs.append((index..<end, index..<end))
      cost += (end - index) * stride + 64
      if runs.count > 1, cost >= count * stride { return [(startIndex..<endIndex, startIndex..<endIndex)] }
      index = end + same
    }
    return runs
  }

  /// Everything between the common beginning and the common end.
  @inlinable
  func middle(changedFrom old: Self, _ isSame: ((Element, Element) -> Bool)?) -> (old: Range<Int>, new: Range<Int>) {
    let shorter = Swift.min(old.count, count)
    let start = startIndex + old.countOfSame(from: startIndex, in: self, from: startIndex, atMost: shorter, isSame)
    var (oldEnd, end) = (old.endIndex, endIndex)
    while Swift.min(oldEnd, end) > start {
      let same = old.countOfSameBytes(before: oldEnd, in: self, before: end, atMost: Swift.min(oldEnd, end) - start)
      (oldEnd, end) = (oldEnd - same, end - same)
      if Swift.min(oldEnd, end) == start || !Self.areSame(old[oldEnd - 1], self[end - 1], isSame) { break }
      (oldEnd, end) = (oldEnd - 1, end - 1)
    }
    return (start..<oldEnd, start..<end)
  }

  /// The number of elements from an index on that are the same as in another collection from another index on.
  @inlinable
  func countOfSame(
    from index: Int, in other: Self, from otherIndex: Int, atMost limit: Int, _ isSame: ((Element, Element) -> Bool)?
  ) -> Int {
    var count = 0
    while count < limit {
      count += countOfSameBytes(from: index + count, in: other, from: otherIndex + count, atMost: limit - count)
      if count == limit || !Self.areSame(self[index + count], other[otherIndex + count], isSame) { break }
      count += 1
    }
    return count
  }

  /// Whether two elements are the same.
  ///
  /// If `isSame` is nil, elements are the same only if their bytes are.
  @inlinable
  static func areSame(_ a: Element, _ b: Element, _ isSame: ((Element, Element) -> Bool)?) -> Bool {
    MemoryLayout<Element>.size == 0 || UnsafeValueBytes.areSame(a, b)
      || isSame?(a, b) ?? false
  }
}
