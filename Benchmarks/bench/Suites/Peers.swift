// What several suites race against.

#if Peers
  // The module itself: with its umbrella alone its own removals are hidden, and slow defaults taken.
  import DequeModule
#endif

/// A queue in which each element is once, made by hand.
protocol PeerQueue<Element> {
  associatedtype Element: Hashable

  init(_ elements: some Sequence<Element>)

  /// False if the element waits already.
  mutating func append(_ element: Element) -> Bool

  mutating func popFirst() -> Element?
}

/// The post's own queue made unique by hand: an array that is searched before each append.
struct ArrayQueue<Element: Hashable>: PeerQueue {
  private var elements: [Element]

  init(_ elements: some Sequence<Element>) {
    self.elements = Array(elements)
  }

  mutating func append(_ element: Element) -> Bool {
    guard elements.firstIndex(of: element) == nil else { return false }
    elements.append(element)
    return true
  }

  mutating func popFirst() -> Element? {
    elements.isEmpty ? nil : elements.removeFirst()
  }
}

/// The usual answer with the standard library alone: an array for the order, read from a moving head, and a set
/// beside it.
struct SetAndArrayQueue<Element: Hashable>: PeerQueue {
  private var elements: [Element]
  private var head = 0
  private var members: Set<Element>

  init(_ elements: some Sequence<Element>) {
    self.elements = Array(elements)
    members = Set(self.elements)
  }

  mutating func append(_ element: Element) -> Bool {
    guard members.insert(element).inserted else { return false }
    elements.append(element)
    return true
  }

  mutating func popFirst() -> Element? {
    guard head < elements.count else { return nil }
    let element = elements[head]
    head += 1
    if head * 2 >= elements.count {
      elements.removeFirst(head)
      head = 0
    }
    members.remove(element)
    return element
  }
}

#if Peers
  /// The usual answer with swift-collections: a deque for the order, and a set beside it.
  struct DequeAndSet<Element: Hashable>: PeerQueue {
    private var elements: Deque<Element>
    private var members: Set<Element>

    init(_ elements: some Sequence<Element>) {
      self.elements = Deque(elements)
      members = Set(self.elements)
    }

    mutating func append(_ element: Element) -> Bool {
      guard members.insert(element).inserted else { return false }
      elements.append(element)
      return true
    }

    mutating func popFirst() -> Element? {
      guard let element = elements.popFirst() else { return nil }
      members.remove(element)
      return element
    }
  }
#endif
