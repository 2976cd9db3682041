#if canImport(SwiftUI)
  public import Dirtyables
  import Sameness
  public import SwiftUI

  /// A ``Draft`` in a view: edits show at once, and are written to the binding when they are committed.
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
  /// SwiftUI keeps the edits in a `State`, so they survive when the view is made again. The view is updated when they
  /// change, but not if a commit, a rollback or a rebase has nothing to do. Without edits, the view shows the value of
  /// the source, and follows it. If the source changes while there are edits, the edits stay: see ``commit(_:)`` and
  /// ``rebase(merging:)``.
  ///
  /// It has the members that a view needs. For everything else, use its ``draft``: `$filter.draft.edits.change(for:
  /// \.text)`. Members of the wrapper hide members of the value with the same name; access those through ``binding``.
  ///
  /// After a commit, the binding must return at once the value that was written, or what the source made of it.
  ///
  /// To make a view edit another value, give the view another identity, as with any `State`:
  /// `FilterScreen(filter: $filters[id]).id(id)`.
  @propertyWrapper
  @dynamicMemberLookup
  public struct DraftBinding<Value: Equatable>: DynamicProperty {
    @Binding private var source: Value
    /// Nil if there is nothing to commit.
    @State private var edits: Dirtyable<Value>?

    /// Makes a draft of the value that `source` is bound to.
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

    /// The wrapper itself: bindings to members, and the functions of the draft.
    @MainActor
    public var projectedValue: DraftBinding { self }

    /// A binding to a member of the current value.
    @MainActor
    public subscript<Member>(dynamicMember keyPath: WritableKeyPath<Value, Member>) -> Binding<Member> {
      binding[dynamicMember: keyPath]
    }

    /// A binding to the current value as a whole, for a child view or as the source of a draft within this draft.
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
    /// The draft as it is now, for everything that the wrapper doesn't offer.
    ///
    /// Without edits it is a new draft of the source's value, so that the view follows its source. Edit, commit and
    /// roll back through the wrapper: a copy's edits never reach it, and a copy's commit writes the source without it.
    @MainActor
    public var draft: Draft<Value> {
      let source = Draft.Source($source)
      guard let edits else { return Draft(source: source) }
      return Draft(edits: edits, source: source)
    }

    /// Whether there are edits to commit.
    @MainActor
    public var isDirty: Bool { draft.isDirty }

    /// Writes the current value to the source if there are edits; `policy` decides what happens if the source changed.
    ///
    /// - Throws: ``Draft/CommitError`` if the source and the draft changed to different values: nothing was written
    ///   then.
    @MainActor
    public func commit(_ policy: Draft<Value>.CommitPolicy = .failOnConflict) throws(Draft<Value>.CommitError) {
      try edit { draft throws(Draft<Value>.CommitError) in try draft.commit(policy) }
    }

    /// Discards all edits; the source stays as it is.
    @MainActor
    public func rollback() {
      if edits != nil { edits = nil }
    }

    /// Discards the edits of one member; the other edits stay.
    @MainActor
    public func rollback<Member>(_ keyPath: WritableKeyPath<Value, Member>) {
      edit { $0.rollback(keyPath) }
    }

    /// Applies the edits on top of the value that the source holds now, merging the members that `fields` lists.
    ///
    /// The source stays as it is.
    ///
    /// - Returns: The members in conflict, with base, mine and theirs.
    @MainActor
    public func rebase(merging fields: Dirtyable<Value>.Fields = Dirtyable.Fields()) -> Dirtyable<Value>.Conflicts {
      edit { $0.rebase(merging: fields) }
    }

    /// Changes the edits, and leaves the state of the view alone if nothing changed.
    @MainActor
    private func edit<Result, Failure: Error>(
      _ body: (inout Draft<Value>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      let (before, found) = (edits, source)
      let (result, after, written) = try Draft.detached(before ?? Dirtyable(found), from: found, body)
      // With `==` alone, an ignored member would be lost, and a value that doesn't equal itself would never be clean.
      let isClean = !after.isTouched || _areSameOrEqualWithin(after.current, after.original)
      let kept = isClean ? nil : after
      let isSame = before.map { before in kept.map { Draft.areProvablySame(before, $0) } ?? false } ?? (kept == nil)
      if !isSame { edits = kept }
      if let written { source = written }
      return result
    }
  }
#endif
