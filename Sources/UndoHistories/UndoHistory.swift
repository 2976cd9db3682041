// The history itself: creating it, the document, the cursor that edits it, transactions, replacing the document,
// copying shared storage before a change, and equality and hashes of histories. Undo and redo are in
// `UndoHistory+Steps`, and each other topic in a file or a folder of its own.

/// A value with undo and redo, which records each change instead of a copy of the value.
///
/// ```swift
/// var history = UndoHistory(initialValue: [1, 2, 3])
/// history.currentItem.append(4)  // [1, 2, 3, 4]
/// history.undo()                 // [1, 2, 3]
/// history.redo()                 // [1, 2, 3, 4]
/// ```
///
/// There are two ways to change the document:
///
/// - Assign or mutate ``currentItem`` like any variable. The history compares the old and the new value and records
///   only what changed, down to single members of a struct. Comparing takes O(n) time.
/// - Edit through ``edit``, a cursor (``UndoCursor``) that records each edit itself, at any depth. The cost depends on
///   the edit, not on the document: `history.edit.sections[3].rows[4].title = "x"`.
///
/// You can read the properties of the document from the history directly: `history.sections[3].rows[4].title`. If a
/// member of the history has the same name, read `history.currentItem`.
///
/// Every edit is one step; a ``transaction(_:as:_:)`` groups several edits into one step. An edit that changes nothing
/// doesn't record a step. Neither does a transaction or an open step with a few edits that leave the document as it
/// was. Undo restores the exact value: a text gets back the same bytes.
///
/// A history is a value. Copies share their steps until one of them changes.
///
///     | storage | -> document
///                 -> log: undoable records | position | redoable records
///
/// - Note: A record keeps the *other* side of an edit and exchanges it with the document, so undoing costs as much as
///   doing. A plain array of snapshots undoes by moving an index, which is faster; it pays with every edit instead.
@frozen
@dynamicMemberLookup
public struct UndoHistory<Value> {
  /// The type of ``edit``: a cursor at the document.
  public typealias Editor = UndoCursor<UndoDocumentPlace<Value>, Value>

  /// Records how the document differs from the given old value.
  @usableFromInline
  package typealias Comparison = (borrowing Editor, consuming Value) -> Void

  @usableFromInline
  package var storage: _UndoStorage<Value>

  @inlinable
  init(_ document: consuming Value, _ compare: @escaping Comparison) {
    storage = _UndoStorage(document: document, log: _UndoLog(for: Value.self), compare: compare)
  }

  /// Creates a history without steps, at its saved point.
  ///
  /// ```swift
  /// let history = UndoHistory(initialValue: ["Flour", "Milk"])
  /// print(history.canUndo, !history.isDirty)  // false true
  /// ```
  ///
  /// - Complexity: O(1).
  @inlinable
  @_disfavoredOverload
  public init(initialValue: consuming Value) {
    self.init(initialValue) { editor, old in editor.recordDocument(from: old) }
  }
}

extension UndoHistory {
  /// The document.
  ///
  /// Assigning the document or changing it in place is one step. The history compares the old value with the new one
  /// and keeps only the difference:
  ///
  /// - for a struct or a tuple, the members that changed, and within each of them only what changed;
  /// - for a text, an array or `Data`, the part between the common beginning and the common end, or the runs of
  ///   elements that differ;
  /// - for a dictionary or a set, the keys and members that were added, removed or changed, unless there are many;
  /// - for anything else, the whole old value.
  ///
  /// Anything else means an enum, an object, a type imported from C, or a type with a custom mirror. It also means a
  /// struct in which a reference to an object changed, because that reference may be weak.
  ///
  /// Nothing is recorded when the old and the new value are the same, that is, when nothing stored in them differs.
  /// `==` doesn't decide this: texts are compared byte by byte, and two objects are the same only if they are
  /// identical. If the history can't prove that two values are the same, it records a step. The document always keeps
  /// the value that was assigned.
  ///
  /// Reading a lazy property through `currentItem` stores its value in the document without recording a step. Undo
  /// therefore doesn't remove the first value of a lazy property, whether it was computed or assigned. Each later
  /// assignment is a step.
  ///
  /// - Complexity: Reading is O(1). Writing is O(n) in the size of the document; use ``edit`` to avoid that.
  @inlinable
  public var currentItem: Value {
    @inline(__always)
    _read { yield storage.access.document }
    _modify {
      ensureUnique()
      let old = storage.access.document
      defer {
        storage.compare(Editor(storage.access, UndoDocumentPlace(), offset: 0), old)
      }
      yield &storage.access.document
    }
  }

