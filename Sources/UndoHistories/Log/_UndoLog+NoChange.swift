// A step that leaves the document as it was is no step: a number that was dragged away and back, a letter that was
// typed and deleted. Its records show that. Those of one part that follow one another make one edit together, or none,
// and what is left at last is compared with the document.
//
// It costs a transaction 20 instructions at its end where it has one edit, and 70 where it begins with another number.

/// What an edit and the next one of the same part are together.
@usableFromInline
package enum _UndoSequence<Delta> {
  case apart
  case one(Delta)
  case nothing
}

extension _UndoLog {
  /// Takes a transaction back, the outermost one, if its edits leave the document as it was; else it is still to be
  /// ended.
  ///
  /// - Returns: Whether it was taken back.
  @inlinable
  @inline(__always)
  mutating func takeBackIfNothing(since mark: Mark, _ document: _UnsafeUndoPointer) -> Bool {
    // One edit alone was compared before it was recorded.
    if isLikely(position.offset &- position.link.bytes == mark.offset), position.chunkIndex == mark.chunkIndex {
      return false
    }
    return takeBackIfEditsAreNothing(since: mark, document)
  }

  @usableFromInline
  @inline(never)
  mutating func takeBackIfEditsAreNothing(since mark: Mark, _ document: _UnsafeUndoPointer) -> Bool {
    guard !beginsWithAnotherNumber(mark, document), transaction.depth == 1,
      position.link.flags == _UndoHeader.inner, !carriesValues,
      editsChangeNothing(from: mark.location, document, haveEachPartOnce: false)
    else { return false }
    rollBack(to: mark, document)
    return true
  }

  /// Ends the step that is open, or takes it back if its edits leave the document as it was; whether it did that.
  @usableFromInline
  @discardableResult
  package mutating func endOpenStep(_ document: _UnsafeUndoPointer) -> Bool {
    let start = extras.first?.openStep.flatMap { $0.hasEdits ? $0.start : nil }
    if let start, isOpen, !carriesValues, editsChangeNothing(from: start, document, haveEachPartOnce: true) {
      cancelOpenStep(document)
      settle()
      return true
    }
    settle()
    return false
  }

  /// Removes the latest step, which values have joined that came back to what they were; whether they did.
  mutating func removeIfNothing(latestStepFrom start: RecordLocation) -> Bool {
    guard let document = extras[0].document, !carriesValues,
      editsChangeNothing(from: start, document, haveEachPartOnce: true)
    else { return false }
    if let unread, start < unread.location { loseTrack() }
    closeRecords()
    removeRecords(backTo: start)
    position.link = _UndoLink(words: position.link.words, flags: _UndoHeader.whole)
    (counts.undo, redoCount, extras[0].joinable) = (counts.undo - 1, 0, nil)
    removeLastRows(1)
    open()
    return true
  }

  /// A short way to most answers: whether a transaction began with another number in the document, which has not come
  /// back.
  private mutating func beginsWithAnotherNumber(_ mark: Mark, _ document: _UnsafeUndoPointer) -> Bool {
    guard mark.chunkIndex == position.chunkIndex, mark.offset < position.offset else { return false }
    var (offset, header) = unsafe (mark.offset, position.currentChunk.header(at: mark.offset))
    if header.operation == .label {
      offset += header.bytes
      header = unsafe position.currentChunk.header(at: offset)
    }
    guard header.operation == .word else { return false }
    let payload = unsafe position.currentChunk.payload(at: offset)
    return unsafe !payload.hasSameBytes(as: document.part(at: header.argument), count: 8)
  }

  /// An edit, or what several of one part are together.
  private typealias Edit = (header: _UndoHeader, delta: any _UndoDelta)

  /// Whether the edits from a location on, the last ones that were made, leave the document as it was.
  ///
  /// Where there are many, or where it cannot be seen from the records, they are taken for a change.
  ///
  /// - Parameter haveEachPartOnce: Whether one record is all that there is of a part that was assigned again and again,
  ///   as in an open step; a transaction has all of them.
  private mutating func editsChangeNothing(
    from start: RecordLocation, _ document: _UnsafeUndoPointer, haveEachPartOnce: Bool
  ) -> Bool {
    var (location, count, first, countOfFirst) = (start, 0, _UndoHeader?.none, 0)
    while let header = record(at: &location)?.header {
      guard header.isEdit else { continue }
      first = first ?? header
      if header.operation == first?.operation, header.argument == first?.argument { countOfFirst += 1 }
      count += 1
      if count > Self.mostEditsOfNothing { return false }
    }
    guard count > 0, haveEachPartOnce || countOfFirst > 1 else { return false }
    if countOfFirst == count, growth(from: start) != 0 { return false }

    var edits: [Edit] = []
    location = start
    while let record = record(at: &location) {
      guard record.header.isEdit else { continue }
      guard let delta = delta(of: record) else { return false }
      add((record.header, delta), to: &edits)
    }
    // The newest one is of the document as it is now; if that is nothing, so is the one before it.
    return edits.reversed().allSatisfy { changesNothing($0, document) }
  }

  /// By how much the edits from a location on change the length of a text or a collection, if each replaces a range.
  ///
  /// If they do, something has changed, and no delta has to be looked at: as with most typing in a transaction.
  private func growth(from start: RecordLocation) -> Int {
    var (location, growth) = (start, 0)
    while let record = record(at: &location) {
      guard record.header.isEdit else { continue }
      guard case .range(let splice) = fastPath.operations.edit(of: record).change else { return 0 }
      growth += splice.growth
    }
    return growth
  }

  /// How many edits are looked at: more than a hand makes by the way, and so few that a look costs little beside them.
  private static var mostEditsOfNothing: Int { 16 }

