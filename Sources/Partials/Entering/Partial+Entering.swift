import Sameness

extension Partial {
  /// Sets the value at `keyPath` to what `parse` makes of `text`, and keeps the text that was typed.
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
  /// Where `parse` returns nil, the text is not understood: the value at the key path is removed, as by nil, and every
  /// validation has an issue of the kind `notUnderstood`. Over an original, the change is taken back, so that neither
  /// an older edit nor nil is sent for what was typed.
  ///
  /// The text stands until the value reads otherwise, or a value is set, removed or merged in another way: at the key
  /// path, inside it or around it. Where a key path has no offset, only the whole root is known to be around it. But it
  /// may lead into an array or an optional: so the text of its value goes where a setter runs, or anything is set that
  /// has other values in it, or is nil. The text is a part of what `==` compares and of what `merge(_:policy:)` takes
  /// over. It is not counted, not among `changes` over an original, and not encoded.
  ///
  /// A setter or an observer may make another value of the parsed one. Then that value is shown, and the text is not
  /// kept.
  ///
  /// A property of a type `Value?` takes a parser that returns `Value?` as well; its nil is never a value. Nor is a nil
  /// within an optional, which generic code may parse. To answer with nothing, set it: `form.age = .some(nil)`.
  ///
  /// The partial is being written to while `parse` runs, so that `parse` must not use it: read before what it needs.
  ///
  /// - Complexity: That of setting the value, and O(*t*) in the texts that are kept.
  @_disfavoredOverload
  public mutating func enter<Value: Sendable>(
    _ text: String, at keyPath: any KeyPath<Root, Value> & Sendable, parse: (String) -> Value?
  ) {
    _enter(text, at: keyPath, as: parse(text))
  }

  /// Sets the value of the optional property at `keyPath` to what `parse` makes of `text`, and keeps the text that was
  /// typed.
  ///
  /// Where `parse` returns nil, the text is not understood; no nil is set.
  ///
  /// - Complexity: That of setting the value, and O(*t*) in the texts that are kept.
  @_documentation(visibility: internal)
  public mutating func enter<Value: Sendable>(
    _ text: String, at keyPath: any KeyPath<Root, Value?> & Sendable, parse: (String) -> Value?
  ) {
    _enter(text, at: keyPath, as: parse(text).map(Optional.some))
  }

  /// Not available: `{ $0.isEmpty ? .some(nil) : Int($0) }` would make a set nil of each text that is no number.
  @available(*, unavailable, message: "a parser returns nil for what it does not understand; set .some(nil) itself")
  public mutating func enter<Value: Sendable>(
    _ text: String, at keyPath: any KeyPath<Root, Value?> & Sendable, parse: (String) -> Value??
  ) {}

  /// The text that was entered at `keyPath`, to be shown in its field; nil where the value was set in another way.
  ///
  /// It is the text of the value that is read, or one that was not understood. So it never contradicts the value. A
  /// field shows it, or else the value: `form.entered(\.age) ?? form.age.map(String.init) ?? ""`.
  ///
  /// - Complexity: O(*t*) in the texts that are kept; O(1) where there are none.
  public func entered(_ keyPath: PartialKeyPath<Root>) -> String? { _text(at: keyPath)?.text }

  private mutating func _enter<Value: Sendable>(
    _ text: String, at keyPath: any KeyPath<Root, Value> & Sendable, as value: Value?
  ) {
    // Where generic code has an optional for a value, its parser can return a nil that seems to be one.
    let value = ((value as? any _PartialOptional)?.isNil ?? false) ? nil : value
    let field = _PartialField(keyPath)
    self[_at: keyPath, in: field, isConstant: !(keyPath is WritableKeyPath<Root, Value>)] = value
    // Nothing is to be compared: to read may run a subscript out of its range.
    let shown = value == nil && field == nil ? nil : _value(in: field, for: keyPath)
    // A setter or an observer may have made another value of it: the field then shows that.
    if let value, let shown, _areKnownToDiffer(value, shown) { return }
    _texts.append(_PartialEnteredText(path: keyPath, text: text, isUnderstood: value != nil, shown: shown))
  }
}

// What was entered, as the rest of a partial sees it.
extension Partial {
  /// The texts in the order in which they were entered, also those that no longer stand.
  var _texts: [any _PartialText<Root>] {
    get {
      guard _storage.hasTexts else { return [] }
      guard let texts = _storage.extras?.texts as? _PartialTexts<Root> else {
        preconditionFailure("A mark for texts that are not there")
      }
      return texts.texts
    }
    set {
      guard _storage.hasTexts || !newValue.isEmpty else { return }
      _makeUnique()
      _storage.withExtras { $0.texts = newValue.isEmpty ? nil : _PartialTexts(newValue) }
      _storage.withHeader { $0.hasTexts = !newValue.isEmpty }
    }
  }

  /// The texts that stand: the value at each key path is still what was read when the text was entered.
  var _standingTexts: [any _PartialText<Root>] { _texts.filter { $0.stands(in: self) } }

  /// The text that stands at `keyPath`.
  func _text(at keyPath: PartialKeyPath<Root>) -> (any _PartialText<Root>)? {
    _texts.first { $0.keyPath as PartialKeyPath<Root> == keyPath && $0.stands(in: self) }
  }

