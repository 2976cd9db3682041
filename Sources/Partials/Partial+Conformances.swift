// The buffer is written to only while one partial holds it. What it holds is a part of a root or, where it is not, was checked
// to be Sendable when it was set.
extension Partial: @unchecked Sendable where Root: Sendable {}

extension Partial: CustomStringConvertible, CustomDebugStringConvertible {
  /// The values that have been set in the order of the root's properties, then those that are kept by key path, and the
  /// original.
  ///
  /// Each has its name where the root provides a schema. Otherwise a stored value has its type for a name, since only key paths
  /// know names and none is kept for it. A value that has lost a part reads `incomplete`.
  public var description: String {
    let schema = _schema
    let set = changes._storage
    let stored = set.entriesInOrder.map { entry in
      let value = set.isPresent(entry.field) ? String(reflecting: set.erasedValue(of: entry)) : "incomplete"
      return "\(schema?.name(of: entry.field) ?? "\(entry.valueType)"): \(value)"
    }
    let kept = set.kept.steps.map(\.box).map { box in
      "\(schema?.name(of: box.keyPath) ?? "\(box.keyPath)"): \(String(reflecting: box.erasedValue))"
    }
    let original = original.map { ["over: \(String(reflecting: $0))"] } ?? []
    return "Partial<\(Root.self)>(\((stored + kept + original).joined(separator: ", ")))"
  }

  /// The same as the description.
  public var debugDescription: String { description }
}

extension Partial {
  /// The root's schema, if it provides one.
  var _schema: Schema? { (Root.self as? any PartialSchemaProviding.Type).flatMap { $0._erasedSchema as? Schema } }
}

extension PartialSchemaProviding {
  fileprivate static var _erasedSchema: Any { partialSchema }
}
