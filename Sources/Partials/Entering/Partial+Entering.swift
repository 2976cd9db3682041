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
  /// The text stands until the value is set, removed or merged in another way, or reads otherwise: see ``entered(_:)``.
  /// It is a part of what `==` compares and of what `merge(_:policy:)` takes over. It is not counted, not among
  /// `changes` over an original, and not encoded.
  ///
  /// A setter or an observer may make another value of the parsed one. Then that value is shown, and the text is not
  /// kept.
  ///
  /// A property of a type `Value?` takes a parser that returns `Value?` as well; its nil is never a value. To answer
  /// with nothing, set it: `form.age = .some(nil)`.
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
    let isConstant = !(keyPath is WritableKeyPath<Root, Value>)
    self[_at: keyPath, in: _PartialField(keyPath), isConstant: isConstant] = value
    let shown = _value(for: keyPath)
    // A setter or an observer may have made another value of it: the field then shows that.
    if let value, let shown, _isOther(value, shown) { return }
    let isNothing = value.map { ($0 as? any _PartialOptional)?.isNil ?? false }
    let meaning = isNothing.map { $0 ? _PartialTextMeaning.nothing : .value } ?? .notUnderstood
    _texts.append(
      _PartialEnteredText(path: keyPath, text: text, meaning: meaning, shown: shown))
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

  /// The key paths of texts that stand and are not understood.
  var _notUnderstood: [any PartialKeyPath<Root> & Sendable] {
    _standingTexts.filter { $0.meaning == .notUnderstood }.map { $0.keyPath }
  }

  /// Whether a text stands at `keyPath` that makes no value.
  func _hasTextWithoutValue(at keyPath: PartialKeyPath<Root>) -> Bool {
    _text(at: keyPath).map { $0.meaning != .value } ?? false
  }

  /// Forgets the texts whose values are set or removed with that in `field`.
  @usableFromInline
  mutating func _forgetTexts(in field: _PartialField) {
    let texts = _texts
    let isWhole = field.start == 0 && field.end == MemoryLayout<Root>.size
    let kept = texts.filter { $0.field.map { !$0.overlaps(field) } ?? !isWhole }
    if kept.count < texts.count { _texts = kept }
  }

  /// Forgets the text at the key path of a boxed value.
  mutating func _forgetText(at keyPath: AnyKeyPath) {
    let texts = _texts
    let kept = texts.filter { $0.keyPath as AnyKeyPath != keyPath }
    if kept.count < texts.count { _texts = kept }
  }

  /// The texts to be kept when `other` is merged into this partial.
  func _texts(mergedWith other: Partial, policy: MergePolicy) -> [any _PartialText<Root>] {
    let (own, others) = (_standingTexts, other._standingTexts)
    let set = other.changes
    switch policy {
    case .replace:
      return own.filter { text in !text.hasValue(in: set) && !others.contains { $0.overlaps(text) } } + others
    case .keep:
      let changes = changes
      return own + others.filter { text in !text.hasValue(in: changes) && !own.contains { $0.overlaps(text) } }
    }
  }

  /// Keeps `texts`, after values have been merged: one that is not understood leaves no value.
  mutating func _keep(_ texts: [any _PartialText<Root>]) {
    for text in texts where text.meaning == .notUnderstood { text.removeValue(from: &self) }
    _texts = texts.map { $0.meaning == .notUnderstood ? $0.shown(in: self) : $0 }
  }

  /// What tells partials apart by the texts that stand in them, whose order does not matter.
  var _textIdentities: Set<_PartialTextIdentity> {
    Set(_standingTexts.map { _PartialTextIdentity(keyPath: $0.keyPath, text: $0.text, meaning: $0.meaning) })
  }
}
