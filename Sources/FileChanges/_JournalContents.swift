/// What the bytes of a journal file say, whatever became of them.
///
///     file    header │ record │ record │ …
///     header  "UNSAVEDJ" 8 │ version 4 │ writer 8 │ identity 8 │ checksum 4
///
/// Reading never fails on damage: it leaves out what is damaged and goes on at the next place where a record begins. What
/// only looks like a record, since somebody keeps a copy of a journal in a file that is written through this one, gives
/// itself away: its identity is that of another file, or its number is not greater than the one before.
package struct _JournalContents: Hashable, Sendable {
  package static let headerSize = 32
  private static let signature = Array("UNSAVEDJ".utf8)
  private static let version: UInt32 = 1
  /// No writer comes that far, and the numbers behind it can still be counted on.
  private static let lastSequence = UInt64.max / 2

  /// Which writer the journal belongs to, through all its files; nil where that was not to be read.
  package private(set) var writer: UInt64?
  /// The intact records, oldest first.
  package private(set) var records: [_JournalRecord] = []
  /// The number that the next record gets.
  package private(set) var nextSequence: UInt64 = 1
  /// The bytes that are no part of an intact record or of the header.
  package private(set) var damage: [Range<Int>] = []
  /// Whether the damage is more than what a writer leaves that ends while it writes: then changes may be lost.
  package private(set) var isDamaged = false

  /// How the name of a file begins that is about to take the place of a journal.
  package static let temporaryPrefix = ".unsaved-journal-"

  /// The name of a file that is about to take the place of the journal that is this file.
  static func temporaryName(_ file: _FileIdentity, _ suffix: String = "") -> String {
    temporaryPrefix + String(file.number, radix: 16) + suffix
  }

  /// A journal without anything in it.
  init() {}

  /// The beginning of a journal file.
  package static func header(writer: UInt64, identity: UInt64) -> [UInt8] {
    var bytes = signature
    bytes.append(littleEndian: version)
    bytes.append(littleEndian: writer)
    bytes.append(littleEndian: identity)
    bytes.append(littleEndian: _Checksum.value(of: bytes[...]))
    return bytes
  }

  /// Why the bytes were not read.
  package enum Refusal: Error, Hashable {
    /// A later version has written them; the file must stay as it is.
    case newerVersion
    /// There is neither a header nor a record in them: nothing is known but that they are not to be lost.
    case unreadable
  }

  /// Reads the bytes of a file.
  /// - Parameter unreadCount: How many more the file has, which no device gives.
  /// - Complexity: O(*n*).
  package init(_ bytes: [UInt8], unreadCount: Int = 0) throws(Refusal) {
    defer { if unreadCount > 0 { note(damage: bytes.count..<bytes.count + unreadCount) } }
    guard !bytes.isEmpty else { return }
    guard Self.canBegin(bytes) else { throw .unreadable }
    let hasHeader =
      bytes.count >= Self.headerSize && bytes.starts(with: Self.signature)
      && bytes[...].integer(at: 28) == _Checksum.value(of: bytes[..<28])
    var identity: UInt64?
    if hasHeader {
      guard bytes[...].integer(at: 8) == Self.version else { throw .newerVersion }
      writer = bytes[...].integer(at: 12)
      identity = bytes[...].integer(at: 20)
    } else {
      // The records know which file they are in, too.
      identity = Self.identityOfMost(in: bytes)
      note(damage: 0..<min(bytes.count, Self.headerSize))
    }
    try readRecords(in: bytes, identity: identity)
    if !hasHeader, records.isEmpty { throw .unreadable }
    isDamaged = !hasHeader || damage.contains { !isTorn($0, in: bytes, identity: identity) }
  }

  /// Whether the damage is what a writer leaves whose process or power ends while it appends.
  ///
  /// Nobody was told that this is recorded. A record that has all of its bytes was, for all that can be seen.
  private func isTorn(_ tail: Range<Int>, in bytes: [UInt8], identity: UInt64?) -> Bool {
    guard tail.upperBound == bytes.count else { return false }
    // Blocks that did not get to the device read as zeros, from the beginning of one on.
    let block = 512
    let end = bytes[tail].lastIndex { $0 != 0 }.map { min($0 / block * block + block, bytes.count) } ?? tail.lowerBound
    guard end - tail.lowerBound >= _JournalRecord.frameSize else { return true }
    guard let frame = _JournalRecord.Frame(headIn: bytes, at: tail.lowerBound) else { return false }
    let isNext = frame.identity == identity && frame.sequence > records.last?.sequence ?? 0
    return isNext && frame.payload.upperBound > end
  }

  /// Whether a file that begins so may be a journal, if perhaps a damaged one.
  ///
  /// The header is there, or what is behind it, or a device has lost the beginning and gives zeros.
  package static func canBegin(_ bytes: [UInt8]) -> Bool {
    let head = bytes.prefix(headerSize)
    return head.starts(with: signature.prefix(bytes.count)) || _JournalRecord.Frame.hasMarker(in: bytes, at: headerSize)
      || head.allSatisfy { $0 == 0 }
  }

  /// The identity that most of the intact frames have.
  private static func identityOfMost(in bytes: [UInt8]) -> UInt64? {
    var counts: [UInt64: Int] = [:]
    var place = min(bytes.count, headerSize)
    while place < bytes.count {
      let frame = _JournalRecord.Frame(in: bytes, at: place)
      if let frame { counts[frame.identity, default: 0] += 1 }
      place = frame?.payload.upperBound ?? place + 1
    }
    return counts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
  }

  private mutating func readRecords(in bytes: [UInt8], identity: UInt64?) throws(Refusal) {
    var place = min(bytes.count, Self.headerSize)
    while place < bytes.count {
      guard let frame = _JournalRecord.Frame(in: bytes, at: place), frame.identity == identity,
        frame.sequence >= nextSequence, frame.sequence < Self.lastSequence
      else {
        note(damage: place..<place + 1)
        place += 1
        continue
      }
      nextSequence = frame.sequence + 1
      if let record = try frame.record(in: bytes) {
        records.append(record)
      } else {
        note(damage: place..<frame.payload.upperBound)
      }
      place = frame.payload.upperBound
    }
  }

  private mutating func note(damage range: Range<Int>) {
    if let last = damage.last, last.upperBound == range.lowerBound {
      damage[damage.count - 1] = last.lowerBound..<range.upperBound
    } else {
      damage.append(range)
    }
  }

  /// What is not over, of each file and oldest first: the changes that are to be carried out, and what a process that was
  /// killed may have been doing instead.
  ///
  /// - Complexity: O(*n*) for *n* records, if a file has few changes that are not over.
  private var open: [FileChange.Path: [_JournalRecord]] {
    var open: [FileChange.Path: [_JournalRecord]] = [:]
    for record in records {
      switch record.body {
      case .change, .attempt: open[record.path, default: []].append(record)
      case .over(let path, let sequences, _): open[path]?.removeAll { sequences.contains($0.sequence) }
      }
    }
    return open
  }

  /// The changes that are still to be carried out, oldest first.
  ///
  /// - Complexity: O(*n* log *n*) for *n* records, if a file has few changes that are not over.
  package var unfinished: [_JournalRecord] {
    open.values.joined().filter(\.isChange).sorted { $0.sequence < $1.sequence }
  }

  /// What may have been done of each file without a note, oldest first.
  ///
  /// - Complexity: O(*n*) for *n* records, if a file has few changes that are not over.
  package var attempts: [FileChange.Path: [(sequence: UInt64, change: FileChange)]] {
    open.filter { !$0.value.isEmpty }.mapValues { records in
      records.compactMap { record in
        switch record.body {
        case .change(let change), .attempt(let change): (record.sequence, change)
        case .over: nil
        }
      }
    }
  }

  /// What the writer has made of each file, as far as the journal knows, in the order in which it has.
  ///
  /// - Complexity: O(*n*) for *n* records.
  package var versions: [(path: FileChange.Path, version: FileChange.Version)] {
    records.compactMap { record in
      if case .over(let path, _, let version?) = record.body { (path, version) } else { nil }
    }
  }
}

extension _JournalRecord {
  fileprivate var isChange: Bool {
    if case .change = body { true } else { false }
  }
}