  /// Adds an edit, or makes it one with the latest of the same part, if all behind that lie elsewhere.
  private func add(_ edit: Edit, to edits: inout [Edit]) {
    for index in edits.indices.reversed() {
      let other = edits[index]
      if edit.header.operation == other.header.operation, edit.header.argument == other.header.argument {
        switch sequence(other.delta, edit.delta) {
        case .apart: break
        case .one(let both):
          edits[index].delta = both
          return
        case .nothing:
          edits.remove(at: index)
          return
        }
      }
      guard let bytes = bytesInDocument(edit.header), let others = bytesInDocument(other.header),
        !bytes.overlaps(others)
      else { break }
    }
    edits.append(edit)
  }

  /// Where the part lies that an edit is of, if that is in the document itself.
  private func bytesInDocument(_ header: _UndoHeader) -> Range<Int>? {
    let size = (fastPath.operations[header.operation].delta as? any _UndoDelta.Type)?.sizeInDocument ?? 0
    return size > 0 ? header.argument..<header.argument + size : nil
  }

  func delta(of record: Record) -> (any _UndoDelta)? {
    guard let type = fastPath.operations[record.header.operation].delta as? any _UndoDelta.Type else { return nil }
    func read<Delta: _UndoDelta>(_ type: Delta.Type) -> any _UndoDelta { unsafe record.payload[as: Delta.self] }
    return read(type)
  }

  private func sequence(_ delta: any _UndoDelta, _ next: any _UndoDelta) -> _UndoSequence<any _UndoDelta> {
    func sequence<Delta: _UndoDelta>(_ delta: Delta) -> _UndoSequence<any _UndoDelta> {
      guard let next = next as? Delta else { return .apart }
      return switch delta.followed(by: next) {
      case .apart: .apart
      case .one(let delta): .one(delta)
      case .nothing: .nothing
      }
    }
    return sequence(delta)
  }

  private func changesNothing(_ edit: Edit, _ document: _UnsafeUndoPointer) -> Bool {
    let offset = edit.header.argument
    if edit.header.operation == .word {
      return unsafe edit.delta.word == document.part(at: offset)[as: UInt64.self]
    }
    func changesNothing<Delta: _UndoDelta>(_ delta: Delta) -> Bool {
      unsafe delta.changesNothing(in: document[as: Delta.Root.self], offset: offset)
    }
    return changesNothing(edit.delta)
  }
}

extension _UndoReplacement {
  @usableFromInline
  func followed(by next: Self) -> _UndoSequence<Self> { anchor == next.anchor ? .one(self) : .apart }

  @usableFromInline
  func changesNothing(in root: Anchor.Root, offset: Int) -> Bool {
    anchor.read(root, at: offset, as: Part.self) { _UndoSameness.haveSameParts(other, $0) }
  }
}

extension _UndoTextSplice {
  /// Text that goes, or gets other text in its place, within what came: that text came or went in the end.
  @usableFromInline
  func followed(by next: Self) -> _UndoSequence<Self> {
    let removed = next.other.utf8.count
    guard anchor == next.anchor, next.start >= start, Int(next.start) + removed <= range.upperBound else {
      return .apart
    }
    return .one(Self(anchor, start: Int(start), count: Int(count) - removed + Int(next.count), other: other))
  }

  @usableFromInline
  func changesNothing(in root: Anchor.Root, offset: Int) -> Bool {
    guard other.utf8.count == Int(count) else { return false }
    return anchor.read(root, at: offset, as: String.self) { String.isSameText($0.slice(utf8: range), other) }
  }
}

extension _UndoSplice {
  /// As in a text.
  @usableFromInline
  func followed(by next: Self) -> _UndoSequence<Self> {
    let removed = next.other.count
    guard anchor == next.anchor, next.start >= start, next.start + removed <= start + count else { return .apart }
    return .one(Self(anchor, start: start, count: count - removed + next.count, other: other))
  }

  @usableFromInline
  func changesNothing(in root: Anchor.Root, offset: Int) -> Bool {
    guard other.count == count else { return false }
    return anchor.read(root, at: offset, as: Elements.self) {
      other.hasSameElements(as: Elements($0[start..<start + count]))
    }
  }
}

extension _UndoPresence {
  /// An element that came and went.
  @usableFromInline
  func followed(by next: Self) -> _UndoSequence<Self> {
    anchor == next.anchor && index == next.index && absent == nil && next.absent != nil ? .nothing : .apart
  }
}

extension _UndoSwapAt {
  /// Two elements that were exchanged twice.
  @usableFromInline
  func followed(by next: Self) -> _UndoSequence<Self> {
    anchor == next.anchor && Set([first, second]) == [next.first, next.second] ? .nothing : .apart
  }
}

extension _UndoMove {
  /// An element that moved there and back.
  @usableFromInline
  func followed(by next: Self) -> _UndoSequence<Self> {
    anchor == next.anchor && current == next.other && other == next.current ? .nothing : .apart
  }
}

extension _UndoEntry {
  @usableFromInline
  func followed(by next: Self) -> _UndoSequence<Self> {
    anchor == next.anchor && _UndoSameness.areSame(key, next.key) ? .one(self) : .apart
  }

  @usableFromInline
  func changesNothing(in root: Anchor.Root, offset: Int) -> Bool {
    anchor.read(root, at: offset, as: [Key: Element].self) {
      guard let index = $0.index(forKey: key), let other else { return $0[key] == nil && other == nil }
      return _UndoSameness.haveSameParts(other, $0.values[index])
    }
  }
}

extension _UndoMember {
  /// A member that came and went, or went and came back.
  @usableFromInline
  func followed(by next: Self) -> _UndoSequence<Self> {
    anchor == next.anchor && _UndoSameness.areSame(member, next.member) ? .nothing : .apart
  }
}
