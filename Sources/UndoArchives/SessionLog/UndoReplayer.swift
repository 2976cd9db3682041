package import UndoHistories

/// Repeats in a history the messages that a recorder wrote of another one.
///
/// ```text
/// var replayer = try UndoReplayer<Note>(header, coding)
/// try replayer.replay(messages, in: &history)     // as often as there are messages
/// replayer.finish(&history)
/// ```
///
/// The history must be in the state in which the recorder began: restored from an archive of that. Then it gets the
/// same document, steps, labels, position, saved point and carried values.
///
/// None of the bytes is believed: what does not fit the document is refused, and takes no more memory than the bytes
/// pay for.
package struct UndoReplayer<Value: Codable> {
  let schema: _UndoSchema
  let names: _UndoNames
  private let coding: UndoPieceCoding
  /// How many of the oldest steps the history lacks, which the messages count.
  package var missingCount = 0
  /// How many edits could not be repeated, as the document does not have any more what they edited.
  package internal(set) var lostCount = 0
  /// The edit of a text that the messages had last.
  var text: LatestText?
  private var rules: (limit: UndoLimit, coalescing: UndoCoalescing, now: (@Sendable () -> Duration)?)?

  struct LatestText {
    let patch: _UndoPatch
    var start: Int
    var count: Int

    init(patch: _UndoPatch, _ range: _UndoTextPatch) {
      (self.patch, start, count) = (patch, range.start, range.replacement.utf8.count)
    }
  }

  /// The transaction that is open.
  struct OpenTransaction {
    let mark: _UndoLog.Mark
    /// How many steps could be undone.
    let stepCount: Int
    let text: LatestText?
    /// What records it is a log of its own, where it is absorbed: the history's, and whether the store has it.
    var absorbing: (own: _UndoLog, isSaved: Bool)?
  }

  /// Reads what stands in front of all messages.
  package init(_ header: [UInt8], _ coding: UndoPieceCoding) throws(UndoFormError) {
    self.coding = coding
    schema = _UndoSchema(of: Value.self, fields: coding)
    do {
      var reader = _UndoReader(header, coding)
      let version = try reader.readNumber()
      guard version <= _UndoMessageVersion.current else { throw UndoFormError.newer(version: version) }
      names = try _UndoNames(from: &reader)
      guard reader.isAtEnd, version > 0 else { throw reader.damage }
    } catch let error as UndoFormError {
      throw error
    } catch {
      throw .damaged(offset: 0)
    }
  }

  /// Repeats messages.
  ///
  /// - Throws: Why a message could not be repeated. Those before it are; a transaction of which the end is missing is
  ///   taken back.
  /// - Complexity: As the edits themselves.
  package mutating func replay(_ messages: [UInt8], in history: inout UndoHistory<Value>) throws(UndoFormError) {
    if rules == nil {
      let now = history.storage.access.log.extras.first?.now
      rules = (history.limit, history.coalescing, now)
      // When the steps ended is not known: not now.
      if now != nil { history.keepTime(by: nil) }
      (history.limit, history.coalescing) = (.unlimited, .repeated)
    }
    history.ensureUnique()
    var reader = _UndoReader(messages, coding)
    reader.names = names
    var transaction: OpenTransaction?
    do {
      while !reader.isAtEnd { try replay(&reader, in: &history, &transaction) }
      if transaction != nil { throw reader.damage }
    } catch {
      if let transaction {
        history.storage.access.log.rollBack(to: transaction.mark, history.storage.access.documentPointer)
        endAbsorbing(transaction, history.storage.access)
        text = transaction.text
      }
      throw error as? UndoFormError ?? reader.damage
    }
  }

  /// Ends what the messages left open, and gives the history its own rules back.
  package mutating func finish(_ history: inout UndoHistory<Value>) {
    history.settle()
    if let rules {
      (history.coalescing, history.limit) = (rules.coalescing, rules.limit)
      if let now = rules.now { history.keepTime(by: now) }
    }
    history.storage.access.log.forgetTypes()
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
    switch kind {
    case .edit: return try replayEdit(&reader, joins: byte >= _UndoMessageKind.joins, in: history, transaction == nil)
    case .typed, .deletedBackward, .deletedForward, .insertedBeside, .removedBeside:
      return try replayText(kind, &reader, in: history, transaction == nil)
    case .endTransaction:
      guard let open = transaction else { throw reader.damage }
      let joins = try reader.readByte() == 1
      transaction = nil
      if open.absorbing == nil { return end(open, joins: joins, access) }
      access.log.endTransaction()
      return endAbsorbing(open, access)
    default: break
    }
    // Nothing else goes on within a transaction.
    guard transaction == nil else { throw reader.damage }
    // With those that what was absorbed hides.
    let stepCount = access.log.state - access.log.oldestState + access.log.redoCount
    switch kind {
    case .beginTransaction, .beginLabelledTransaction:
      let label = kind == .beginTransaction ? nil : try reader.readText()
      let count = access.log.counts.undo
      transaction = OpenTransaction(mark: access.log.beginTransaction(label), stepCount: count, text: text)
    case .undo, .redo:
      // What an open step ended by may have been all.
      let endsStep = access.log.hasOpenStep
      guard (kind == .undo ? history.undo() : history.redo()) != nil || endsStep else { throw reader.damage }
    case .go:
      let position = try reader.readCount() - missingCount
      let hidden = access.log.counts.dropped - access.log.oldestState
      guard hidden...stepCount ~= position else { throw reader.damage }
      history.go(to: position - hidden)
      guard access.log.state - access.log.oldestState == position else { throw reader.damage }
    case .beginStep: _ = history.beginStep()
    case .beginLabelledStep: _ = history.beginStep(try reader.readText())
    case .cancelStep:
      guard access.log.isStepOpen else { throw reader.damage }
      access.log.cancelOpenStep(access.documentPointer)
    case .reopenStep: guard access.log.reopenLatestStep() else { throw reader.damage }
    case .settle: history.settle()
    case .saved: try replaySaved(&reader, in: access)
    case .carryField: try replayCarryField(&reader, in: access)
    case .dropped:
      var count = try reader.readCount()
      let away = Swift.min(missingCount, count)
      (missingCount, count) = (missingCount - away, count - away)
      if away > 0, count == 0 { break }
      // Only a step that absorbed edits hide can have been the last one.
      guard count > 0, count <= stepCount - access.log.redoCount, count < stepCount || access.log.absorbed != nil
      else { throw reader.damage }
      access.log.dropOldestSteps(count)
    case .removedAll:
      missingCount = 0
      history.removeAllSteps()
    case .identities: try replayIdentities(&reader, in: access)
    case .beginAbsorbed, .beginAbsorbedSaved:
      transaction = beginAbsorbing(isSaved: kind == .beginAbsorbedSaved, access)
    case .adopt: guard history.adopt() else { throw reader.damage }
    case .goToBranch, .droppedBranches, .savedOnBranch:
      guard missingCount == 0 else { throw reader.damage }
      try replayBranch(kind, &reader, in: &history)
    case .edit, .typed, .deletedBackward, .deletedForward, .insertedBeside, .removedBeside, .endTransaction: break
    }
  }
}
