public import Dirtyables
public import Observation
import Sameness

/// A ``Draft`` by reference: one set of edits that several places share and observe.
///
/// ```swift
/// struct Filter: Equatable { var text = "", limit = 10 }
/// final class Model { var filter = Filter() }
///
/// let model = Model()
/// let draft = ObservableDraft(Draft(of: model, \.filter))
/// draft.limit = 50
/// draft.isDirty  // true, and its observers were told
/// try draft.commit()
/// ```
///
/// Its owner can offer Save and Cancel outside of the editor. For a screen that edits a part of the draft, with its own
/// Apply and Cancel, use a ``child(_:)``, whose commit is one edit of this draft.
///
/// It has the members that a view needs. For everything else, use its ``draft``:
/// `editing.draft.edits.changedKeyPaths(among: \.text, \.limit)`.
///
/// Observers are notified of every change of the draft, whichever member they read, as with a struct in an
/// `@Observable` class. As there, a write in place is a change, even if it writes the same value. A commit, a rollback
/// or a rebase that leaves the draft as it was doesn't notify. If that can't be proved, it does, because equality alone
/// proves nothing. The value of the source is observed if the source is observable.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
@dynamicMemberLookup
public final class ObservableDraft<Value>: Observable {
  @usableFromInline
  var _draft: Draft<Value>

  @usableFromInline
  let _registrar = ObservationRegistrar()

  /// The key path that observers observe.
  ///
  /// It is stored because an expression that names a key path of a generic class makes it anew, which takes longer than
  /// everything else.
  @usableFromInline
  let _keyPath: KeyPath<ObservableDraft, Draft<Value>> = \.draft

  /// Makes a draft that others share and observe, with the edits and the source of `draft`.
  public init(_ draft: Draft<Value>) {
    _draft = draft
  }

  /// Begins a draft of a row, or of a part of an optional, which commits into this draft as one edit.
  @_documentation(visibility: internal)
  public func child<Member>(_ path: _RowPath<Value, Member>) -> ObservableDraft<Member> {
    let part = path.lens()
    return ObservableDraft<Member>(
      Draft(
        source: Draft.Source(
          get: { part.find(in: self.current) },
          set: { part.replace(in: &self._observedDraft.current, with: $0) })))
  }

  /// Begins a draft of one member, which commits into this draft as one edit, and keeps it alive.
  ///
  /// A literal may lead to a row or into an optional, as for `Draft/init(of:_:)`. For a row that may move, use
  /// ``child(_:id:)``.
  @_disfavoredOverload
  public func child<Member>(_ keyPath: WritableKeyPath<Value, Member>) -> ObservableDraft<Member> {
    ObservableDraft<Member>(Draft(of: self, Self.place(keyPath)))
  }

  /// Begins a draft of the row with this identity, which commits into this draft as one edit, and keeps it alive.
  ///
  /// A row that moved is found, and a row that is gone is a conflict: see ``Draft/init(of:_:id:)``.
  ///
  /// - Returns: The draft; nil if no row has this identity.
  public func child<Element: Identifiable>(
    _ keyPath: WritableKeyPath<Value, [Element]>, id: Element.ID
  ) -> ObservableDraft<Element>? {
    Draft<Element>(of: self, Self.place(keyPath), id: id).map { ObservableDraft<Element>($0) }
  }

