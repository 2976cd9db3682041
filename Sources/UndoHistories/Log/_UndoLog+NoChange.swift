// A step that leaves the document as it was is no step: a number that was dragged away and back, a letter that was
// typed and deleted. Its records show that. Those of one part that follow one another make one edit together, or none,
// and what is left at last is compared with the document.

/// What an edit and the next one of the same part are together.
@usableFromInline
enum _UndoSequence<Delta> {
  case apart(Delta)
  case one(Delta)
  case nothing
}

extension _UndoLog {
  /// Whether the edits of a transaction, the outermost one, leave the document as it was.
  ///
  /// That is asked before the transaction ends, which is then to be taken back.
  @usableFromInline
  mutating func changesNothing(since mark: Mark, _ document: _UnsafeUndoPointer) -> Bool {
    guard transaction.depth == 1, position.link.flags == _UndoHeader.inner, !isClearlyAChange(since: mark, document),
      !carriesValues
    else { return false }
    return editsChangeNothing(from: mark.location, document, atLeast: 2)
  }

  /// Ends the step that is open, or takes it back if its edits leave the document as it was.
  @usableFromInline
  mutating func endOpenStep(_ document: _UnsafeUndoPointer) {
    if let step = extras.first?.openStep, step.hasEdits, isOpen, !carriesValues,
      editsChangeNothing(from: step.start, document, atLeast: 1)
    {
      cancelOpenStep(document)
    }
    settle()
  }

  /// A short way to most answers: whether a transaction is one edit alone, which was compared before it was recorded,
  /// or began with another number in the document, which has not come back.
  private func isClearlyAChange(since mark: Mark, _ document: _UnsafeUndoPointer) -> Bool {
    guard mark.chunkIndex == position.chunkIndex, mark.offset < position.offset else { return false }
    var (offset, header) = unsafe (mark.offset, position.currentChunk.header(at: mark.offset))
    if header.operation == .label {
      offset += header.bytes
      header = unsafe position.currentChunk.header(at: offset)
    }
    guard header.operation == .word else { return offset + header.bytes == position.offset }
    let payload = unsafe position.currentChunk.payload(at: offset)
    return unsafe !payload.hasSameBytes(as: document.part(at: header.argument), count: 8)
  }

  /// Whether the edits from a location on, the last ones that were made, leave the document as it was.
  ///
  /// Where there are many, or where it cannot be seen from the records, they are taken for a change.
  private func editsChangeNothing(
    from start: RecordLocation, _ document: _UnsafeUndoPointer, atLeast minimum: Int
  ) -> Bool {
    var (location, count, first, isOnce) = (start, 0, _UndoHeader?.none, true)
    while let header = record(at: &location)?.header {
      guard header.isEdit else { continue }
      if let first, header.operation == first.operation, header.argument == first.argument { isOnce = false }
      first = first ?? header
      count += 1
      if count > Self.mostEditsOfNothing { return false }
    }
    // An open step has one record of a part that was assigned again and again; a transaction has all of them.
    if count < minimum || minimum > 1 && isOnce { return false }

    var left: [(header: _UndoHeader, delta: any _UndoDelta)] = []
    location = start
    while let record = record(at: &location) {
      guard record.header.isEdit else { continue }
      guard let delta = delta(of: record) else { return false }
      guard let index = indexOfPart(record.header, delta, in: left) else {
        left.append((record.header, delta))
        continue
      }
      switch sequence(left[index].delta, delta) {
      case .apart: left.append((record.header, delta))
      case .one(let both): left[index].delta = both
      case .nothing: left.remove(at: index)
      }
    }
    // The newest one is of the document as it is now; if that is nothing, so is the one before it.
    return left.reversed().allSatisfy { changesNothing($0.delta, $0.header, document) }
  }

  /// How many edits are looked at, for the sake of transactions of many.
  private static var mostEditsOfNothing: Int { 64 }

  /// Where the edit is that another one may make one edit with: the latest of all, or one after which other leaves were
  /// replaced, and nothing else.
  private func indexOfPart(
    _ header: _UndoHeader, _ delta: any _UndoDelta, in edits: [(header: _UndoHeader, delta: any _UndoDelta)]
  ) -> Int? {
    for index in edits.indices.reversed() {
      let other = edits[index]
      if header.operation == other.header.operation, header.argument == other.header.argument {
        if case .apart = sequence(other.delta, delta) {} else { return index }
      }
      guard isLeaf(other.header), isLeaf(header) else { return nil }
    }
    return nil
  }

  private func isLeaf(_ header: _UndoHeader) -> Bool {
    header.operation == .word || _UndoOpenStep.Replacement(fastPath.operations[header.operation].delta).isOfLeaf
  }

  private func delta(of record: Record) -> (any _UndoDelta)? {
    guard let type = fastPath.operations[record.header.operation].delta as? any _UndoDelta.Type else { return nil }
    func read<Delta: _UndoDelta>(_ type: Delta.Type) -> any _UndoDelta { unsafe record.payload[as: Delta.self] }
    return read(type)
  }

