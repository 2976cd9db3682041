#if canImport(SwiftUI)
  public import Dirtyables
  import Sameness
  public import SwiftUI

  /// A ``Draft`` in a view: edits show at once, and reach the binding they were made from when they are committed.
  ///
  /// ```
  /// struct FilterScreen: View {
  ///   @DraftBinding var filter: Filter
  ///   @State private var isInConflict = false
  ///
  ///   init(filter: Binding<Filter>) {
  ///     _filter = DraftBinding(filter)
  ///   }
  ///
  ///   var body: some View {
  ///     TextField("Text", text: $filter.text)
  ///     Button("Apply", action: apply).disabled(!$filter.isDirty)
  ///     Button("Cancel") { $filter.rollback() }
  ///   }
  ///
  ///   private func apply() {
  ///     do { try $filter.commit() } catch { isInConflict = true }
  ///   }
  /// }
  /// ```
  ///
  /// SwiftUI keeps the edits as a `State`: they outlive the making of the view. The view is updated when they change,
  /// and not where a commit, a cancel or a rebase has nothing to do. As long as there are none, the view shows what the
  /// source holds, and follows it. Where the source changes under edits, the edits stay: see ``sourceChanged``,
  /// ``commit(_:)`` and ``rebase(_:)``.
  ///
  /// It has the members that a view needs, and answers all else by its ``draft``: `$filter.draft.change(for: \.text)`.
  /// Members of the wrapper win over members of the value with the same name; reach those by ``binding``.
  ///
  /// A commit expects to read from the binding at once what it wrote, or what the source made of it.
  ///
  /// A view that is to edit another value gets another identity, as with any `State`:
  /// `FilterScreen(filter: $filters[id]).id(id)`.
  @propertyWrapper
  @dynamicMemberLookup
  public struct DraftBinding<Value: Equatable>: DynamicProperty {
    @Binding private var source: Value
    /// Nil where there is nothing to commit.
    @State private var edits: Dirtyable<Value>?

    /// Makes drafts of what `source` is bound to.
    public init(_ source: Binding<Value>) {
      _source = source
      _edits = State(initialValue: nil)
    }

    /// The value as it is now, edits included.
    @MainActor
    public var wrappedValue: Value {
      get { draft.current }
      nonmutating set { edit { $0.current = newValue } }
    }

    /// The draft itself: bindings to its members, and what can be done with it.
    @MainActor
    public var projectedValue: DraftBinding { self }

    /// A binding to a member of the current value.
    @MainActor
    public subscript<Member>(dynamicMember keyPath: WritableKeyPath<Value, Member>) -> Binding<Member> {
      binding[dynamicMember: keyPath]
    }

    /// A binding to the current value as a whole: for a child view, or as the source of a draft within this draft.
    @MainActor
    public var binding: Binding<Value> {
      Binding(get: { @MainActor in wrappedValue }, set: { @MainActor in wrappedValue = $0 })
    }
  }

  extension DraftBinding: @MainActor Identifiable where Value: Identifiable {
    /// The identity of the current value.
    @MainActor
    public var id: Value.ID { draft.current.id }
  }

  extension DraftBinding {
    /// The draft as it is now: all that can be asked of a draft.
    ///
    /// Without edits it is a new draft of what the source holds: that makes the view follow its source. Edits, commits
    /// and cancels go through the wrapper.
    @MainActor
    public var draft: Draft<Value> {
      let source = Draft.Source($source)
      guard let edits else { return Draft(source: source) }
      return Draft(edits: edits, source: source)
    }

    /// Whether there are edits to commit.
    @MainActor
    public var isDirty: Bool { draft.isDirty }

    /// Whether a member was edited, that is differs from the base's.
    @MainActor
    public func isDirty<Member: Equatable>(_ keyPath: KeyPath<Value, Member>) -> Bool { draft.isDirty(keyPath) }

    /// Whether the source holds something else by now than what the edits began from.
    @MainActor
    public var sourceChanged: Bool { draft.sourceChanged }

    /// Writes the current value to the source if there are edits, and treats a source that changed as `policy` says.
    ///
    /// - Throws: ``Draft/CommitError`` where the source and the draft changed to different ends: nothing was written
    ///   then.
    @MainActor
    public func commit(_ policy: Draft<Value>.CommitPolicy = .failOnConflict) throws(Draft<Value>.CommitError) {
      try edit { draft throws(Draft<Value>.CommitError) in try draft.commit(policy) }
    }

    /// Gives up all edits; the source is left as it is.
    @MainActor
    public func rollback() {
      if edits != nil { edits = nil }
    }

    /// Gives up the edits of one member; the other edits stay.
    @MainActor
    public func rollback<Member>(_ keyPath: WritableKeyPath<Value, Member>) {
      edit { $0.rollback(keyPath) }
    }

    /// Puts the edits on top of what the source holds by now, member by member; the source is left as it is.
    ///
    /// - Returns: The members in conflict, with base, mine and theirs.
    @MainActor
    public func rebase<each Member: Equatable & SendableMetatype>(
      _ fields: repeat any WritableKeyPath<Value, each Member> & Sendable
    ) -> Dirtyable<Value>.Conflicts {
      rebase(merging: Dirtyable.Fields(repeat each fields))
    }

    /// Puts the edits on top of what the source holds by now, merging the members that `fields` lists.
    ///
    /// - Returns: The members in conflict, with base, mine and theirs.
    @MainActor
    public func rebase(merging fields: Dirtyable<Value>.Fields) -> Dirtyable<Value>.Conflicts {
      edit { $0.rebase(merging: fields) }
    }

    /// Changes the edits, and leaves the state of the view alone where nothing came of it.
    @MainActor
    private func edit<Result, Failure: Error>(
      _ body: (inout Draft<Value>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      let (before, found) = (edits, source)
      let (result, after, written) = try Draft.detached(before ?? Dirtyable(found), from: found, body)
      // By `==` alone a member that it leaves out would be lost, and one that equals nothing never be as it was.
      let isClean = !after.isTouched || _areSameOrEqualWithin(after.current, after.original)
      let kept = isClean ? nil : after
      let isSame = before.map { before in kept.map { Draft.areProvablySame(before, $0) } ?? false } ?? (kept == nil)
      if !isSame { edits = kept }
      if let written { source = written }
      return result
    }
  }
#endif
