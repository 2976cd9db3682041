public import Dirtyables
public import Observation
import Sameness

/// A ``Draft`` by reference: one set of edits that several places see and can observe.
///
/// ```swift
/// struct Filter: Equatable { var text = "", limit = 10 }
/// final class Model { var filter = Filter() }
///
/// let model = Model()
/// let draft = ObservableDraft(of: model, \.filter)
/// draft.limit = 50
/// draft.isDirty  // true, and its observers were told
/// try draft.commit()
/// ```
///
/// Its owner can offer Save and Cancel outside of the editor. A screen that edits a part of the draft, with an Apply
/// and a Cancel of its own, takes a ``child(_:)``: its commit is one edit of this draft.
///
/// It has the members that a view needs, and answers all else by its ``draft``:
/// `editing.draft.changedKeyPaths(among: \.text, \.limit)`.
///
/// Observers hear of every change of the draft, whichever member they read, as they do of a struct held by an
/// `@Observable` class. As there, a write in place is a change, even if to the same value. A commit, a cancel or a
/// rebase that leaves the draft as it was does not notify. Where that cannot be proved, it does: equality alone proves
/// nothing. What the source holds is observed where the source is observable.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
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

  /// Begins a draft of a property of `object`, which the draft keeps alive; see `Draft/init(of:_:)`.
  @_disfavoredOverload
  public convenience init<Object: AnyObject>(of object: Object, _ keyPath: ReferenceWritableKeyPath<Object, Value>) {
    self.init(source: Draft.Source(of: object, keyPath))
  }

  /// Begins a draft of a row, or of a part of an optional, of `object`, which the draft keeps alive.
  @_documentation(visibility: internal)
  public convenience init<Object: AnyObject>(of object: Object, _ path: _RowPath<Object, Value>) {
    self.init(source: Draft.Source(of: object, path))
  }

  /// Begins a draft of a row, or of a part of an optional, which commits into this draft as one edit.
  @_documentation(visibility: internal)
  public func child<Member>(_ path: _RowPath<Value, Member>) -> ObservableDraft<Member> {
    let part = path.lens()
    return ObservableDraft<Member>(
      source: Draft.Source(
        find: { part.find(in: self.current) },
        set: { part.replace(in: &self._observedDraft.current, with: $0) }))
  }

  /// Begins a draft of one member, which commits into this draft as one edit, and keeps it alive.
  ///
  /// A literal may lead to a row or into an optional, as for `Draft/init(of:_:)`; a row that may move is
  /// ``child(_:id:)``.
  @_disfavoredOverload
  public func child<Member>(_ keyPath: WritableKeyPath<Value, Member>) -> ObservableDraft<Member> {
    ObservableDraft<Member>(
      source: Draft.Source(
        get: { self.draft.current[keyPath: keyPath] }, set: { self._observedDraft.current[keyPath: keyPath] = $0 }))
  }

  /// Begins a draft of the row with this identity, which commits into this draft as one edit, and keeps it alive.
  ///
  /// A row that moved is found, and one that is gone is a conflict: see ``Draft/init(of:_:id:)``.
  ///
  /// - Returns: The draft; nil where no row has this identity.
  public func child<Element: Identifiable>(
    _ keyPath: WritableKeyPath<Value, [Element]>, id: Element.ID
  ) -> ObservableDraft<Element>? {
    let current: ReferenceWritableKeyPath<ObservableDraft, Value> = \.current
    let source = Draft<Element>.Source(of: self, current.appending(path: keyPath), id: id)
    return source.valueIfPresent == nil ? nil : ObservableDraft<Element>(source: source)
  }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension ObservableDraft where Value: Identifiable {
  /// Begins a draft of the row with this identity in an array of `object`, which the draft keeps alive.
  ///
  /// It is nil where no row has this identity. A row that moved is found, and one that is gone is a conflict: see
  /// ``Draft/init(of:_:id:)``.
  public convenience init?<Object: AnyObject>(
    of object: Object, _ keyPath: ReferenceWritableKeyPath<Object, [Value]>, id: Value.ID
  ) {
    let source = Draft<Value>.Source(of: object, keyPath, id: id)
    if source.valueIfPresent == nil { return nil }
    self.init(source: source)
  }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension ObservableDraft {
  /// The draft as it is now: all that can be asked of a draft.
  ///
  /// To read it is observed, as to read a member is. Edits, commits and cancels go through this object, so that its
  /// observers hear of them.
  ///
  /// - Complexity: O(1), and what `Observation` takes.
  @inlinable
  public var draft: Draft<Value> {
    @inline(__always)
    _read { yield _observedDraft }
  }

  /// The draft itself, as observers see it.
  @inlinable
  var _observedDraft: Draft<Value> {
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

  /// The value as it is now, edits included.
  @inlinable
  public var current: Value {
    _read { yield _observedDraft.current }
    _modify { yield &_observedDraft.current }
  }

  /// Reads or writes a member of the current value, in place.
  @inlinable
  public subscript<Member>(dynamicMember keyPath: WritableKeyPath<Value, Member>) -> Member {
    _read { yield _observedDraft[dynamicMember: keyPath] }
    _modify { yield &_observedDraft[dynamicMember: keyPath] }
  }

  /// Edits the current value as a whole, for what single members cannot express.
  ///
  /// `body` must not use the draft: that would be a second access while the first lasts, which traps.
  @inlinable
  public func update<Result: ~Copyable, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try _observedDraft.update(body)
  }

  /// Whether there are edits to commit: whether the current value differs from the base, or was written where its type
  /// cannot be compared.
  ///
  /// For code that knows nothing of `Value`; see `Draft/isDirty`.
  @_documentation(visibility: internal)
  @inlinable
  public var isDirty: Bool { _observedDraft.isDirty }

  /// Whether a member was edited, that is differs from the base's.
  @inlinable
  @_disfavoredOverload
  public func isDirty<Member: Equatable>(_ keyPath: KeyPath<Value, Member>) -> Bool {
    _observedDraft.isDirty(keyPath)
  }

  /// Whether a row or a part of an optional was edited, added or removed.
  @_documentation(visibility: internal)
  public func isDirty<Member: Equatable>(_ path: _RowPath<Value, Member>) -> Bool {
    _observedDraft.isDirty(path)
  }

  /// Writes the current value to the source if there are edits, for code that knows nothing of `Value`.
  @_documentation(visibility: internal)
  @_disfavoredOverload
  public func commit() throws(Draft<Value>.CommitError) {
    try detachingDraft { draft throws(Draft<Value>.CommitError) in try draft.commit() }
  }

  /// Gives up all edits, and begins again from what the source holds now.
  public func rollback() {
    detachingDraft { $0.rollback() }
  }

  /// Gives up the edits of one member; the other edits stay.
  @_disfavoredOverload
  public func rollback<Member>(_ keyPath: WritableKeyPath<Value, Member>) {
    guard draft.isTouched else { return }
    detachingDraft { $0.rollback(keyPath) }
  }

  /// Gives up the edits of a row or of a part of an optional, where the base has it too.
  @_documentation(visibility: internal)
  public func rollback<Member>(_ path: _RowPath<Value, Member>) {
    guard draft.isTouched else { return }
    detachingDraft { $0.rollback(path) }
  }

  /// Runs `body` on the draft outside of any access to it, with the source read before and written after.
  ///
  /// Observers are not notified where nothing came of it. One that is notified may write the source or edit the draft:
  /// then `body` is run again on what it left, so that nothing of that is overwritten unseen.
  private func detachingDraft<Result, Failure: Error>(
    _ body: (inout Draft<Value>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let source = _draft.source
    let (before, found) = (_observedDraft._edits, source.valueIfPresent)
    var (result, edits, written) = try Draft.detached(before, from: found, body)
    if !Draft.areProvablySame(before, edits) {
      _registrar.willSet(self, keyPath: _keyPath)
      defer { _registrar.didSet(self, keyPath: _keyPath) }
      let (seen, holds) = (_draft._edits, source.valueIfPresent)
      if !Draft.areProvablySame(before, seen) || !_areProvablySame(found, holds) {
        (result, edits, written) = try Draft.detached(seen, from: holds, body)
      }
      _draft._edits = edits
    }
    if let written {
      source.value = written
      if let held = source.valueIfPresent { follow(held, insteadOf: written) }
    }
    return result
  }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension ObservableDraft {
  /// Goes on from what the source made of what was written there, as one that trims does.
  ///
  /// What an observer of the source edited by then stays an edit.
  private func follow(_ held: Value, insteadOf written: Value) {
    if _areSameOrEqualWithin(held, written) || _areProvablySame(held, _draft.base) { return }
    _registrar.willSet(self, keyPath: _keyPath)
    defer { _registrar.didSet(self, keyPath: _keyPath) }
    _draft._edits = _draft.isTouched ? Dirtyable(original: held, current: _draft.current) : Dirtyable(held)
  }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension ObservableDraft where Value: Equatable {
  /// Whether there are edits to commit: whether the current value differs from the base.
  @inlinable
  public var isDirty: Bool { _observedDraft.isDirty }

  /// Whether the source holds something else by now than what the edits began from.
  public var sourceChanged: Bool { draft.sourceChanged }

  /// Writes the current value to the source if there are edits, and treats a source that changed as `policy` says.
  ///
  /// - Throws: ``Draft/CommitError`` where the source and the draft changed to different ends: nothing was written
  ///   then.
  public func commit(_ policy: Draft<Value>.CommitPolicy = .failOnConflict) throws(Draft<Value>.CommitError) {
    try detachingDraft { draft throws(Draft<Value>.CommitError) in try draft.commit(policy) }
  }

  /// Puts the edits on top of what the source holds by now, member by member; the source is left as it is.
  ///
  /// - Returns: The members in conflict, with base, mine and theirs.
  @_disfavoredOverload
  public func rebase<each Member: Equatable & SendableMetatype>(
    _ fields: repeat any WritableKeyPath<Value, each Member> & Sendable
  ) -> Dirtyable<Value>.Conflicts {
    rebase(merging: Dirtyable.Fields(repeat each fields))
  }

  /// Puts the edits on top of what the source holds by now, with a row or a part of an optional merged by itself.
  @_documentation(visibility: internal)
  public func rebase<Member: Equatable & SendableMetatype>(
    _ path: any _RowPath<Value, Member> & Sendable
  ) -> Dirtyable<Value>.Conflicts {
    rebase(merging: Dirtyable.Fields(path))
  }

  /// Puts the edits on top of what the source holds by now, merging the members that `fields` lists.
  ///
  /// - Returns: The members in conflict, with base, mine and theirs.
  public func rebase(merging fields: Dirtyable<Value>.Fields) -> Dirtyable<Value>.Conflicts {
    detachingDraft { $0.rebase(merging: fields) }
  }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension ObservableDraft: Identifiable where Value: Identifiable {
  /// The identity of the current value.
  public var id: Value.ID { draft.id }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension ObservableDraft: CustomDebugStringConvertible {
  /// The value, or `base → current` where it was edited.
  public var debugDescription: String { "Observable\(draft)" }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension ObservableDraft: CustomReflectable {
  /// Base and current value.
  ///
  /// The source is not asked: where it led may be gone, and to read it could trap.
  public var customMirror: Mirror {
    Mirror(self, children: ["base": draft.base, "current": current], displayStyle: .class)
  }
}
