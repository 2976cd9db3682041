package import UndoHistories

/// Replays in a history the messages that a recorder wrote about another one: reads the header, and loops over
/// messages.
///
/// ```text
/// var replayer = try UndoReplayer<Note>(header, coding)
/// try replayer.replay(messages, in: &history)     // as often as there are messages
/// replayer.finish(&history)
/// ```
///
/// The history must be in the state in which the recorder began, for example restored from an archive of that state. It
/// then gets the same document, steps, labels, position, saved point and restored values.
///
/// Bytes may be damaged or forged: what doesn't fit the document is refused, and memory use is bounded by the bytes.
package struct UndoReplayer<Value: Codable> {
  /// A reader with the names of the parts.
  private let reader: _UndoReader
  /// The number of the oldest steps that the history lacks and the messages count.
  package var missingCount = 0
  /// The properties that the app restores on undo, because messages don't say which of them are positions.
  package var knownProperties: [_UndoRestored] = []
  /// The number of edits that were lost, because the document no longer has what they edited.
  package internal(set) var lostCount = 0
  /// The latest edit of a text.
  var text: LatestText?
  private var rules: (limit: UndoLimit, coalescing: UndoCoalescing, now: (@Sendable () -> Duration)?)?

  struct LatestText {
    let patch: _UndoPatch
    var start: Int
    var count: Int
  }

  /// The transaction that is open.
  struct OpenTransaction {
    let mark: _UndoTransaction.Mark
    let text: LatestText?
    /// For a remote edit, the history's own log, which is put back afterwards.
    var remoteEdit: _UndoDetachedLog?
  }

  /// Reads the header.
  package init(_ header: [UInt8], _ coding: UndoPieceCoding) throws(UndoFormError) {
    do {
      var reader = _UndoReader(header, coding)
      try UndoFormError.check(reader.readNumber(), is: _UndoMessageKind.version)
      (reader.names, reader.schema) = (try _UndoNames(from: &reader), _UndoSchema(fields: coding))
      guard reader.isAtEnd else { throw reader.damage }
      self.reader = reader
    } catch {
      throw error as? UndoFormError ?? .damaged(offset: 0)
    }
  }

  /// Replays messages.
  ///
  /// - Throws: The reason why a message couldn't be replayed. The messages before it were; a transaction without an end
  ///   is rolled back.
  /// - Complexity: That of the edits.
  package mutating func replay(_ messages: [UInt8], in history: inout UndoHistory<Value>) throws(UndoFormError) {
    if rules == nil {
      let now = history.storage.access.log.extras.first?.now
      rules = (history.limit, history.coalescing, now)
      // The times of the steps aren't known.
      if now != nil { history.recordTimes(nil) }
      (history.limit, history.coalescing) = (.unlimited, .repeated)
    }
    history.ensureUnique()
    var reader = reader.inside(messages)
    var transaction: OpenTransaction?
    do {
      while !reader.isAtEnd { try replay(&reader, in: &history, &transaction) }
      if transaction != nil { throw reader.damage }
    } catch {
      if let transaction {
        history.storage.access.log.rollBack(to: transaction.mark, history.storage.access.documentPointer)
        endRemoteEdit(transaction, history.storage.access)
        text = transaction.text
      }
      throw reader.damage
    }
  }

  /// Ends what the messages left open, and restores the history's own rules.
  package mutating func finish(_ history: inout UndoHistory<Value>) {
    history.settle()
    if let rules {
      (history.coalescing, history.limit) = (rules.coalescing, rules.limit)
      if let now = rules.now { history.recordTimes(now) }
    }
    history.storage.access.log.records.forgetTypes()
    (rules, text) = (nil, nil)
  }

  private mutating func replay(
    _ reader: inout _UndoReader, in history: inout UndoHistory<Value>, _ transaction: inout OpenTransaction?
  ) throws {
    let byte = try reader.readByte()
    guard let kind = _UndoMessageKind(rawValue: byte & ~_UndoMessageKind.joins),
      byte < _UndoMessageKind.joins || kind == .edit
    else { throw reader.damage }
    let access = history.storage.access
    // Steps that a remote edit hides count too.
    let stepCount = access.log.state - access.log.oldestState + access.log.redoCount
    switch kind {
    case .edit: try replayEdit(&reader, joins: byte >= _UndoMessageKind.joins, in: history, transaction == nil)
    case .typed, .deletedBackward, .deletedForward, .insertedBeside, .removedBeside:
      try replayText(kind, &reader, in: history, transaction == nil)
    case .endTransaction:
      guard let open = transaction else { throw reader.damage }
      let joins = try reader.readByte() == 1
      transaction = nil
      if open.remoteEdit == nil { return endTransaction(joins: joins, access) }
      access.log.endTransaction()
      endRemoteEdit(open, access)
    // Nothing else occurs within a transaction.
    case _ where transaction != nil: throw reader.damage
    case .beginTransaction, .beginLabelledTransaction:
      let label = kind == .beginTransaction ? nil : try reader.readText()
      transaction = OpenTransaction(mark: access.log.beginTransaction(label), text: text)
    case .undo, .redo:
      // The undo may only have ended an open step.
      let endsStep = access.log.hasOpenStep
      guard (kind == .undo ? history.undo() : history.redo()) != nil || endsStep else { throw reader.damage }
    case .go:
      let position = try reader.readCount() - missingCount
      let hidden = access.log.records.counts.dropped - access.log.oldestState
      guard hidden...stepCount ~= position else { throw reader.damage }
      history.go(to: .step(position - hidden))
      guard access.log.state - access.log.oldestState == position else { throw reader.damage }
    case .beginStep, .beginLabelledStep: _ = history.beginStep(kind == .beginStep ? nil : try reader.readText())
    case .cancelStep:
      guard access.log.isStepOpen else { throw reader.damage }
      access.log.cancelOpenStep(access.documentPointer)
    case .reopenStep: guard access.log.reopenLatestStep() else { throw reader.damage }
    case .settle: history.settle()
    case .saved: try replaySaved(&reader, in: access)
    case .restoreField: try replayRestoreField(&reader, in: access)
    case .dropped:
      var count = try reader.readCount()
      let away = Swift.min(missingCount, count)
      (missingCount, count) = (missingCount - away, count - away)
      if away > 0, count == 0 { break }
      // The last step was dropped, too, if a remote edit hides it, or an open step without a change needed its place.
      guard count > 0, count <= stepCount - access.log.redoCount else { throw reader.damage }
      access.log.dropOldestSteps(count)
    case .removedAll:
      missingCount = 0
      history.removeAllSteps()
    case .identities: try replayIdentities(&reader, in: access)
    case .beginRemoteEdit, .beginSavedRemoteEdit:
      let own = access.withLog { $0.beginRemoteEdit(_UndoLog(for: Value.self)) }
      transaction = OpenTransaction(
        mark: access.log.beginTransaction(nil), text: text,
        remoteEdit: _UndoDetachedLog(own, isSaved: kind == .beginSavedRemoteEdit))
    case .recordBlockingEdit: guard history.recordRemoteEdit() else { throw reader.damage }
    case .goToBranch, .droppedBranches, .savedOnBranch:
      guard missingCount == 0 else { throw reader.damage }
      try replayBranch(kind, &reader, in: &history)
    }
  }
}
