package import Journals

extension FileChangeWriter {
  /// The contents of one record in a writer's journal, and their layout in bytes.
  ///
  ///     payload  kind 1 │ size of the path 4 │ path │ a version, if the kind says so │ the rest
  ///     kind     write 1, remove 2, completed 3 │ + 16 with a version │ + 32 if superseded
  ///              move 4, only in a batch; batch 5, planned 6, ended 7, which begin with the batch's first path
  ///     version  no file 0, a file 1, one with a checksum 2 │ device 8 │ number 8 │ size 8
  ///              modification: seconds 8 │ nanoseconds 8 │ change: seconds 8 │ nanoseconds 8 │ checksum 4
  ///     rest     write: contents │ remove: nothing │ move: the new path
  ///              completed: first and last sequence number that it settles, 8 each; both 0 if none
  ///              batch: count 4 │ for each change: size 4 │ what the payload of a change or of a move is
  ///              planned: number of the batch's record 8 │ a version 61 for each path
  ///              ended: number of the batch's record 8 │ how it ended 1
  ///
  /// A version always takes 61 bytes; unused fields are 0. Numbers are little endian. An intact record of an unknown
  /// kind was written by a later version.
  package enum _JournalBody: Hashable, Sendable {
    /// The change was accepted.
    case change(FileChange)
    /// The change must not be applied any more, but a killed process may have begun it.
    case superseded(FileChange)
    /// The changes and batches of the file with these sequence numbers must not be applied any more.
    ///
    /// With a version, the newest of them was applied and left this version. An older batch whose number isn't among
    /// them must then have failed, because no change overtakes an unfinished batch. So this record alone tells the end
    /// of that batch, and the batch's own last record may be lost in a power failure.
    ///
    /// Without sequence numbers, the record only tells the writer's version of the file, or reserves a sequence number.
    case completed(FileChange.Path, ClosedRange<UInt64>?, leaving: FileChange.Version? = nil)
    /// The changes were accepted, to be applied all or not at all.
    case batch([FileChange])
    /// The batch with this number is being applied, and its paths had these versions at the beginning.
    case planned(FileChange.Path, UInt64, [FileChange.Version])
    /// The batch with this number is over.
    case ended(FileChange.Path, UInt64, Ending)

    /// The way in which a batch ended.
    package enum Ending: UInt8, Sendable {
      case done
      /// It failed for good and was rolled back.
      case rolledBack
      /// It failed for good, and a part of it is left, as its plan tells.
      case left
    }
  }

  package typealias _JournalRecord = JournalRecord<_JournalBody>
  package typealias _JournalContents = JournalContents<_JournalBody>
  package typealias _JournalWrite = JournalWrite<_JournalBody>
}

extension FileChangeWriter._JournalBody: JournalBody {
  package var path: FileChange.Path {
    switch self {
    case .change(let change), .superseded(let change): change.path
    case .completed(let path, _, _), .planned(let path, _, _), .ended(let path, _, _): path
    case .batch(let changes): changes.first?.path ?? ""
    }
  }

  /// All files that the record mentions.
  var paths: [FileChange.Path] {
    guard case .batch(let changes) = self else { return [path] }
    return changes.flatMap { [$0.path] + ($0.target.map { [$0] } ?? []) }
  }

  /// The changes that the record contains.
  var changes: [FileChange] {
    switch self {
    case .change(let change), .superseded(let change): [change]
    case .batch(let changes): changes
    case .completed, .planned, .ended: []
    }
  }

  /// The change, if it is still to be applied.
  package var change: FileChange? {
    if case .change(let change) = self { change } else { nil }
  }

  /// Whether the size of the body fits into a record.
  var fits: Bool { JournalFrame.fits(byteCount) }

  // MARK: Writing

  enum Action: UInt8 { case write = 1, remove, completed, move, batch, planned, ended }

  typealias Kind = (action: Action, hasVersion: Bool, isSuperseded: Bool)

