// What a transaction did in a log without extras is read off its records when it ends. So nothing is lent to the log,
// and every edit takes the short way.

extension _UndoMessages {
  /// Ends a transaction without a label, and writes down what it did.
  ///
  /// One edit of a text alone joins the latest step where it goes on with that.
  ///
  /// - Precondition: The log was plain when the transaction began at the mark.
  mutating func endTransaction(
    from mark: _UndoLog.Mark, in log: inout _UndoLog, _ document: _UnsafeUndoPointer, by observer: _UndoObserver
  ) {
    guard log.position.link.flags == _UndoHeader.inner else { return log.endEmptyJoiningTransaction() }
    guard log.position.offset == mark.offset + log.position.link.bytes, log.position.chunkIndex == mark.chunkIndex
    else {
      return endTransactionOfSeveral(from: mark, in: &log, document, by: observer)
    }
    let header = unsafe log.position.currentChunk.header(at: mark.offset)
    guard known.select(header) else {
      return endTransactionOfOne(header, from: mark, in: &log, document, by: observer)
    }
    if !stage.hasCapacity { addLatest() }
    let part = document.part(at: known.selected.offset)
    switch known.selected.kind {
    case .word, .signedWord:
      log.endTransaction()
      let bits = unsafe part[as: UInt64.self]
      writeBeginning(.replaced)
      let isSigned = known.selected.kind == .signedWord
      stage.write(isSigned ? bits << 1 ^ UInt64(bitPattern: Int64(bitPattern: bits) >> 63) : bits)
    case .value:
      log.endTransaction()
      writeBeginning(.replaced)
      known.writers[known.selected.index](part, &writer)
    case .text:
      let layout = known.selected.layout
      let payload = unsafe log.position.currentChunk.payload(at: mark.offset)
      let numbers = layout.read(payload)
      if log.transaction.couldJoin {
        guard let offset = text?.location.offset, offset + mark.link.bytes == mark.offset, let old = text?.numbers,
          unsafe known.selected.isOf(log.position.currentChunk.header(at: offset))
        else { return endTransactionOfOne(header, from: mark, in: &log, document, by: observer) }
        let record = unsafe log.position.currentChunk.payload(at: offset)
        if join(payload, numbers, layout, with: record, old, from: mark, in: &log) {
          return writeJoined(numbers, to: old, part)
        }
        if log.transaction.isCompared, mayJoin(numbers, old) {
          return endTransactionOfOne(header, from: mark, in: &log, document, by: observer)
        }
      }
      log.endTransaction()
      log.coalescing.canJoin = log.coalescing.joinsTyping
      writeBeginning(.range)
      stage.write(numbers.start)
      stage.write(numbers.removed)
      write(numbers, of: part)
      text = LatestText(patch: known.patches[known.selected.index], numbers: numbers, location: mark.location)
    }
  }

  @inline(__always)
  private func writeBeginning(_ kind: _UndoPatchKind) {
    stage.write(_UndoMessageKind.edit.rawValue)
    stage.write(known.selected.number)
    stage.write(kind.rawValue)
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
    guard abs(next.start - latest.start - latest.count) <= Text.longestMoved else { return false }
    return latest.count > 0 ? next.removed == 0 : next.count == 0
  }

  /// Writes that the latest text went on with the next edit.
  private mutating func writeJoined(
    _ next: _UndoTextNumbers, to old: _UndoTextNumbers, _ part: _UnsafeUndoPointer
  ) {
    if next.count > 0 {
      stage.write(_UndoMessageKind.typed.rawValue)
      write(next, of: part)
    } else {
      let isForward = next.start == old.start
      stage.write((isForward ? _UndoMessageKind.deletedForward : .deletedBackward).rawValue)
      stage.write(next.removed)
    }
  }

  /// Writes the text that lies in the range of an edit.
  @inline(__always)
  private mutating func write(_ numbers: _UndoTextNumbers, of part: _UnsafeUndoPointer) {
    let range = numbers.start..<numbers.start + numbers.count
    unsafe part.with(String.self) { text in
      if range.count <= _UnsafeUndoStage.longestText, stage.write(text, utf8: range) { return }
      writer.write(text, utf8: range)
    }
  }

  // MARK: What is not known yet, or more

  /// The same for a record of a part that is not known yet, for a text that may join in another way, and for the first
  /// record of a chunk.
  @inline(never)
  private mutating func endTransactionOfOne(
    _ header: _UndoHeader, from mark: _UndoLog.Mark, in log: inout _UndoLog, _ document: _UnsafeUndoPointer,
    by observer: _UndoObserver
  ) {
    self.document = document
    defer { self.document = nil }
    let stepCount = log.counts.undo
    log.endJoiningTransaction(from: mark, mayJoin: log.transaction.couldJoin, document)
    let reader = reader(of: header.operation, in: log.fastPath.operations)
    var start = log.location
    start.offset -= log.position.link.bytes
    let payload = unsafe log.position.currentChunk.payload(at: start.offset)
    let edit = reader.detailedEdit(payload, header.argument)
    if log.counts.undo == stepCount {
      observeJoinedText(in: &log, by: observer)
    } else {
      let patch = write(edit, joins: false, by: observer)
      if let layout = reader.numbers {
        text = patch.map { LatestText($0, layout.read(payload), at: start) }
      }
    }
    learn(header, edit, reader, in: log, by: observer)
  }