  /// Reads a property of the document.
  @inlinable
  public subscript<Part>(dynamicMember keyPath: KeyPath<Value, Part>) -> Part {
    @inline(__always)
    _read { yield storage.access.document[keyPath: keyPath] }
  }

  /// The cursor at the document, which records edits at a cost that depends on the change and not on the document.
  ///
  /// ```swift
  /// var history = UndoHistory(initialValue: (1...1_000_000).map { $0 })
  /// history.edit[17] = 42        // 24 bytes
  /// history.edit.remove(at: 3)
  /// ```
  ///
  /// An edit may read the same history, because its new value is evaluated first.
  ///
  /// ```swift
  /// struct Note { var body = "", isDone = false }
  ///
  /// var note = UndoHistory(initialValue: Note())
  /// note.edit.isDone = !note.isDone
  /// note.edit.body = note.body + "x"
  /// ```
  ///
  /// - Complexity: O(1). The first edit after the history was copied also copies what the edit touches, and the list of
  ///   the other chunks of records.
  @inlinable
  public var edit: Editor {
    @inline(__always)
    _read {
      let editor = Editor(storage.access, UndoDocumentPlace(), offset: 0)
      yield editor
    }
    @inline(__always)
    _modify {
      ensureUnique()
      let access = storage.access
      var editor = Editor(access, UndoDocumentPlace(), offset: 0)
      defer { editor.expectLent(of: access) }
      yield &editor
    }
  }

  /// Groups the edits of a closure into one step, and rolls them back if the closure throws.
  ///
  /// ```swift
  /// var history = UndoHistory(initialValue: [3, 1, 2])
  /// history.transaction("Sort") { edit in
  ///   edit.swapAt(0, 1)
  ///   edit.swapAt(1, 2)
  /// }
  /// print(history.undoLabel ?? "")  // Sort
  /// history.undo()                  // [3, 1, 2]
  /// ```
  ///
  /// Transactions nest. If an inner `edit.transaction { ... }` throws, only its own edits are rolled back; otherwise
  /// they become part of the outer step. A transaction without edits records no step. Neither does one of at most 16
  /// edits that leave the document as it was, unless the history restores values (``restoreOnUndo(_:)``). In both cases
  /// the redo steps are kept.
  ///
  /// With an origin, the step is that of an author, whose steps can be undone by themselves (``undo(by:)``):
  ///
  /// ```swift
  /// var history = UndoHistory(initialValue: ["b", "a"])
  /// history.transaction("Sort", as: "agent") { $0.sort() }
  /// print(history.steps.first?.origin ?? "")  // agent
  /// ```
  ///
  /// - Complexity: That of the edits, and of rolling them back if the closure throws. If there are at most 16 edits,
  ///   two of them of the same part, they may also be undone in a copy of the document to find out whether they changed
  ///   anything. That copies each collection that they edited.
  @inlinable
  @inline(__always)
  @discardableResult
  public mutating func transaction<Result, Failure: Error>(
    _ label: String? = nil, as origin: UndoOrigin? = nil, _ body: (inout Editor) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    ensureUnique()
    if let origin { storage.access.withLog { $0.enter(origin) } }
    defer { if origin != nil { storage.access.withLog { $0.enter(nil) } } }
    var editor = Editor(storage.access, UndoDocumentPlace(), offset: 0)
    return try editor.transaction(label, body)
  }

  /// Groups the edits of a closure into one step; a single edit of a text joins the latest step as typing does.
  @inlinable
  package mutating func joiningTransaction<Result, Failure: Error>(
    _ body: (inout Editor) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    ensureUnique()
    var editor = Editor(storage.access, UndoDocumentPlace(), offset: 0)
    return try editor.transaction(nil, joins: true, body)
  }

