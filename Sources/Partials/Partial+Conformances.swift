// The buffer is written to only while one partial holds it. What it holds is a part of a root or, where it is not, was checked
// to be Sendable when it was set.
extension Partial: @unchecked Sendable where Root: Sendable {}

extension Partial: CustomStringConvertible, CustomDebugStringConvertible {
  /// The values that are set, each with its type, in the order of the root's properties, and then those that are kept by key
  /// path.
  ///
  /// A value that has lost a part reads `incomplete`. The names of stored properties are not known here: only key paths have
  /// them, and none is kept for a stored property.
  public var description: String {
    let stored = _storage.entriesInOrder.map { entry in
      let value = _storage.isPresent(entry.field) ? String(reflecting: _storage.erasedValue(of: entry)) : "incomplete"
      return "\(entry.valueType): \(value)"
    }
    let kept = _storage.kept.inOrder.map { "\($0.keyPath): \(String(reflecting: $0.erasedValue))" }
    return "Partial<\(Root.self)>(\((stored + kept).joined(separator: ", ")))"
  }

  /// The same as the description.
  public var debugDescription: String { description }
}
