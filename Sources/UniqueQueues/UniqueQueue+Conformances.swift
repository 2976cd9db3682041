extension UniqueQueue: Hashable {
  /// Whether both queues have equal elements in the same order.
  ///
  /// - Complexity: O(*n*); O(1) when they share storage or differ in their counts.
  @inlinable
  public static func == (left: Self, right: Self) -> Bool {
    left._ring === right._ring || left.count == right.count && left.elementsEqual(right)
  }

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
  /// A queue of the elements in order; only the first of equal elements is kept.
  @inlinable
  public init(arrayLiteral elements: Element...) {
    self.init(elements)
  }
}

// Sendable because a ring isn't changed while an iterator shares it.
extension UniqueQueue.Iterator: @unchecked Sendable where Element: Sendable {}

// Embedded Swift has no descriptions, mirrors or `Codable`.
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

  extension UniqueQueue: Encodable where Element: Encodable {
    /// Writes the elements in order, as an array is written.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      for element in self { try container.encode(element) }
    }
  }

  extension UniqueQueue: Decodable where Element: Decodable {
    /// Reads elements in order.
    ///
    /// - Throws: `DecodingError.dataCorrupted`, whose path ends with the index, when an element equals an earlier one.
    public init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      self.init()
      while !container.isAtEnd {
        let index = container.currentIndex
        guard append(try container.decode(Element.self)).inserted else {
          // Not `dataCorruptedError(in: container)`, because the container is already at the next element.
          throw DecodingError.dataCorrupted(
            .init(
              codingPath: decoder.codingPath + [_IndexKey(index)],
              debugDescription: "The element at index \(index) equals an earlier one: a queue has each element once."))
        }
      }
    }
  }

  /// The index of an element in a coding path.
  private struct _IndexKey: CodingKey {
    let index: Int

    init(_ index: Int) { self.index = index }
    init?(intValue: Int) { self.init(intValue) }
    init?(stringValue: String) { nil }

    var intValue: Int? { index }
    var stringValue: String { "Index \(index)" }
  }

#endif
