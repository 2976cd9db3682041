/// Contents of the file that a session has read or written, or is about to write.
package struct _SessionFile: Hashable, Sendable {
  let digest: _FileDigest
  /// Of how many edits they are the document; nil where they are an older one.
  let edits: Int?
  /// Whether they were in the file.
  ///
  /// Else a kill, or a call that failed, leaves it open.
  var isConfirmed = false {
    didSet { if isConfirmed { wasInFile = true } }
  }
  /// Whether they were in the file at any time, as far as is known.
  private(set) var wasInFile = false
  /// Whether they were about to be written before, and it is open what came of that.
  private(set) var wasTried = false

  init(_ digest: _FileDigest, edits: Int?, wasInFile: Bool = false, wasTried: Bool = false) {
    (self.digest, self.edits) = (digest, edits)
    (self.wasInFile, self.wasTried) = (wasInFile, wasTried)
  }

  /// What a snapshot says, behind which no edit was counted yet.
  init(_ digest: _FileDigest, flags: UInt8) {
    (self.digest, edits, isConfirmed) = (digest, flags & 1 != 0 ? 0 : nil, flags & 2 != 0)
    (wasInFile, wasTried) = (isConfirmed || flags & 4 != 0, flags & 8 != 0)
  }

  /// What a snapshot says, where it has the document.
  var flags: UInt8 { (edits == 0 ? 1 : 0) + (isConfirmed ? 2 : 0) + (wasInFile ? 4 : 0) + (wasTried ? 8 : 0) }

  /// The same for a snapshot behind so many edits.
  func inSnapshot(at count: Int) -> _SessionFile {
    var file = _SessionFile(digest, edits: edits == count ? 0 : nil, wasInFile: wasInFile, wasTried: wasTried)
    file.isConfirmed = isConfirmed
    return file
  }
}

extension [_SessionFile] {
  /// The contents are about to be written.
  ///
  /// Those that were in the file last are kept, and some that may be.
  mutating func expect(_ digest: _FileDigest, edits: Int?) {
    let wasInFile = contains { $0.digest == digest && $0.wasInFile }
    let wasTried = contains { $0.digest == digest && !$0.isConfirmed }
    removeAll { $0.digest == digest && !$0.isConfirmed }
    append(_SessionFile(digest, edits: edits, wasInFile: wasInFile, wasTried: wasTried))
    // Where every save has failed since, the file has what it had before.
    if count > 16, let oldest = firstIndex(where: { !$0.wasInFile }) { remove(at: oldest) }
  }

  /// The contents that were about to be written are in the file, and no others.
  mutating func confirm(_ digest: _FileDigest) {
    guard var written = last(where: { $0.digest == digest }) else { return }
    written.isConfirmed = true
    self = [written]
  }

  /// The contents that were about to be written are not: whoever writes the same now is another program, unless the
  /// file may have had them before.
  mutating func withdraw(_ digest: _FileDigest) {
    guard let index = lastIndex(where: { $0.digest == digest && !$0.isConfirmed }) else { return }
    let isConfirmed = contains { $0.digest == digest && $0.isConfirmed }
    if isConfirmed || !self[index].wasInFile && !self[index].wasTried { remove(at: index) }
  }

  /// It is open what the file has.
  mutating func doubt() {
    for index in indices { self[index].isConfirmed = false }
  }

  /// Whether the file has the document of so many edits.
  func haveDocument(of edits: Int) -> Bool { contains { $0.isConfirmed && $0.edits == edits } }
}
