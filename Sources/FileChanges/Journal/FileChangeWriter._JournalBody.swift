package import Journals

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension FileChangeWriter {
  /// What a record of a writer's journal says, and how it is spelled in bytes.
  ///
  ///     payload  kind 1 │ size of the path 4 │ path │ a version, where the kind says so │ the rest
  ///     kind     write 1, remove 2, completed 3 │ + 16 with a version │ + 32 where superseded
  ///              move 4, only in a batch; batch 5, planned 6, ended 7: see there
  ///     version  no file 0, a file 1, one with a checksum 2 │ device 8 │ number 8 │ size 8
  ///              modification: seconds 8 │ nanoseconds 8 │ change: seconds 8 │ nanoseconds 8 │ checksum 4
  ///     rest     write: contents │ remove: nothing │ completed: first sequence number 8, last 8
  ///
  /// Numbers are little endian. An intact record of a kind that is not known was written by a later version.
  package enum _JournalBody: Hashable, Sendable {
    /// The change was accepted.
    case change(FileChange)
    /// The change is not to be carried out any more, but a process that was killed may have been about to.
    case superseded(FileChange)
    /// Of the file's changes and batches, those with these numbers are no longer to be carried out.
    ///
    /// With a version, the newest of them was carried out, and this is what it has made of the file. An older batch
    /// that is not among them has failed then: nothing passes by a batch that is still to be carried out. So one record
    /// says how it ended, and no other need survive a power failure.
    case completed(FileChange.Path, ClosedRange<UInt64>, leaving: FileChange.Version? = nil)
    /// The changes were accepted, to be carried out all or not at all.
    case batch([FileChange])
    /// The batch with this number is being carried out, and this is what each of its paths had at the beginning.
    case planned(FileChange.Path, UInt64, [FileChange.Version])
    /// The batch with this number is not being carried out any more.
    case ended(FileChange.Path, UInt64, Ending)

    /// How a batch came to its end.
    package enum Ending: UInt8, Sendable {
      case done
      /// It failed for good and is held; its files are as they were.
      case takenBack
      /// It failed for good and is held; a part of it is left, as its plan says.
      case left
    }
  }

  package typealias _JournalRecord = JournalRecord<_JournalBody>
  package typealias _JournalContents = JournalContents<_JournalBody>
  package typealias _JournalWrite = JournalWrite<_JournalBody>
}

extension FileChangeWriter._JournalBody {
  package var path: FileChange.Path {
    switch self {
    case .change(let change), .superseded(let change): change.path
    case .completed(let path, _, _), .planned(let path, _, _), .ended(let path, _, _): path
    case .batch(let changes): changes.first?.path ?? ""
    }
  }

  /// All files that the record says anything of.
  var paths: [FileChange.Path] {
    guard case .batch(let changes) = self else { return [path] }
    return changes.flatMap { [$0.path] + ($0.target.map { [$0] } ?? []) }
  }

  /// The change that is still to be carried out.
  package var change: FileChange? {
    if case .change(let change) = self { change } else { nil }
  }

  /// Whether a record of the change can say its own size.
  static func fits(_ change: FileChange) -> Bool { JournalFrame.fits(payloadByteCount(of: change)) }

  /// How many bytes the record of a change takes.
  package static func recordByteCount(of change: FileChange) -> Int {
    JournalFrame.byteCount + payloadByteCount(of: change)
  }

  static func payloadByteCount(of change: FileChange) -> Int {
    5 + change.path.string.utf8.count + change.byteCount
  }
}

// MARK: - Writing

extension FileChangeWriter._JournalBody: JournalBody {
  struct Kind: Hashable {
    enum Action: UInt8 { case write = 1, remove, completed, move, batch, planned, ended }

    let action: Action
    let hasVersion: Bool
    let isSuperseded: Bool

    var byte: UInt8 { action.rawValue + (hasVersion ? 16 : 0) + (isSuperseded ? 32 : 0) }

    init(_ action: Action, hasVersion: Bool, isSuperseded: Bool = false) {
      self.action = action
      self.hasVersion = hasVersion
      self.isSuperseded = isSuperseded
    }