  /// The same for a transaction of several records, or one that is not in the chunk of those before.
  ///
  /// Each is written while the document is in that very state: all but the first are taken back, and made again.
  @inline(never)
  private mutating func endTransactionOfSeveral(
    from mark: _UndoLog.Mark, in log: inout _UndoLog, _ document: _UnsafeUndoPointer, by observer: _UndoObserver
  ) {
    var records: [_UndoLog.Record] = []
    var location = mark.location
    while let record = log.record(at: &location) { records.append(record) }
    if records.count == 1 {
      return endTransactionOfOne(records[0].header, from: mark, in: &log, document, by: observer)
    }
    self.document = document
    defer { self.document = nil }
    for record in records.dropFirst().reversed() { log.exchange(record, with: document) }
    write(.beginTransaction)
    for (index, record) in records.enumerated() {
      if index > 0 { log.exchange(record, with: document) }
      let reader = reader(of: record.header.operation, in: log.fastPath.operations)
      _ = write(unsafe reader.detailedEdit(record.payload, record.header.argument), joins: false, by: observer)
    }
    write(.endTransaction)
    writer.bytes.append(0)
    text = nil
    log.endTransaction()
  }

  // MARK: What is known

  /// Keeps how such an edit was written, where all of them are written so: those of a part of the document itself.
  private mutating func learn(
    _ header: _UndoHeader, _ edit: _UndoDetailedEdit, _ reader: Reader, in log: borrowing _UndoLog,
    by observer: _UndoObserver
  ) {
    guard header.operation != .boxed, edit.levels.isEmpty, !known.select(header),
      let part = observer.plainPart(of: edit), let number = UInt8(exactly: part.number), number < 0x80
    else { return }
    var isOfDocument = false
    if case .value = log.fastPath.operations.effect(header.operation) { isOfDocument = true }
    var (kind, index, layout) = (_UndoKnownParts.Kind.value, 0, _UndoTextNumbers.Layout.none)
    switch part.form {
    case .text:
      guard let numbers = reader.numbers, numbers.isOfDocument, let text else { return }
      (kind, index, layout) = (.text, known.patches.count, numbers)
      known.patches.append(text.patch)
    case .word(let isSigned):
      guard isOfDocument else { return }
      kind = isSigned ? .signedWord : .word
    case .value(let write):
      guard isOfDocument else { return }
      (kind, index) = (.value, known.writers.count)
      known.writers.append(write)
    }
    known.parts.append(
      _UndoKnownParts.Part(
        key: _UndoKnownParts.key(header), offset: part.offset, number: number, kind: kind, index: index, layout: layout)
    )
  }
}

/// The parts of the document itself of which it is known how their edits are written.
struct _UndoKnownParts {
  /// The one that was edited last.
  ///
  /// It is read in its place: to copy it would take as long as to write an edit.
  fileprivate var selected = Part(key: .max, offset: 0, number: 0, kind: .value, index: 0, layout: .none)
  fileprivate var parts: [Part] = []
  fileprivate var patches: [_UndoAnyPatch] = []
  fileprivate var writers: [(_UnsafeUndoPointer, inout _UndoWriter) -> Void] = []

  /// One of them, without references, which each edit would retain and release.
  fileprivate struct Part {
    let key: UInt64
    let offset: Int
    let number: UInt8
    let kind: Kind
    /// Which of the patches says that it is this text, or which of the writers writes it.
    let index: Int
    /// Where the records of its edits have their numbers, if it is a text.
    let layout: _UndoTextNumbers.Layout

    @inline(__always)
    func isOf(_ header: _UndoHeader) -> Bool { _UndoKnownParts.key(header) == key }
  }

  fileprivate enum Kind: UInt8 {
    /// Text replaces text.
    case text
    /// A number of eight bytes is replaced.
    case word, signedWord
    /// Another value is replaced as a whole.
    case value
  }

  /// What the headers of the edits of a part have in common: the operation and the offset.
  @inline(__always)
  fileprivate static func key(_ header: _UndoHeader) -> UInt64 { header.bits & 0xffff_ffff_0000_0ffc }

  /// Selects the part that a record edits, if it is known.
  @inline(__always)
  fileprivate mutating func select(_ header: _UndoHeader) -> Bool { selected.isOf(header) || find(header) }

  @inline(never)
  private mutating func find(_ header: _UndoHeader) -> Bool {
    guard let part = parts.first(where: { $0.isOf(header) }) else { return false }
    selected = part
    return true
  }
}
