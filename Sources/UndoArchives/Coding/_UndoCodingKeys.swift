/// The keys by which a value encodes its properties, with the types of what it encodes.
///
/// The value is asked to encode itself, and nothing is done with what it encodes.
struct _UndoCodingKeys {
  private let encoded: [String: Any.Type]
  private let isKey: (String) -> Bool

  init(of value: some Encodable) {
    let finder = Finder()
    // Its keys so far are known also where it throws.
    try? value.encode(to: finder)
    (encoded, isKey) = (finder.encoded, finder.isKey)
  }

  /// Whether a property is encoded by its name, as a value of one of these types; one that is missing, whether it would
  /// be.
  ///
  /// What is encoded as another value says more than the property does, or less. Where any text is a key, nothing is
  /// known of one that is missing.
  func contain(_ name: String, as types: [Any.Type], isMissing: Bool) -> Bool {
    if let type = encoded[name] { return types.contains { $0 == type } }
    return isMissing && isKey(name) && !isKey("\u{0}")
  }

  /// The type of what is encoded by a key.
  func type(of key: String) -> Any.Type? { encoded[key] }

  /// A digest of what a value encodes by a key; nil where that is nothing.
  static func digest(of key: String, in value: Any) -> UInt64? {
    func find<Value: Encodable>(in value: Value) -> UInt64? {
      let finder = Finder(digesting: key)
      try? value.encode(to: finder)
      return finder.digest
    }
    return (value as? any Encodable).flatMap { find(in: $0) }
  }

  private final class Finder: Encoder {
    /// What a digest is made of.
    let wanted: String?
    private(set) var digest: UInt64?
    var encoded: [String: Any.Type] = [:]
    private(set) var isKey: (String) -> Bool = { _ in false }
    /// Whether another container was asked for: what it has are no properties of the value.
    private var isFound = false

    init(digesting wanted: String? = nil) { self.wanted = wanted }

    func find(_ key: String, _ value: some Encodable) {
      if key == wanted { digest = try? _UndoDigest.of(value) }
    }

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
      defer { isFound = true }
      if !isFound { isKey = { Key(stringValue: $0) != nil } }
      return KeyedEncodingContainer(Keyed(finder: isFound ? nil : self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
      isFound = true
      return Unkeyed()
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
      isFound = true
      return Single()
    }
  }

  private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    /// Nil in a container of which the keys do not matter.
    let finder: Finder?
    var codingPath: [any CodingKey] { [] }

    /// What has no type of its own is of none that a property has.
    private func find(_ key: Key, _ type: Any.Type = Never.self) { finder?.encoded[key.stringValue] = type }

    // Nothing is said of the type: as where a property is missing and has no key.
    func encodeNil(forKey key: Key) {}
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) {
      find(key, Value.self)
      finder?.find(key.stringValue, value)
    }
    // Numbers of 16 bytes have requirements of their own, which throw by default.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: Int128, forKey key: Key) { find(key, Int128.self) }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: UInt128, forKey key: Key) { find(key, UInt128.self) }
    func nestedContainer<Nested>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
      find(key)
      return KeyedEncodingContainer(Keyed<Nested>(finder: nil))
    }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      find(key)
      return Unkeyed()
    }
    func superEncoder() -> any Encoder { Finder() }
    func superEncoder(forKey key: Key) -> any Encoder {
      find(key)
      return Finder()
    }
  }

  private struct Unkeyed: UnkeyedEncodingContainer {
    private(set) var count = 0
    var codingPath: [any CodingKey] { [] }

    mutating func encodeNil() { count += 1 }
    mutating func encode(_ value: some Encodable) { count += 1 }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    mutating func encode(_ value: Int128) { count += 1 }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    mutating func encode(_ value: UInt128) { count += 1 }
    mutating func nestedContainer<Nested>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
      count += 1
      return KeyedEncodingContainer(Keyed<Nested>(finder: nil))
    }
    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
      count += 1
      return Unkeyed()
    }
    mutating func superEncoder() -> any Encoder {
      count += 1
      return Finder()
    }
  }

  private struct Single: SingleValueEncodingContainer {
    var codingPath: [any CodingKey] { [] }

    func encodeNil() {}
    func encode(_ value: some Encodable) {}
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: Int128) {}
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: UInt128) {}
  }
}
