/// An encoder that writes nothing: a subclass is told what a value encodes, to find its keys or a digest.
class _UndoEncoder: Encoder {
  /// Where in a container something is encoded.
  enum Place {
    case key(any CodingKey), number(Int), superclass, single
  }

  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(path: [any CodingKey] = []) { codingPath = path }

  func add<Value: Encodable>(_ value: Value, at place: Place) throws {}
  func addNil(at place: Place) {}
  /// The encoder of a container within this one.
  func child(at place: Place) -> _UndoEncoder { self }

  func container<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Keyed(encoder: self))
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer { Unkeyed(encoder: self) }
  func singleValueContainer() -> any SingleValueEncodingContainer { Unkeyed(encoder: self, isSingle: true) }

  // The requirements for 16-byte numbers throw by default.

  private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: _UndoEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil(forKey key: Key) { encoder.addNil(at: .key(key)) }
    func encode(_ value: some Encodable, forKey key: Key) throws { try encoder.add(value, at: .key(key)) }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: Int128, forKey key: Key) throws { try encoder.add(value, at: .key(key)) }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: UInt128, forKey key: Key) throws { try encoder.add(value, at: .key(key)) }
    func nestedContainer<Nested>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
      encoder.child(at: .key(key)).container(keyedBy: type)
    }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      encoder.child(at: .key(key)).unkeyedContainer()
    }
    func superEncoder() -> any Encoder { encoder.child(at: .superclass) }
    func superEncoder(forKey key: Key) -> any Encoder { encoder.child(at: .key(key)) }
  }

  /// A container of elements, or of a single value.
  private struct Unkeyed: UnkeyedEncodingContainer, SingleValueEncodingContainer {
    let encoder: _UndoEncoder
    var isSingle = false
    var codingPath: [any CodingKey] { encoder.codingPath }
    private(set) var count = 0

    private mutating func next() -> Place {
      count += 1
      return isSingle ? .single : .number(count)
    }

    mutating func encodeNil() { encoder.addNil(at: next()) }
    mutating func encode(_ value: some Encodable) throws { try encoder.add(value, at: next()) }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    mutating func encode(_ value: Int128) throws { try encoder.add(value, at: next()) }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    mutating func encode(_ value: UInt128) throws { try encoder.add(value, at: next()) }
    mutating func nestedContainer<Nested>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
      encoder.child(at: next()).container(keyedBy: type)
    }
    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
      encoder.child(at: next()).unkeyedContainer()
    }
    mutating func superEncoder() -> any Encoder { encoder.child(at: next()) }
  }
}
