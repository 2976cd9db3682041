public import Dirtyables
import Sameness

extension Draft {
  /// Writes the current value to the source if there are edits.
  ///
  /// This is for generic code. If the source has changed to another value than the draft's, that is a conflict. If the
  /// type isn't `Equatable`, the source is overwritten.
  @_documentation(visibility: internal)
  @_disfavoredOverload
  public mutating func commit() throws(CommitError) {
    guard let found = _source.read() else {
      if isDirty || _edits._isInDoubt { throw CommitError(conflicting: [\Value.self], isSourceGone: true) }
      return
    }
    let isUnchanged = _isUneditedIfKnown(found, base)
    // A part that can't be inspected, such as an object, is an edit only if theirs is as before.
    guard isDirty || isUnchanged == true && _edits._isInDoubt else { return _edits = Dirtyable(found) }
    let isReached = isUnchanged != true && _isUneditedIfKnown(current, found) == true
    guard isUnchanged != false || isReached else {
      throw CommitError(conflicting: [\Value.self], isSourceGone: false)
    }
    if !isReached { _source.write(current) }
    _edits = Dirtyable(isReached ? found : _source.read() ?? current)
  }

  /// Discards all edits, and begins again from the value that the source holds now.
  ///
  /// The source stays as it is. If its value is gone, the draft returns to the base.
  ///
  /// - Complexity: O(1), plus a read of the source.
  @inlinable
  public mutating func rollback() {
    _edits = Dirtyable(_source.read() ?? base)
  }

  /// Discards the edits of one member; the other edits stay.
  @inlinable
  @_disfavoredOverload
  public mutating func rollback<Member>(_ keyPath: WritableKeyPath<Value, Member>) {
    _edits.rollback(keyPath)
  }

  /// Discards the edits of a row or of a part of an optional, if the base has it too.
  @_documentation(visibility: internal)
  public mutating func rollback<Member>(_ path: _RowPath<Value, Member>) { _edits.rollback(path) }

  /// Runs `body` on a draft whose source holds `found`, and returns the value that the caller has to write there.
  ///
  /// Writing the source may notify an observer that uses the draft in turn. A draft by reference can then be used only
  /// outside of any access, and keeps what the observer edits only if its own edits were stored before. A commit that
  /// an observer makes before the source is written, when it is told that the source will change, is overwritten.
  static func detached<Result, Failure: Error>(
    _ edits: Dirtyable<Value>, from found: Value?, _ body: (inout Draft) throws(Failure) -> Result
  ) throws(Failure) -> (result: Result, edits: Dirtyable<Value>, written: Value?) {
    var written: Value?
    var draft = Draft(edits: edits, source: Source(get: { written ?? found }, set: { written = $0 }))
    let result = try body(&draft)
    return (result, draft._edits, written)
  }
}

extension Draft where Value: Equatable {
  /// Writes the current value to the source if there are edits; `policy` decides what happens if the source changed.
  ///
  /// ```swift
  /// struct Filter: Equatable { var text = "", limit = 10 }
  /// final class Model { var filter = Filter() }
  ///
  /// let model = Model()
  /// var draft = Draft(of: model, \.filter)
  /// draft.limit = 50
  /// model.filter.text = "swift"  // meanwhile, elsewhere
  /// try draft.commit(.merge(.init(\.text, \.limit)))
  /// model.filter                 // Filter(text: "swift", limit: 50)
  /// ```
  ///
  /// By default a source that changed meanwhile isn't overwritten: that is a conflict, unless both sides changed to the
  /// same value. Without edits nothing is written, and the draft follows the source. After a commit the draft continues
  /// from the value that the source made of it, for example a trimmed text.
  ///
  /// List all members to merge: those that aren't listed count as one more, `\.self`, which is in conflict if both
  /// sides changed any of them.
  ///
  /// - Throws: ``CommitError`` if the source and the draft changed to different values, and with any policy if there
  ///   are edits and the value of the source is gone. Then nothing was written, and draft and source are as before:
  ///   ``rebase(merging:)`` shows both sides, and the draft continues from what the source holds.
  /// - Complexity: That of comparing the value, and each member listed, a fixed number of times.
  public mutating func commit(_ policy: CommitPolicy = .failOnConflict) throws(CommitError) {
    switch policy {
    case .overwrite: try commit(merging: Dirtyable.Fields(), refusingConflicts: false)
    case .failOnConflict: try commit(merging: Dirtyable.Fields())
    case .merge(let fields): try commit(merging: fields)
    }
  }

