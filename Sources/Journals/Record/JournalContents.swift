/// The records that were read from the bytes of a journal's file, however damaged the file is.
///
///     header │ record │ record │ … │ zeros
///
/// Reading never fails on damage: it skips damaged bytes and goes on at the next offset where a record begins. A
/// payload may contain a copy of a journal. The frames in such a copy are recognized: their identity is that of another
/// file, or their sequence number isn't greater than the one before.
package struct JournalContents<Body: JournalBody>: Hashable, Sendable {
  /// The number of the writer that the journal belongs to, the same in all its files; nil if it could not be read.
  package private(set) var writer: UInt64?
  /// The intact records, oldest first.
  package private(set) var records: [JournalRecord<Body>] = []
  /// The sequence number of the next record.
  package private(set) var nextSequence: UInt64 = 1
  /// The sequence number of the first record in a file that keeps none of these records.
  ///
  /// It restarts at 1 if a number was read that no writer reaches: a record with such a number would not be readable.
  package var nextSequenceAnew: UInt64 { nextSequence > Self.lastSequence / 2 ? 1 : nextSequence }
  /// The bytes that belong neither to the header nor to an intact record, without the zeros at the end.
  package private(set) var damage: [Range<Int>] = []
  /// Whether the damage is more than an interrupted write explains, so that records may be lost.
  package private(set) var isDamaged = false

  /// No writer reaches this number, and counting on from it doesn't overflow.
  private static var lastSequence: UInt64 { .max / 2 }

  init() {}

  /// Reads the bytes of a file.
  ///
  /// - Parameter unreadCount: How many more bytes the file has that the device could not read.
  /// - Complexity: O(*n*).
  package init(_ bytes: [UInt8], unreadCount: Int = 0) throws(JournalRefusal) {
    defer { if unreadCount > 0 { addDamage(bytes.count..<bytes.count + unreadCount) } }
    guard !bytes.isEmpty else { return }
    guard JournalHeader.canBegin(bytes) else { throw .unreadable }
    let header = try JournalHeader(in: bytes)
    writer = header?.writer
    let start = min(bytes.count, JournalHeader.byteCount)
    if header == nil { addDamage(0..<start) }
    var end = bytes.count
    while end > start, bytes[end - 1] == 0 { end -= 1 }
    // The records contain the identity of the file, too.
    let identity = header?.identity ?? JournalFrame.identityOfMost(in: bytes, start..<end)
    let tail = JournalTail(bytes: bytes, end: end, identity: identity)
    isDamaged = try readRecords(in: bytes, start..<end, tail) || header == nil
    if header == nil, records.isEmpty { throw .unreadable }
  }

  /// Reads the records in `range`.
  ///
  /// - Returns: Whether there is damage that an interrupted write doesn't explain.
  private mutating func readRecords(
    in bytes: [UInt8], _ range: Range<Int>, _ tail: JournalTail
  ) throws(JournalRefusal) -> Bool {
    var offset = range.lowerBound
    var isInDamage = false
    /// The first record that an interrupted write may have left.
    var firstTorn: Int?
    var isDamaged = false
    func judge(_ offset: Int) {
      if !tail.isTorn(at: offset, nextSequence) { isDamaged = true } else if firstTorn == nil { firstTorn = offset }
    }
    while offset < range.upperBound {
      guard let frame = JournalFrame(in: bytes, at: offset), frame.identity == tail.identity,
        frame.sequence >= nextSequence, frame.sequence < Self.lastSequence
      else {
        if !isInDamage { judge(offset) }
        isInDamage = true
        addDamage(offset..<offset + 1)
        offset += 1
        continue
      }
      isInDamage = false
      // All bytes before this record were on the device before it was written, so they were intact then.
      if frame.isSynchronized, firstTorn != nil { isDamaged = true }
      if frame.isIntact(in: bytes), !frame.payload.isEmpty, let body = try Body(bytes[frame.payload]) {
        records.append(JournalRecord(sequence: frame.sequence, body: body))
      } else {
        judge(offset)
        addDamage(offset..<min(frame.upperBound, range.upperBound))
      }
      nextSequence = frame.sequence + 1
      offset = frame.upperBound
    }
    return isDamaged
  }

  private mutating func addDamage(_ range: Range<Int>) {
    if let last = damage.last, last.upperBound == range.lowerBound {
      damage[damage.count - 1] = last.lowerBound..<range.upperBound
    } else {
      damage.append(range)
    }
  }
}
