// A caret is one carried value whose bytes are all of it, and nothing else goes along. Then the record of it that leads
// a step is written by copying bytes, and the long way is left to everything else (`_UndoLog+Carrying`):
//
//     | header | before | behind |  header | edit |
//       first                       ends

/// Whose the values are that the document has of what is carried, as far as a fast path has seen to it.
@frozen
@usableFromInline
enum _UndoBelonging: UInt8, BitwiseCopyable {
  /// As the carried values themselves know it.
  case known
  /// The latest step's, and so are those that are assigned next.
  case awaited
  /// The latest step's, but not those that are assigned next.
  case assigned
  /// Not the latest step's.
  case none
}

/// The one carried value, in numbers.
struct _UndoPlainCarried {
  var document: _UnsafeUndoPointer
  /// Where it lies in the document.
  let (lower, size): (Int, Int)
  /// Where the second copy lies in a record's payload, and the length of a record in words.
  let (second, words): (Int, Int)
  /// The operation of its records; none until there is one.
  var operation: _UndoOperationIndex

  init(_ value: _UndoCarriedValues.Value, in document: _UnsafeUndoPointer) {
    self.document = document
    (lower, size) = (value.bytes.lowerBound, value.bytes.count)
    (second, words) = (value.carrier.second, value.carrier.words)
    operation = value.operation ?? .none
  }
}

extension _UndoLog {
  /// Writes the record that leads a step of one other record, if that can be done by copying bytes.
  ///
  /// - Parameters:
  ///   - words: The length of the step's own record.
  ///   - offset: Where the part begins in the document that the step's own record is of, which is edited already.
  ///   - size: The size of that part.
  @usableFromInline
  mutating func leadsPlainly(words: Int, partAt offset: Int, size: Int) -> Bool {
    let (lower, upper) = (Int(fastPath.plainCarried.lower), Int(fastPath.plainCarried.upper))
    guard upper > 0, transaction.depth == 0, isOpen, offset &+ size <= lower || offset >= upper else { return false }
    let location = location
    let recordedBytes = extras[0].leadPlainly(
      at: location, link: position.link, in: position.currentChunk, room: words &* 8, fastPath.belonging)
    guard recordedBytes > 0 else { return false }
    fastPath.belonging = .awaited
    position.offset = location.offset &+ recordedBytes
    counts.bytes &+= recordedBytes
    // The edit ends the step, and does not begin it.
    position.link = _UndoLink(words: recordedBytes / 8, flags: _UndoHeader.last)
    return true
  }

  /// Whether an assignment of a part of the document is of the one carried value, and nothing is to be done for it.
  @inlinable
  @inline(__always)
  mutating func takesPlainly<Delta: _UndoDelta>(_ type: Delta.Type, offset: Int) -> Bool {
    guard offset >= Int(fastPath.plainCarried.lower),
      offset &+ MemoryLayout<Delta>.size <= Int(fastPath.plainCarried.upper), transaction.depth == 0
    else { return false }
    if fastPath.belonging == .awaited {
      fastPath.belonging = .assigned
      return true
    }
    return fastPath.belonging == .none
  }

  /// Lets the carried values know what the fast path has seen to.
  mutating func learnBelonging() {
    guard fastPath.belonging != .known else { return }
    extras[0].carried.learn(fastPath.belonging)
    fastPath.belonging = .known
  }
}

extension _UndoExtras {
  /// Writes the record of the one carried value, and before that into the latest step's what it was behind that.
  ///
  /// Returns the length of the record, or 0 where it takes the long way.
  mutating func leadPlainly(
    at location: _UndoLog.RecordLocation, link: _UndoLink, in chunk: _UnsafeUndoMemory, room: Int,
    _ belonging: _UndoBelonging
  ) -> Int {
    guard let plain, plain.operation != .none, carried.values[0].last == nil else { return 0 }
    let end = location.offset &+ plain.words &* 8
    guard end &+ room <= chunk.capacity else { return 0 }
    let isCurrent = belonging == .known ? carried.isCurrent : belonging != .none
    if isCurrent, let first = carried.values[0].first {
      guard first.chunkIndex == location.chunkIndex else { return 0 }
      unsafe chunk.payload(at: first.offset).copyBytes(
        of: plain.document, at: plain.lower, to: plain.second, count: plain.size)
    }
    let header = _UndoHeader(
      argument: ~plain.lower, words: plain.words, operation: plain.operation,
      link: _UndoLink(words: link.words, flags: _UndoHeader.first))
    unsafe chunk.setHeader(header, at: location.offset)
    let payload = unsafe chunk.payload(at: location.offset)
    unsafe payload.copyBytes(of: plain.document, at: plain.lower, to: 0, count: plain.size)
    unsafe payload.copyBytes(of: plain.document, at: plain.lower, to: plain.second, count: plain.size)
    carried.values[0].first = location
    carried.recorded = _UndoCarriedValues.Members(0)
    start = location
    couldJoin = nil
    wasLedPlainly = true
    return plain.words &* 8
  }
}

extension _UndoCarriedValues {
  /// Whether what the document has of the only value is the latest step's.
  var isCurrent: Bool { !awaited.union(assigned).isEmpty }

  /// What `learn` would be told of the only value.
  mutating func belongingOfOnly() -> _UndoBelonging {
    if !awaited.isEmpty { return .awaited }
    return assigned.isEmpty ? .none : .assigned
  }

  mutating func learn(_ belonging: _UndoBelonging) {
    switch belonging {
    case .known: break
    case .awaited: didEdit()
    case .assigned: (awaited, assigned) = ([], recorded)
    case .none: (awaited, assigned) = ([], [])
    }
  }
}
