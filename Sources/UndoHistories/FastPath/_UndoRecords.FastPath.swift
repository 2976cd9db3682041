// The state that edits, undo and redo check first: up to where records can be written and undone directly, the
// operation of the latest delta, and which extras are in use. It also says whether the records are open, and how many
// steps can be redone. The shortcuts themselves are in `_UndoLog+FastPath`, and the extras in `Log/_UndoExtras`.

extension _UndoRecords {
  /// The state that an edit, an undo or a redo checks first.
  @usableFromInline
  package struct FastPath {
    /// A record that ends at or before this offset can be written directly, as a step of its own, if it owns no memory.
    ///
    /// It is the capacity of the current chunk, or less under a limit. It is 0 while the records are closed or a
    /// transaction is open, and under a limit until `enforceLimit` has measured.
    ///
    /// Spares 8 instructions for each edit, because one comparison checks for an open log, a transaction, a limit, and
    /// the end of the chunk. Price: `updateDirectRange` wherever one of those changes.
    @usableFromInline
    var directEnd = 0
    /// The same offset for a record that may own memory: the capacity, or 0 under a limit.
    ///
    /// Price: a second word to write with the first. Without it, `items[i].name` would take the long way in every log.
    @usableFromInline
    var directEndIfOwning = 0
    /// A record that begins at or after this offset can be undone directly; none can while the log is open.
    ///
    /// Spares an undo two comparisons. Price: an assignment when the log opens, closes, or enters a chunk.
    @usableFromInline
    var directStart = _UnsafeUndoMemory.start
    /// The type tag of the delta that was recorded last; the next property is the index of its operation.
    ///
    /// Spares 10 instructions and a call, because the metadata of a generic type isn't needed. Price: a type may have
    /// several tags, so that different tags prove nothing.
    @usableFromInline
    var recentTag = _UnsafeUndoTypeTag()
    @usableFromInline
    var recentOperation = _UndoOperationIndex.boxed
    /// The operation of the deltas of the document's elements (`_UndoDelta.isElement`), once one was recorded.
    ///
    /// Spares an edit the tag, and an undo recognizes such a record by its header. Price: a flag in each type of delta.
    @usableFromInline
    var elementOperation = _UndoOperationIndex.none
    @usableFromInline
    package var isLimited = false
    /// Whether there is a limit, or extras have to be updated after each step.
    ///
    /// Spares a transaction 11 instructions, because both parts of the limit would be compared, twice. Price: an
    /// assignment when either changes.
    @usableFromInline
    var isWatched = false
    /// Whether the log has extras other than branches.
    ///
    /// If so, `directStart` is one less than `.max` while the log is open, so that `append` checks for both in one
    /// comparison. Price: two numbers mean that the log is open.
    @usableFromInline
    var hasExtras = false
    /// Whether redo steps become a branch instead of being dropped.
    var keepsBranches = false
    /// Whether undo and redo restore values; if so, neither is direct.
    @usableFromInline
    var restoresValues = false
    /// Whether there is a limit of bytes, under which each record counts with the memory that it keeps alive.
    ///
    /// Measuring that is a walk through the delta. So fast paths must miss a delta that may keep memory alive: it has
    /// no direct range, no tag, and no index as the operation of elements.
    @usableFromInline
    var countsRetainedBytes = false
    /// The operations of the records, accessed by address.
    ///
    /// Spares each step an atomic retain and release of the array and of the operation. Price: unmanaged references.
    @usableFromInline
    package var operations: _UnsafeUndoOperationTable
  }

  /// Whether records can be written at the position, so that the chunk's `used` and `counts.steps` may be out of date.
  @inlinable
  @inline(__always)
  package var isOpen: Bool { fastPath.directStart >= .max - 1 }

  /// Whether the records are open and the log has no extras other than branches.
  @inlinable
  @inline(__always)
  var isPlainlyOpen: Bool { fastPath.directStart == .max }

  /// The number of steps that can be redone.
  ///
  /// It is computed only when it is needed, which spares a step 7 instructions. Price: a subtraction, and
  /// `counts.steps`, which is up to date only while the records are closed.
  @inlinable
  package var redoCount: Int {
    get { isOpen ? 0 : counts.steps &- counts.undo }
    set { counts.steps = counts.undo &+ newValue }
  }

  /// Sets the offset from which undo may use the fast path, in closed records.
  ///
  /// It lies above the newest remote edits; if values are restored, there is none.
  mutating func updateDirectStart() {
    fastPath.directStart = firstOffset
    guard isUnlikely(fastPath.hasExtras) else { return }
    if fastPath.restoresValues {
      fastPath.directStart = .max - 2
    } else if barrier.chunkNumber == position.chunkNumber {
      fastPath.directStart = max(firstOffset, barrier.offset)
    }
  }
}
