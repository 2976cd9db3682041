public import Dirtyables
public import Observation

/// A ``Draft`` by reference: one set of edits that several places see, and whose observers hear of every change.
///
/// ```swift
/// struct Filter: Equatable { var text = "", limit = 10 }
/// final class Model { var filter = Filter() }
///
/// let model = Model()
/// let draft = ObservableDraft(of: model, \.filter)
/// draft.limit = 50
/// draft.hasEdits  // true, and whoever observes it was told
/// draft.commit()
/// ```
///
/// Whoever owns it can offer Save and Cancel outside of the editor. A screen that edits a part of the draft, with an
/// Apply and a Cancel of its own, takes a ``child(_:)``: its commit is one edit of this draft.
///
/// Observers hear of every change of the draft, whichever member they read, as they do of a struct held by an
/// `@Observable` class; and as there, a write in place is a change, even if to the same value. A commit, a cancel or a
/// rebase that leaves the draft as it was tells nobody. Where that cannot be proved, it tells to be safe: equality
/// alone proves nothing. What the source holds is observed where the source is observable.
@dynamicMemberLookup
public final class ObservableDraft<Value>: Observable {
  @usableFromInline
  var _draft: Draft<Value>

  @usableFromInline
  let _registrar = ObservationRegistrar()

  /// What observers observe.
  ///
  /// Kept, as an expression that names the key path of a generic class makes it anew, which takes longer than all the
  /// rest.
  @usableFromInline
  let _keyPath: KeyPath<ObservableDraft, Draft<Value>> = \.draft

  /// Begins a draft of what the source holds now.
  public init(source: Draft<Value>.Source) {
    _draft = Draft(source: source)
  }

  /// Begins a draft of a property of `object`, which the draft keeps alive.
  public convenience init<Object: AnyObject>(of object: Object, _ keyPath: ReferenceWritableKeyPath<Object, Value>) {
    self.init(source: Draft.Source(of: object, keyPath))
  }

  /// Begins a draft of one member, which commits into this draft as one edit, and keeps it alive.
  public func child<Member>(_ keyPath: WritableKeyPath<Value, Member>) -> ObservableDraft<Member> {
    ObservableDraft<Member>(
      source: Draft.Source(
        get: { self.draft.current[keyPath: keyPath] }, set: { self.draft.current[keyPath: keyPath] = $0 }))
  }
}

extension ObservableDraft {
  /// The draft itself, as observers see it.
  @inlinable
  var draft: Draft<Value> {
    @inline(__always)
    _read {
      _registrar.access(self, keyPath: _keyPath)
      yield _draft
    }
    @inline(__always)
    _modify {
      _registrar.access(self, keyPath: _keyPath)
      _registrar.willSet(self, keyPath: _keyPath)
      defer { _registrar.didSet(self, keyPath: _keyPath) }
      yield &_draft
    }
  }

  /// Where the value came from and is committed to.
  public var source: Draft<Value>.Source { _draft.source }

  /// The value that the edits began from.
  public var base: Value { draft.base }

  /// The value as it is now, edits included.
  @inlinable
  public var current: Value {
    _read { yield draft.current }
    _modify { yield &draft.current }
  }

  /// Reads a member of the current value.
  @inlinable
  public subscript<Member>(dynamicMember keyPath: KeyPath<Value, Member>) -> Member {
    _read { yield draft[dynamicMember: keyPath] }
  }

  /// Reads or writes a member of the current value, in place.
  @inlinable
  public subscript<Member>(dynamicMember keyPath: WritableKeyPath<Value, Member>) -> Member {
    _read { yield draft[dynamicMember: keyPath] }
    _modify { yield &draft[dynamicMember: keyPath] }
  }

