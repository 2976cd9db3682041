// Versions are immutable; unchecked only as the baseline does not show their type.
extension Dirtyable: @unchecked Sendable where Value: Sendable {}

extension Dirtyable: Equatable where Value: Equatable {
  /// Whether current values, originals and the saves in flight are equal.
  ///
  /// A value that was written and set back equals one that never was.
  @inlinable
  public static func == (left: Self, right: Self) -> Bool {
    guard left._current == right._current else { return false }
    if left._baseline.original == nil, right._baseline.original == nil { return true }
    return left.original == right.original && left.savesInFlight == right.savesInFlight
  }
}

extension Dirtyable: Hashable where Value: Hashable {
  /// Feeds the current value, the original and the identities of the saves in flight.
  @inlinable
  public func hash(into hasher: inout Hasher) {
    hasher.combine(_current)
    hasher.combine(original)
    for save in savesInFlight { hasher.combine(save.id) }
  }
}

extension Dirtyable: CustomStringConvertible {
  /// The value, or `original → current` where it was written, and how many saves are in flight.
  public var description: String {
    let value = isTouched ? "\(original) → \(_current)" : "\(_current)"
    let count = savesInFlight.count
    return "Dirtyable(\(value)\(count == 0 ? "" : ", saves in flight: \(count)"))"
  }
}

extension Dirtyable: CustomReflectable {
  /// The three slots: original, saves in flight, current value.
  public var customMirror: Mirror {
    Mirror(
      self, children: ["original": original, "savesInFlight": savesInFlight, "current": _current],
      displayStyle: .struct)
  }
}

extension Dirtyable: Encodable where Value: Encodable {
  /// Writes the original, and beside it the updated value where it was written.
  ///
  /// Saves in flight are not written, as who would answer them is not there to decode: what they were to save is dirty.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: _DirtyableKey.self)
    try container.encode(original, forKey: .original)
    if isTouched { try container.encode(_current, forKey: .updated) }
  }
}

extension Dirtyable: Decodable where Value: Decodable {
  /// Reads what ``encode(to:)`` writes.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: _DirtyableKey.self)
    let original = try container.decode(Value.self, forKey: .original)
    if container.contains(.updated) {
      // Not decodeIfPresent: where Value is optional, an updated value of null is an edit to nil.
      self.init(original: original, current: try container.decode(Value.self, forKey: .updated))
    } else {
      self.init(original)
    }
  }
}

internal enum _DirtyableKey: String, CodingKey {
  case original
  case updated
}
