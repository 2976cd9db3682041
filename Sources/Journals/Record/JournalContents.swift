/// What the bytes of a journal's file say, whatever became of them.
///
///     header │ record │ record │ … │ zeros
///
/// Reading never fails on damage: it leaves out what is damaged and goes on at the next offset where a record begins. A
/// payload may hold a copy of a journal. Its frames give themselves away: the identity is that of another file, or the
/// sequence number is not greater than the one before.
package struct JournalContents<Body: JournalBody>: Hashable, Sendable {
  /// Which writer the journal belongs to, through all its files; nil where that was not to be read.
  package private(set) var writer: UInt64?
  /// The intact records, oldest first.
  package private(set) var records: [JournalRecord<Body>] = []
  /// The number that the next record gets.
  package private(set) var nextSequence: UInt64 = 1
  /// The number that the first record gets of a file that has none of these records.
  ///
  /// Behind a number that no writer comes to, what is written could not be read.
  package var nextSequenceAnew: UInt64 { nextSequence > Self.lastSequence / 2 ? 1 : nextSequence }
  /// The bytes that are no part of an intact record or of the header, nor zeros behind all of them.
  package private(set) var damage: [Range<Int>] = []
  /// Whether the damage is more than what a writer leaves that ends while it writes: then records may be lost.
  package private(set) var isDamaged = false

  /// No writer comes that far, and the numbers behind it can still be counted on.
  private static var lastSequence: UInt64 { .max / 2 }

  /// A journal without anything in it.
  init() {}

  /// Reads the bytes of a file.
  ///
  /// - Parameter unreadCount: How many more the file has, which no device gives.
  /// - Complexity: O(*n*).
  package init(_ bytes: [UInt8], unreadCount: Int = 0) throws(JournalRefusal) {
    defer { if unreadCount > 0 { addDamage(bytes.count..<bytes.count + unreadCount) } }
    guard !bytes.isEmpty else { return }
    guard JournalHeader.canBegin(bytes) else { throw .unreadable }
    let header = try JournalHeader(in: bytes)
    writer = header?.writer
    let start = min(bytes.count, JournalHeader.byteCount)
    if header == nil { addDamage(0..<start) }
    let end = bytes.lastIndex { $0 != 0 }.map { max(start, $0 + 1) } ?? start
    // The records know which file they are in, too.
    let identity = header?.identity ?? JournalFrame.identityOfMost(in: bytes, start..<end)
    let tail = JournalTail(bytes: bytes, end: end, identity: identity)
    isDamaged = try readRecords(in: bytes, start..<end, tail) || header == nil
    if header == nil, records.isEmpty { throw .unreadable }
  }

  /// Reads the records in `range`.
  ///
  /// - Returns: Whether something is damaged that cannot be the end of a writer that ended while it wrote.
  private mutating func readRecords(
    in bytes: [UInt8], _ range: Range<Int>, _ tail: JournalTail
  ) throws(JournalRefusal) -> Bool {
    var offset = range.lowerBound
    var isInDamage = false
    /// The first record that a writer may have left so.
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
      // What came before was on the device, so that it was whole then.
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