  private func sequence(_ delta: any _UndoDelta, _ next: any _UndoDelta) -> _UndoSequence<any _UndoDelta> {
    func sequence<Delta: _UndoDelta>(_ delta: Delta) -> _UndoSequence<any _UndoDelta> {
      guard let next = next as? Delta else { return .apart(next) }
      return switch delta.followed(by: next) {
      case .apart(let delta): .apart(delta)
      case .one(let delta): .one(delta)
      case .nothing: .nothing
      }
    }
    return sequence(delta)
  }

  private func changesNothing(
    _ delta: any _UndoDelta, _ header: _UndoHeader, _ document: _UnsafeUndoPointer
  ) -> Bool {
    if header.operation == .word {
      return unsafe delta.word == document.part(at: header.argument)[as: UInt64.self]
    }
    func changesNothing<Delta: _UndoDelta>(_ delta: Delta) -> Bool {
      unsafe delta.changesNothing(in: document[as: Delta.Root.self], offset: header.argument)
    }
    return changesNothing(delta)
  }
}

extension _UndoReplacement {
  @usableFromInline
  func followed(by next: Self) -> _UndoSequence<Self> { anchor == next.anchor ? .one(self) : .apart(next) }

  @usableFromInline
  func changesNothing(in root: Anchor.Root, offset: Int) -> Bool {
    anchor.read(root) { base in
      unsafe withUnsafePart(of: base, at: offset, as: Part.self) { _UndoSameness.haveSameParts(other, $0) }
    }
  }
}

extension _UndoTextSplice {
  /// Text that goes, or gets other text in its place, within what came: that text came or went in the end.
  @usableFromInline
  func followed(by next: Self) -> _UndoSequence<Self> {
    let removed = next.other.utf8.count
    guard anchor == next.anchor, next.start >= start, Int(next.start) + removed <= range.upperBound else {
      return .apart(next)
    }
    return .one(Self(anchor, start: Int(start), count: Int(count) - removed + Int(next.count), other: other))
  }

  @usableFromInline
  func changesNothing(in root: Anchor.Root, offset: Int) -> Bool {
    guard other.utf8.count == Int(count) else { return false }
    return anchor.read(root) { base in
      unsafe withUnsafePart(of: base, at: offset, as: String.self) { String.isSameText($0.slice(utf8: range), other) }
    }
  }
}

extension _UndoSplice {
  /// As in a text.
  @usableFromInline
  func followed(by next: Self) -> _UndoSequence<Self> {
    let removed = next.other.count
    guard anchor == next.anchor, next.start >= start, next.start + removed <= start + count else { return .apart(next) }
    return .one(Self(anchor, start: start, count: count - removed + next.count, other: other))
  }

  @usableFromInline
  func changesNothing(in root: Anchor.Root, offset: Int) -> Bool {
    guard other.count == count else { return false }
    return anchor.read(root) { base in
      unsafe withUnsafePart(of: base, at: offset, as: Elements.self) {
        other.hasSameElements(as: Elements($0[start..<start + count]))
      }
    }
  }
}

extension _UndoPresence {
  /// An element that came and went.
  @usableFromInline
  func followed(by next: Self) -> _UndoSequence<Self> {
    anchor == next.anchor && index == next.index && absent == nil && next.absent != nil ? .nothing : .apart(next)
  }
}

extension _UndoSwapAt {
  /// Two elements that were exchanged twice.
  @usableFromInline
  func followed(by next: Self) -> _UndoSequence<Self> {
    anchor == next.anchor && Set([first, second]) == [next.first, next.second] ? .nothing : .apart(next)
  }
}

extension _UndoMove {
  /// An element that moved there and back.
  @usableFromInline
  func followed(by next: Self) -> _UndoSequence<Self> {
    anchor == next.anchor && current == next.other && other == next.current ? .nothing : .apart(next)
  }
}

extension _UndoEntry {
  @usableFromInline
  func followed(by next: Self) -> _UndoSequence<Self> {
    anchor == next.anchor && _UndoSameness.areSame(key, next.key) ? .one(self) : .apart(next)
  }

  @usableFromInline
  func changesNothing(in root: Anchor.Root, offset: Int) -> Bool {
    anchor.read(root) { base in
      unsafe withUnsafePart(of: base, at: offset, as: [Key: Element].self) {
        guard let index = $0.index(forKey: key), let other else { return $0[key] == nil && other == nil }
        return _UndoSameness.haveSameParts(other, $0.values[index])
      }
    }
  }
}

extension _UndoMember {
  /// A member that came and went, or went and came back.
  @usableFromInline
  func followed(by next: Self) -> _UndoSequence<Self> {
    anchor == next.anchor && _UndoSameness.areSame(member, next.member) ? .nothing : .apart(next)
  }
}
