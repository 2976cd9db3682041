/// Contents that a session has read from the file or written to it, or is about to write, known by their digest.
package struct _SessionFile: Hashable, Sendable {
  let digest: FileDigest
  /// The number of edits after which the document has these contents; nil if they are of an older document.
  private(set) var edits: Int?
  /// Whether the file is known to have these contents.
  ///
  /// If not, the file may have them, for example after a kill or a call that failed.
  var isConfirmed = false {
    didSet { if isConfirmed { wasInFile = true } }
  }

  /// Whether the file had these contents at any time, as far as is known.
  private(set) var wasInFile = false
  /// Whether they were about to be written before, with an unknown result.
  private(set) var wasTried = false
}

extension _SessionFile {
  /// Creates the entry of a snapshot, after which no edit has been counted yet.
  init(_ digest: FileDigest, flags: UInt8) {
    self.init(
      digest: digest, edits: flags & 1 != 0 ? 0 : nil, isConfirmed: flags & 2 != 0, wasInFile: flags & 6 != 0,
      wasTried: flags & 8 != 0)
  }

  /// The flags of the entry in a snapshot.
  var flags: UInt8 { (edits == 0 ? 1 : 0) + (isConfirmed ? 2 : 0) + (wasInFile ? 4 : 0) + (wasTried ? 8 : 0) }

  /// The entry for a snapshot that is taken after this number of edits.
  func inSnapshot(at count: Int) -> _SessionFile {
    var file = self
    file.edits = edits == count ? 0 : nil
    return file
  }
}

extension [_SessionFile] {
  /// Adds contents that are about to be written.
  ///
  /// The contents that the file had last are kept, and some that it may have.
  mutating func expect(_ digest: FileDigest, edits: Int?) {
    let wasInFile = contains { $0.digest == digest && $0.wasInFile }
    let wasTried = contains { $0.digest == digest && !$0.isConfirmed }
    removeAll { $0.digest == digest && !$0.isConfirmed }
    append(_SessionFile(digest: digest, edits: edits, wasInFile: wasInFile, wasTried: wasTried))
    // If every save has failed since, the file has what it had before.
    if count > 16, let oldest = firstIndex(where: { !$0.wasInFile }) { remove(at: oldest) }
  }

  /// Records that the contents that were about to be written are in the file, and no others.
  mutating func confirm(_ digest: FileDigest) {
    guard var written = last(where: { $0.digest == digest }) else { return }
    written.isConfirmed = true
    self = [written]
  }

  /// Records that the contents that were about to be written aren't in the file.
  ///
  /// If the file gets the same contents later, another program wrote them, unless the file may have had them before.
  mutating func withdraw(_ digest: FileDigest) {
    guard let index = lastIndex(where: { $0.digest == digest && !$0.isConfirmed }) else { return }
    let isConfirmed = contains { $0.digest == digest && $0.isConfirmed }
    if isConfirmed || !self[index].wasInFile && !self[index].wasTried { remove(at: index) }
  }

  /// Records that it is unknown what the file has.
  mutating func doubt() {
    for index in indices { self[index].isConfirmed = false }
  }

  /// Adds what a record of the log says.
  ///
  /// - Parameter editCount: The number of records with edits so far.
  mutating func add(_ record: _SessionRecord, _ editCount: inout Int) {
    switch record {
    case .snapshot, .path, .messages(_, haveEdits: false): break
    case .messages(_, haveEdits: true): editCount += 1
    case .saving(let digest, let isNewest): expect(digest, edits: isNewest ? editCount : nil)
    case .saved(let digest): confirm(digest)
    case .refused(let digest): withdraw(digest)
    case .remoteEdits(let digest, let isNewest, _):
      editCount += 1
      expect(digest, edits: isNewest ? editCount : nil)
      confirm(digest)
    }
  }

  /// Whether the file has the document after this number of edits.
  func haveDocument(of edits: Int) -> Bool { contains { $0.isConfirmed && $0.edits == edits } }
}
