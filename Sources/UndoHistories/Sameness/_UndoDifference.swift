public import Sameness

/// The ranges in which two collections differ, found in linear time.
///
/// Collections of the same length are compared index by index, which finds any number of changed runs. In collections
/// of different lengths, everything between the common beginning and the common end is one run. If many runs together
/// would take more memory than the old elements, the whole collection is one run.
///
/// Two elements are the same if their bytes are, or by the closure `isSame`. Without that closure, elements that retain
/// memory are also compared by their contents.
@usableFromInline
struct _UndoDifference {
  @usableFromInline
  var runs: [(old: Range<Int>, new: Range<Int>)] = []

  /// Compares two collections with the same start index.
  @inlinable
  init<Elements: _UndoElements>(
    from old: Elements, to new: Elements, isSame: ((Elements.Element, Elements.Element) -> Bool)?
  ) where Elements.Index == Int {
    if old.count == new.count {
      findRuns(old, new, isSame)
    } else {
      findMiddle(old, new, isSame)
    }
  }

  @inlinable
  mutating func findRuns<Elements: _UndoElements>(
    _ old: Elements, _ new: Elements, _ isSame: ((Elements.Element, Elements.Element) -> Bool)?
  ) where Elements.Index == Int {
    // A run costs about 64 bytes, so runs that are close together become one.
    let stride = MemoryLayout<Elements.Element>.stride
    let gap = max(1, 64 / stride)
    var cost = 0
    var index = old.startIndex
    index += countSame(old, index, new, index, atMost: old.endIndex - index, isSame)
    while index < old.endIndex {
      var end = index + 1
      var same = 0
      while end < old.endIndex {
        if isSame == nil, !_UndoWeight.retainsMemory(Elements.Element.self) {
          end += old.countOfOtherBytes(from: end, in: new, atMost: old.endIndex - end)
        }
        same = countSame(old, end, new, end, atMost: old.endIndex - end, isSame)
        if same >= gap || end + same == old.endIndex { break }
        end += same + 1
        same = 0
      }
      runs.append((index..<end, index..<end))
      cost += (end - index) * stride + 64
      if runs.count > 1, cost >= old.count * stride {
        runs = [(old.startIndex..<old.endIndex, new.startIndex..<new.endIndex)]
        return
      }
      index = end + same
    }
  }

  @inlinable
  mutating func findMiddle<Elements: _UndoElements>(
    _ old: Elements, _ new: Elements, _ isSame: ((Elements.Element, Elements.Element) -> Bool)?
  ) where Elements.Index == Int {
    let shorter = min(old.count, new.count)
    let start = countSame(old, old.startIndex, new, new.startIndex, atMost: shorter, isSame)
    var tail = 0
    while start + tail < shorter {
      let (i, j) = (old.endIndex - tail, new.endIndex - tail)
      tail += old.countOfSameBytes(before: i, in: new, before: j, atMost: shorter - start - tail)
      if start + tail == shorter || !areSame(old[old.endIndex - tail - 1], new[new.endIndex - tail - 1], isSame) {
        break
      }
      tail += 1
    }
    let first = old.startIndex + start
    runs.append((first..<(old.endIndex - tail), first..<(new.endIndex - tail)))
  }

  @inlinable
  func countSame<Elements: _UndoElements>(
    _ old: Elements, _ i: Int, _ new: Elements, _ j: Int, atMost limit: Int,
    _ isSame: ((Elements.Element, Elements.Element) -> Bool)?
  ) -> Int where Elements.Index == Int {
    var count = 0
    while count < limit {
      count += old.countOfSameBytes(from: i + count, in: new, from: j + count, atMost: limit - count)
      if count == limit || !areSame(old[i + count], new[j + count], isSame) { break }
      count += 1
    }
    return count
  }

  /// Whether two elements are the same.
  ///
  /// If `isSame` is nil, elements of a trivial type are the same only if their bytes are.
  @inlinable
  func areSame<Element>(_ a: Element, _ b: Element, _ isSame: ((Element, Element) -> Bool)?) -> Bool {
    MemoryLayout<Element>.size == 0 || UnsafeValueBytes.areSame(a, b)
      || isSame?(a, b) ?? (_UndoWeight.retainsMemory(Element.self) && _haveSameContents(a, b))
  }
}