  /// The texts that stand and are not understood.
  var _textsNotUnderstood: [any _PartialText<Root>] { _texts.filter { !$0.isUnderstood && $0.stands(in: self) } }

  /// Forgets the texts whose values are set or removed with that in `field`.
  ///
  /// - Parameter value: What is set; nil where it is removed.
  @usableFromInline
  mutating func _forgetTexts<Value>(in field: _PartialField, for value: Value?) {
    let isInDoubt = _hasTextsInDoubt && _mayLoseParts(value, in: field)
    _forgetTexts { $0.overlaps(field) || isInDoubt && $0.mayLeadNowhere }
  }

  /// Forgets the texts whose values are set or removed with a boxed one.
  ///
  /// A setter may do more than to set its value.
  ///
  /// - Parameter isRemoved: Whether it is removed, if there is one.
  mutating func _forgetTexts<Value>(at keyPath: KeyPath<Root, Value>, isRemoved: Bool = false) {
    let isInDoubt =
      keyPath is WritableKeyPath<Root, Value> && _hasTextsInDoubt
      && (!isRemoved || _hasOriginal && changes._storage.boxed.contains(keyPath))
    _forgetTexts { $0.overlaps(boxed: keyPath) || isInDoubt && $0.mayLeadNowhere }
  }

  private mutating func _forgetTexts(where isReplaced: (any _PartialText<Root>) -> Bool) {
    let texts = _texts
    let kept = texts.filter { !isReplaced($0) }
    if kept.count < texts.count { _texts = kept }
  }

  private var _hasTextsInDoubt: Bool { _texts.contains { $0.mayLeadNowhere } }

  /// Whether parts that a key path may lead to can be missing from what is set, or from the original's value, which is
  /// there again where it is removed.
  private func _mayLoseParts<Value>(_ value: Value?, in field: _PartialField) -> Bool {
    if let value { return !_hasFixedParts(value) }
    let original = _originalAlone._storage
    guard original.isPresent(field, as: Value.self), !changes._storage.isVacant(field) else { return false }
    return unsafe !_hasFixedParts(original.value(at: field, as: Value.self))
  }

  /// The same of all these changes.
  private var _mayLoseParts: Bool {
    !_storage.entriesInOrder.allSatisfy { unsafe _hasFixedParts(_storage.erasedValue(of: $0)) }
      || _storage.boxed.hasSetters
  }

  /// Puts back what was changed in place: texts inside of it, of parts that stayed as they were, go on standing.
  @usableFromInline
  mutating func _putBackAmongTexts<Value>(
    _ value: Value?, to keyPath: any KeyPath<Root, Value> & Sendable, in field: _PartialField?, isConstant: Bool
  ) {
    // One that is not changed is no reason to forget what was typed: `form.age?? += 1` finds no number in a nil.
    if _isUnchanged(value, at: keyPath) { return }
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

  /// Whether `value` is what the partial has already, so that a text that stands there goes on standing.
  @usableFromInline
  func _isUnchanged<Value>(_ value: Value?, at keyPath: KeyPath<Root, Value>) -> Bool {
    // What `==` takes for the same may be another value: the change would be lost.
    _areProvablySame(value as Any, _value(for: keyPath) as Any)
  }

  /// Merges texts as values are merged: as if they were entered again, after the values on their side.
  ///
  /// What they are entered over goes on standing by what it was entered for. So a setter that is merged may end it.
  ///
  /// - Parameter mergeValues: Merges the values of `other` into a partial.
  mutating func _mergeTexts(of other: Partial, policy: MergePolicy, mergeValues: (inout Partial, MergePolicy) -> Void) {
    let (all, own, others) = (_texts, _standingTexts, other._standingTexts)
    _texts = []
    switch policy {
    case .replace:
      let set = other.changes
      // One that does not stand may do so again, once what it contradicts is removed.
      let kept = all.filter { text in
        !text.isReplaced(by: set, set._mayLoseParts) && !others.contains { $0.overlaps(text.keyPath) }
      }
      mergeValues(&self, .replace)
      _texts = kept + _enterAgain(others)
    case .keep:
      let set = changes
      let kept = others.filter { text in
        !text.isReplaced(by: set, set._mayLoseParts) && !own.contains { $0.overlaps(text.keyPath) }
      }
      var below = self
      below.removeAll()
      mergeValues(&below, .replace)
      let entered = below._enterAgain(kept)
      mergeValues(&self, .keep)
      _texts = entered + _enterAgain(own)
    }
  }

  /// The texts for the values that are read now: one that is not understood leaves none.
  private mutating func _enterAgain(_ texts: [any _PartialText<Root>]) -> [any _PartialText<Root>] {
    for text in texts where !text.isUnderstood { text.removeValue(from: &self) }
    return texts.map { $0.isUnderstood ? $0 : $0.shown(in: self) }
  }

  /// What tells partials apart by the texts that stand in them, whose order does not matter.
  var _textIdentities: Set<_PartialTextIdentity> {
    Set(_standingTexts.map { _PartialTextIdentity(keyPath: $0.keyPath, text: $0.text, isUnderstood: $0.isUnderstood) })
  }
}
