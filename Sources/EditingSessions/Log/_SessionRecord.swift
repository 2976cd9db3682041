package import Journals

/// A record of a session's log.
///
///     snapshot   9 │ files 1 │ file … │ size of the names 4 │ names │ size of the document 8 │ document │ steps
///     file         │ digest 20 │ 1 if it is the document, + 2 if it was written or read, + 4 if it was in the file
///                    before, + 8 if it was about to be written before
///     messages     2 │ messages; 4 if none of them is an edit
///     saving     3 │ digest 20; 6 if there were newer edits already
///     saved      5 │ digest 20
///     refused   10 │ digest 20
///     remote     7 │ digest 20 │ messages; 8 if there were edits that the file lacks
///     path      11 │ path of the file, relative to the recovery folder
///
/// Numbers are little-endian. Names, steps and messages are in the compact form of `UndoArchives`. The snapshot comes
/// first, and the path after it. The snapshot's number is 1 if the document is a text, in UTF-8, and 9 if it is JSON.
/// Each later record continues from the state before it.
package enum _SessionRecord: Hashable, Sendable {
  /// The document and its steps.
  case snapshot(_Snapshot)
  /// Changes of the history.
  case messages([UInt8], haveEdits: Bool)
  /// The document at this point, or an older one, is about to be written to the file, or was found there.
  case saving(FileDigest, isNewest: Bool)
  /// The file has these contents.
  case saved(FileDigest)
  /// These contents were about to be written, and weren't: the file has its old contents, or another program's.
  case refused(FileDigest)
  /// These contents of another program were applied; one record has digest and messages, so that neither is lost alone.
  case remoteEdits(FileDigest, isNewest: Bool, messages: [UInt8])
  /// The path of the file, relative to the recovery folder.
  case path(String)
}

/// The state of a session at one moment.
package struct _Snapshot: Hashable, Sendable {
  /// The contents that the file may have.
  var files: [_SessionFile]
  /// The path of the file, relative to the recovery folder; written in a record of its own.
  var path = ""
  /// The names that the numbers of parts in the messages stand for.
  var names: [UInt8]
  var document: [UInt8]
  /// Whether the document is the UTF-8 of a text, and not JSON.
  var isText = false
  /// Empty for a history without steps.
  var steps: [UInt8]
  /// Whether all steps are there; not written.
  var hasAllSteps = true
}

extension _SessionRecord: JournalBody {
  package var byteCount: Int {
    if case .snapshot(let snapshot) = self { return 1 + snapshot.byteCount }
    let parts = parts
    return 1 + (parts.digest == nil ? 0 : FileDigest.byteCount) + parts.rest.count
  }

  package func append(to bytes: inout [UInt8]) {
    let parts = parts
    bytes.append(parts.kind)
    parts.digest?.append(to: &bytes)
    bytes += parts.rest
    if case .snapshot(let snapshot) = self { snapshot.append(to: &bytes) }
  }

  /// The parts of any record but a snapshot, which has only a kind here.
  private var parts: (kind: UInt8, digest: FileDigest?, rest: [UInt8]) {
    switch self {
    case .snapshot(let snapshot): (snapshot.isText ? 1 : 9, nil, [])
    case .messages(let messages, let haveEdits): (haveEdits ? 2 : 4, nil, messages)
    case .saving(let digest, let isNewest): (isNewest ? 3 : 6, digest, [])
    case .saved(let digest): (5, digest, [])
    case .refused(let digest): (10, digest, [])
    case .remoteEdits(let digest, let isNewest, let messages): (isNewest ? 7 : 8, digest, messages)
    case .path(let path): (11, nil, Array(path.utf8))
    }
  }

  package init?(_ payload: ArraySlice<UInt8>) throws(JournalRefusal) {
    guard let kind = payload.first else { return nil }
    var rest = payload.dropFirst()
    switch kind {
    case 1, 9:
      guard var snapshot = _Snapshot(rest) else { return nil }
      snapshot.isText = kind == 1
      self = .snapshot(snapshot)
    case 2, 4: self = .messages(Array(rest), haveEdits: kind == 2)
    case 3, 5...8, 10:
      guard let digest = rest.take(FileDigest.byteCount).map({ FileDigest($0) }), rest.isEmpty || 7...8 ~= kind
      else { return nil }
      switch kind {
      case 5: self = .saved(digest)
      case 7, 8: self = .remoteEdits(digest, isNewest: kind == 7, messages: Array(rest))
      case 10: self = .refused(digest)
      default: self = .saving(digest, isNewest: kind == 3)
      }
    case 11: self = .path(String(decoding: rest, as: UTF8.self))
    default: throw .newerVersion
    }
  }
}

extension _Snapshot {
  fileprivate var byteCount: Int {
    13 + files.count * (FileDigest.byteCount + 1) + names.count + document.count + steps.count
  }

  fileprivate func append(to bytes: inout [UInt8]) {
    bytes.append(UInt8(files.count))
    for file in files {
      file.digest.append(to: &bytes)
      bytes.append(file.flags)
    }
    bytes.append(littleEndian: UInt32(names.count))
    bytes += names
    bytes.append(littleEndian: UInt64(document.count))
    bytes += document
    bytes += steps
  }

  init?(_ payload: ArraySlice<UInt8>) {
    var rest = payload
    guard let count = rest.popFirst() else { return nil }
    files = []
    for _ in 0..<count {
      guard let digest = rest.take(FileDigest.byteCount), let flags = rest.popFirst() else { return nil }
      files.append(_SessionFile(FileDigest(digest), flags: flags))
    }
    guard let names = rest.takeCounted(), let count = rest.takeInteger() as UInt64?,
      let document = rest.take(Int(clamping: count))
    else { return nil }
    (self.names, self.document, steps) = (Array(names), Array(document), Array(rest))
  }
}
