import Sameness

extension Partial {
  /// Parses `text`, sets the value at `keyPath` to the result, and keeps the text as it was typed.
  ///
  /// ```swift
  /// struct User { var name: String, age: Int? }
  ///
  /// var form = Partial<User>()
  /// form.enter("4x", at: \.age) { Int($0) }
  /// print(form.entered(\.age)!, form.contains(\.age))   // 4x false
  /// print(Partial<User>.Validation().issues(in: form)!) // age is not understood
  ///
  /// form.enter("41", at: \.age) { Int($0) }
  /// print(form.entered(\.age)!, form.age!!)             // 41 41
  /// ```
  /// If `parse` returns nil, the text isn't understood: the value at the key path is removed, as by assigning nil, and
  /// every validation has an issue of the kind `notUnderstood`. Over an original, the edit is rolled back, so neither
  /// an older edit nor nil is sent in place of the typed text.
  ///
  /// The text is kept until the value reads differently, or until a value is set, removed or merged in another way: at
  /// the key path, inside it or around it. If a key path has no offset, only the whole root is known to be around it.
  /// But the key path may lead into an array or an optional. So the text of its value is also dropped if a setter runs,
  /// or if any value is set that has other values in it or is nil. `==` compares texts, and `merge(_:policy:)` merges
  /// them. A text isn't counted, isn't among `changes` over an original, and isn't encoded.
  ///
  /// A setter or an observer may change the parsed value. Then the changed value is shown, and the text isn't kept.
  ///
  /// For a property of type `Value?`, the parser returns `Value?` as well, and its nil never counts as a value. Nor
  /// does a nil inside an optional, which generic code may return. To set nil, assign it: `form.age = .some(nil)`. An
  /// empty text sets it in a field with the rule `emptyIsNil`.
  ///
  /// `parse` runs while the partial is being written to, so it must not use the partial: read what it needs before.
  ///
  /// - Complexity: That of setting the value, and O(*t*) for *t* texts that are kept.
  @_disfavoredOverload
  public mutating func enter<Value: Sendable>(
    _ text: String, at keyPath: any KeyPath<Root, Value> & Sendable, parse: (String) -> Value?
  ) {
    _enter(text, at: keyPath, as: parse(text))
  }

  /// Parses `text`, sets the value of the optional property at `keyPath` to the result, and keeps the text as it was
  /// typed.
  ///
  /// If `parse` returns nil, the text isn't understood, and nil isn't set, except for an empty text in a field with the
  /// rule `emptyIsNil`.
  ///
  /// - Complexity: That of setting the value, and O(*t*) for *t* texts that are kept.
  @_documentation(visibility: internal)
  public mutating func enter<Value: Sendable>(
    _ text: String, at keyPath: any KeyPath<Root, Value?> & Sendable, parse: (String) -> Value?
  ) {
    let value = parse(text)
    let isNil = value == nil && text.allSatisfy(\.isWhitespace) && _schema?.readsEmptyTextAsNil(at: keyPath) ?? false
    _enter(text, at: keyPath, as: isNil ? .some(nil) : value.map(Optional.some), setsNil: isNil)
  }

  /// Not available: `{ $0.isEmpty ? .some(nil) : Int($0) }` would set nil for each text that isn't a number.
  @available(*, unavailable, message: "a parser returns nil for what it does not understand; set .some(nil) itself")
  public mutating func enter<Value: Sendable>(
    _ text: String, at keyPath: any KeyPath<Root, Value?> & Sendable, parse: (String) -> Value??
  ) {}

  /// The text that was entered at `keyPath`, to show in its field; nil if the value was set in another way.
  ///
  /// It is the text of the value that is read, or one that wasn't understood, so it never contradicts the value. A
  /// field shows the text, or else the value: `form.entered(\.age) ?? form.age.map(String.init) ?? ""`.
  ///
  /// - Complexity: O(*t*) for *t* texts that are kept; O(1) if there are none.
  public func entered(_ keyPath: PartialKeyPath<Root>) -> String? { _text(at: keyPath)?.text }

