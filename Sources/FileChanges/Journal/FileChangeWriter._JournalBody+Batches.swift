package import Journals

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

// The records of batches, which begin with the first path of the batch:
//
//     batch    count 4 │ for each change: size 4 │ what the payload of a change is, or of a move: the new path
//     planned  number of the batch's record 8 │ a version 41 for each path
//     ended    number of the batch's record 8 │ how it ended 1

extension FileChangeWriter._JournalBody {
  var byteCountOfBatch: Int {
    let head = 5 + path.string.utf8.count
    switch self {
    case .batch(let changes): return head + changes.reduce(4) { $0 + 4 + Self.payloadByteCount(of: $1) }
    case .planned(_, _, let versions): return head + 8 + versions.count * FileChange.Version.byteCount
    case .ended: return head + 9
    case .change, .superseded, .completed: return 0
    }
  }

  /// Whether a record of the batch can say its own size.
  static func fits(_ batch: FileChange._Batch) -> Bool { JournalFrame.fits(Self.batch(batch.changes).byteCountOfBatch) }

  /// How many bytes the record of a batch takes.
  static func recordByteCount(of changes: [FileChange]) -> Int {
    JournalFrame.byteCount + Self.batch(changes).byteCountOfBatch
  }

  func appendBatch(to bytes: inout [UInt8]) {
    switch self {
    case .batch(let changes):
      appendHead(Kind(.batch, hasVersion: false), nil, to: &bytes)
      bytes.append(littleEndian: UInt32(changes.count))
      for change in changes {
        bytes.append(littleEndian: UInt32(Self.payloadByteCount(of: change)))
        append(change, isSuperseded: false, to: &bytes)
      }
    case .planned(_, let sequence, let versions):
      appendHead(Kind(.planned, hasVersion: false), nil, to: &bytes)
      bytes.append(littleEndian: sequence)
      for version in versions { version.append(to: &bytes) }
    case .ended(_, let sequence, let ending):
      appendHead(Kind(.ended, hasVersion: false), nil, to: &bytes)
      bytes.append(littleEndian: sequence)
      bytes.append(ending.rawValue)
    case .change, .superseded, .completed: break
    }
  }

  /// - Parameter bytes: The payload behind the path.
  static func batch(
    _ action: Kind.Action, _ path: FileChange.Path, _ bytes: ArraySlice<UInt8>
  ) throws(JournalRefusal) -> Self? {
    if action == .batch { return try changes(bytes).map { .batch($0) } }
    guard bytes.count >= 8 else { return nil }
    let sequence = bytes.integer(at: bytes.startIndex) as UInt64
    var rest = bytes.dropFirst(8)
    if action == .ended {
      guard rest.count == 1, let ending = rest.first.flatMap(Ending.init) else { return nil }
      return .ended(path, sequence, ending)
    }
    var versions: [FileChange.Version] = []
    while !rest.isEmpty {
      guard let version = FileChange.Version(rest) else { return nil }
      versions.append(version)
      rest = rest.dropFirst(FileChange.Version.byteCount)
    }
    return .planned(path, sequence, versions)
  }

  private static func changes(_ bytes: ArraySlice<UInt8>) throws(JournalRefusal) -> [FileChange]? {
    guard bytes.count >= 4 else { return nil }
    let count = bytes.integer(at: bytes.startIndex) as UInt32
    var rest = bytes.dropFirst(4)
    var changes: [FileChange] = []
    for _ in 0..<count {
      guard rest.count >= 4, let size = Int(exactly: rest.integer(at: rest.startIndex) as UInt32) else { return nil }
      rest = rest.dropFirst(4)
      guard size <= rest.count, let change = try change(rest.prefix(size)) else { return nil }
      changes.append(change)
      rest = rest.dropFirst(size)
    }
    return rest.isEmpty && !changes.isEmpty ? changes : nil
  }

