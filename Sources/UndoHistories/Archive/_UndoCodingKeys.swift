/// The names by which a value encodes its properties.
///
/// They are those of the keys that it asks an encoder for. Nothing is encoded.
struct _UndoCodingKeys {
  private let isKey: (String) -> Bool

  init(of value: some Encodable) {
    let finder = Finder()
    // It stops at the first property.
    try? value.encode(to: finder)
    isKey = finder.isKey
  }

  /// Whether a name is one of the keys; false where any text is one.
  func contain(_ name: String) -> Bool { isKey(name) && !isKey("\u{0}") }

  private struct Stop: Error {}

  private final class Finder: Encoder {
    private(set) var isKey: (String) -> Bool = { _ in false }
    private var isFound = false

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
      if !isFound { isKey = { Key(stringValue: $0) != nil } }
      isFound = true
      return KeyedEncodingContainer(Keyed(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
      isFound = true
      return Unkeyed(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
      isFound = true
      return Single()
    }
  }

  private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: Finder
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws { throw Stop() }
    func encode(_ value: some Encodable, forKey key: Key) throws { throw Stop() }
    func nestedContainer<Nested>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
      encoder.container(keyedBy: type)
    }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { encoder.unkeyedContainer() }
    func superEncoder() -> any Encoder { encoder }
    func superEncoder(forKey key: Key) -> any Encoder { encoder }
  }

  private struct Unkeyed: UnkeyedEncodingContainer {
    let encoder: Finder
    var codingPath: [any CodingKey] { [] }
    var count: Int { 0 }

    func encodeNil() throws { throw Stop() }
    func encode(_ value: some Encodable) throws { throw Stop() }
    func nestedContainer<Nested>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
      encoder.container(keyedBy: type)
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
    func superEncoder() -> any Encoder { encoder }
  }

  private struct Single: SingleValueEncodingContainer {
    var codingPath: [any CodingKey] { [] }

    func encodeNil() throws { throw Stop() }
    func encode(_ value: some Encodable) throws { throw Stop() }
  }
}
