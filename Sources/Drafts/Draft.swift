@_exported public import Dirtyables

/// An editable copy of a value that lives elsewhere, to be committed there or rolled back.
///
/// Use it for a screen with "Apply" and "Cancel": the copy changes at once, and its source only when the draft is
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
/// A draft knows three values: the ``base`` that it began from, its ``current`` state, and the value that its source
/// holds now. So `isDirty` and ``sourceChanged`` are separate answers. If both are true, ``commit(_:)`` throws, unless
/// both came to the same value, and ``rebase(merging:)`` shows both sides. Use `commit(.overwrite)` for a source with
/// one writer, or after you asked the user. A commit without edits doesn't write. A change of a member that the value's
/// `==` ignores is an edit as well. After a commit the draft continues from the value that the source then holds, so a
/// source must hold a written value at once.
///
/// Members are read and written as in a `Dirtyable`, without reading the source. A draft within a draft has a place in
/// the other as its source: `Draft(of: screen, \.draft.address)` commits into its parent as one edit.
///
/// A draft isn't `Sendable`: it belongs where its source may be called. For the same three-way state without a source,
/// as a value to keep in a reducer, use `Dirtyable` with its `rebase(onto:merging:)`.
@frozen
@dynamicMemberLookup
public struct Draft<Value> {
  @usableFromInline
  var _edits: Dirtyable<Value>

  /// The place where the value came from and is committed to.
  @usableFromInline
  let _source: Source

  /// Begins a draft of the value that the source holds now.
  ///
  /// - Precondition: The source holds a value: a row that it leads to exists.
  @inlinable
  public init(source: Source) {
    guard let value = source.read() else { preconditionFailure("The value to make a draft of is gone") }
    _source = source
    _edits = Dirtyable(value)
  }

  /// Continues a draft from its stored edits.
  init(edits: Dirtyable<Value>, source: Source) {
    _source = source
    _edits = edits
  }

  /// Begins a draft of a property of `object`, which the draft keeps alive.
  ///
  /// A literal may lead to a row or into an optional: `\.rows[1]`, `\.selected!.name`. If it no longer leads anywhere,
  /// that is a conflict. But when the row before it is removed, it leads to another row: for a row, use
  /// ``init(of:_:id:)``.
  ///
  /// - Precondition: The key path leads to a value now. A stored key path, or one that names its root, does so whenever
  ///   the source is read.
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
  /// The draft is nil if no row has this identity. A row that moved is found, also after a commit has given it another
  /// identity. A row that is gone, or got another identity elsewhere, is a conflict: the draft keeps its edits, and
  /// nothing is written. If several rows have this identity, the first is used.
  ///
  /// - Complexity: O(*n*) in the rows, each time that the source is read.
  public init?<Object: AnyObject>(
    of object: Object, _ keyPath: ReferenceWritableKeyPath<Object, [Value]>, id: Value.ID
  ) {
    let source = Source(of: object, keyPath, id: id)
    guard let row = source.read() else { return nil }
    self.init(edits: Dirtyable(row), source: source)
  }
}

extension Draft {
  /// The value as it is now, edits included.
  ///
  /// - Complexity: O(1). The first write keeps the base, with one allocation.
  @inlinable
  public var current: Value {
    @inline(__always)
    _read { yield _edits.current }
    @inline(__always)
    _modify { yield &_edits.current }
  }

  /// Reads or writes a member of the current value, in place.
  ///
  /// Read a constant or a computed member without a setter as `draft.current.area`.
  ///
  /// - Complexity: That of reading or writing the member. The first write keeps the base, with one allocation.
  @inlinable
  public subscript<Member>(dynamicMember keyPath: WritableKeyPath<Value, Member>) -> Member {
    @inline(__always)
    _read { yield _edits[dynamicMember: keyPath] }
    @inline(__always)
    _modify { yield &_edits[dynamicMember: keyPath] }
  }

  /// Edits the current value as a whole, for edits that single members can't express.
  ///
  /// If `body` throws, its changes until then stay, as an edit like any other.
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

extension Draft: CustomDebugStringConvertible, CustomReflectable {
  /// The value, or `base → current` if it was edited.
  public var debugDescription: String {
    _edits.isTouched ? "Draft(\(base) → \(current))" : "Draft(\(current))"
  }

  /// The base and the current value.
  ///
  /// The source isn't read, because its value may be gone, and reading it could trap.
  public var customMirror: Mirror {
    Mirror(self, children: ["base": base, "current": current], displayStyle: .struct)
  }
}
