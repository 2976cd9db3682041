internal import Journals
internal import UndoArchives

/// A value that is encoded the same way in every process: the contents of sets, and of dictionaries that become arrays,
/// are sorted by their encoded form.
///
/// An encoder can sort the keys of objects, but doesn't know that an array was a set. So the value encodes itself to an
/// encoder that looks at each value on its way to the real one.
struct _StableValue<Value: Encodable>: Encodable {
  let value: Value

  func encode(to encoder: any Encoder) throws {
    switch value {
    // Encoders give these types forms of their own.
    case is Date, is Data, is URL, is Decimal:
      var container = encoder.singleValueContainer()
      try container.encode(value)
    case let value as any _Unordered: try value.encodeSorted(to: encoder)
    default: try value.encode(to: _StableEncoder(base: encoder))
    }
  }
}

/// A collection without an order.
private protocol _Unordered {
  func encodeSorted(to encoder: any Encoder) throws
}

extension Set: _Unordered where Element: Encodable {
  fileprivate func encodeSorted(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for member in try inStableOrder(self) { try container.encode(_StableValue(value: member)) }
  }
}

extension Dictionary: _Unordered where Key: Encodable, Value: Encodable {
  fileprivate func encodeSorted(to encoder: any Encoder) throws {
    // A dictionary with such keys is encoded as an object.
    if Key.self is any CodingKeyRepresentable.Type { return try encode(to: _StableEncoder(base: encoder)) }
    var container = encoder.unkeyedContainer()
    for key in try inStableOrder(keys) {
      guard let value = self[key] else { continue }
      try container.encode(_StableValue(value: key))
      try container.encode(_StableValue(value: value))
    }
  }
}

/// Sorts values: numbers by size, and all other values by their JSON.
private func inStableOrder<Value: Encodable>(_ values: some Sequence<Value>) throws -> [Value] {
  let encoder = JSONEncoder()
  encoder.outputFormatting = .sortedKeys
  let sortable = try values.map { value in
    let number = (value as? any BinaryInteger).map { Double($0) } ?? 0
    return (value, number: number, json: [UInt8](try encoder.encode(_StableValue(value: value))))
  }
  let sorted = sortable.sorted {
    $0.number == $1.number ? $0.json.lexicographicallyPrecedes($1.json) : $0.number < $1.number
  }
  return sorted.map(\.0)
}

private struct _StableEncoder: Encoder {
  let base: any Encoder
  var codingPath: [any CodingKey] { base.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

  func container<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Keyed(base: base.container(keyedBy: type)))
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer { Unkeyed(base: base.unkeyedContainer()) }
  func singleValueContainer() -> any SingleValueEncodingContainer { Single(base: base.singleValueContainer()) }

  private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    var base: KeyedEncodingContainer<Key>
    var codingPath: [any CodingKey] { base.codingPath }

    mutating func encodeNil(forKey key: Key) throws { try base.encodeNil(forKey: key) }
    mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
      // A plain value has nothing in it to sort.
      if UndoPieceCoding.isCompact(T.self) { return try base.encode(value, forKey: key) }
      try base.encode(_StableValue(value: value), forKey: key)
    }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    mutating func encode(_ value: Int128, forKey key: Key) throws { try base.encode(value, forKey: key) }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    mutating func encode(_ value: UInt128, forKey key: Key) throws { try base.encode(value, forKey: key) }
    mutating func nestedContainer<Nested>(
      keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
      KeyedEncodingContainer(Keyed<Nested>(base: base.nestedContainer(keyedBy: type, forKey: key)))
    }
    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      Unkeyed(base: base.nestedUnkeyedContainer(forKey: key))
    }
    mutating func superEncoder() -> any Encoder { _StableEncoder(base: base.superEncoder()) }
    mutating func superEncoder(forKey key: Key) -> any Encoder { _StableEncoder(base: base.superEncoder(forKey: key)) }
  }

  private struct Unkeyed: UnkeyedEncodingContainer {
    var base: any UnkeyedEncodingContainer
    var codingPath: [any CodingKey] { base.codingPath }
    var count: Int { base.count }

    mutating func encodeNil() throws { try base.encodeNil() }
    mutating func encode<T: Encodable>(_ value: T) throws {
      if UndoPieceCoding.isCompact(T.self) { return try base.encode(value) }
      try base.encode(_StableValue(value: value))
    }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    mutating func encode(_ value: Int128) throws { try base.encode(value) }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    mutating func encode(_ value: UInt128) throws { try base.encode(value) }
    mutating func nestedContainer<Nested>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
      KeyedEncodingContainer<Nested>(_StableEncoder.Keyed<Nested>(base: base.nestedContainer(keyedBy: type)))
    }
    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
      Unkeyed(base: base.nestedUnkeyedContainer())
    }
    mutating func superEncoder() -> any Encoder { _StableEncoder(base: base.superEncoder()) }
  }

  private struct Single: SingleValueEncodingContainer {
    var base: any SingleValueEncodingContainer
    var codingPath: [any CodingKey] { base.codingPath }

    mutating func encodeNil() throws { try base.encodeNil() }
    mutating func encode<T: Encodable>(_ value: T) throws {
      if UndoPieceCoding.isCompact(T.self) { return try base.encode(value) }
      try base.encode(_StableValue(value: value))
    }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    mutating func encode(_ value: Int128) throws { try base.encode(value) }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    mutating func encode(_ value: UInt128) throws { try base.encode(value) }
  }
}