    /// The kind that the byte says; nil for one of a later version.
    init?(_ byte: UInt8) {
      guard let action = Action(rawValue: byte & 15), byte < 64 else { return nil }
      switch action {
      case .write, .remove: break
      case .completed, .move: if byte >= 32 { return nil }
      case .batch, .planned, .ended: if byte >= 16 { return nil }
      }
      self.init(action, hasVersion: byte & 16 != 0, isSuperseded: byte & 32 != 0)
    }
  }

  package var byteCount: Int {
    switch self {
    case .change(let change), .superseded(let change): Self.payloadByteCount(of: change)
    case .completed(let path, _, let version):
      5 + path.string.utf8.count + 16 + (version == nil ? 0 : FileChange.Version.byteCount)
    case .batch, .planned, .ended: byteCountOfBatch
    }
  }

  package func append(to bytes: inout [UInt8]) {
    switch self {
    case .change(let change): append(change, isSuperseded: false, to: &bytes)
    case .superseded(let change): append(change, isSuperseded: true, to: &bytes)
    case .completed(_, let sequences, let version):
      appendHead(Kind(.completed, hasVersion: version != nil), version, to: &bytes)
      bytes.append(littleEndian: sequences.lowerBound)
      bytes.append(littleEndian: sequences.upperBound)
    case .batch, .planned, .ended: appendBatch(to: &bytes)
    }
  }

  func append(_ change: FileChange, isSuperseded: Bool, to bytes: inout [UInt8]) {
    let hasVersion = change.base != nil
    switch change.action {
    case .write(let contents):
      appendHead(Kind(.write, hasVersion: hasVersion, isSuperseded: isSuperseded), change.base, of: change, to: &bytes)
      bytes.append(contentsOf: contents)
    case .remove:
      appendHead(Kind(.remove, hasVersion: hasVersion, isSuperseded: isSuperseded), change.base, of: change, to: &bytes)
    case .move(let target):
      appendHead(Kind(.move, hasVersion: hasVersion), change.base, of: change, to: &bytes)
      bytes.append(contentsOf: target.string.utf8)
    }
  }

  func appendHead(
    _ kind: Kind, _ version: FileChange.Version?, of change: FileChange? = nil, to bytes: inout [UInt8]
  ) {
    let path = change?.path ?? path
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
      case .move(let target): target.string.utf8.count
      }
    return rest + (base == nil ? 0 : Version.byteCount)
  }
}

extension FileChange.Version {
  static let byteCount = 61

  func append(to bytes: inout [UInt8]) {
    bytes.append(stamp == nil ? 0 : checksum == nil ? 1 : 2)
    bytes.append(littleEndian: stamp?.device ?? 0)
    bytes.append(littleEndian: stamp?.number ?? 0)
    bytes.append(littleEndian: stamp?.size ?? 0)
    bytes.append(littleEndian: stamp?.seconds ?? 0)
    bytes.append(littleEndian: stamp?.nanoseconds ?? 0)
    bytes.append(littleEndian: stamp?.changeSeconds ?? 0)
    bytes.append(littleEndian: stamp?.changeNanoseconds ?? 0)
    bytes.append(littleEndian: checksum ?? 0)
  }

  /// Reads a version; nil where there are too few bytes or they make no sense.
  init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count >= Self.byteCount, let kind = bytes.first, kind <= 2 else { return nil }
    let numbers = (0..<7).map { bytes.integer(at: bytes.startIndex + 1 + 8 * $0) as UInt64 }
    let stamp = FileStamp(
      device: numbers[0], number: numbers[1], size: numbers[2], seconds: Int64(bitPattern: numbers[3]),
      nanoseconds: Int64(bitPattern: numbers[4]), changeSeconds: Int64(bitPattern: numbers[5]),
      changeNanoseconds: Int64(bitPattern: numbers[6]))
    let checksum: UInt32 = bytes.integer(at: bytes.startIndex + 57)
    self.init(stamp: kind == 0 ? nil : stamp, checksum: kind == 2 ? checksum : nil)
  }
}

// MARK: - Reading

