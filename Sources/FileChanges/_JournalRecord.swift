#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// One thing that a journal remembers, and how it is spelled in bytes.
///
///     frame    marker 4 │ size of the payload 4 │ identity 8 │ sequence 8 │ checksum of the payload 4 │ of the frame 4
///     payload  kind 1 │ size of the path 4 │ path │ a version, where the kind says so │ the rest
///     kind     write 1, remove 2, over 3 │ + 16 with a version │ + 32 for an attempt
///     version  whether there was a file 1 │ device 8 │ number 8 │ size 8 │ seconds 8 │ nanoseconds 8
///     rest     write: contents │ remove: nothing │ over: first sequence 8, last sequence 8
///
/// Numbers are little endian. A frame has a checksum of its own, so that a damaged payload can be left out without losing
/// the place of the next record. An intact record of a kind that is not known was written by a later version.
package struct _JournalRecord: Hashable, Sendable {
  package enum Body: Hashable, Sendable {
    /// The change was accepted.
    case change(FileChange)
    /// The change is not to be carried out any more, but a process that was killed may have been about to.
    case attempt(FileChange)
    /// Of the file's changes, those with these numbers are no longer to be carried out, and this is what the writer has made
    /// of the file, if it has.
    case over(FileChange.Path, ClosedRange<UInt64>, leaving: FileChange.Version? = nil)
  }

  /// The number of the record: greater than that of any before it in the file.
  ///
  /// A change keeps its number in later files of the journal.
  package let sequence: UInt64
  package let body: Body

  package init(sequence: UInt64, body: Body) {
    self.sequence = sequence
    self.body = body
  }

  package var path: FileChange.Path {
    switch body {
    case .change(let change), .attempt(let change): change.path
    case .over(let path, _, _): path
    }
  }
}

// MARK: - Writing

extension _JournalRecord {
  fileprivate struct Kind: Hashable {
    enum Action: UInt8 { case write = 1, remove, over }

    let action: Action
    let hasVersion: Bool
    let isAttempt: Bool

    var byte: UInt8 { action.rawValue + (hasVersion ? 16 : 0) + (isAttempt ? 32 : 0) }

    init(_ action: Action, hasVersion: Bool, isAttempt: Bool = false) {
      self.action = action
      self.hasVersion = hasVersion
      self.isAttempt = isAttempt
    }

    /// The kind that the byte says; nil for one of a later version.
    init?(_ byte: UInt8) {
      guard let action = Action(rawValue: byte & 15), byte < 64, action != .over || byte < 32 else { return nil }
      self.init(action, hasVersion: byte & 16 != 0, isAttempt: byte & 32 != 0)
    }
  }

  package static let frameSize = 32
  fileprivate static let marker: UInt32 = 0x4C4E_524A

  /// Whether a record of the change can say its own size.
  package static func fits(_ change: FileChange) -> Bool { byteCount(of: change) - frameSize <= Int(UInt32.max) }

  /// How many bytes the record of a change takes.
  package static func byteCount(of change: FileChange) -> Int {
    frameSize + 5 + change.path.string.utf8.count + change.byteCount
  }

  /// How many bytes the record takes.
  package var byteCount: Int {
    switch body {
    case .change(let change), .attempt(let change): Self.byteCount(of: change)
    case .over(let path, _, let version):
      Self.frameSize + 5 + path.string.utf8.count + 16 + (version == nil ? 0 : FileChange.Version.byteCount)
    }
  }

  /// Writes the record for the journal file with this identity.
  package func append(to bytes: inout [UInt8], identity: UInt64) {
    let start = bytes.count
    bytes.append(littleEndian: Self.marker)
    bytes.append(littleEndian: UInt32(byteCount - Self.frameSize))
    bytes.append(littleEndian: identity)
    bytes.append(littleEndian: sequence)
    bytes.append(contentsOf: repeatElement(0, count: 8))
    appendPayload(to: &bytes)
    bytes.replace(at: start + 24, withLittleEndian: _Checksum.value(of: bytes[(start + Self.frameSize)...]))
    bytes.replace(at: start + 28, withLittleEndian: _Checksum.value(of: bytes[start..<start + 28]))
  }

  private func appendPayload(to bytes: inout [UInt8]) {
    switch body {
    case .change(let change): append(change, isAttempt: false, to: &bytes)
    case .attempt(let change): append(change, isAttempt: true, to: &bytes)
    case .over(_, let sequences, let version):
      appendHead(Kind(.over, hasVersion: version != nil), version, to: &bytes)
      bytes.append(littleEndian: sequences.lowerBound)
      bytes.append(littleEndian: sequences.upperBound)
    }
  }

  private func append(_ change: FileChange, isAttempt: Bool, to bytes: inout [UInt8]) {
    let hasVersion = change.base != nil
    switch change.action {
    case .write(let contents):
      appendHead(Kind(.write, hasVersion: hasVersion, isAttempt: isAttempt), change.base, to: &bytes)
      bytes.append(contentsOf: contents)
    case .remove:
      appendHead(Kind(.remove, hasVersion: hasVersion, isAttempt: isAttempt), change.base, to: &bytes)
    }
  }

  private func appendHead(_ kind: Kind, _ version: FileChange.Version?, to bytes: inout [UInt8]) {
    bytes.append(kind.byte)
    bytes.append(littleEndian: UInt32(path.string.utf8.count))
    bytes.append(contentsOf: path.string.utf8)
    version?.append(to: &bytes)
  }
}