  /// The place of a member, which is written alone: an observer that is notified before may have changed the others.
  private static func place<Member>(
    _ keyPath: WritableKeyPath<Value, Member>
  ) -> ReferenceWritableKeyPath<ObservableDraft, Member> { \.[dynamicMember: keyPath] }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension ObservableDraft {
  /// The draft as it is now, for everything that this class doesn't offer.
  ///
  /// Reading it is observed, as reading a member is. Edits, commits and rollbacks go through this object, so that its
  /// observers are notified.
  ///
  /// - Complexity: O(1), plus the cost of `Observation`.
  @inlinable
  public var draft: Draft<Value> {
    @inline(__always)
    _read { yield _observedDraft }
  }

  /// The draft, with reads and changes reported to observers.
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

  /// Whether there are edits to commit: the current value differs from the base, or was written and can't be compared.
  ///
  /// This is for generic code; see `Draft/isDirty`.
  @_documentation(visibility: internal)
  @inlinable
  public var isDirty: Bool { _observedDraft.isDirty }

  /// Writes the current value to the source if there are edits, for generic code.
  @_documentation(visibility: internal)
  @_disfavoredOverload
  public func commit() throws(Draft<Value>.CommitError) {
    try detachingDraft { draft throws(Draft<Value>.CommitError) in try draft.commit() }
  }

  /// Discards all edits, and begins again from the value that the source holds now.
  public func rollback() {
    detachingDraft { $0.rollback() }
  }

  /// Discards the edits of one member; the other edits stay.
  @_disfavoredOverload
  public func rollback<Member>(_ keyPath: WritableKeyPath<Value, Member>) {
    guard draft.isTouched else { return }
    detachingDraft { $0.rollback(keyPath) }
  }

  /// Discards the edits of a row or of a part of an optional, if the base has it too.
  @_documentation(visibility: internal)
  public func rollback<Member>(_ path: _RowPath<Value, Member>) {
    guard draft.isTouched else { return }
    detachingDraft { $0.rollback(path) }
  }

  /// Runs `body` on the draft outside of any access to it, with the source read before and written after.
  ///
  /// Observers aren't notified if nothing changed. An observer that is notified may write the source or edit the draft:
  /// then `body` runs again on the new state, so that nothing is overwritten unseen.
  private func detachingDraft<Result, Failure: Error>(
    _ body: (inout Draft<Value>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let source = _draft._source
    let (before, found) = (_observedDraft._edits, source.read())
    var (result, edits, written) = try Draft.detached(before, from: found, body)
    if !Draft.areProvablySame(before, edits) {
      _registrar.willSet(self, keyPath: _keyPath)
      defer { _registrar.didSet(self, keyPath: _keyPath) }
      let (seen, holds) = (_draft._edits, source.read())
      if !Draft.areProvablySame(before, seen) || !_areProvablySame(found, holds) {
        (result, edits, written) = try Draft.detached(seen, from: holds, body)
      }
      _draft._edits = edits
    }
    if let written {
      source.write(written)
      if let held = source.read() { follow(held, insteadOf: written) }
    }
    return result
  }

  /// Continues from the value that the source made of the written one, for example by trimming it.
  ///
  /// Edits that an observer of the source made meanwhile stay edits.
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

  /// Writes the current value to the source if there are edits; `policy` decides what happens if the source changed.
  ///
  /// - Throws: ``Draft/CommitError`` if the source and the draft changed to different values: nothing was written then.
  public func commit(_ policy: Draft<Value>.CommitPolicy = .failOnConflict) throws(Draft<Value>.CommitError) {
    try detachingDraft { draft throws(Draft<Value>.CommitError) in try draft.commit(policy) }
  }

  /// Applies the edits on top of the value that the source holds now, merging the members that `fields` lists.
  ///
  /// The source stays as it is.
  ///
  /// - Returns: The members in conflict, with base, mine and theirs.
  public func rebase(merging fields: Dirtyable<Value>.Fields = Dirtyable.Fields()) -> Dirtyable<Value>.Conflicts {
    detachingDraft { $0.rebase(merging: fields) }
  }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension ObservableDraft: Identifiable where Value: Identifiable {
  /// The identity of the current value.
  public var id: Value.ID { draft.id }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension ObservableDraft: CustomDebugStringConvertible, CustomReflectable {
  /// The value, or `base → current` if it was edited.
  public var debugDescription: String { "Observable\(draft)" }

  /// The base and the current value.
  ///
  /// The source isn't read, because its value may be gone, and reading it could trap.
  public var customMirror: Mirror {
    Mirror(self, children: ["base": draft.base, "current": current], displayStyle: .class)
  }
}
