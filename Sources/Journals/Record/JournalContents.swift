/// What the bytes of a journal's file say, whatever became of them.
///
///     header │ record │ record │ …
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
  /// The bytes that are no part of an intact record or of the header.
  package private(set) var damage: [Range<Int>] = []
  /// Whether the damage is more than what a writer leaves that ends while it writes: then records may be lost.
  package private(set) var isDamaged = false

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
    // The records know which file they are in, too.
    let identity = header?.identity ?? JournalFrame.identityOfMost(in: bytes, from: start)
    try readRecords(in: bytes, from: start, identity: identity)
    if header == nil, records.isEmpty { throw .unreadable }
    isDamaged = header == nil || damage.contains { !isTorn($0, in: bytes, identity: identity) }
  }

  /// Whether the damage is what a writer leaves whose process or power ends while it appends.
  ///
  /// Such a record was never acknowledged. One that has all of its bytes was, for all that can be seen.
  private func isTorn(_ tail: Range<Int>, in bytes: [UInt8], identity: UInt64?) -> Bool {
    guard tail.upperBound == bytes.count else { return false }
    // Blocks that did not get to the device read as zeros, from the beginning of one on.
    let block = 512
    let end = bytes[tail].lastIndex { $0 != 0 }.map { min($0 / block * block + block, bytes.count) } ?? tail.lowerBound
    guard end - tail.lowerBound >= JournalFrame.byteCount else { return true }
    guard let frame = JournalFrame(headIn: bytes, at: tail.lowerBound) else { return false }
    let isNext = frame.identity == identity && frame.sequence > records.last?.sequence ?? 0
    return isNext && frame.payload.upperBound > end
  }

  private mutating func readRecords(
    in bytes: [UInt8], from start: Int, identity: UInt64?
  ) throws(JournalRefusal) {
    // No writer comes that far, and the numbers behind it can still be counted on.
    let lastSequence = UInt64.max / 2
    var offset = start
    while offset < bytes.count {
      guard let frame = JournalFrame(in: bytes, at: offset), frame.identity == identity,
        frame.sequence >= nextSequence, frame.sequence < lastSequence
      else {
        addDamage(offset..<offset + 1)
        offset += 1
        continue
      }
      nextSequence = frame.sequence + 1
      if frame.isIntact(in: bytes), !frame.payload.isEmpty, let body = try Body(bytes[frame.payload]) {
        records.append(JournalRecord(sequence: frame.sequence, body: body))
      } else {
        addDamage(offset..<frame.payload.upperBound)
      }
      offset = frame.payload.upperBound
    }
  }

  private mutating func addDamage(_ range: Range<Int>) {
    if let last = damage.last, last.upperBound == range.lowerBound {
      damage[damage.count - 1] = last.lowerBound..<range.upperBound
    } else {
      damage.append(range)
    }
  }
}