  private mutating func _enter<Value: Sendable>(
    _ text: String, at keyPath: any KeyPath<Root, Value> & Sendable, as value: Value?, setsNil: Bool = false
  ) {
    // If generic code parses an optional type, its parser can return a nil that is wrapped like a value.
    let value = !setsNil && (value as? any _PartialOptional)?.isNil ?? false ? nil : value
    let field = _PartialField(keyPath)
    self[_at: keyPath, in: field, isConstant: !(keyPath is WritableKeyPath<Root, Value>)] = value
    // Without a value there is nothing to compare, and reading may run a subscript out of range.
    let shown = value == nil && field == nil ? nil : _value(in: field, for: keyPath)
    // A setter or an observer may have changed the value: the field then shows the changed value.
    if let value, let shown, _areKnownToDiffer(value, shown) { return }
    _texts.append(_PartialEnteredText(path: keyPath, text: text, isUnderstood: value != nil, shown: shown))
  }
}

// How the other parts of a partial use entered texts.
extension Partial {
  /// The texts in the order in which they were entered, including those that no longer stand.
  var _texts: [any _PartialText<Root>] {
    get {
      guard _storage.state.hasTexts else { return [] }
      // Not an optional cast: texts of another root would be lost.
      return _storage.extras?.texts as! [any _PartialText<Root>]
    }
    set {
      guard _storage.state.hasTexts || !newValue.isEmpty else { return }
      _makeUnique()
      _storage.makeExtras().texts = newValue.isEmpty ? nil : newValue
      _storage.state.hasTexts = !newValue.isEmpty
    }
  }

  /// The texts that stand: the value at each key path is still the one that was read when the text was entered.
  var _standingTexts: [any _PartialText<Root>] { _texts.filter { $0.stands(in: self) } }

  /// The text that stands at `keyPath`.
  func _text(at keyPath: PartialKeyPath<Root>) -> (any _PartialText<Root>)? {
    _texts.first { $0.keyPath as PartialKeyPath<Root> == keyPath && $0.stands(in: self) }
  }

  /// The texts that stand and aren't understood.
  var _textsNotUnderstood: [any _PartialText<Root>] { _texts.filter { !$0.isUnderstood && $0.stands(in: self) } }

  /// Forgets the texts whose values are set or removed along with the value in `field`.
  ///
  /// - Parameter value: The value that is set; nil if it is removed.
  @usableFromInline
  mutating func _forgetTexts<Value>(in field: _PartialField, for value: Value?) {
    let isInDoubt = _hasTextsInDoubt && _mayLoseParts(value, in: field)
    _forgetTexts { $0.overlaps(field) || isInDoubt && $0.mayBecomeInvalid }
  }

  /// Forgets the texts whose values are set or removed along with a boxed value.
  ///
  /// A setter may change more than its own value.
  ///
  /// - Parameter isRemoved: Whether the boxed value is removed, if there is one.
  mutating func _forgetTexts<Value>(at keyPath: KeyPath<Root, Value>, isRemoved: Bool = false) {
    let isInDoubt =
      keyPath is WritableKeyPath<Root, Value> && _hasTextsInDoubt
      && (!isRemoved || _hasOriginal && changes._storage.boxed.contains(keyPath))
    _forgetTexts { $0.overlaps(keyPath) || isInDoubt && $0.mayBecomeInvalid }
  }

  private mutating func _forgetTexts(where isReplaced: (any _PartialText<Root>) -> Bool) {
    let texts = _texts
    let kept = texts.filter { !isReplaced($0) }
    if kept.count < texts.count { _texts = kept }
  }

  private var _hasTextsInDoubt: Bool { _texts.contains { $0.mayBecomeInvalid } }

