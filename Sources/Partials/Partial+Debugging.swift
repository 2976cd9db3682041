// `Partial` declares no `description`, because `partial.description` must read the root's property of this name.
extension Partial: CustomDebugStringConvertible, CustomReflectable {
  /// The values that have been set, in the order of the root's properties, then the boxed values, the texts that aren't
  /// understood, and the original.
  ///
  /// Each value has its name if the root provides a schema. Otherwise a stored value is labeled with its type, because
  /// only key paths know names, and no key path is kept for it. A value that has lost a part reads `incomplete`.
  public var debugDescription: String {
    let values = _namedValues.map { "\($0): \($1.map { String(reflecting: $0) } ?? "incomplete")" }
    let texts = _namedTexts.map { "\($0): \(String(reflecting: $1)) not understood" }
    let original = original.map { ["over: \(String(reflecting: $0))"] } ?? []
    return "Partial<\(Root.self)>(\((values + texts + original).joined(separator: ", ")))"
  }

  /// The values that have been set, the texts that aren't understood, and the original, with the names that
  /// `debugDescription` uses.
  ///
  /// A value that has lost a part is nil.
  public var customMirror: Mirror {
    let values = _namedValues.map { (label: Optional($0), value: $1 ?? Any?.none as Any) }
    let texts = _namedTexts.map { (label: Optional($0), value: $1 as Any) }
    let original = original.map { [(label: Optional("over"), value: $0 as Any)] } ?? []
    return Mirror(self, children: values + texts + original, displayStyle: .struct)
  }
}

extension Partial {
  /// The name and value of everything that has been set; a value that has lost a part is nil.
  private var _namedValues: [(name: String, value: Any?)] {
    let schema = _schema
    let set = changes._storage
    let stored = set.entriesInOrder.map { entry in
      let value = set.isPresent(entry.field) ? unsafe set.erasedValue(of: entry) : nil
      return (schema?.label(of: entry.field)?.name ?? "\(entry.valueType)", value)
    }
    return stored
      + set.boxed.assignments.map(\.box).map { (schema?.name(of: $0.keyPath) ?? "\($0.keyPath)", $0.erasedValue) }
  }

  private var _namedTexts: [(name: String, text: String)] {
    _textsNotUnderstood.map { text in
      (_schema?.name(of: text.keyPath as AnyKeyPath) ?? "\(text.keyPath)", text.text)
    }
  }
}
