/// Runs `body` for each of `choices`, and adds the choice to every failure.
public func withEvery<Choice>(
  _ label: String, in choices: some Sequence<Choice>, _ body: (Choice) throws -> Void
) rethrows {
  for choice in choices {
    try withTrace("\(label): \(choice)") { try body(choice) }
  }
}

/// Runs `body` for every subset of at most 20 `elements`.
public func withEverySubset<Element>(
  _ label: String, of elements: [Element], _ body: ([Element]) throws -> Void
) rethrows {
  precondition(elements.count <= 20, "too many elements to enumerate every subset")
  for mask in 0..<(1 << elements.count) {
    let subset = elements.indices.filter { mask & (1 << $0) != 0 }.map { elements[$0] }
    try withTrace("\(label): \(subset)") { try body(subset) }
  }
}

/// One way in which a ring buffer can hold its elements: where it starts, and so where it wraps.
///
///     slot      0   1   2   3          capacity 4, start 3, count 2
///             [ b |   |   | a ]        a ring whose elements wrap around the end
public struct RingLayout: Hashable, Sendable, CustomStringConvertible {
  /// How many slots the ring has.
  public let capacity: Int
  /// The slot of the oldest element.
  public let start: Int
  /// How many slots are in use from `start` on.
  public let count: Int

  /// Makes a layout; `start` and `count` must fit the capacity.
  public init(capacity: Int, start: Int, count: Int) {
    precondition((0...capacity).contains(count) && (capacity == 0 ? start == 0 : (0..<capacity).contains(start)))
    self.capacity = capacity
    self.start = start
    self.count = count
  }

  /// The layout in words.
  public var description: String { "capacity \(capacity), start \(start), count \(count)" }

  /// Every layout of a ring with `capacity` slots.
  public static func every(capacity: Int) -> [RingLayout] {
    (0..<max(capacity, 1)).flatMap { start in
      (0...capacity).map { RingLayout(capacity: capacity, start: start, count: $0) }
    }
  }
}

/// Runs `body` for every layout of every ring with one of `capacities`.
public func withEveryRingLayout(
  capacities: some Sequence<Int>, _ body: (RingLayout) throws -> Void
) rethrows {
  for capacity in capacities {
    try withEvery("ring", in: RingLayout.every(capacity: capacity), body)
  }
}
