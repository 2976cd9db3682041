/// The records of a history in chunks, and the position between two of them.
///
///     chunks   [ dropped | records ........ ][ records ..|.......... ][ records ]
///                        ^ head            the document ^ position     redo records follow
///
/// The steps that can be undone lie before the position, those that can be redone behind it. Records never move:
/// growing adds a chunk, twice as large as the last one up to 64 KB. A copy shares the chunks; only the current chunk,
/// the one around the position, is copied at once, and another one when one of the two enters it.
///
/// Records to which some were just written are *open*: they end at the position, whatever the chunk says, and nothing
/// can be redone.
///
/// All that needs nothing else is here: to write a record where there is room, to walk, to exchange a record with the
/// document, to read what a step did. What a step means for the rest of the history is the log's (`_UndoLog`).
@usableFromInline
package struct _UndoRecords {
  @usableFromInline
  package var position = Position()
  @usableFromInline
  package var fastPath: FastPath
  @usableFromInline
  package var counts = Counts()
  package var chunks: ContiguousArray<_UnsafeUndoChunk> = []
  /// The offset in the first chunk at which the records begin.
  var head = _UnsafeUndoMemory.start
  /// The location before which an undo has to look at what was absorbed there; before all records if there is none.
  var barrier = _UndoLocation(chunkIndex: 0, offset: 0)
  /// The operations of all records.
  var operations: _UndoOperations {
    didSet { fastPath.operations = operations.table }
  }
  /// The edit of the latest exchange, where the type of the delta does not tell it.
  @usableFromInline
  var reportedEdit = UndoEdit(.value, start: 0, size: 0)

  init(_ operations: _UndoOperations) {
    self.operations = operations
    fastPath = FastPath(operations: operations.table)
  }

  /// Steps that can be redone: to be looked at, and not to be changed.
  init(redoing count: Int, in chunks: [_UnsafeUndoChunk], _ operations: _UndoOperations) {
    self.init(operations)
    self.chunks = ContiguousArray(chunks)
    (position.currentChunk, counts.steps) = (chunks[0].memory, count)
  }

  /// The number of the state in which the document is: how many steps lead to it from where the history began.
  package var state: Int { counts.dropped + counts.undo }

  /// The state that the newest step leads to, be that undone or not.
  package var newestState: Int { state + redoCount }

  /// Where the next record would begin.
  package var location: _UndoLocation { _UndoLocation(chunkIndex: position.chunkIndex, offset: position.offset) }

  /// Where the oldest record begins, also if its step is hidden.
  package var start: _UndoLocation { _UndoLocation(chunkIndex: 0, offset: head) }

  /// Where all records end.
  var end: _UndoLocation { _UndoLocation(chunkIndex: chunks.count, offset: 0) }

  /// Where the document stands: between two records.
  @frozen
  @usableFromInline
  package struct Position {
    /// The current chunk, which no other records refer to; one of no records where there are no chunks.
    @usableFromInline
    var currentChunk: _UnsafeUndoMemory
    /// Its index among the chunks.
    @usableFromInline
    var chunkIndex = 0
    /// The offset in it.
    @usableFromInline
    var offset = _UnsafeUndoMemory.start
    /// What the next header says of the record before the position: its length, and whether it begins and ends a step.
    @usableFromInline
    package var link = _UndoLink.none
    /// Whether the record before the position may still take in the next edit of its kind; only while all is open.
    @usableFromInline
    package var canJoin = false

    /// That without records.
    init() { currentChunk = .none }
  }

  /// How much there is.
  @frozen
  @usableFromInline
  package struct Counts {
    /// The steps that can be undone.
    @usableFromInline
    package var undo = 0
    /// The steps that can be undone or redone; out of date while all is open.
    @usableFromInline
    var steps = 0
    /// The steps that limits have dropped; with `undo` they tell states apart.
    @usableFromInline
    package var dropped = 0
    /// The number of remote edits so far.
    @usableFromInline
    var remoteEdits = 0
    /// The bytes of all records, and what else these count (`_UndoWeight`).
    @usableFromInline
    package var bytes = 0

    init() {}
  }
}