  /// Edits the current value as a whole, for what single members cannot express.
  ///
  /// `body` must not use the draft: that would be a second access while the first lasts, which traps.
  @inlinable
  public func update<Result: ~Copyable, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try draft.update(body)
  }

  /// Whether the draft was written since it began, or was last committed or cancelled, even if to the same value.
  @inlinable
  public var isTouched: Bool { draft.isTouched }

  /// Whether there are edits to commit: whether the current value differs from the base, or was written where its type
  /// cannot be compared.
  ///
  /// For code that knows nothing of `Value`; see `Draft/hasEdits`.
  @inlinable
  public var hasEdits: Bool { draft.hasEdits }

  /// Whether a member was edited, that is differs from the base's.
  @inlinable
  public func hasEdits<Member: Equatable>(in keyPath: KeyPath<Value, Member>) -> Bool {
    draft.hasEdits(in: keyPath)
  }

  /// What a member was in the base and what it is now, or nil if the two are equal.
  @inlinable
  public func change<Member: Equatable>(for keyPath: KeyPath<Value, Member>) -> Dirtyable<Value>.Change<Member>? {
    draft.change(for: keyPath)
  }

  /// The members, of those asked for, that were edited, in the order asked for.
  @inlinable
  public func changedKeyPaths<each Member: Equatable>(
    among keyPaths: repeat KeyPath<Value, each Member>
  ) -> [PartialKeyPath<Value>] {
    draft.changedKeyPaths(among: repeat each keyPaths)
  }

  /// Whether a member of what the source holds by now differs from the base's.
  public func sourceChanged<Member: Equatable>(in keyPath: KeyPath<Value, Member>) -> Bool {
    draft.sourceChanged(in: keyPath)
  }

  /// Writes the current value to the source if there are edits; see `Draft/commit()`.
  public func commit() {
    detachingDraft { $0.commit() }
  }

  /// Gives up all edits, and begins again from what the source holds now.
  public func cancel() {
    detachingDraft { $0.cancel() }
  }

  /// Gives up the edits of one member; the other edits stay.
  public func cancel<Member>(_ keyPath: WritableKeyPath<Value, Member>) {
    guard isTouched else { return }
    if _areProvablySame(base[keyPath: keyPath], current[keyPath: keyPath]) {
      _draft.cancel(keyPath)
    } else {
      draft.cancel(keyPath)
    }
  }

  /// Runs `body` on the draft while nobody accesses it, with the source read before and written after.
  ///
  /// Nobody is told where nothing came of it.
  private func detachingDraft<Result, Failure: Error>(
    _ body: (inout Draft<Value>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let source = source
    let found = source.value
    let before = draft._edits
    let (result, edits, written) = try Draft.detached(before, from: found, body)
    if !Draft.areProvablySame(before, edits) { draft._edits = edits }
    if let written { source.value = written }
    return result
  }
}

extension ObservableDraft where Value: Equatable {
  /// Whether there are edits to commit: whether the current value differs from the base.
  @inlinable
  public var hasEdits: Bool { draft.hasEdits }

  /// Whether the source holds something else by now than what the edits began from.
  public var sourceChanged: Bool { draft.sourceChanged }

  /// Writes the current value to the source if there are edits; see `Draft/commit()`.
  ///
  /// - Returns: What was overwritten, if the source had changed since the edits began, and not to the same.
  @discardableResult
  public func commit() -> Value? {
    detachingDraft { $0.commit() }
  }

  /// Writes the current value to the source if there are edits, and treats a source that changed as `policy` says.
  ///
  /// - Throws: ``Draft/CommitError`` where the source and the draft changed to different ends: nothing was written
  ///   then.
  public func commit(_ policy: Draft<Value>.CommitPolicy) throws(Draft<Value>.CommitError) {
    try detachingDraft { draft throws(Draft<Value>.CommitError) in try draft.commit(policy) }
  }

  /// Puts the edits on top of what the source holds by now, member by member; the source is left as it is.
  ///
  /// - Returns: The members in conflict, with base, mine and theirs.
  public func rebase<each Member: Equatable & SendableMetatype>(
    _ fields: repeat any WritableKeyPath<Value, each Member> & Sendable
  ) -> Dirtyable<Value>.Conflicts {
    rebase(merging: Dirtyable.Fields(repeat each fields))
  }

  /// Puts the edits on top of what the source holds by now, merging the members that `fields` lists.
  ///
  /// - Returns: The members in conflict, with base, mine and theirs.
  public func rebase(merging fields: Dirtyable<Value>.Fields) -> Dirtyable<Value>.Conflicts {
    detachingDraft { $0.rebase(merging: fields) }
  }
}

extension ObservableDraft: CustomStringConvertible {
  /// The value, or `base → current` where it was edited.
  public var description: String { "Observable\(draft)" }
}
