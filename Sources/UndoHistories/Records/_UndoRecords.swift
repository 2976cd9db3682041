/// The records of a history in chunks, and the position between two of them.
///
/// This file has the stored properties; extensions write, exchange, compare and read records.
///
///     chunks   [ dropped | records ........ ][ records ..|.......... ][ records ]
///                        ^ head            the document ^ position     redo records follow
///
/// The steps that can be undone lie before the position, and the redo steps after it. Records never move: when the last
/// chunk is full, another one is added, twice as large, up to 64 KB. A copy shares the chunks. Only the current chunk,
/// which is the one around the position, is copied at once; another chunk is copied when one of the two enters it.
///
/// The records are *open* after one was written: they end at the position, whatever the chunk says, and no step can be
/// redone.
///
/// This folder contains everything that needs only the records. The log (`_UndoLog`) handles the effects of a step on
/// the rest of the history.
@usableFromInline
package struct _UndoRecords {
  @usableFromInline
  package var position = Position()
  @usableFromInline
  package var fastPath: FastPath
  @usableFromInline
  package var counts = Counts()
  package var chunks: ContiguousArray<_UnsafeUndoChunk> = []
  /// The start of the records in the first chunk.
  var head = _UnsafeUndoMemory.start
  /// The number of chunks that were removed at the front, which is the number of the first chunk.
  var removedChunkCount = 0
  /// Below this location, an undo has to handle remote edits; it lies before all records if there are none.
  var barrier = _UndoLocation(chunkNumber: 0, offset: 0)
  var operations: _UndoOperations {
    didSet {
      fastPath.operations = operations.table
      if !chunks.isEmpty { chunk(position.chunkNumber).operations = operations }
    }
  }

  /// The records of the open step that can take another assignment of their parts; nil if no open step has edits.
  var gesture: _UndoGesture?
  /// The edit of the latest exchange, if the type of the delta doesn't tell it.
  @usableFromInline
  var reportedEdit = UndoEdit(.value, start: 0, size: 0)

  init(_ operations: _UndoOperations) {
    self.operations = operations
    fastPath = FastPath(operations: operations.table)
  }

  /// Creates records of redo steps, for reading only.
  init(redoing count: Int, in chunks: [_UnsafeUndoChunk], _ operations: _UndoOperations) {
    self.init(operations)
    self.chunks = ContiguousArray(chunks)
    (position.currentChunk, counts.steps) = (chunks[0].memory, count)
  }

  /// The state of the document: the number of steps that lead to it from where the history began.
  package var state: Int { counts.dropped + counts.undo }

  /// The state after the newest step, whether that is undone or not.
  package var newestState: Int { state + redoCount }

  /// The location at which the next record would begin.
  package var location: _UndoLocation { _UndoLocation(chunkNumber: position.chunkNumber, offset: position.offset) }

  /// The start of the oldest record, even if its step is hidden.
  package var start: _UndoLocation { _UndoLocation(chunkNumber: removedChunkCount, offset: head) }

  /// The end of all records.
  var end: _UndoLocation { _UndoLocation(chunkNumber: removedChunkCount + chunks.count, offset: 0) }

  /// The position of the document between two records.
  @usableFromInline
  package struct Position {
    /// The current chunk, which no other records refer to; an empty one if there are no chunks.
    @usableFromInline
    var currentChunk = _UnsafeUndoMemory.none
    /// The number of the current chunk, which stays the same when a limit removes chunks at the front.
    @usableFromInline
    var chunkNumber = 0
    @usableFromInline
    var offset = _UnsafeUndoMemory.start
    /// The part of the next header that is known already: the length of the record before the position, and the flags.
    @usableFromInline
    package var link = _UndoLink.none
    /// Which edits may join the record before the position; none while the records are closed.
    @usableFromInline
    package var run = _UndoRun.none

    @inlinable
    package var canJoin: Bool { run != .none }
  }

  /// The numbers of steps, remote edits, and bytes.
  @usableFromInline
  package struct Counts {
    /// The number of steps that can be undone.
    @usableFromInline
    package var undo = 0
    /// The number of steps that can be undone or redone; out of date while the records are open.
    @usableFromInline
    var steps = 0
    /// The number of steps that limits have dropped or remote edits hide; its sum with `undo` identifies the state.
    package var dropped = 0
    /// The number of remote edits so far.
    var remoteEdits = 0
    /// The bytes of all records, and of the memory that they count besides (`_UndoWeight`).
    @usableFromInline
    package var bytes = 0
  }
}
