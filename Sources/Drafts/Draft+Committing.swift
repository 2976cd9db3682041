public import Dirtyables
import Sameness

extension Draft {
  /// Writes the current value to the source if there are edits.
  ///
  /// For code that knows nothing of `Value`: a source that changed is a conflict where the two can be compared.
  @_documentation(visibility: internal)
  @_disfavoredOverload
  public mutating func commit() throws(CommitError) {
    guard let found = source.valueIfPresent else {
      if isDirty || _edits._isInDoubt { throw CommitError([\Value.self], isSourceGone: true) }
      return
    }
    let isUnchanged = _isUneditedIfKnown(found, base)
    // What cannot be looked into, as an object, is an edit only where theirs is as before.
    guard isDirty || isUnchanged == true && _edits._isInDoubt else { return _edits = Dirtyable(found) }
    let isReached = isUnchanged != true && _isUneditedIfKnown(current, found) == true
    guard isUnchanged != false || isReached else {
      throw CommitError([\Value.self], isSourceGone: false)
    }
    if !isReached { source.value = current }
    _edits = Dirtyable(isReached ? found : source.valueIfPresent ?? current)
  }

  /// Gives up all edits, and begins again from what the source holds now.
  ///
  /// The source is left as it is. Where what it led to is gone, the draft goes back to the base.
  ///
  /// - Complexity: O(1), and a read of the source.
  @inlinable
  public mutating func rollback() {
    _edits = Dirtyable(source.valueIfPresent ?? base)
  }

  /// Gives up the edits of one member; the other edits stay.
  @inlinable
  @_disfavoredOverload
  public mutating func rollback<Member>(_ keyPath: WritableKeyPath<Value, Member>) {
    _edits.rollback(keyPath)
  }

  /// Gives up the edits of a row or of a part of an optional, where the base has it too.
  @_documentation(visibility: internal)
  public mutating func rollback<Member>(_ path: _RowPath<Value, Member>) { _edits.rollback(path) }

  /// What `body` makes of a draft whose source holds `found`, and what it writes there, which is left to the caller.
  ///
  /// An observer of the source may use the draft in turn. A draft by reference can be used by then only outside of any
  /// access, and keeps what is edited by then only if it was committed before. What it commits before the source is
  /// written, as one that is told that the source will change, is written over.
  static func detached<Result, Failure: Error>(
    _ edits: Dirtyable<Value>, from found: Value?, _ body: (inout Draft) throws(Failure) -> Result
  ) throws(Failure) -> (result: Result, edits: Dirtyable<Value>, written: Value?) {
    var written: Value?
    var draft = Draft(edits: edits, source: Source(find: { written ?? found }, set: { written = $0 }))
    let result = try body(&draft)
    return (result, draft._edits, written)
  }
}

extension Draft where Value: Equatable {
  /// Writes the current value to the source if there are edits, and treats a source that changed as `policy` says.
  ///
  /// ```swift
  /// struct Filter: Equatable { var text = "", limit = 10 }
  /// final class Model { var filter = Filter() }
  ///
  /// let model = Model()
  /// var draft = Draft(of: model, \.filter)
  /// draft.limit = 50
  /// model.filter.text = "swift"  // meanwhile, elsewhere
  /// try draft.commit(.merge(\.text, \.limit))
  /// model.filter                 // Filter(text: "swift", limit: 50)
  /// ```
  ///
  /// By default a source that changed meanwhile is not overwritten: that is a conflict, unless both sides changed to
  /// the same. Without edits nothing is written, and the draft follows what the source holds by now. After a commit the
  /// draft goes on from what the source made of the value, which may have trimmed a text.
  ///
  /// List all members to merge: those that are not listed are one member more, `\.self`, and in conflict where both
  /// sides changed any of them.
  ///
  /// - Throws: ``CommitError`` where the source and the draft changed to different ends, and by any policy where there
  ///   are edits and what the source led to is gone. Then nothing was written, and draft and source are as before:
  ///   ``rebase(_:)`` shows both sides and lets the draft go on from what the source holds.
  /// - Complexity: That of comparing the value, and each member listed, a fixed number of times.
  public mutating func commit(_ policy: CommitPolicy = .failOnConflict) throws(CommitError) {
    switch policy {
    case .overwrite: try commit(merging: Dirtyable.Fields(), refusingConflicts: false)
    case .failOnConflict: try commit(merging: Dirtyable.Fields())
    case .merge(let fields): try commit(merging: fields)
    }
  }

  /// Puts the edits on top of what the source holds by now, member by member; the source is left as it is.
  ///
  /// Members in conflict keep their edits and are listed in the result; ``rollback(_:)`` of such a member takes theirs.
  /// After that the source no longer counts as changed, so the next commit writes.
  ///
  /// ```swift
  /// struct Filter: Equatable { var text = "", limit = 10 }
  /// final class Model { var filter = Filter() }
  ///
  /// let model = Model()
  /// var draft = Draft(of: model, \.filter)
  /// draft.limit = 50
  /// model.filter.limit = 20
  /// let conflicts = draft.rebase(\.text, \.limit)
  /// if let limit = conflicts[\.limit], limit.theirs > limit.base {
  ///   draft.rollback(\.limit)
  /// }
  /// ```
  ///
  /// - Returns: The members in conflict, with base, mine and theirs.
  /// - Complexity: That of comparing and copying the value a fixed number of times.
  @_disfavoredOverload
  public mutating func rebase<each Member: Equatable & SendableMetatype>(
    _ fields: repeat any WritableKeyPath<Value, each Member> & Sendable
  ) -> Dirtyable<Value>.Conflicts {
    rebase(merging: Dirtyable.Fields(repeat each fields))
  }

