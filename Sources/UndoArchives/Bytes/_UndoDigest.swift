/// Computes digests of what values encode, and of bytes, which are the same in every process and on every machine.
///
/// The contents of a container are added up, each mixed with its key or index, so the random order of dictionaries and
/// sets doesn't matter. The digest protects against mistakes, not against forgery. A `Node` adds up what one value
/// encodes; the containers are those of its superclass, `_UndoEncoder`.
package enum _UndoDigest {
  /// A digest of what a value encodes, or only of its keys and the kinds of its values.
  package static func of(_ value: some Encodable, hasValues: Bool = true) throws -> UInt64 {
    let node = Node(hasValues: hasValues)
    try node.add(value, salt: 0)
    return node.sum
  }

  /// The finalizer of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014).
  static func mix(_ salt: UInt64, _ bits: UInt64) -> UInt64 {
    var bits = bits &+ (salt &+ 1) &* 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }

  /// FNV-1a (Fowler, Noll, Vo).
  static func ofBytes(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  static func mix(_ text: String) -> UInt64 { mix(3, ofBytes(text.utf8)) }

  /// The digest of one value, as its encoder.
  final class Node: _UndoEncoder {
    private var total: UInt64 = 0
    private let hasValues: Bool
    /// The digests of nested values, whose encoders may still be in use.
    private var children: [(salt: UInt64, node: Node)] = []

    init(path: [any CodingKey] = [], hasValues: Bool = true) {
      self.hasValues = hasValues
      super.init(path: path)
    }

    var sum: UInt64 { children.reduce(total) { $0 &+ mix($1.salt, $1.node.sum) } }

    private func salt(of place: Place) -> UInt64 {
      switch place {
      case .key(let key): mix(key.stringValue)
      case .number(let number): UInt64(number)
      case .superclass: mix("super")
      case .single: 0
      }
    }

    override func add<Value: Encodable>(_ value: Value, at place: Place) throws {
      try add(value, salt: salt(of: place))
    }

    override func addNil(at place: Place) { add(bits: 0, kind: 6, salt: salt(of: place)) }

    override func child(at place: Place) -> _UndoEncoder {
      let salt = salt(of: place)
      return if case .key(let key) = place { child(salt: salt, codingPath + [key]) } else { child(salt: salt) }
    }

    private func add(bits: UInt64, kind: UInt64, salt: UInt64) {
      total &+= mix(salt, mix(kind, hasValues ? bits : 0))
    }

    func add<Value: Encodable>(_ value: Value, salt: UInt64) throws {
      switch value {
      case let value as String: total &+= mix(salt, mix(hasValues ? value : ""))
      case let value as any FixedWidthInteger: add(integer: value, salt: salt)
      // Every NaN counts as the same, because text formats have only one word for all of them.
      case let value as Double: add(bits: (value.isNaN ? .nan : value).bitPattern, kind: 2, salt: salt)
      case let value as Float: add(bits: UInt64((value.isNaN ? .nan : value).bitPattern), kind: 4, salt: salt)
      case let value as Bool: add(bits: value ? 1 : 0, kind: 5, salt: salt)
      case let value as any _UndoUnordered: try value.add(to: child(salt: salt))
      default: try value.encode(to: child(salt: salt))
      }
    }

    /// Adds a number of any width in the same way, because the width of a part may change while its contents don't.
    private func add(integer: some FixedWidthInteger, salt: UInt64) {
      let kind: UInt64 = hasValues && integer < 0 ? 1 : 0
      add(bits: UInt64(truncatingIfNeeded: integer), kind: kind, salt: salt)
      guard hasValues, Int64(exactly: integer) == nil, UInt64(exactly: integer) == nil else { return }
      add(bits: UInt64(truncatingIfNeeded: integer >> 64), kind: kind, salt: ~salt)
    }

    private func child(salt: UInt64, _ path: [any CodingKey]? = nil) -> Node {
      let node = Node(path: path ?? codingPath, hasValues: hasValues)
      children.append((salt, node))
      return node
    }
  }
}

/// A collection without an order.
private protocol _UndoUnordered {
  func add(to node: _UndoDigest.Node) throws
}

extension Set: _UndoUnordered where Element: Encodable {
  func add(to node: _UndoDigest.Node) throws {
    for member in self { try node.add(member, salt: 0) }
  }
}

extension Dictionary: _UndoUnordered where Key: Encodable, Value: Encodable {
  func add(to node: _UndoDigest.Node) throws {
    for (key, value) in self { try node.add(value, salt: _UndoDigest.of(key)) }
  }
}