extension FileChangeWriter._JournalBody {
  package init?(_ payload: ArraySlice<UInt8>) throws(JournalRefusal) {
    guard let first = payload.first else { return nil }
    guard let kind = Kind(first) else { throw .newerVersion }
    try self.init(kind, payload.dropFirst())
  }

  /// - Parameter bytes: The payload behind the kind.
  private init?(_ kind: Kind, _ bytes: ArraySlice<UInt8>) throws(JournalRefusal) {
    guard bytes.count >= 4 else { return nil }
    let size = bytes.integer(at: bytes.startIndex) as UInt32
    var rest = bytes.dropFirst(4)
    guard let size = Int(exactly: size), size <= rest.count, let path = FileChange.Path(bytes: rest.prefix(size)) else {
      return nil
    }
    rest = rest.dropFirst(size)
    var version: FileChange.Version?
    if kind.hasVersion {
      guard let read = FileChange.Version(rest) else { return nil }
      version = read
      rest = rest.dropFirst(FileChange.Version.byteCount)
    }
    switch kind.action {
    case .write:
      self.init(FileChange(path: path, action: .write(Data(rest)), base: version), isSuperseded: kind.isSuperseded)
    case .remove:
      guard rest.isEmpty else { return nil }
      self.init(FileChange(path: path, action: .remove, base: version), isSuperseded: kind.isSuperseded)
    case .completed:
      guard rest.count == 16 else { return nil }
      let first = rest.integer(at: rest.startIndex) as UInt64
      let last = rest.integer(at: rest.startIndex + 8) as UInt64
      guard first <= last else { return nil }
      self = .completed(path, first...last, leaving: version)
    case .move: return nil
    case .batch, .planned, .ended:
      guard let batch = try Self.batch(kind.action, path, rest) else { return nil }
      self = batch
    }
  }

  private init(_ change: FileChange, isSuperseded: Bool) { self = isSuperseded ? .superseded(change) : .change(change) }
}

extension FileChange.Path {
  /// The path with exactly these bytes, or nil when no change can have it.
  init?(bytes: ArraySlice<UInt8>) {
    self.init(String(decoding: bytes, as: UTF8.self))
    // A string repairs what is not UTF-8, and a path drops what means nothing: both would be another path.
    guard string.utf8.elementsEqual(bytes), objection == nil else { return nil }
  }
}

// MARK: - What the records say together

extension JournalContents<FileChangeWriter._JournalBody> {
  /// The records of changes that are not completed, of each file and oldest first.
  private var open: [FileChange.Path: [JournalRecord<Body>]] {
    var open: [FileChange.Path: [JournalRecord<Body>]] = [:]
    for record in records {
      switch record.body {
      case .change, .superseded: open[record.body.path, default: []].append(record)
      case .completed(let path, let sequences, _): open[path]?.removeAll { sequences.contains($0.sequence) }
      case .batch, .planned, .ended: break
      }
    }
    return open
  }

  /// The changes that are still to be carried out, oldest first.
  ///
  /// - Complexity: O(*n* log *n*) for *n* records, if a file has few changes that are not completed.
  package var unfinished: [JournalRecord<Body>] {
    open.values.joined().filter { $0.body.change != nil }.sorted { $0.sequence < $1.sequence }
  }

  /// What may have been done of each file without a completion record, oldest first.
  ///
  /// - Complexity: O(*n*) for *n* records, if a file has few changes that are not completed.
  package var superseded: [FileChange.Path: [(sequence: UInt64, change: FileChange)]] {
    open.filter { !$0.value.isEmpty }.mapValues { records in
      records.compactMap { record in
        switch record.body {
        case .change(let change), .superseded(let change): (record.sequence, change)
        case .completed, .batch, .planned, .ended: nil
        }
      }
    }
  }

  /// What the writer has made of each file, as far as the journal knows, in the order in which it has.
  ///
  /// - Complexity: O(*n*) for *n* records.
  package var versions: [(path: FileChange.Path, version: FileChange.Version)] {
    records.compactMap { record in
      if case .completed(let path, _, let version?) = record.body { (path, version) } else { nil }
    }
  }
}