  /// Whether parts that a key path may lead to can be missing from the value that is set or, if it is removed, from the
  /// original's value, which is then read again.
  private func _mayLoseParts<Value>(_ value: Value?, in field: _PartialField) -> Bool {
    if let value { return !_hasFixedParts(value) }
    let original = _originalAlone._storage
    guard original.isPresent(field, as: Value.self), !changes._storage.isVacant(field) else { return false }
    return unsafe !_hasFixedParts(original.value(at: field, as: Value.self))
  }

  /// The same for all these changes.
  private var _mayLoseParts: Bool {
    !_storage.entriesInOrder.allSatisfy { unsafe _hasFixedParts(_storage.erasedValue(of: $0)) }
      || _storage.boxed.hasSetters
  }

  /// Puts back a value that was changed in place; texts of parts inside it still stand if these parts didn't change.
  @usableFromInline
  mutating func _putBackAmongTexts<Value>(
    _ value: Value?, to keyPath: any KeyPath<Root, Value> & Sendable, in field: _PartialField?, isConstant: Bool
  ) {
    // If the value didn't change, typed texts are kept: `form.age?? += 1` finds no number in a nil.
    // Values that are equal by `==` may still be different, and then the change would be lost.
    if _areProvablySame(value as Any, _value(for: keyPath) as Any) { return }
    let (old, before) = (_texts, self)
    self[_at: keyPath, in: field, isConstant: isConstant] = value
    guard let field, value != nil else { return }
    let left = _texts.map { $0.keyPath }
    let kept = old.filter { text in
      if left.contains(where: { $0 as PartialKeyPath<Root> == text.keyPath }) { return true }
      guard let part = text.field, part != field, field.contains(part) else { return false }
      return text.stands(in: before) && text.hasSameValue(in: before, self)
    }
    if kept.count > left.count { _texts = kept }
  }

  /// Merges texts as values are merged: as if they were entered again, after the values of their own partial.
  ///
  /// A text still stands only for the value that it was entered for. So a merged setter may end it.
  ///
  /// - Parameter mergeValues: Merges the values of `other` into a partial.
  mutating func _mergeTexts(of other: Partial, policy: MergePolicy, mergeValues: (inout Partial, MergePolicy) -> Void) {
    let (all, own, others) = (_texts, _standingTexts, other._standingTexts)
    _texts = []
    // Those that neither the changes nor newer texts replace, and whose values the changes can't have lost as parts.
    func left(of texts: [any _PartialText<Root>], after changes: Partial, and newer: [any _PartialText<Root>])
      -> [any _PartialText<Root>]
    {
      texts.filter { text in
        !text.hasValue(in: changes) && !(text.mayBecomeInvalid && changes._mayLoseParts)
          && !newer.contains { $0.overlaps(text.keyPath) }
      }
    }
    switch policy {
    case .replace:
      // A text that doesn't stand now may stand again once the value that contradicts it is removed.
      let kept = left(of: all, after: other.changes, and: others)
      mergeValues(&self, .replace)
      _texts = kept + _enterAgain(others)
    case .keep:
      let kept = left(of: others, after: changes, and: own)
      var below = self
      below.removeAll()
      mergeValues(&below, .replace)
      let entered = below._enterAgain(kept)
      mergeValues(&self, .keep)
      _texts = entered + _enterAgain(own)
    }
  }

  /// The texts for the values that are read now; the value of a text that isn't understood is removed.
  private mutating func _enterAgain(_ texts: [any _PartialText<Root>]) -> [any _PartialText<Root>] {
    for text in texts where !text.isUnderstood { text.removeValue(from: &self) }
    return texts.map { $0.isUnderstood ? $0 : $0.shown(in: self) }
  }

  /// Identifies the texts that stand, in any order, so that partials can be compared by them.
  var _textIdentities: Set<[AnyHashable]> {
    Set(_standingTexts.map { [$0.keyPath as AnyKeyPath, $0.text, $0.isUnderstood] })
  }
}
