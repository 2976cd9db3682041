extension UniqueQueue: Equatable {
  /// Whether both queues have equal elements in the same order.
  ///
  /// - Complexity: O(*n*); O(1) when they share storage or differ in their counts.
  @inlinable
  public static func == (left: Self, right: Self) -> Bool {
    left._ring === right._ring || left.count == right.count && left.elementsEqual(right)
  }
}

extension UniqueQueue: Hashable {
  /// Feeds the elements in their order to the hasher.
  ///
  /// - Complexity: O(*n*).
  @inlinable
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for element in self { hasher.combine(element) }
  }
}

extension UniqueQueue: ExpressibleByArrayLiteral {
  /// A queue of the elements in order, of equal ones the first.
  @inlinable
  public init(arrayLiteral elements: Element...) {
    self.init(elements)
  }
}

// An iterator reads a ring that nobody changes as long as the iterator shares it.
extension UniqueQueue.Iterator: @unchecked Sendable where Element: Sendable {}

#if !hasFeature(Embedded)

  extension UniqueQueue: CustomStringConvertible, CustomDebugStringConvertible {
    /// The elements in order, as an array shows them.
    public var description: String { Array(self).description }

    /// The type, and the elements in order.
    public var debugDescription: String { "UniqueQueue(\(description))" }
  }

  extension UniqueQueue: CustomReflectable {
    /// The elements in order.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: self, displayStyle: .collection) }
  }

#endif