  /// Replaces the document with another value, as one step that records only the differences.
  ///
  /// ```swift
  /// var history = UndoHistory(initialValue: ["Milk", "Flour"])
  /// history.replaceDocument(with: ["Milk", "Butter", "Flour"], label: "Reload")
  /// print(history.undoLabel ?? "", history.undoCount)  // Reload 1
  /// history.undo()
  /// print(history.currentItem)                         // ["Milk", "Flour"]
  /// ```
  ///
  /// Use this for a document that was read again, or that came from elsewhere as a whole. The step doesn't join the
  /// step before it, and no later edit joins the step. A value that is the same as the document records no step.
  ///
  /// Unlike an assignment of ``currentItem``, this finds differences in several places of a text or a collection, and
  /// doesn't record what lies between them. Texts are compared line by line, and elements by their identities or, if
  /// they have none, by equality.
  ///
  /// - Complexity: That of assigning ``currentItem``, and O(*n* log *n*) in the numbers of lines or elements between
  ///   the first difference and the last one.
  public mutating func replaceDocument(with newValue: Value, label: String? = nil) {
    ensureUnique()
    let identity = _UndoStepIdentity()
    storage.access.log.beginStep(label, identity, alignsPlaces: true)
    let positions = _UndoLivePositions(of: storage.access.log)
    var newValue = newValue
    assignRestored(to: &newValue, storage.access.log.restoredProperties.filter { $0.space != nil })
    currentItem = newValue
    if !positions.isEmpty { storage.access.withLog { positions.assign(overOpenStepOf: &$0) } }
    endStep(OpenStep(id: OpenStep.ID(identity: identity)))
  }

  @inlinable
  @inline(__always)
  package mutating func ensureUnique() {
    if isUnlikely(!isKnownUniquelyReferenced(&storage)) { separate() }
  }

  /// Passes the log to a closure that changes it.
  package mutating func changeLog<Result>(_ change: (inout _UndoLog) -> Result) -> Result {
    ensureUnique()
    return storage.access.withLog(change)
  }

  /// The state of the history, to find out later whether it was edited or replaced by another history.
  package var changeMark: _UndoChangeMark { _UndoChangeMark(storage.access.log) }

  @inlinable
  @inline(never)
  package mutating func separate() {
    storage = _UndoStorage(
      document: storage.access.document, log: storage.access.log.copy(), compare: storage.compare)
    storage.access.log.rebind(to: storage.access.documentPointer)
  }
}

// Sendable, because the log keeps only parts of earlier documents. Copies share storage, but storage is never written
// to while it is shared.
extension UndoHistory: @unchecked Sendable where Value: Sendable {}

extension UndoHistory: Identifiable where Value: Identifiable {
  /// The identity of the document.
  public var id: Value.ID { storage.access.document.id }
}

extension UndoHistory: Equatable where Value: Equatable {
  /// Whether two histories have equal documents, the same steps and branches, and the same position between them.
  ///
  /// ```swift
  /// var history = UndoHistory(initialValue: [1, 2])
  /// var other = history
  /// history.edit.append(3)
  /// other.edit.append(3)
  /// print(history == other)  // true
  /// other.undo()
  /// print(history == other)  // false
  /// ```
  ///
  /// A document that isn't equal to itself, such as one with a NaN, equals a document that stores the same values.
  ///
  /// Steps, branches and remote edits are equal if they record the same edits with the same labels. The values that
  /// edits replaced are compared by what is stored in them, not by `==`. If two values can't be proved to be the same,
  /// for example closures or equal but distinct objects, the histories are unequal. A history that was restored from an
  /// archive may therefore differ from the one that was archived, because an archive names larger parts.
  ///
  /// The comparison leaves out ``limit``, ``coalescing``, the saved point, saves in flight, steps that a limit has
  /// dropped, times, and restored values (``restoreOnUndo(_:)``), both in the document and in the steps.
  ///
  /// - Complexity: O(1) for copies that weren't changed since, or if the numbers of steps differ. Otherwise that of
  ///   comparing the documents and the contents of the steps. Steps that copies still share are compared in O(1) each.
  @inlinable
  public static func == (left: Self, right: Self) -> Bool {
    if left.storage === right.storage { return true }
    return left.undoCount == right.undoCount && left.redoCount == right.redoCount
      && left.hasSameDocument(as: right)
      && left.storage.access.log.hasSameSteps(as: right.storage.access.log)
  }
}

extension UndoHistory: Hashable where Value: Hashable {
  /// Feeds the document into a hasher, but not the steps.
  ///
  /// A history that restores values (``restoreOnUndo(_:)``) feeds the number of its steps instead, because equal
  /// histories can differ in those values.
  ///
  /// - Complexity: That of hashing the document.
  public func hash(into hasher: inout Hasher) {
    if restoresValues { hasher.combine(undoCount) } else { hasher.combine(storage.access.document) }
  }
}
