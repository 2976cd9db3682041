public import Dirtyables
import Sameness

extension Draft {
  /// The value that the edits began from: that of the source when the draft began, or was last committed, rolled back
  /// or rebased.
  ///
  /// If the source changes what it is given, for example by trimming it, the base after a commit is the changed value.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var base: Value { _edits.original }

  /// Whether the draft was written since it began, or was last committed or rolled back, even if with the same value.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var isTouched: Bool { _edits.isTouched }

  /// Whether there are edits to commit: the current value differs from the base, or was written and can't be compared.
  ///
  /// This is for generic code, and checks at run time whether `Value` is `Equatable`. If it is, a value that was set
  /// back has no edits; ``isTouched`` is true all the same.
  ///
  /// - Complexity: O(1) while nothing was written, and if `Value` isn't `Equatable`; otherwise that of finding its
  ///   `==`, and of comparing.
  @_documentation(visibility: internal)
  @inlinable
  public var isDirty: Bool { _edits.isDirty }

  /// Whether a member was edited, so that it differs from that of the base.
  ///
  /// - Precondition: A stored key path, or one that names its root, leads somewhere in both values. A literal is
  ///   checked for that: a row or a part of an optional was edited if only one of the two has it.
  /// - Complexity: That of comparing the two; O(1) while nothing was written.
  @inlinable
  @_disfavoredOverload
  public func isDirty<Member: Equatable>(_ keyPath: KeyPath<Value, Member>) -> Bool {
    _edits.isDirty(keyPath)
  }

  /// Whether a row or a part of an optional was edited, added or removed.
  @_documentation(visibility: internal)
  public func isDirty<Member: Equatable>(_ path: _RowPath<Value, Member>) -> Bool { _edits.isDirty(path) }

  /// The edits as a `Dirtyable` over the base, for more questions: `draft.edits.change(for: \.text)`.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var edits: Dirtyable<Value> { _edits }

  /// Whether a member of the value that the source holds now differs from that of the base, or the source is gone.
  ///
  /// - Complexity: That of reading the source and comparing the two.
  @inlinable
  @_disfavoredOverload
  public func sourceChanged<Member: Equatable>(in keyPath: KeyPath<Value, Member>) -> Bool {
    _source.read().map { !_edits._isOriginal($0, in: keyPath) } ?? true
  }

  /// Whether a row or a part of an optional in the source differs from that of the base, or only one of the two has it.
  @_documentation(visibility: internal)
  public func sourceChanged<Member: Equatable>(in path: _RowPath<Value, Member>) -> Bool {
    let part = path.lens()
    guard let held = _source.read() else { return true }
    return !_areEqualOrSame(part.find(in: held), part.find(in: base))
  }

  /// Whether both edits certainly make the same draft; false if that can't be proved.
  static func areProvablySame(_ left: Dirtyable<Value>, _ right: Dirtyable<Value>) -> Bool {
    left.isTouched == right.isTouched && _areProvablySame(left.original, right.original)
      && (!left.isTouched || _areProvablySame(left.current, right.current))
  }
}

extension Draft where Value: Equatable {
  /// Whether there are edits to commit: whether the current value differs from the base.
  ///
  /// A value that doesn't equal itself, such as NaN, isn't an edit while its stored contents are the same. A change of
  /// a member that `==` ignores is an edit, and so is a text in another normal form.
  ///
  /// - Complexity: That of comparing the two; O(1) while nothing was written.
  @inlinable
  public var isDirty: Bool {
    _edits.isDirty
  }

  /// Whether the source now holds another value than the one that the edits began from, or is gone.
  ///
  /// - Complexity: That of reading the source and comparing the two.
  @inlinable
  public var sourceChanged: Bool { _source.read().map { !_edits._isOriginal($0) } ?? true }
}
