// What a transaction did in a log without extras is read off its records when it ends. So nothing is lent to the log,
// and every edit takes the short way.

extension _UndoMessages {
  /// A part of the document itself, of which it is known how its edits are written.
  ///
  /// The headers of their records say which part it is: by the operation and the offset.
  final class KnownPart {
    private let key: UInt64
    fileprivate let number: UInt8
    fileprivate let offset: Int
    fileprivate let kind: Kind

    fileprivate enum Kind {
      /// Text replaces text; with a patch that says which text it is.
      case text(_UndoTextNumbers.Layout, _UndoAnyPatch)
      /// The value is replaced as a whole; with what writes it.
      case value((_UnsafeUndoPointer, inout _UndoWriter) -> Void)
    }

    fileprivate init(_ header: _UndoHeader, number: UInt8, offset: Int, _ kind: Kind) {
      key = header.bits & KnownPart.mask
      (self.number, self.offset, self.kind) = (number, offset, kind)
    }

    /// The argument and the operation.
    private static var mask: UInt64 { 0xffff_ffff_0000_0ffc }

    fileprivate func isOf(_ header: _UndoHeader) -> Bool { header.bits & KnownPart.mask == key }
  }

  /// Ends a transaction without a label, and writes down what it did.
  ///
  /// One edit of a text alone joins the latest step where it goes on with that.
  ///
  /// - Precondition: The log was plain when the transaction began at the mark.
  mutating func endTransaction(
    from mark: _UndoLog.Mark, in log: inout _UndoLog, _ document: _UnsafeUndoPointer, by observer: _UndoObserver
  ) {
    guard log.transaction.depth == 1, log.position.link.flags == _UndoHeader.inner else { return log.endTransaction() }
    guard log.position.offset == mark.offset + log.position.link.bytes, log.position.chunkIndex == mark.chunkIndex else {
      return endTransactionOfSeveral(from: mark, in: &log, document, by: observer)
    }
    let header = unsafe log.position.currentChunk.header(at: mark.offset)
    guard let part = knownPart(header) else {
      return endTransactionOfOne(header, from: mark, in: &log, document, by: observer)
    }
    switch part.kind {
    case .value(let write):
      log.endTransaction()
      writer.bytes.append(_UndoMessageKind.edit.rawValue)
      writer.bytes.append(part.number)
      writer.bytes.append(_UndoPatchKind.replaced.rawValue)
      write(document.part(at: part.offset), &writer)
    case .text(let layout, let patch):
      let payload = unsafe log.position.currentChunk.payload(at: mark.offset)
      let numbers = layout.read(payload)
      if log.transaction.couldJoin {
        guard let latest = text, latest.offset + mark.link.bytes == mark.offset,
          unsafe part.isOf(log.position.currentChunk.header(at: latest.offset))
        else { return endTransactionOfOne(header, from: mark, in: &log, document, by: observer) }
        let record = unsafe log.position.currentChunk.payload(at: latest.offset)
        if join(payload, numbers, layout, with: record, latest.numbers, from: mark, in: &log) {
          return writeJoined(numbers, part, document)
        }
        if mayJoin(numbers, latest.numbers) {
          return endTransactionOfOne(header, from: mark, in: &log, document, by: observer)
        }
      }
      log.endTransaction()
      log.coalescing.canJoin = log.coalescing.joinsTyping
      writer.bytes.append(_UndoMessageKind.edit.rawValue)
      writer.bytes.append(part.number)
      writer.bytes.append(_UndoPatchKind.range.rawValue)
      writer.write(numbers.start)
      writer.write(numbers.removed)
      write(numbers, part, document)
      text = LatestText(patch: patch, numbers: numbers, offset: mark.offset)
    }
  }

  // MARK: Joining

  /// Lets the latest record take in the next one, which adjoins it and is the only one of its transaction.
  ///
  /// False, and nothing done, where it does not.
  private mutating func join(
    _ payload: _UnsafeUndoPointer, _ next: _UndoTextNumbers, _ layout: _UndoTextNumbers.Layout,
    with record: _UnsafeUndoPointer, _ old: _UndoTextNumbers, from mark: _UndoLog.Mark, in log: inout _UndoLog
  ) -> Bool {
    assert(layout.read(record) == old, "The messages have another text than the latest record")
    var joined = old
    var ownedBytes = 0
    if next.removed == 0, next.count > 0, old.count > 0, next.start == old.start + old.count {
      joined.count += next.count
      guard layout.write(joined, to: record) else { return false }
    } else if next.count == 0, next.removed > 0, old.count == 0 {
      joined.removed += next.removed
      let isForward = next.start == old.start
      if !isForward {
        guard next.start + next.removed == old.start, joined.removed <= Text.longestMoved else { return false }
        joined.start = next.start
      }
      guard layout.write(joined, to: record) else { return false }
      let removed = payload.part(at: layout.other)
      ownedBytes = unsafe record.part(at: layout.other).with(String.self) { other in
        unsafe removed.with(String.self) { removed in
          let before = other._ownedBytes + removed._ownedBytes
          if isForward { other += removed } else { other = removed + other }
          return before - other._ownedBytes
        }
      }
      unsafe removed.deinitialize(as: String.self)
    } else {
      return false
    }
    text?.numbers = joined
    log.forgetJoined(backTo: mark, ownedBytes: ownedBytes)
    return true
  }

