public import Dirtyables
import Sameness

extension Draft {
  /// The value that the edits began from: what the source held when the draft began, or was last committed, cancelled
  /// or rebased.
  ///
  /// A source that trims or clamps what it is given is followed: after a commit the base is what it made of that.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var base: Value { _edits.original }

  /// Whether the draft was written since it began, or was last committed or cancelled, even if to the same value.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var isTouched: Bool { _edits.isTouched }

  /// Whether there are edits to commit: whether the current value differs from the base, or was written where its type
  /// cannot be compared.
  ///
  /// For code that knows nothing of `Value`: whether it is `Equatable` is asked as the program runs, and a value set
  /// back has no edits then. ``isTouched`` is the other question.
  ///
  /// - Complexity: O(1) while nothing was written, and where `Value` is not `Equatable`; otherwise that of finding its
  ///   `==`, and of comparing.
  @_documentation(visibility: internal)
  @inlinable
  public var isDirty: Bool { _edits.isDirty }

  /// Whether a member was edited, that is differs from the base's.
  ///
  /// - Precondition: A key path that is kept, or names its root, leads somewhere in both. A literal is asked whether it
  ///   does: a row or a part of an optional was edited where only one of the two has it.
  /// - Complexity: That of comparing the two; O(1) while nothing was written.
  @inlinable
  @_disfavoredOverload
  public func isDirty<Member: Equatable>(_ keyPath: KeyPath<Value, Member>) -> Bool {
    _edits.isDirty(keyPath)
  }

  /// Whether a row or a part of an optional was edited, added or removed.
  @_documentation(visibility: internal)
  public func isDirty<Member: Equatable>(_ path: _RowPath<Value, Member>) -> Bool { _edits.isDirty(path) }

  /// Whether the element with this identity was edited, added or removed.
  ///
  /// - Complexity: O(*n*) in the elements, and that of comparing the two; O(1) while nothing was written.
  public func isDirty<Element: Identifiable & Equatable>(
    _ keyPath: KeyPath<Value, [Element]>, id: Element.ID
  ) -> Bool {
    _edits.isDirty(keyPath, id: id)
  }

  /// What a member was in the base and what it is now, or nil if the two are equal.
  ///
  /// - Complexity: That of comparing the two; O(1) while nothing was written.
  @inlinable
  @_disfavoredOverload
  public func change<Member: Equatable>(for keyPath: KeyPath<Value, Member>) -> Dirtyable<Value>.Change<Member>? {
    _edits.change(for: keyPath)
  }

  /// The old and the new value of a row or of a part of an optional, or nil if both are the same.
  @_documentation(visibility: internal)
  public func change<Member: Equatable>(for path: _RowPath<Value, Member>) -> Dirtyable<Value>.Change<Member?>? {
    _edits.change(for: path)
  }

  /// The members, of those asked for, that were edited, in the order asked for.
  ///
  /// - Complexity: That of comparing each pair of members; O(1) while nothing was written.
  @inlinable
  public func changedKeyPaths<each Member: Equatable>(
    among keyPaths: repeat KeyPath<Value, each Member>
  ) -> [PartialKeyPath<Value>] {
    var changed: [PartialKeyPath<Value>] = []
    for keyPath in repeat each keyPaths {
      if isDirty(keyPath) { changed.append(keyPath) }
    }
    return changed
  }

  /// Whether a member of what the source holds by now differs from the base's, or the source is gone.
  ///
  /// - Complexity: That of reading the source and comparing the two.
  @inlinable
  @_disfavoredOverload
  public func sourceChanged<Member: Equatable>(in keyPath: KeyPath<Value, Member>) -> Bool {
    source.valueIfPresent.map { !_edits._isOriginal($0, in: keyPath) } ?? true
  }

  /// Whether a row or a part of an optional differs from the base's by now, or only one of the two has it.
  @_documentation(visibility: internal)
  public func sourceChanged<Member: Equatable>(in path: _RowPath<Value, Member>) -> Bool {
    let part = path.lens()
    guard let held = source.valueIfPresent else { return true }
    return !_areEqualOrSame(part.find(in: held), part.find(in: base))
  }

  /// Whether a draft with these edits answers as one with those; false where that cannot be proved.
  static func areProvablySame(_ left: Dirtyable<Value>, _ right: Dirtyable<Value>) -> Bool {
    left.isTouched == right.isTouched && _areProvablySame(left.original, right.original)
      && (!left.isTouched || _areProvablySame(left.current, right.current))
  }
}

extension Draft where Value: Equatable {
  /// Whether there are edits to commit: whether the current value differs from the base.
  ///
  /// A value that does not equal itself, as one that is not a number, is no edit while what is stored is the same. A
  /// member that `==` leaves out is one, and so is a text in another normal form.
  ///
  /// - Complexity: That of comparing the two; O(1) while nothing was written.
  @inlinable
  public var isDirty: Bool {
    _edits.isDirty
  }

  /// Whether the source holds something else by now than what the edits began from, or is gone.
  ///
  /// - Complexity: That of reading the source and comparing the two.
  @inlinable
  public var sourceChanged: Bool { source.valueIfPresent.map { !_edits._isOriginal($0) } ?? true }
}
