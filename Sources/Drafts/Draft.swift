@_exported public import Dirtyables

/// An editable copy of a value that lives elsewhere, to be committed there or rolled back.
///
/// What a screen with "Apply" and "Cancel" edits: the copy changes at once, its source only when the draft is
/// committed.
///
/// ```swift
/// struct Filter: Equatable { var text = "", limit = 10 }
/// final class Model { var filter = Filter() }
///
/// let model = Model()
/// var draft = Draft(of: model, \.filter)
/// draft.limit = 50
/// draft.isDirty      // true
/// model.filter.limit  // 10
/// try draft.commit()
/// model.filter.limit  // 50
/// ```
///
/// A draft knows three values: the ``base`` it began from, its ``current`` state, and what its ``source`` holds by now.
/// So `isDirty` and ``sourceChanged`` are separate answers. Where both are true, ``commit(_:)`` throws, unless both
/// came to the same, and ``rebase(_:)`` shows both sides. `commit(.overwrite)` is for a source with one writer, and for
/// a user who was asked. Without edits no commit writes. A change of a member that the value's `==` leaves out is an
/// edit as well. A commit goes on from what the source made of the value, so a source has to hold at once what it was
/// given.
///
/// ## Layout
///
/// ```
///       ┌──────────────────────────────────────────┬─────────────────┐
/// Draft │ edits: base and current, as a Dirtyable  │ source: get, set│
///       └──────────────────────────────────────────┴─────────────────┘
/// ```
///
/// Reads and writes of members are those of a `Dirtyable`; they never ask the source. A draft within a draft is a draft
/// whose source is a place in the other: `Draft(of: screen, \.draft.address)` commits into its parent as one edit.
///
/// A draft is not `Sendable`: it belongs where its source may be called. The same three-way state without a source, as
/// a value to keep in a reducer, is `Dirtyable` with its `rebase(onto:_:)`.
@frozen
@dynamicMemberLookup
public struct Draft<Value> {
  @usableFromInline
  var _edits: Dirtyable<Value>

  /// Where the value came from and is committed to.
  public let source: Source

  /// Begins a draft of what the source holds now.
  ///
  /// - Precondition: The source holds a value: a row that it leads to is there.
  @inlinable
  public init(source: Source) {
    self.source = source
    _edits = Dirtyable(source.value)
  }

  /// Takes up the edits of a draft that was put away.
  init(edits: Dirtyable<Value>, source: Source) {
    self.source = source
    _edits = edits
  }

  /// Begins a draft of a property of `object`, which the draft keeps alive.
  ///
  /// A literal may lead to a row or into an optional: `\.rows[1]`, `\.selected!.name`. Where it leads nowhere any more,
  /// that is a conflict. Once the row before it is gone, it is another row, though: take ``init(of:_:id:)`` for a row.
  ///
  /// - Precondition: The key path leads to a value now, and one that is kept or names its root does so whenever the
  ///   source is asked.
  @inlinable
  @_disfavoredOverload
  public init<Object: AnyObject>(of object: Object, _ keyPath: ReferenceWritableKeyPath<Object, Value>) {
    self.init(source: Source(of: object, keyPath))
  }

  /// Begins a draft of a row, or of a part of an optional, of `object`, which the draft keeps alive.
  @_documentation(visibility: internal)
  public init<Object: AnyObject>(of object: Object, _ path: _RowPath<Object, Value>) {
    self.init(source: Source(of: object, path))
  }
}

extension Draft where Value: Identifiable {
  /// Begins a draft of the row with this identity in an array of `object`, which the draft keeps alive.
  ///
  /// ```swift
  /// struct Row: Identifiable, Equatable { var id: Int, title = "" }
  /// final class Model { var rows = [Row(id: 0), Row(id: 1)] }
  ///
  /// let model = Model()
  /// var draft = Draft(of: model, \.rows, id: 1)
  /// draft?.title = "new"
  /// model.rows.removeFirst()  // meanwhile, elsewhere
  /// try draft?.commit()
  /// print(model.rows[0].title)  // new
  /// ```
  ///
  /// The draft is nil where no row has this identity. A row that moved is found. One that is gone is a conflict: the
  /// draft keeps its edits, and nothing is written. Of several rows with this identity it is the first.
  ///
  /// - Complexity: O(*n*) in the rows, each time that the source is asked.
  public init?<Object: AnyObject>(
    of object: Object, _ keyPath: ReferenceWritableKeyPath<Object, [Value]>, id: Value.ID
  ) {
    let source = Source(of: object, keyPath, id: id)
    guard let row = source.valueIfPresent else { return nil }
    self.init(edits: Dirtyable(row), source: source)
  }
}

extension Draft {
  /// The value as it is now, edits included.
  ///
  /// - Complexity: O(1). The first write keeps the base: one allocation.
  @inlinable
  public var current: Value {
    @inline(__always)
    _read { yield _edits.current }
    @inline(__always)
    _modify { yield &_edits.current }
  }

  /// Reads or writes a member of the current value, in place.
  ///
  /// A constant or a computed member that cannot be written is read as `draft.current.area`.
  ///
  /// - Complexity: That of reading or writing the member. The first write keeps the base: one allocation.
  @inlinable
  public subscript<Member>(dynamicMember keyPath: WritableKeyPath<Value, Member>) -> Member {
    @inline(__always)
    _read { yield _edits[dynamicMember: keyPath] }
    @inline(__always)
    _modify { yield &_edits[dynamicMember: keyPath] }
  }

  /// Edits the current value as a whole, for what single members cannot express.
  ///
  /// If `body` throws, what it changed until then stays, as an edit like any other.
  @inlinable
  public mutating func update<Result: ~Copyable, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try _edits.update(body)
  }
}

extension Draft: Identifiable where Value: Identifiable {
  /// The identity of the current value.
  @inlinable
  public var id: Value.ID { current.id }
}

extension Draft: CustomDebugStringConvertible {
  /// The value, or `base → current` where it was edited.
  public var debugDescription: String {
    _edits.isTouched ? "Draft(\(base) → \(current))" : "Draft(\(current))"
  }
}

extension Draft: CustomReflectable {
  /// Base and current value.
  ///
  /// The source is not asked: where it led may be gone, and to read it could trap.
  public var customMirror: Mirror {
    Mirror(self, children: ["base": base, "current": current], displayStyle: .struct)
  }
}
