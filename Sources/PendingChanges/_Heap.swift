/// A binary heap: the least element is the first. (Williams, "Algorithm 232: Heapsort", CACM 1964.)
@usableFromInline
package struct _Heap<Element: Comparable> {
  /// No element is less than its parent, which is at half of its number, counted from one.
  @usableFromInline var elements: [Element]

  @inlinable
  package init(ascending elements: [Element] = []) {
    self.elements = elements
  }

  @inlinable
  package var count: Int { elements.count }

  @inlinable
  package var first: Element? { elements.first }

  @inlinable
  package mutating func insert(_ element: Element) {
    elements.append(element)
    var child = elements.count - 1
    while child > 0, case let parent = (child - 1) / 2, elements[child] < elements[parent] {
      elements.swapAt(child, parent)
      child = parent
    }
  }

  @inlinable
  package mutating func removeFirst() {
    elements.swapAt(0, elements.count - 1)
    elements.removeLast()
    var parent = 0
    while case let left = 2 * parent + 1, left < elements.count {
      let right = left + 1
      let least = right < elements.count && elements[right] < elements[left] ? right : left
      guard elements[least] < elements[parent] else { return }
      elements.swapAt(least, parent)
      parent = least
    }
  }
}

extension _Heap: Sendable where Element: Sendable {}
