import Sameness

extension Partial {
  /// Makes a partial that lies over `original`: what is not set is read from there, and what is set is remembered
  /// apart.
  ///
  /// One value serves the form that edits, the question whether anything was edited, and the request that sends the
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
  /// Reading answers what `apply(to:)` would make of the original. So a whole of which a part was set reads with this
  /// part in it. A computed property is computed from the stored ones as they are set. A property with a setter, also a
  /// wrapped or observed one, reads as its setter makes it. Everything is present, but for the wholes around a constant
  /// that was set, which is read alone. To remove a value takes its edit back: what the original and the other edits
  /// make of it is read again.
  ///
  /// Each key path has one value, in the place in the order where it was set last: a setter runs once, on the edits
  /// before it. A subscript traps where it would trap in the root, also when an edit is taken back that it depends on:
  /// an array needs as many elements.
  ///
  /// - Complexity: O(1)
  public init(over original: Root) {
    self.init(original)
    _layer(.make(), over: _storage)
  }

  /// The root that the partial lies over; nil when it was not made over one.
  ///
  /// - Complexity: O(1), and a copy of the root.
  public var original: Root? { _storage.original.flatMap { Partial(_storage: $0)._value(for: \.self) } }

  /// The values that have been set, without the original below them.
  ///
  /// It is a partial of its own: ask it `isEmpty` to know whether anything was edited and `contains(_:)` for a field,
  /// apply it to a newer root, merge it, or encode it. Each value that was set counts, even if the original has the
  /// same: where values can be compared, `differences` leaves those out. Changes that setters made are among
  /// `differences` only.
  ///
  /// - Complexity: O(1)
  public var changes: Partial { _storage.changes.map { Partial(_storage: $0) } ?? self }

  /// Whether a property reads otherwise than in the original; without an original, whether it is set.
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
  /// A text at the property that is not understood differs as well.
  ///
  /// - Complexity: That of reading and comparing the two values.
  public func isDirty<Value: Equatable>(_ keyPath: KeyPath<Root, Value>) -> Bool {
    if _text(at: keyPath).map({ !$0.isUnderstood }) ?? false { return true }
    let (value, old) = (_value(for: keyPath), _originalAlone._value(for: keyPath))
    guard let value, let old else { return (value == nil) != (old == nil) }
    return !_areEqualOrSame(value, old)
  }

  /// Removes every value that has been set, so that an original is all that is then read.
  ///
  /// - Complexity: O(`count`)
  public mutating func removeAll() {
    if let original = _storage.original { _layer(.make(), over: original) } else { self = Partial() }
  }

  /// A partial that holds the original as a whole; without an original an empty one.
  var _originalAlone: Partial { _storage.original.map { Partial(_storage: $0) } ?? Partial() }

  @usableFromInline
  var _hasOriginal: Bool { _storage.hasExtras && _storage.original != nil }

  /// Whether more is to be done than to set a value: it is recorded as well, among the changes over an original or
  /// after a boxed value, or a text is forgotten.
  @inlinable
  var _isRecorded: Bool { _storage.hasExtras && _isRecordedInExtras }

  @usableFromInline
  var _isRecordedInExtras: Bool { _storage.original != nil || !_storage.boxed.isEmpty || _storage.hasTexts }

  /// Records a value that is set.
  ///
  /// - Returns: Whether nothing is left to do. Otherwise the caller sets the value in what is read from.
  @inlinable
  mutating func _record<Value>(_ value: Value, at field: _PartialField, isConstant: Bool) -> Bool {
    if _storage.hasTexts { _forgetTexts(in: field, for: value) }
    let isRoot = Value.self == Root.self && !isConstant
    if var changes = _takeChanges() {
      changes._insert(value, at: field, isConstant: isConstant)
      return _putBackChanges(changes, isRoot: isRoot)
    }
    if var afterwards = _takeAfterwards(isRoot: isRoot) {
      afterwards._insert(value, at: field, isConstant: isConstant)
      _putBackAfterwards(afterwards)
    }
    return false
  }

  /// Changes by `body` what has been set over the original, and then the whole that is read from.
  @usableFromInline
  mutating func _change<Result>(_ body: (inout Partial) -> Result) -> Result {
    _makeUnique()
    guard let original = _storage.original, var changes = _takeChanges() else { return body(&self) }
    let result = body(&changes)
    _layer(changes._storage, over: original, texts: _storage.extras?.texts)
    return result
  }

  /// Takes the changes out, so that the caller alone holds them.
  @usableFromInline
  mutating func _takeChanges() -> Partial? {
    guard let changes = _storage.changes else { return nil }
    _storage.withExtras { $0.changes = nil }
    return Partial(_storage: changes)
  }

  mutating func _putBackChanges(_ changes: Partial) { _storage.withExtras { $0.changes = changes._storage } }

  /// Puts back changes in which a value was set.
  ///
  /// - Parameter isRoot: Whether it was the whole root, which leaves no boxed value.
  /// - Returns: Whether what is read from was made anew of them.
  @usableFromInline
  mutating func _putBackChanges(_ changes: Partial, isRoot: Bool) -> Bool {
    // Beside a constant, what setters did is not in the whole that is read from.
    if changes._storage.hasConstants, changes._storage.boxed.hasSetters, let original = _storage.original {
      _layer(changes._storage, over: original, texts: _storage.extras?.texts)
      return true
    }
    _putBackChanges(changes)
    if isRoot { _storage.withExtras { $0.boxed = _PartialBoxedValues() } }
    return false
  }

  /// The original as `apply(to:)` would make it, but that objects are left alone.
  var _editedOriginal: Root? {
    guard var root = original else { return nil }
    changes._replay(on: &root, writesObjects: false)
    return root
  }

  /// Lays `changes` over `original`, and remembers both.
  ///
  /// Where a setter is to be run, it is run on a copy of the original; a constant lies over what comes of it.
  ///
  /// - Parameter texts: The texts that go on to be kept.
  mutating func _layer(
    _ changes: _UnsafePartialStorage<Root>, over original: _UnsafePartialStorage<Root>, texts: AnyObject? = nil
  ) {
    defer { _checkInvariants() }
    if changes.boxed.hasSetters, var root = Partial(_storage: original)._wholeRoot {
      Partial(_storage: changes)._replay(on: &root, writesObjects: false)
      self = Partial(root)
      let refused = changes.entriesWithConstants
      if !refused.isEmpty { unsafe _storage.merge(changes) { refused.contains($0) } }
    } else {
      _storage = original
      _makeUnique()
      if changes.entryCount > 0 { unsafe _storage.merge(changes) }
    }
    _storage.withExtras { extras in
      extras.original = original
      extras.changes = changes
    }
    for assignment in changes.boxed.assignments where assignment.box.effect != .setter {
      _overrideRead(with: assignment.box)
    }
    if let texts {
      _storage.withExtras { $0.texts = texts }
      _storage.withHeader { $0.hasTexts = true }
    }
  }
}
