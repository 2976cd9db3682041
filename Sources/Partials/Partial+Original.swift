import Sameness

extension Partial {
  /// Makes a partial over `original`: properties that aren't set are read from the original, and values that are set
  /// are recorded separately.
  ///
  /// The same partial serves the form that edits, the check whether anything was edited, and the request that sends the
  /// changes:
  /// ```swift
  /// struct User {
  ///   var name: String
  ///   var email: String
  /// }
  ///
  /// var form = Partial(over: User(name: "Ada", email: "ada@example.com"))
  /// form.email = "countess@example.com"
  /// print(form.name!, form.email!)                // Ada countess@example.com
  /// print(form.contains(\.name))                  // true
  /// print(form.changes.contains(\.name))          // false
  ///
  /// form.email = nil                              // takes the change back
  /// print(form.email!, form.changes.isEmpty)      // ada@example.com true
  /// ```
  /// Reading returns what `apply(to:)` would make of the original. A whole in which a part was set reads with this
  /// part. A computed property is computed from the stored properties as they are set. A property with a setter,
  /// including a wrapped or observed one, reads as its setter makes it. Everything is present except the wholes around
  /// a constant that was set; the constant is read by itself. Removing a value rolls back its edit: the property then
  /// reads as the original and the other edits make it.
  ///
  /// Each key path has one value, and its place in the order is where it was set last: its setter runs once, after the
  /// edits before it. A subscript traps if it would trap in the root, also if an edit that it depends on is rolled
  /// back: an array needs enough elements.
  ///
  /// - Complexity: O(1)
  public init(over original: Root) {
    self.init(original)
    _layer(.make(), over: _storage)
  }

  /// The root that the partial lies over; nil if it wasn't made over one.
  ///
  /// - Complexity: O(1), and a copy of the root.
  public var original: Root? { _storage.original.flatMap { Partial(_storage: $0)._value(for: \.self) } }

  /// The values that have been set, without the original.
  ///
  /// The result is a partial of its own: use `isEmpty` to know whether anything was edited and `contains(_:)` for a
  /// field, apply it to a newer root, merge it, or encode it. Each value that was set counts, even if it equals the
  /// original's. If the root has a schema, `differences` omits equal values, and includes the changes that setters
  /// made.
  ///
  /// - Complexity: O(1)
  public var changes: Partial { _storage.changes.map { Partial(_storage: $0) } ?? self }

  /// Whether a value was set or a text was entered, even if everything reads as in the original again.
  ///
  /// A form asks it before it shows messages, and `isDirty` before it saves:
  /// ```swift
  /// struct User: PartialSchemaProviding {
  ///   var name = "Ada"
  ///   static let partialSchema = Partial<User>.Schema(("name", \.name))
  /// }
  ///
  /// var form = Partial(over: User())
  /// form.name = "Ada"
  /// print(form.isTouched, form.isDirty)   // true false
  /// ```
  /// `changes.contains(\.name)` asks the same about one property.
  ///
  /// - Complexity: O(1), and O(*t*) for *t* texts that are kept.
  public var isTouched: Bool { !isEmpty || !_textsNotUnderstood.isEmpty }

  /// Whether a property reads differently than in the original; without an original, whether it is set.
  ///
  /// ```swift
  /// struct User { var name = "Ada", email = "" }
  ///
  /// var form = Partial(over: User())
  /// form.name = "Ada"
  /// form.email = "ada@example.com"
  /// print(form.isDirty(\.name), form.isDirty(\.email))  // false true
  /// ```
  ///
  /// A text at the property that isn't understood also counts as a difference, and so do merged parts of an optional
  /// that is nil.
  ///
  /// - Complexity: That of reading and comparing the two values.
  public func isDirty<Value: Equatable>(_ keyPath: KeyPath<Root, Value>) -> Bool { _isDirty(keyPath) }

  func _isDirty<Value: Equatable>(_ keyPath: KeyPath<Root, Value>) -> Bool {
    if _text(at: keyPath).map({ !$0.isUnderstood }) ?? false { return true }
    if _losses.contains(where: { $0.keyPath as PartialKeyPath<Root> == keyPath }) { return true }
    let (value, old) = (_value(for: keyPath), _originalAlone._value(for: keyPath))
    guard let value, let old else { return (value == nil) != (old == nil) }
    return !_areEqualOrSame(value, old)
  }

