/// The keys under which a value encodes its properties, with the types of the encoded values; and digests of such
/// values.
///
/// The value is asked to encode itself by an encoder that stores nothing (`_UndoEncoder`).
struct _UndoCodingKeys {
  private let encoded: [String: Any.Type]
  private let isKey: (String) -> Bool

  init(of value: some Encodable) {
    let finder = Finder()
    // If it throws, the keys that it has encoded so far are still known.
    try? value.encode(to: finder)
    (encoded, isKey) = (finder.encoded, finder.isKey)
  }

  /// Whether the value encodes a property under its name, as a value of one of these types.
  ///
  /// A property that is encoded as another type is not counted, because its encoded form may lose information. If the
  /// property is missing from what was encoded, such as a nil, the answer is whether its name is one of the keys; a
  /// type that takes any text for a key gives no answer, which counts as no.
  ///
  /// - Parameter isMissing: Whether the value may have left the property out.
  func contain(_ name: String, as types: [Any.Type], isMissing: Bool) -> Bool {
    if let type = encoded[name] { return types.contains { $0 == type } }
    return isMissing && isKey(name) && !isKey("\u{0}")
  }

  /// The type of what is encoded by a key.
  func type(of key: String) -> Any.Type? { encoded[key] }

  /// A digest of what a value encodes by a key; nil if it encodes nothing by that key.
  static func digest(of key: String, in value: Any) -> UInt64? {
    func find<Value: Encodable>(in value: Value) -> UInt64? {
      let finder = Finder(digesting: key)
      try? value.encode(to: finder)
      return finder.digest
    }
    return (value as? any Encodable).flatMap { find(in: $0) }
  }

  private final class Finder: _UndoEncoder {
    /// The key whose value is digested.
    private let wanted: String?
    private(set) var digest: UInt64?
    private(set) var encoded: [String: Any.Type] = [:]
    private(set) var isKey: (String) -> Bool = { _ in false }
    /// Whether the value has already asked for a container; only the first one holds its properties.
    private var isFound = false

    init(digesting wanted: String? = nil) { self.wanted = wanted }

    // A nil counts as missing, like a property that isn't encoded.
    override func add<Value: Encodable>(_ value: Value, at place: Place) {
      guard case .key(let key) = place else { return }
      encoded[key.stringValue] = Value.self
      if key.stringValue == wanted { digest = try? _UndoDigest.of(value) }
    }

    /// A nested container has no type of its own, so it never matches the type of a property.
    override func child(at place: Place) -> _UndoEncoder {
      if case .key(let key) = place { encoded[key.stringValue] = Never.self }
      return _UndoEncoder()
    }

    override func container<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
      defer { isFound = true }
      if isFound { return _UndoEncoder().container(keyedBy: type) }
      isKey = { Key(stringValue: $0) != nil }
      return super.container(keyedBy: type)
    }

    override func unkeyedContainer() -> any UnkeyedEncodingContainer {
      isFound = true
      return _UndoEncoder().unkeyedContainer()
    }

    override func singleValueContainer() -> any SingleValueEncodingContainer {
      isFound = true
      return _UndoEncoder().singleValueContainer()
    }
  }
}

/// An encoder that stores nothing: a subclass is told what a value encodes.
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
  func singleValueContainer() -> any SingleValueEncodingContainer { Single(encoder: self) }
}

// The requirements for 16-byte numbers throw by default.

extension _UndoEncoder {
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

  private struct Unkeyed: UnkeyedEncodingContainer {
    let encoder: _UndoEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }
    private(set) var count = 0

    init(encoder: _UndoEncoder) { self.encoder = encoder }

    private mutating func next() -> Place {
      count += 1
      return .number(count)
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

  private struct Single: SingleValueEncodingContainer {
    let encoder: _UndoEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil() { encoder.addNil(at: .single) }
    func encode(_ value: some Encodable) throws { try encoder.add(value, at: .single) }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: Int128) throws { try encoder.add(value, at: .single) }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func encode(_ value: UInt128) throws { try encoder.add(value, at: .single) }
  }
}