  /// The kind that the byte represents; nil for a kind of a later version.
  private static func kind(_ byte: UInt8) -> Kind? {
    guard let action = Action(rawValue: byte & 15), byte < 64 else { return nil }
    switch action {
    case .write, .remove: break
    case .completed, .move: if byte >= 32 { return nil }
    case .batch, .planned, .ended: if byte >= 16 { return nil }
    }
    return (action, byte & 16 != 0, byte & 32 != 0)
  }

  package var byteCount: Int {
    var head: Int { 5 + path.string.utf8.count }
    return switch self {
    case .change(let change), .superseded(let change): change.payloadByteCount
    case .completed(_, _, let version): head + 16 + (version == nil ? 0 : FileChange.Version.byteCount)
    case .batch(let changes): changes.reduce(head + 4) { $0 + 4 + $1.payloadByteCount }
    case .planned(_, _, let versions): head + 8 + versions.count * FileChange.Version.byteCount
    case .ended: head + 9
    }
  }

  package func append(to bytes: inout [UInt8]) {
    switch self {
    case .change(let change): append(change, isSuperseded: false, to: &bytes)
    case .superseded(let change): append(change, isSuperseded: true, to: &bytes)
    case .completed(_, let sequences, let version):
      appendHead(.completed, path, version, to: &bytes)
      bytes.append(littleEndian: sequences?.lowerBound ?? 0)
      bytes.append(littleEndian: sequences?.upperBound ?? 0)
    case .batch(let changes):
      appendHead(.batch, path, nil, to: &bytes)
      bytes.append(littleEndian: UInt32(changes.count))
      for change in changes {
        bytes.append(littleEndian: UInt32(change.payloadByteCount))
        append(change, isSuperseded: false, to: &bytes)
      }
    case .planned(_, let sequence, let versions):
      appendHead(.planned, path, nil, to: &bytes)
      bytes.append(littleEndian: sequence)
      for version in versions { version.append(to: &bytes) }
    case .ended(_, let sequence, let ending):
      appendHead(.ended, path, nil, to: &bytes)
      bytes.append(littleEndian: sequence)
      bytes.append(ending.rawValue)
    }
  }

  private func append(_ change: FileChange, isSuperseded: Bool, to bytes: inout [UInt8]) {
    let kind: Action = change.contents != nil ? .write : change.target != nil ? .move : .remove
    appendHead(kind, change.path, change.base, isSuperseded: isSuperseded, to: &bytes)
    bytes.append(contentsOf: change.contents ?? Data())
    bytes.append(contentsOf: (change.target?.string ?? "").utf8)
  }

  private func appendHead(
    _ action: Action, _ path: FileChange.Path, _ version: FileChange.Version?, isSuperseded: Bool = false,
    to bytes: inout [UInt8]
  ) {
    bytes.append(action.rawValue + (version == nil ? 0 : 16) + (isSuperseded ? 32 : 0))
    bytes.append(littleEndian: UInt32(path.string.utf8.count))
    bytes.append(contentsOf: path.string.utf8)
    version?.append(to: &bytes)
  }

  // MARK: Reading

  package init?(_ payload: ArraySlice<UInt8>) throws(JournalRefusal) {
    guard let first = payload.first else { return nil }
    guard let kind = Self.kind(first) else { throw .newerVersion }
    guard kind.action != .move, let body = Self.read(kind, payload.dropFirst()) else { return nil }
    self = body
  }

