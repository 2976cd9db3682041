// Embedded Swift has no `Codable`.
#if !hasFeature(Embedded)

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
          // Not `dataCorruptedError(in: container)`: the container is at the next element by now.
          throw DecodingError.dataCorrupted(
            .init(
              codingPath: decoder.codingPath + [_IndexKey(index)],
              debugDescription: "The element at index \(index) equals an earlier one: a queue has each element once."))
        }
      }
    }
  }

  /// The place of an element in a coding path.
  private struct _IndexKey: CodingKey {
    let index: Int

    init(_ index: Int) { self.index = index }
    init?(intValue: Int) { self.init(intValue) }
    init?(stringValue: String) { nil }

    var intValue: Int? { index }
    var stringValue: String { "Index \(index)" }
  }

#endif
