extension Partial {
  /// Makes a partial that lies over `original`: what is not set is read from there, and what is set is remembered apart.
  ///
  /// One value serves the form that edits, the question whether anything was edited, and the request that sends the changes:
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
  /// Reading answers what `apply(to:)` would make of the original. So a whole of which a part was set reads with this part in
  /// it, and a computed property is computed from what is set in stored ones. Everything is present, but for the wholes around
  /// a constant that was set, which is read alone; to remove a value is to read the original's again.
  ///
  /// - Complexity: O(1)
  public init(over original: Root) {
    self.init(original)
    _lie(over: _storage, with: .make())
  }

  /// The root that the partial lies over; nil when it was not made over one.
  ///
  /// - Complexity: O(1), and a copy of the root.
  public var original: Root? { _storage.original.flatMap { Partial(_storage: $0)._value(for: \.self) } }

  /// What has been set, without the original below it.
  ///
  /// It is a partial of its own: ask it `isEmpty` to know whether anything was edited and `contains(_:)` for a field, apply it
  /// to a newer root, merge it, or encode it. What was set counts, even to the value that the original has: where values can
  /// be compared, `differences` leaves those out.
  ///
  /// - Complexity: O(1)
  public var changes: Partial { _storage.changes.map { Partial(_storage: $0) } ?? self }

  /// Removes every value that has been set, so that an original is all that is then read.
  ///
  /// - Complexity: O(`count`)
  public mutating func removeAll() {
    if let original = _storage.original { _lie(over: original, with: .make()) } else { self = Partial() }
  }

  /// A partial that holds the original as a whole; without an original an empty one.
  var _originalAlone: Partial { _storage.original.map { Partial(_storage: $0) } ?? Partial() }

  @usableFromInline
  var _hasOriginal: Bool { _storage.hasExtras && _storage.original != nil }

  /// Sets a value among the changes over the original; the whole that is read from is for the caller to change.
  @inlinable
  mutating func _recordChange<Value>(_ value: Value, at field: _PartialField, isConstant: Bool) {
    guard var changes = _takeChanges() else { return }
    changes._insert(value, at: field, isConstant: isConstant)
    _putBackChanges(changes)
  }

  /// Changes by `body` what has been set over the original, and then the whole that is read from.
  @usableFromInline
  mutating func _change<Result>(_ body: (inout Partial) -> Result) -> Result {
    _makeUnique()
    guard let original = _storage.original, var changes = _takeChanges() else { return body(&self) }
    let result = body(&changes)
    _lie(over: original, with: changes._storage)
    return result
  }

  /// Takes the changes out, so that nobody else holds them.
  @usableFromInline
  mutating func _takeChanges() -> Partial? {
    defer { if _hasOriginal { _storage.withExtras { $0.changes = nil } } }
    return _storage.changes.map { Partial(_storage: $0) }
  }

  @usableFromInline
  mutating func _putBackChanges(_ changes: Partial) { _storage.withExtras { $0.changes = changes._storage } }

  /// Lays `changes` over `original`, and remembers both.
  private mutating func _lie(over original: _PartialStorage<Root>, with changes: _PartialStorage<Root>) {
    defer { _checkInvariants() }
    _storage = original
    _makeUnique()
    if changes.entryCount > 0 { _storage.merge(changes) }
    _storage.withExtras { extras in
      extras.original = original
      extras.changes = changes
    }
  }
}