  private typealias Text = _UndoTextSplice<_UndoRoot<String>, UInt32>

  /// Whether an edit that does not adjoin the latest one may join it all the same.
  ///
  /// So may one that does so at another offset where it makes the same, as a letter beside its like.
  private func mayJoin(_ next: _UndoTextNumbers, _ latest: _UndoTextNumbers) -> Bool {
    let end = latest.start + latest.count
    guard next.start > end, next.start - end <= Text.longestMoved else { return false }
    return latest.count > 0 ? next.removed == 0 : next.count == 0
  }

  /// Writes that the latest text went on with an edit of so much, which was joined.
  private mutating func writeJoined(
    _ next: _UndoTextNumbers, _ part: KnownPart, _ document: _UnsafeUndoPointer
  ) {
    if next.count > 0 {
      write(.typed)
      write(next, part, document)
    } else {
      write(next.start == text?.numbers.start ? .deletedForward : .deletedBackward, next.removed)
    }
  }

  /// Writes the text that lies in the range of an edit.
  private mutating func write(_ numbers: _UndoTextNumbers, _ part: KnownPart, _ document: _UnsafeUndoPointer) {
    unsafe document.part(at: part.offset).with(String.self) {
      writer.write($0, utf8: numbers.start..<numbers.start + numbers.count)
    }
  }

  // MARK: What is not known yet, or more

  /// The same for a record of a part that is not known yet, or of a text that may join in another way.
  @inline(never)
  private mutating func endTransactionOfOne(
    _ header: _UndoHeader, from mark: _UndoLog.Mark, in log: inout _UndoLog, _ document: _UnsafeUndoPointer,
    by observer: _UndoObserver
  ) {
    self.document = document
    defer { self.document = nil }
    log.endJoiningTransaction(from: mark, mayJoin: log.transaction.couldJoin, document)
    let reader = reader(of: header.operation, in: log.fastPath.operations)
    let start = log.position.offset - log.position.link.bytes
    let payload = unsafe log.position.currentChunk.payload(at: start)
    let edit = reader.detailedEdit(payload, header.argument)
    if start < mark.offset {
      observeJoinedText(in: &log, by: observer)
    } else {
      let patch = write(edit, joins: false, by: observer)
      if let layout = reader.numbers {
        text = patch.map { LatestText(patch: $0, numbers: layout.read(payload), offset: start) }
      }
    }
    learn(header, edit, reader, in: log, by: observer)
  }

  /// The same for a transaction of several records.
  ///
  /// Each is written while the document is in that very state: all but the first are taken back, and made again.
  @inline(never)
  private mutating func endTransactionOfSeveral(
    from mark: _UndoLog.Mark, in log: inout _UndoLog, _ document: _UnsafeUndoPointer, by observer: _UndoObserver
  ) {
    self.document = document
    defer { self.document = nil }
    var records: [_UndoLog.Record] = []
    var location = _UndoLog.RecordLocation(chunkIndex: mark.chunkIndex, offset: mark.offset)
    while let record = log.record(at: &location) { records.append(record) }
    func exchange(_ record: _UndoLog.Record) {
      unsafe log.fastPath.operations.exchange(
        record.header.operation, record.payload, record.header.argument, document, &log)
    }
    for record in records.dropFirst().reversed() { exchange(record) }
    write(.beginTransaction)
    for (index, record) in records.enumerated() {
      if index > 0 { exchange(record) }
      let reader = reader(of: record.header.operation, in: log.fastPath.operations)
      _ = write(unsafe reader.detailedEdit(record.payload, record.header.argument), joins: false, by: observer)
    }
    write(.endTransaction)
    writer.bytes.append(0)
    text = nil
    log.endTransaction()
  }

  // MARK: What is known

  private func knownPart(_ header: _UndoHeader) -> KnownPart? {
    for part in parts where part.isOf(header) { return part }
    return nil
  }

  /// Keeps how such an edit was written, where all of them are written so: those of a part of the document itself.
  private mutating func learn(
    _ header: _UndoHeader, _ edit: _UndoDetailedEdit, _ reader: Reader, in log: borrowing _UndoLog, by observer: _UndoObserver
  ) {
    guard header.operation != .boxed, edit.levels.isEmpty, knownPart(header) == nil,
      let part = observer.plainPart(of: edit), let number = UInt8(exactly: part.number), number < 0x80
    else { return }
    let kind: KnownPart.Kind
    switch part.form {
    case .text:
      guard let layout = reader.numbers, layout.isOfDocument, let text else { return }
      kind = .text(layout, text.patch)
    case .value(let write):
      guard case .value = log.fastPath.operations.effect(header.operation) else { return }
      kind = .value(write)
    }
    if parts.count == 8 { parts.removeLast() }
    parts.insert(KnownPart(header, number: number, offset: part.offset, kind), at: 0)
  }
}
