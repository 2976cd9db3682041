internal import Journals
internal import PendingChanges

/// A change as its record in the journal has it, with its key apart.
///
/// So the key is known even if the change can't be decoded.
///
///     version 4 │ size of the key 4 │ key │ change
package struct _OutboxContents: Hashable, Sendable {
  let bytes: [UInt8]

  /// - Parameters:
  ///   - key: The encoded key; nothing if it can't be encoded.
  ///   - version: The app's version of the encoding.
  package init(_ change: Data, key: Data = Data(), version: Int = 0) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(8 + key.count + change.count)
    bytes.append(littleEndian: UInt32(clamping: version))
    bytes.append(littleEndian: UInt32(clamping: key.count))
    bytes += key
    bytes += change
    self.bytes = bytes
  }

  /// Reads the rest of a record; nil if it is too short.
  init?(_ bytes: ArraySlice<UInt8>) {
    self.bytes = Array(bytes)
    guard parts != nil else { return nil }
  }

  var version: Int { parts?.version ?? 0 }
  var key: Data { parts?.key ?? Data() }
  package var change: Data { parts?.change ?? Data() }

  private var parts: (version: Int, key: Data, change: Data)? {
    var rest = bytes[...]
    guard let version = rest.takeInteger() as UInt32?, let key = rest.takeCounted() else { return nil }
    return (Int(version), Data(key), Data(rest))
  }
}

extension Outbox {
  /// Encodes changes and their keys for the journal, and decodes them.
  package struct _Coding: Sendable {
    private let version: Int
    private let encodeChange: @Sendable (Change) throws -> Data
    private let decodeChange: @Sendable (Data, Int) throws -> Change
    private let keyEncoder: JSONEncoder
    private let keyDecoder = JSONDecoder()

    /// - Parameters:
    ///   - version: The version of the encoding, from 0 to 2³² - 1.
    ///   - decode: Decodes bytes of a version.
    package init(
      version: Int = 0, encode: @escaping @Sendable (Change) throws -> Data,
      decode: @escaping @Sendable (Data, Int) throws -> Change
    ) {
      precondition(UInt32(exactly: version) != nil, "The version of a journal must be between 0 and 2³² - 1")
      (self.version, encodeChange, decodeChange) = (version, encode, decode)
      keyEncoder = JSONEncoder()
      keyEncoder.outputFormatting = .sortedKeys
    }

    /// - Throws: An error if the bytes don't decode to a change of the same key. After a restart, such a change would
    ///   be lost, or would block the others of its key.
    package func encode(_ change: Change) throws -> _OutboxContents {
      let data = try encodeChange(change)
      let decoded: Change
      do { decoded = try decodeChange(data, version) } catch {
        throw IrreversibleCoding(description: "it cannot be decoded again: \(OutboxError.explanation(of: error))")
      }
      guard decoded.key == change.key else {
        throw IrreversibleCoding(description: "it has another key when it is decoded again")
      }
      let key = (change.key as? any Encodable).flatMap { try? keyEncoder.encode($0) }
      return _OutboxContents(data, key: key ?? Data(), version: version)
    }

    func decode(_ contents: _OutboxContents) throws -> Change { try decodeChange(contents.change, contents.version) }

    /// Decodes the key alone; nil if its type can't be decoded, or is another one now.
    func key(of contents: _OutboxContents) -> Change.Key? {
      guard let type = Change.Key.self as? any Decodable.Type else { return nil }
      return try? keyDecoder.decode(type, from: contents.key) as? Change.Key
    }
  }
}

extension Outbox._Coding where Change: Codable {
  /// JSON; bytes of another version are decoded by `migrate`.
  package init(version: Int = 0, migrate: (@Sendable (Data, Int) throws -> Change)? = nil) {
    let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
    self.init(version: version) {
      try encoder.encode($0)
    } decode: { contents, stored in
      guard let migrate, stored != version else { return try decoder.decode(Change.self, from: contents) }
      return try migrate(contents, stored)
    }
  }
}

private struct IrreversibleCoding: Error, CustomStringConvertible {
  let description: String
}