  private static func change(_ payload: ArraySlice<UInt8>) throws(JournalRefusal) -> FileChange? {
    guard let first = payload.first, let kind = Kind(first) else { return nil }
    // No batch lies in another: so deep a journal would use up the stack.
    if kind.action == .write || kind.action == .remove { return try Self(payload)?.change }
    guard kind.action == .move else { return nil }
    var rest = payload.dropFirst()
    guard rest.count >= 4, let size = Int(exactly: rest.integer(at: rest.startIndex) as UInt32) else { return nil }
    rest = rest.dropFirst(4)
    guard size <= rest.count, let path = FileChange.Path(bytes: rest.prefix(size)) else { return nil }
    rest = rest.dropFirst(size)
    var base: FileChange.Version?
    if kind.hasVersion {
      guard let version = FileChange.Version(rest) else { return nil }
      base = version
      rest = rest.dropFirst(FileChange.Version.byteCount)
    }
    return FileChange.Path(bytes: rest).map { FileChange(path: path, action: .move(to: $0), base: base) }
  }
}

// MARK: - What the records say together

extension FileChangeWriter {
  /// A batch that a journal has, as far as it is not done.
  package struct _RecordedBatch: Hashable, Sendable {
    package let sequence: UInt64
    package let changes: [FileChange]
    /// What each path had at the beginning, with the number of the record that says so.
    package var plan: Plan?
    /// The number of the record that says that it failed for good.
    package var heldSequence: UInt64?
    /// Whether that says that something may be left, and no plan says what.
    package var isUnclear = false
    /// Of which paths a newer change was made since.
    package var replaced: Set<FileChange.Path> = []

    mutating func begin(_ plan: Plan) { (self.plan, heldSequence, isUnclear) = (plan, nil, false) }

    mutating func hold(_ sequence: UInt64, _ ending: _JournalBody.Ending) {
      heldSequence = sequence
      if ending == .takenBack { plan = nil }
      // What is left of it is in place of what was newer.
      if ending == .left { replaced = [] }
      isUnclear = ending == .left && plan == nil
    }

    func has(_ path: FileChange.Path) -> Bool { changes.contains { $0.path == path || $0.target == path } }

    package struct Plan: Hashable, Sendable {
      package let sequence: UInt64
      package let versions: [FileChange.Version]
    }
  }
}

extension JournalContents<FileChangeWriter._JournalBody> {
  /// The batches that are not done, oldest first.
  package var batches: [FileChangeWriter._RecordedBatch] {
    var batches: [UInt64: FileChangeWriter._RecordedBatch] = [:]
    var sequences: [FileChange.Path: Set<UInt64>] = [:]
    /// The batches by the numbers of the records that hold them.
    var held: [UInt64: UInt64] = [:]
    for record in records {
      switch record.body {
      case .batch(let changes):
        batches[record.sequence] = .init(sequence: record.sequence, changes: changes)
        for path in record.body.paths { sequences[path, default: []].insert(record.sequence) }
      case .planned(_, let number, let versions):
        batches[number]?.begin(.init(sequence: record.sequence, versions: versions))
      case .ended(_, let number, .done): batches[number] = nil
      case .ended(_, let number, let ending):
        batches[number]?.hold(record.sequence, ending)
        held[record.sequence] = number
      case .completed(let path, let range, let version):
        if range.lowerBound == range.upperBound, let number = held[range.lowerBound] {
          batches[number]?.replaced.insert(path)
          continue
        }
        for number in sequences[path, default: []] {
          if range.contains(number) {
            batches[number] = nil
            sequences[path]?.remove(number)
          } else if version != nil, number < range.lowerBound {
            if batches[number]?.heldSequence == nil { batches[number]?.heldSequence = record.sequence }
            batches[number]?.replaced.insert(path)
          }
        }
      case .change, .superseded: break
      }
    }
    return batches.values.sorted { $0.sequence < $1.sequence }
  }
}