  /// - Parameter payload: The bytes after the kind.
  private static func read(_ kind: Kind, _ payload: ArraySlice<UInt8>) -> Self? {
    var rest = payload
    guard let path = rest.takeCounted().flatMap({ FileChange.Path(bytes: $0) }) else { return nil }
    let version = kind.hasVersion ? FileChange.Version(taking: &rest) : nil
    guard version != nil || !kind.hasVersion else { return nil }
    func change(_ action: FileChange.Action) -> Self {
      let change = FileChange(path: path, action: action, base: version)
      return kind.isSuperseded ? .superseded(change) : .change(change)
    }
    switch kind.action {
    case .write: return change(.write(Data(rest)))
    case .remove: return rest.isEmpty ? change(.remove) : nil
    case .move: return FileChange.Path(bytes: rest).map { change(.move(to: $0)) }
    case .completed:
      guard let first = rest.takeInteger() as UInt64?, let last = rest.takeInteger() as UInt64?, rest.isEmpty,
        first <= last
      else { return nil }
      return .completed(path, last == 0 ? nil : first...last, leaving: version)
    case .batch: return readChanges(rest).map { .batch($0) }
    case .planned:
      guard let sequence = rest.takeInteger() as UInt64? else { return nil }
      var versions: [FileChange.Version] = []
      while let version = FileChange.Version(taking: &rest) { versions.append(version) }
      return rest.isEmpty ? .planned(path, sequence, versions) : nil
    case .ended:
      guard let sequence = rest.takeInteger() as UInt64?, let ending = rest.popFirst().flatMap(Ending.init),
        rest.isEmpty
      else { return nil }
      return .ended(path, sequence, ending)
    }
  }

  private static func readChanges(_ payload: ArraySlice<UInt8>) -> [FileChange]? {
    var rest = payload
    guard let count = rest.takeInteger() as UInt32? else { return nil }
    var changes: [FileChange] = []
    for _ in 0..<count {
      // A batch cannot contain another one: deep nesting could overflow the stack.
      guard let change = rest.takeCounted(), let kind = change.first.flatMap(kind),
        [.write, .remove, .move].contains(kind.action), case .change(let change)? = read(kind, change.dropFirst())
      else { return nil }
      changes.append(change)
    }
    return rest.isEmpty && !changes.isEmpty ? changes : nil
  }
}

extension FileChange {
  /// The size of the change's record in bytes.
  package var recordByteCount: Int { JournalFrame.byteCount + payloadByteCount }

  fileprivate var payloadByteCount: Int {
    5 + path.string.utf8.count + (contents?.count ?? 0) + (target?.string.utf8.count ?? 0)
      + (base == nil ? 0 : Version.byteCount)
  }
}

extension FileChange.Version {
  static let byteCount = 61

  func append(to bytes: inout [UInt8]) {
    bytes.append(stamp == nil ? 0 : checksum == nil ? 1 : 2)
    for number in [stamp?.device, stamp?.number, stamp?.size] { bytes.append(littleEndian: number ?? 0) }
    for number in [stamp?.seconds, stamp?.nanoseconds, stamp?.changeSeconds, stamp?.changeNanoseconds] {
      bytes.append(littleEndian: number ?? 0)
    }
    bytes.append(littleEndian: checksum ?? 0)
  }

  /// Removes a version from the beginning of the bytes; nil if there are too few or they make no sense.
  init?(taking bytes: inout ArraySlice<UInt8>) {
    guard let kind = bytes.first, kind <= 2, let version = bytes.take(Self.byteCount) else { return nil }
    let numbers = (0..<7).map { version.integer(at: version.startIndex + 1 + 8 * $0) as UInt64 }
    let stamp = FileStamp(
      device: numbers[0], number: numbers[1], size: numbers[2], seconds: Int64(bitPattern: numbers[3]),
      nanoseconds: Int64(bitPattern: numbers[4]), changeSeconds: Int64(bitPattern: numbers[5]),
      changeNanoseconds: Int64(bitPattern: numbers[6]))
    let checksum: UInt32 = version.integer(at: version.startIndex + 57)
    self.init(stamp: kind == 0 ? nil : stamp, checksum: kind == 2 ? checksum : nil)
  }
}

extension FileChange.Path {
  /// The path with exactly these bytes; nil if no change can have it.
  init?(bytes: ArraySlice<UInt8>) {
    self.init(String(decoding: bytes, as: UTF8.self))
    // Decoding repairs invalid UTF-8, and a path drops meaningless parts: either would give another path.
    guard string.utf8.elementsEqual(bytes), objection == nil else { return nil }
  }
}
