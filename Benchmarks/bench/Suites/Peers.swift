// Peers for several suites.

#if Peers
  // Import the module itself. With only its umbrella module, its own removal methods are hidden, and slow defaults are
  // used.
  import DequeModule
#endif

/// A handmade queue that contains each element only once.
protocol PeerQueue<Element>: ~Copyable {
  associatedtype Element: Hashable

  init(_ elements: some Sequence<Element>)

  /// Returns false if the queue already contains the element.
  mutating func append(_ element: Element) -> Bool

  mutating func popFirst() -> Element?
}

/// The post's queue, made unique by hand: an array that is searched before each append.
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

/// The usual solution with the standard library: an array with a moving head for the order, and a set.
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
  /// The usual solution with swift-collections: a deque for the order, and a set.
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

  /// A deque of swift-collections that can't be copied, so it never checks whether its memory is shared.
  protocol NoncopyableDeque<Element>: ~Copyable {
    associatedtype Element: Hashable

    init(capacity: Int?, copying contents: some Collection<Element>)

    mutating func append(_ item: consuming Element)

    mutating func popFirst() -> Element?
  }

  extension UniqueDeque: NoncopyableDeque where Element: Hashable {}

  extension RigidDeque: NoncopyableDeque where Element: Hashable {}

  /// `DequeAndSet` with a deque that can't be copied.
  struct NoncopyableDequeAndSet<Elements: NoncopyableDeque & ~Copyable>: PeerQueue, ~Copyable {
    private var elements: Elements
    private var members: Set<Elements.Element>

    init(_ elements: some Sequence<Elements.Element>) {
      let elements = Array(elements)
      // A RigidDeque doesn't grow, and each turn briefly holds one element more.
      self.elements = Elements(capacity: elements.count + 1, copying: elements)
      members = Set(elements)
    }

    mutating func append(_ element: Elements.Element) -> Bool {
      guard members.insert(element).inserted else { return false }
      elements.append(element)
      return true
    }

    mutating func popFirst() -> Elements.Element? {
      guard let element = elements.popFirst() else { return nil }
      members.remove(element)
      return element
    }
  }
#endif
