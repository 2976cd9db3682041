/// A value that was set and has no place in the root: a part of an optional that is nil, or a constant of an optional.
struct _PartialLoss<Root> {
  /// The key path of the optional that is nil, or of the constant.
  let keyPath: any PartialKeyPath<Root> & Sendable
  /// Whether the optional is nil.
  let isMissing: Bool
  /// Whether the optional isn't set either, so that it may still get a value.
  var isOpen = false
  /// Sets the value in a partial that has a place for it.
  let put: (inout Partial<Root>) -> Void
}

extension Partial {
  /// The values that were set here and can't be read.
  var _losses: [_PartialLoss<Root>] { _storage.state.hasExtras ? changes._losses(in: self) : [] }

  /// The values that were set here, but have no place in `result`, to which they were written.
  func _losses(in result: Partial) -> [_PartialLoss<Root>] {
    guard _storage.boxed.assignments.contains(where: { $0.box.parts != nil }) else { return [] }
    return _schema?.losses(of: self, in: result) ?? []
  }

  /// Removes the parts of each optional in `field`, which is being removed.
  @usableFromInline
  mutating func _removeParts(in field: _PartialField) {
    let boxes = changes._storage.boxed.assignments.map(\.box).filter { $0.parts != nil }
    guard !boxes.isEmpty, let schema = _schema else { return }
    for keyPath in boxes.compactMap({ $0.keyPath as? PartialKeyPath<Root> }) {
      guard let whole = _PartialField(erased: schema.declared(keyPath)), field.contains(whole) else { continue }
      _change { $0._removeBox(keyPath) }
    }
  }
}

extension Partial.Schema {
  func losses(of changes: Partial<Root>, in result: Partial<Root>) -> [_PartialLoss<Root>] {
    properties.flatMap { $0.losses(of: changes, in: result) }
  }
}
