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
  /// - Throws: `DecodingError.dataCorrupted`, which names the index, when an element equals an earlier one.
  public init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    self.init()
    while !container.isAtEnd {
      let index = container.currentIndex
      guard append(try container.decode(Element.self)).inserted else {
        throw DecodingError.dataCorruptedError(
          in: container,
          debugDescription: "The element at index \(index) equals an earlier one: a queue has each element once.")
      }
    }
  }
}
