/// The keys under which a value encodes its properties, with the type and a digest of what it encodes by each key.
///
/// They tell whether a property is encoded by its own name. The value is asked to encode itself by an encoder that
/// writes nothing (`_UndoEncoder`).
final class _UndoCodingKeys: _UndoEncoder {
  /// The key whose value is digested.
  private let wanted: String?
  private var digest: UInt64?
  /// The type of what is encoded by each key.
  private(set) var encoded: [String: Any.Type] = [:]
  private var isKey: (String) -> Bool = { _ in false }
  /// Whether the value has already asked for a container with keys; only the first one holds its properties.
  private var isFound = false

  init(of value: some Encodable, digesting wanted: String? = nil) {
    self.wanted = wanted
    super.init()
    // If it throws, the keys that it has encoded so far are still known.
    try? value.encode(to: self)
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

  /// A digest of what a value encodes by a key; nil if it encodes nothing by that key.
  static func digest(of key: String, in value: Any) -> UInt64? {
    (value as? any Encodable).flatMap { _UndoCodingKeys(of: $0, digesting: key).digest }
  }

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
}