  /// Removes every value that has been set; over an original, the partial then reads as the original.
  ///
  /// - Complexity: O(`count`)
  public mutating func removeAll() {
    let original = _storage.original
    self = _originalAlone
    if let original { _layer(.make(), over: original) }
  }

  /// A partial that holds the original as a whole; empty without an original.
  var _originalAlone: Partial { _storage.original.map { Partial(_storage: $0) } ?? Partial() }

  @usableFromInline
  var _hasOriginal: Bool { _storage.state.hasExtras && _storage.original != nil }

  /// Whether setting a value takes more than storing it: it is also recorded, among the changes over an original or
  /// after a boxed value, or an entered text is forgotten.
  @inlinable
  var _isRecorded: Bool { _storage.state.hasExtras && _isRecordedInExtras }

  @usableFromInline
  var _isRecordedInExtras: Bool { _storage.original != nil || !_storage.boxed.isEmpty || _storage.state.hasTexts }

  /// Records a value that is being set.
  ///
  /// - Returns: Whether nothing is left to do. Otherwise the caller also sets the value in the buffer that reads use.
  @inlinable
  mutating func _record<Value>(_ value: Value, at field: _PartialField, isConstant: Bool) -> Bool {
    if _storage.state.hasTexts { _forgetTexts(in: field, for: value) }
    return _record(isRoot: Value.self == Root.self && !isConstant) {
      $0._insert(value, at: field, isConstant: isConstant)
    }
  }

  /// Records a value among the changes over the original, or after the last boxed value.
  ///
  /// - Parameters:
  ///   - isRoot: Whether it is the whole root, which replaces every boxed value.
  ///   - set: Sets the value.
  /// - Returns: Whether the buffer that reads use was rebuilt from the changes.
  @usableFromInline
  mutating func _record(isRoot: Bool, _ set: (inout Partial) -> Void) -> Bool {
    guard var changes = _takeChanges() else {
      _changeAfterwards(isRoot: isRoot, set)
      return false
    }
    set(&changes)
    // If a constant is set, the whole that reads use doesn't have the effects of setters.
    if changes._storage.state.hasConstants, changes._storage.boxed.hasSetters, let original = _storage.original {
      _layer(changes._storage, over: original)
      return true
    }
    let extras = _storage.makeExtras()
    extras.changes = changes._storage
    if isRoot { extras.boxed = _PartialBoxedValues() }
    return false
  }

  /// Applies `body` to the changes over the original, and then rebuilds the whole that reads use.
  @usableFromInline
  mutating func _change<Result>(_ body: (inout Partial) -> Result) -> Result {
    _makeUnique()
    guard let original = _storage.original, var changes = _takeChanges() else { return body(&self) }
    let result = body(&changes)
    _layer(changes._storage, over: original)
    return result
  }

  /// Takes the changes out, so that only the caller refers to them.
  mutating func _takeChanges() -> Partial? {
    guard let changes = _storage.changes else { return nil }
    _storage.makeExtras().changes = nil
    return Partial(_storage: changes)
  }

  /// The original as `apply(to:)` would make it, except that objects aren't written.
  var _editedOriginal: Root? { original.map { changes._applied(to: $0) } }

  /// Makes this partial read `changes` over `original`, and remembers both; the entered texts are kept.
  ///
  /// If a setter has to run, it runs on a copy of the original, and constants are then set over the result.
  mutating func _layer(_ changes: _UnsafePartialStorage<Root>, over original: _UnsafePartialStorage<Root>) {
    defer { _checkInvariants() }
    let texts = _texts
    if changes.boxed.hasSetters, let root = Partial(_storage: original)._wholeRoot {
      self = Partial(Partial(_storage: changes)._applied(to: root))
      let refused = changes.entriesWithConstants
      if !refused.isEmpty { unsafe _storage.merge(changes) { refused.contains($0) } }
    } else {
      _storage = original
      _makeUnique()
      if changes.entryCount > 0 { unsafe _storage.merge(changes) }
    }
    let extras = _storage.makeExtras()
    extras.original = original
    extras.changes = changes
    for assignment in changes.boxed.assignments where assignment.box.effect != .setter {
      _overrideRead(with: assignment.box)
    }
    _texts = texts
  }
}