  /// Puts the edits on top of what the source holds by now, with a row or a part of an optional merged by itself.
  @_documentation(visibility: internal)
  public mutating func rebase<Member: Equatable & SendableMetatype>(
    _ path: any _RowPath<Value, Member> & Sendable
  ) -> Dirtyable<Value>.Conflicts {
    rebase(merging: Dirtyable.Fields(path))
  }

  /// Puts the edits on top of what the source holds by now, merging the members that `fields` lists.
  ///
  /// Where what the source led to is gone, the draft stays as it is. Its edits are in conflict as a whole, `\.self`,
  /// and theirs is the base, as there is nothing newer.
  ///
  /// - Returns: The members in conflict, with base, mine and theirs.
  /// - Complexity: That of ``rebase(_:)``.
  public mutating func rebase(merging fields: Dirtyable<Value>.Fields) -> Dirtyable<Value>.Conflicts {
    guard let found = source.valueIfPresent else { return conflictsWithNothing }
    return _edits.rebase(onto: found, merging: fields)
  }

  /// The conflict of a draft whose source is gone: its whole value, if it has edits.
  private var conflictsWithNothing: Dirtyable<Value>.Conflicts {
    let isEdited = isDirty || _edits._isInDoubt
    return Dirtyable.Conflicts(base: base, mine: current, theirs: base, keyPaths: isEdited ? [\Value.self] : [])
  }

  private mutating func commit(
    merging fields: Dirtyable<Value>.Fields, refusingConflicts: Bool = true
  ) throws(CommitError) {
    guard let found = source.valueIfPresent else {
      let conflicts = conflictsWithNothing
      guard conflicts.isEmpty else { throw CommitError(conflicts.sendableKeyPaths, isSourceGone: true) }
      return
    }
    if _areSameOrEqualWithin(found, base) {
      guard isDirty || _edits._isInDoubt else { return _edits = Dirtyable(found) }
    } else {
      var merged = _edits
      let conflicts = merged.rebase(onto: found, merging: fields)
      guard conflicts.isEmpty || !refusingConflicts else {
        throw CommitError(conflicts.sendableKeyPaths, isSourceGone: false)
      }
      _edits = merged
      // The `==` of a value may leave out a member, listed or not.
      guard !_areSameOrEqualWithin(current, found) else { return _edits = Dirtyable(found) }
    }
    source.value = current
    _edits = Dirtyable(source.valueIfPresent ?? current)
  }
}

extension Draft where Value: Equatable {
  /// What a commit does when the source changed since the edits began.
  public enum CommitPolicy: Sendable {
    /// Writes nothing and throws if draft and source changed to different ends.
    case failOnConflict

    /// Writes the draft, whatever the source holds.
    case overwrite

    /// Merges the listed members one by one, all others as one more, and throws only if both changed one differently.
    case merge(Dirtyable<Value>.Fields)

    /// Merges these members one by one, all others as one more, and throws only if both changed one differently.
    @_disfavoredOverload
    public static func merge<each Member: Equatable & SendableMetatype>(
      _ fields: repeat any WritableKeyPath<Value, each Member> & Sendable
    ) -> CommitPolicy {
      .merge(Dirtyable.Fields(repeat each fields))
    }

    /// Merges a row, or a part of an optional, by itself.
    @_documentation(visibility: internal)
    public static func merge<Member: Equatable & SendableMetatype>(
      _ path: any _RowPath<Value, Member> & Sendable
    ) -> CommitPolicy {
      .merge(Dirtyable.Fields(path))
    }
  }
}

extension Draft {
  /// The refusal of a commit whose source changed to something else than the draft, or is gone.
  public struct CommitError: Error, CustomStringConvertible {
    private let conflicting: [any PartialKeyPath<Value> & Sendable]

    /// Whether what the source led to is gone, so that there is nothing to write to.
    public let isSourceGone: Bool

    init(_ keyPaths: [any PartialKeyPath<Value> & Sendable], isSourceGone: Bool) {
      (conflicting, self.isSourceGone) = (keyPaths, isSourceGone)
    }

    /// The members that both changed; `\.self` for what no field of the policy covers.
    public var keyPaths: [PartialKeyPath<Value>] { conflicting.map { $0 } }

    /// Which members are in conflict, and what can be done.
    public var description: String {
      if isSourceGone {
        return "What the draft was made of is gone: nothing was written, and the draft has its edits still."
      }
      return """
        The source changed since the draft began, and differently from the draft, at \
        \(keyPaths.map { "\($0)" }.joined(separator: ", ")). \
        Nothing was written. Call rebase to see both sides, or commit(.overwrite).
        """
    }
  }
}