  /// Applies the edits on top of the value that the source holds now, merging the members that `fields` lists.
  ///
  /// The source stays as it is. Members in conflict keep their edits and are listed in the result; ``rollback(_:)`` of
  /// such a member takes theirs. After that the source no longer counts as changed, so the next commit writes.
  ///
  /// ```swift
  /// struct Filter: Equatable { var text = "", limit = 10 }
  /// final class Model { var filter = Filter() }
  ///
  /// let model = Model()
  /// var draft = Draft(of: model, \.filter)
  /// draft.limit = 50
  /// model.filter.limit = 20
  /// let conflicts = draft.rebase(merging: .init(\.text, \.limit))
  /// if let limit = conflicts[\.limit], limit.theirs > limit.base {
  ///   draft.rollback(\.limit)
  /// }
  /// ```
  ///
  /// If the value of the source is gone, the draft stays as it is. Its edits are in conflict as a whole, `\.self`, and
  /// theirs is the base, because there is nothing newer.
  ///
  /// - Returns: The members in conflict, with base, mine and theirs.
  /// - Complexity: That of comparing and copying the value a fixed number of times.
  public mutating func rebase(
    merging fields: Dirtyable<Value>.Fields = Dirtyable.Fields()
  ) -> Dirtyable<Value>.Conflicts {
    guard let found = _source.read() else { return _edits._conflictsWithNothing }
    return _edits.rebase(onto: found, merging: fields)
  }

  private mutating func commit(
    merging fields: Dirtyable<Value>.Fields, refusingConflicts: Bool = true
  ) throws(CommitError) {
    guard let found = _source.read() else {
      let conflicts = _edits._conflictsWithNothing
      guard conflicts.isEmpty else { throw CommitError(conflicting: conflicts.sendableKeyPaths, isSourceGone: true) }
      return
    }
    if _areSameOrEqualWithin(found, base) {
      guard isDirty || _edits._isInDoubt else { return _edits = Dirtyable(found) }
    } else {
      var merged = _edits
      let conflicts = merged.rebase(onto: found, merging: fields)
      guard conflicts.isEmpty || !refusingConflicts else {
        throw CommitError(conflicting: conflicts.sendableKeyPaths, isSourceGone: false)
      }
      _edits = merged
      // The `==` of a value may ignore a member, listed or not.
      guard !_areSameOrEqualWithin(current, found) else { return _edits = Dirtyable(found) }
    }
    _source.write(current)
    _edits = Dirtyable(_source.read() ?? current)
  }
}

extension Draft where Value: Equatable {
  /// How a commit treats a source that changed since the edits began.
  public enum CommitPolicy: Sendable {
    /// Writes nothing and throws if draft and source changed to different values.
    case failOnConflict

    /// Writes the draft, whatever the source holds.
    case overwrite

    /// Merges the listed members one by one, all others as one more; throws only if both sides changed one differently.
    case merge(Dirtyable<Value>.Fields)
  }
}

extension Draft {
  /// The error of a commit whose source is gone, or has changed to another value than the draft.
  public struct CommitError: Error, CustomStringConvertible {
    fileprivate let conflicting: [any PartialKeyPath<Value> & Sendable]

    /// Whether the value of the source is gone, so that there is nothing to write to.
    public let isSourceGone: Bool

    /// The members that both sides changed; `\.self` for everything that no field of the policy covers.
    public var keyPaths: [PartialKeyPath<Value>] { conflicting.map { $0 } }

    /// The members in conflict, and what can be done.
    public var description: String {
      if isSourceGone {
        return "The value that the draft was made from is gone: nothing was written, and the draft still has its edits."
      }
      return """
        The source changed since the draft began, and differently from the draft, at \
        \(keyPaths.map { "\($0)" }.joined(separator: ", ")). \
        Nothing was written. Call rebase to see both sides, or commit(.overwrite).
        """
    }
  }
}
