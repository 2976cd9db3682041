// A transaction begins in the messages with its first edit, and what is taken back of it is taken out again.

extension _UndoMessages {
  /// A transaction of which the messages say that it began.
  struct OpenTransaction {
    /// Where its first message begins, and where the next one does.
    let start: Int
    let firstMessage: Int
    /// What the latest text was before it.
    let text: LatestText?
    var messages: [Message] = []

    /// What the latest text is where nothing but carried values stays of it.
    var textBehindCarried: LatestText? {
      var text = text
      if messages.contains(where: { $0.isCarried && $0.isOfText }) { text?.isMoved = true }
      return text
    }

    /// A message of an edit, and what was known before it, for when it is taken back alone.
    struct Message {
      let location: _UndoLog.RecordLocation
      let depth: Int32
      let start: Int
      let text: LatestText?
      /// The carried value that the edit is of, which the transaction assigns without a record.
      let carried: _UndoCarriedValues.Members
      /// Whether a replayer takes it for the latest edit of a text.
      let isOfText: Bool

      var isCarried: Bool { !carried.isEmpty }
    }
  }

  /// A step ended.
  ///
  /// - Parameters:
  ///   - isAssignment: Whether all of it is one assignment.
  ///   - joins: Whether it became part of the step before it.
  mutating func observeEndOfStep(isTransaction: Bool, isAssignment: Bool, joins: Bool) {
    if isTransaction {
      var end: _UndoEndOfTransaction = []
      if joins { end.insert(.joins) }
      if isAssignment { end.insert(.isAssignment) }
      endTransaction(end)
    } else if joins, let latestEdit {
      writer.bytes[latestEdit] |= _UndoMessageKind.joins
    }
  }

  /// A transaction ended without being a step.
  mutating func observeEmptyTransaction() {
    guard let transaction else { return }
    if byteCount == transaction.firstMessage {
      takeBack(transaction)
    } else {
      endTransaction([])
      text = transaction.textBehindCarried
    }
  }

  /// The transaction turned out to be one edit of a text, which will be joined text instead.
  ///
  /// What it assigned of carried values last comes behind that: then it is the step's, and the next is not.
  mutating func observeJoiningTransaction() {
    guard let open = transaction else { return }
    let ends = open.messages.dropFirst().map(\.start) + [byteCount]
    var (before, haveText): ([UInt8], Bool) = ([], false)
    for (index, message) in open.messages.enumerated() where message.isCarried {
      let bytes = writer.bytes[message.start..<ends[index]]
      if open.messages[(index + 1)...].allSatisfy({ $0.carried.isDisjoint(with: message.carried) }) {
        behindJoined = (behindJoined.bytes + bytes, behindJoined.haveText || message.isOfText)
      } else {
        (before, haveText) = (before + bytes, haveText || message.isOfText)
      }
    }
    takeBack(open)
    writer.bytes += before
    if haveText { text?.isMoved = true }
  }

  /// The innermost transaction was taken back, and has not ended yet.
  mutating func observeRollBack(to mark: _UndoLog.Mark, in log: inout _UndoLog) {
    guard let open = transaction else { return }
    if log.transaction.depth == 1 { return takeBack(open) }
    while let message = transaction?.messages.last, message.depth >= log.transaction.depth,
      message.location >= mark.location
    {
      transaction?.messages.removeLast()
      writer.bytes.removeSubrange(message.start...)
      text = message.text
    }
    latestEdit = nil
  }

  /// Writes the beginning of a transaction in front of its first edit, and keeps where each begins.
  mutating func addToTransaction(
    _ log: inout _UndoLog, at location: _UndoLog.RecordLocation, _ carried: _UndoCarriedValues.Members,
    isOfText: Bool
  ) {
    guard log.transaction.depth > 0 else { return }
    if transaction == nil {
      let start = byteCount
      if let absorbing {
        write(absorbing.isSaved ? .beginAbsorbedSaved : .beginAbsorbed)
      } else {
        write(.beginTransaction, .beginLabelledTransaction, log.transaction.label)
      }
      transaction = OpenTransaction(start: start, firstMessage: byteCount, text: text)
    }
    let message = OpenTransaction.Message(
      location: location, depth: log.transaction.depth, start: byteCount, text: text, carried: carried,
      isOfText: isOfText)
    transaction?.messages.append(message)
  }

  private mutating func endTransaction(_ end: _UndoEndOfTransaction) {
    guard let transaction else { return }
    text = textToGoOnWith(behind: transaction)
    write(.endTransaction)
    writer.bytes.append(end.rawValue)
    (self.transaction, latestEdit) = (nil, nil)
  }

  /// The latest text that has a record: what was carried in a transaction has none behind it.
  private func textToGoOnWith(behind transaction: OpenTransaction) -> LatestText? {
    let carried = transaction.messages.reversed().prefix { !$0.isOfText || $0.isCarried }.filter(\.isOfText)
    guard var text = carried.last?.text else { return carried.isEmpty ? text : nil }
    text.isMoved = true
    return text
  }

  private mutating func takeBack(_ transaction: OpenTransaction) {
    writer.bytes.removeSubrange(transaction.start...)
    (text, latestEdit, self.transaction) = (transaction.text, nil, nil)
  }
}
