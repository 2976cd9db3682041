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
    switch self {
    case .snapshot(let snapshot):
      14 + snapshot.files.count * (FileDigest.byteCount + 1) + snapshot.names.count + snapshot.document.count
        + snapshot.steps.count
    case .messages(let messages, _): 1 + messages.count
    case .saving, .saved, .refused: 1 + FileDigest.byteCount
    case .remoteEdits(_, _, let messages): 1 + FileDigest.byteCount + messages.count
    case .path(let path): 1 + path.utf8.count
    }
  }

  package func append(to bytes: inout [UInt8]) {
    switch self {
    case .snapshot(let snapshot):
      bytes.append(snapshot.isText ? 1 : 9)
      bytes.append(UInt8(snapshot.files.count))
      for file in snapshot.files {
        file.digest.append(to: &bytes)
        bytes.append(file.flags)
      }
      bytes.append(littleEndian: UInt32(snapshot.names.count))
      bytes += snapshot.names
      bytes.append(littleEndian: UInt64(snapshot.document.count))
      bytes += snapshot.document
      bytes += snapshot.steps
    case .messages(let messages, let haveEdits):
      bytes.append(haveEdits ? 2 : 4)
      bytes += messages
    case .saving(let digest, let isNewest):
      bytes.append(isNewest ? 3 : 6)
      digest.append(to: &bytes)
    case .saved(let digest):
      bytes.append(5)
      digest.append(to: &bytes)
    case .refused(let digest):
      bytes.append(10)
      digest.append(to: &bytes)
    case .remoteEdits(let digest, let isNewest, let messages):
      bytes.append(isNewest ? 7 : 8)
      digest.append(to: &bytes)
      bytes += messages
    case .path(let path):
      bytes.append(11)
      bytes += Array(path.utf8)
    }
  }

  package init?(_ payload: ArraySlice<UInt8>) throws(JournalRefusal) {
    guard let kind = payload.first else { return nil }
    let rest = payload.dropFirst()
    switch kind {
    case 1, 9:
      guard var snapshot = _Snapshot(rest) else { return nil }
      snapshot.isText = kind == 1
      self = .snapshot(snapshot)
    case 2, 4: self = .messages(Array(rest), haveEdits: kind == 2)
    case 3, 5, 6, 10:
      guard rest.count == FileDigest.byteCount else { return nil }
      let digest = FileDigest(rest)
      switch kind {
      case 5: self = .saved(digest)
      case 10: self = .refused(digest)
      default: self = .saving(digest, isNewest: kind == 3)
      }
    case 7, 8:
      guard rest.count >= FileDigest.byteCount else { return nil }
      self = .remoteEdits(
        FileDigest(rest), isNewest: kind == 7, messages: Array(rest.dropFirst(FileDigest.byteCount)))
    case 11: self = .path(String(decoding: rest, as: UTF8.self))
    default: throw .newerVersion
    }
  }
}

extension _Snapshot {
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