extension FileChange {
  fileprivate var byteCount: Int {
    let rest =
      switch action {
      case .write(let contents): contents.count
      case .remove: 0
      }
    return rest + (base == nil ? 0 : Version.byteCount)
  }
}

extension FileChange.Version {
  fileprivate static let byteCount = 41

  fileprivate func append(to bytes: inout [UInt8]) {
    bytes.append(stamp == nil ? 0 : 1)
    bytes.append(littleEndian: stamp?.device ?? 0)
    bytes.append(littleEndian: stamp?.number ?? 0)
    bytes.append(littleEndian: stamp?.size ?? 0)
    bytes.append(littleEndian: stamp?.seconds ?? 0)
    bytes.append(littleEndian: stamp?.nanoseconds ?? 0)
  }

  /// Reads a version; nil where there are too few bytes or they make no sense.
  fileprivate init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count >= Self.byteCount, let isThere = bytes.first, isThere <= 1 else { return nil }
    let numbers = (0..<5).map { bytes.integer(at: bytes.startIndex + 1 + 8 * $0) as UInt64 }
    let stamp = _FileStamp(
      device: numbers[0], number: numbers[1], size: numbers[2], seconds: Int64(bitPattern: numbers[3]),
      nanoseconds: Int64(bitPattern: numbers[4]))
    self.init(stamp: isThere == 1 ? stamp : nil)
  }
}

// MARK: - Reading

extension _JournalRecord {
  /// The part of a record that says where the next one begins.
  package struct Frame {
    package let identity: UInt64
    package let sequence: UInt64
    package let payload: Range<Int>
    private let checksum: UInt32

    /// Whether something here looks like the beginning of a frame.
    package static func hasMarker(in bytes: [UInt8], at start: Int) -> Bool {
      bytes.count - start >= frameSize && bytes[...].integer(at: start) == marker
    }

    /// Reads the frame that begins at `start`; nil where none does, or its payload would go on behind the end.
    package init?(in bytes: [UInt8], at start: Int) {
      self.init(headIn: bytes, at: start)
      guard payload.upperBound <= bytes.count else { return nil }
    }

    /// Reads the frame that begins at `start`, wherever its payload ends.
    init?(headIn bytes: [UInt8], at start: Int) {
      guard Self.hasMarker(in: bytes, at: start),
        bytes[...].integer(at: start + 28) == _Checksum.value(of: bytes[start..<start + 28])
      else { return nil }
      let size = bytes[...].integer(at: start + 4) as UInt32
      identity = bytes[...].integer(at: start + 8)
      sequence = bytes[...].integer(at: start + 16)
      checksum = bytes[...].integer(at: start + 24)
      payload = start + frameSize..<start + frameSize + Int(size)
    }

    /// The record, or nil where it is damaged.
    ///
    /// - Throws: `newerVersion` where it is intact and says what nobody here understands.
    package func record(in bytes: [UInt8]) throws(_JournalContents.Refusal) -> _JournalRecord? {
      let payload = bytes[payload]
      guard _Checksum.value(of: payload) == checksum, let first = payload.first else { return nil }
      guard let kind = Kind(first) else { throw .newerVersion }
      return Body(kind, payload.dropFirst()).map { _JournalRecord(sequence: sequence, body: $0) }
    }
  }
}

extension _JournalRecord.Body {
  /// - Parameter bytes: The payload behind the kind.
  fileprivate init?(_ kind: _JournalRecord.Kind, _ bytes: ArraySlice<UInt8>) {
    guard bytes.count >= 4 else { return nil }
    let size = bytes.integer(at: bytes.startIndex) as UInt32
    var rest = bytes.dropFirst(4)
    guard Int(size) <= rest.count, let path = FileChange.Path(bytes: rest.prefix(Int(size))) else { return nil }
    rest = rest.dropFirst(Int(size))
    var version: FileChange.Version?
    if kind.hasVersion {
      guard let read = FileChange.Version(rest) else { return nil }
      version = read
      rest = rest.dropFirst(FileChange.Version.byteCount)
    }
    switch kind.action {
    case .write:
      self.init(FileChange(path: path, action: .write(Data(rest)), base: version), isAttempt: kind.isAttempt)
    case .remove:
      guard rest.isEmpty else { return nil }
      self.init(FileChange(path: path, action: .remove, base: version), isAttempt: kind.isAttempt)
    case .over:
      guard rest.count == 16 else { return nil }
      let first = rest.integer(at: rest.startIndex) as UInt64
      let last = rest.integer(at: rest.startIndex + 8) as UInt64
      guard first <= last else { return nil }
      self = .over(path, first...last, leaving: version)
    }
  }

  private init(_ change: FileChange, isAttempt: Bool) { self = isAttempt ? .attempt(change) : .change(change) }
}

extension FileChange.Path {
  /// The path with exactly these bytes, or nil when no change can have it.
  fileprivate init?(bytes: ArraySlice<UInt8>) {
    self.init(String(decoding: bytes, as: UTF8.self))
    // A string repairs what is not UTF-8, and a path drops what means nothing: both would be another path.
    guard string.utf8.elementsEqual(bytes), objection == nil else { return nil }
  }
}
