#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// One thing that a journal remembers, and how it is spelled in bytes.
///
///     frame    marker 4 │ size of the payload 4 │ identity 8 │ sequence 8 │ checksum of the payload 4 │ of the frame 4
///     payload  kind 1 │ size of the path 4 │ path │ a version, where the kind says so │ the rest
///     version  whether there was a file 1 │ device 8 │ number 8 │ size 8 │ seconds 8 │ nanoseconds 8
///     rest     write: contents │ remove: nothing │ over: first sequence 8, last sequence 8
///
/// Numbers are little endian. A frame has a checksum of its own, so that a damaged payload can be left out without losing
/// the place of the next record.
package struct _JournalRecord: Hashable, Sendable {
  package enum Body: Hashable, Sendable {
    /// The change was accepted.
    case change(FileChange)
    /// Of the file's changes, those with these numbers are no longer to be carried out.
    case over(FileChange.Path, ClosedRange<UInt64>)
  }

  /// The number of the record: greater than that of any record before it, also in earlier files of the journal.
  package let sequence: UInt64
  package let body: Body

  package init(sequence: UInt64, body: Body) {
    self.sequence = sequence
    self.body = body
  }

  package var path: FileChange.Path {
    switch body {
    case .change(let change): change.path
    case .over(let path, _): path
    }
  }
}

// MARK: - Writing

extension _JournalRecord {
  fileprivate enum Kind: UInt8 { case write = 1, remove, over, writeBased, removeBased }

  package static let frameSize = 32
  fileprivate static let marker: UInt32 = 0x4C4E_524A

  /// Whether a record of the change can say its own size.
  package static func fits(_ change: FileChange) -> Bool {
    _JournalRecord(sequence: 0, body: .change(change)).byteCount - frameSize <= Int(UInt32.max)
  }

  /// How many bytes the record takes.
  package var byteCount: Int {
    let rest =
      switch body {
      case .change(let change): change.byteCount
      case .over: 16
      }
    return Self.frameSize + 5 + path.string.utf8.count + rest
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
    case .change(let change):
      switch change.action {
      case .write(let contents):
        appendHead(change.base == nil ? .write : .writeBased, to: &bytes)
        change.base?.append(to: &bytes)
        bytes.append(contentsOf: contents)
      case .remove:
        appendHead(change.base == nil ? .remove : .removeBased, to: &bytes)
        change.base?.append(to: &bytes)
      }
    case .over(_, let sequences):
      appendHead(.over, to: &bytes)
      bytes.append(littleEndian: sequences.lowerBound)
      bytes.append(littleEndian: sequences.upperBound)
    }
  }

  private func appendHead(_ kind: Kind, to bytes: inout [UInt8]) {
    bytes.append(kind.rawValue)
    bytes.append(littleEndian: UInt32(path.string.utf8.count))
    bytes.append(contentsOf: path.string.utf8)
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
      guard Self.hasMarker(in: bytes, at: start),
        bytes[...].integer(at: start + 28) == _Checksum.value(of: bytes[start..<start + 28])
      else { return nil }
      let size = bytes[...].integer(at: start + 4) as UInt32
      guard Int(size) <= bytes.count - start - frameSize else { return nil }
      identity = bytes[...].integer(at: start + 8)
      sequence = bytes[...].integer(at: start + 16)
      checksum = bytes[...].integer(at: start + 24)
      payload = start + frameSize..<start + frameSize + Int(size)
    }

    /// The record, or nil where it is damaged.
    package func record(in bytes: [UInt8]) -> _JournalRecord? {
      guard _Checksum.value(of: bytes[payload]) == checksum else { return nil }
      return Body(payload: bytes[payload]).map { _JournalRecord(sequence: sequence, body: $0) }
    }
  }
}

extension _JournalRecord.Body {
  fileprivate init?(payload: ArraySlice<UInt8>) {
    guard payload.count >= 5, let kind = _JournalRecord.Kind(rawValue: payload[payload.startIndex]) else { return nil }
    let size = payload.integer(at: payload.startIndex + 1) as UInt32
    let afterSize = payload.dropFirst(5)
    guard Int(size) <= afterSize.count, let path = FileChange.Path(bytes: afterSize.prefix(Int(size)))
    else { return nil }
    var rest = afterSize.dropFirst(Int(size))
    var base: FileChange.Version?
    if kind == .writeBased || kind == .removeBased {
      guard let version = FileChange.Version(rest) else { return nil }
      base = version
      rest = rest.dropFirst(FileChange.Version.byteCount)
    }
    switch kind {
    case .write, .writeBased: self = .change(FileChange(path: path, action: .write(Data(rest)), base: base))
    case .remove, .removeBased:
      guard rest.isEmpty else { return nil }
      self = .change(FileChange(path: path, action: .remove, base: base))
    case .over:
      guard rest.count == 16 else { return nil }
      let first = rest.integer(at: rest.startIndex) as UInt64
      let last = rest.integer(at: rest.startIndex + 8) as UInt64
      guard first <= last else { return nil }
      self = .over(path, first...last)
    }
  }
}

extension FileChange.Path {
  /// The path with exactly these bytes, or nil when no change can have it.
  fileprivate init?(bytes: ArraySlice<UInt8>) {
    self.init(String(decoding: bytes, as: UTF8.self))
    // A string repairs what is not UTF-8, and a path drops what means nothing: both would be another path.
    guard string.utf8.elementsEqual(bytes), objection == nil else { return nil }
  }
}
