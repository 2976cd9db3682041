internal import Journals

// MARK: - Finding the file

extension FileChange._FileAccess {
  /// - Parameter folder: The open folder of the path; nil to open it.
  func find(followsLinks: Bool, in folder: OpenFolder? = nil) throws(FileChangeError) -> Place {
    let (folderPath, name) = path.string.folderAndName
    let folder = if let folder { folder } else { try openFolder(folderPath) }
    var place = try inspect(name, in: folder, at: folderPath)
    var links = 0
    while place.status?.kind == .symbolicLink {
      // The text of such a link doesn't lead to its target, or leads to another file now.
      if try attempt(.inspect, system.hasLinksToOpenFiles(place.folder)) { throw refusal(.inspect, .notAFile) }
      guard followsLinks else { break }
      // The target of a link can be anywhere, so links are not followed below a root.
      guard options.root == nil else { throw refusal(.inspect, .symbolicLink) }
      links += 1
      // Linux has the same limit.
      guard links <= 40 else { throw failure(.inspect, .tooManyLinks) }
      place = try target(of: place)
    }
    if let fallback = options.fallback, place.file != nil {
      // A killed process may have left a part of its new contents. Another thread may have restored the file since it
      // was inspected.
      try place.mend(fallback)
      return try inspect(place.name, in: place.openFolder, at: place.folderPath)
    }
    return place
  }

  func openFolder(_ folder: String) throws(FileChangeError) -> OpenFolder {
    try OpenFolder(self) { [self] () throws(FileChangeError) in
      guard let root = options.root else { return try attempt(.openFolder, system.openFolder(folder)) }
      var opened = try attempt(.openFolder, system.openFolder(root.string))
      // The subfolders are opened one by one; this fails for a symbolic link that replaced one of them.
      for part in folder.utf8.dropFirst(root.string.utf8.count).split(separator: UInt8(ascii: "/")) {
        let name = String(Substring(part))
        do throws(FileChangeError) { opened = try attempt(.openFolder, system.openSubfolder(name, in: opened)) } catch {
          let isALink = (try? system.inspect(name, in: opened))?.kind == .symbolicLink
          throw isALink ? refusal(.openFolder, .symbolicLink) : error
        }
      }
      return opened
    }
  }

  private func target(of link: Place) throws(FileChangeError) -> Place {
    let path = try attempt(
      .inspect, except: .absent, or: .notALink, call: system.linkTarget(link.name, in: link.folder))
    // The link was removed since it was inspected.
    guard let path else { return try inspect(link.name, in: link.openFolder, at: link.folderPath) }
    let (folder, name) = path.folderAndName
    let parent = link.openFolder
    let opened = try OpenFolder(self) { [self] () throws(FileChangeError) in
      try attempt(.openFolder, system.openFolder(folder, in: parent.descriptor))
    }
    let isAbsolute = folder.utf8.first == UInt8(ascii: "/")
    return try inspect(name, in: opened, at: isAbsolute ? folder : link.folderPath + folder + "/")
  }

  private func inspect(_ name: String, in folder: OpenFolder, at folderPath: String) throws(FileChangeError) -> Place {
    let status = try attempt(.inspect, except: .absent, call: system.inspect(name, in: folder.descriptor))
    return Place(self, in: folder, at: folderPath, name, status)
  }

  // MARK: Reading

  /// The version of the file that a write would replace; ``FileChange/Version/absent`` if its folder doesn't exist.
  func look() throws(FileChangeError) -> FileChange.Version {
    try atFile(orWithoutFolder: .absent) { $0.version }
  }

  /// Whether the file that a write would replace has the version; if its folder doesn't exist, the file is absent.
  func isStill(_ version: FileChange.Version) throws(FileChangeError) -> Bool {
    try atFile(orWithoutFolder: version == .absent) { place throws(FileChangeError) in
      try place.isOne(of: [version], place.status)
    }
  }

  private func atFile<Answer>(
    orWithoutFolder answer: Answer, _ ask: (Place) throws(FileChangeError) -> Answer
  ) throws(FileChangeError) -> Answer {
    do throws(FileChangeError) {
      let place = try find(followsLinks: options.symbolicLinks == .follow)
      try place.checkKind(of: place.status)
      return try ask(place)
    } catch {
      guard error.reason == .noSuchFolder else { throw error }
      return answer
    }
  }

  /// The contents of the file, and their version; without contents if the file or its folder doesn't exist.
  ///
  /// Contents and version belong together: if the file changes meanwhile, it is read again.
  func read() throws(FileChangeError) -> FileChangeWriter.File.OtherVersion {
    for _ in 0..<8 {
      let version = try look()
      if version == .absent { return .init(contents: nil, version: version) }
      let place = try find(followsLinks: true)
      guard place.status != nil else { return .init(contents: nil, version: version) }
      guard let (contents, stamp) = try readOnce(place) else { continue }
      // A link that will be replaced has a version of its own.
      let replacesLink = place.version != version && options.symbolicLinks == .replace
      let found = replacesLink ? version : FileChange.Version(stamp: stamp, checksum: contents.checksum)
      return .init(contents: contents, version: found)
    }
    throw refusal(.inspect, .busy)
  }

  /// The contents of the file; nil if it changed meanwhile.
  private func readOnce(_ place: Place) throws(FileChangeError) -> (contents: Data, stamp: FileStamp)? {
    let opened = try attempt(.inspect, except: .absent, call: system.openFile(place.name, in: place.folder))
    guard let file = opened else { return nil }
    let before = try attempt(.inspect, system.inspect(file))
    guard before.kind == .file else { throw refusal(.inspect, .notAFile) }
    let contents = try attempt(.inspect, system.readAll(file))
    let after = try attempt(.inspect, system.inspect(file))
    return before.stamp == after.stamp ? (contents, after.stamp) : nil
  }
}

// MARK: - Comparing versions

extension FileChange.Version {
  package init(
    of path: FileChange.Path, options: FileChange.Options = FileChange.Options(),
    in system: any FileSystem = PosixFileSystem()
  ) throws(FileChangeError) {
    if let objection = options.objection(to: path) {
      throw FileChangeError(path: path, operation: .inspect, reason: objection)
    }
    let work = FileChange._FileAccess(path, options, in: system)
    let place = try work.find(followsLinks: options.symbolicLinks == .follow)
    if place.status?.kind == .other { throw work.refusal(.inspect, .notAFile) }
    self = place.version
  }
}

extension FileChange._FileAccess.Place {
  /// Whether the file with the present `status` may be changed: it has an expected version, or already the new
  /// contents, or is in a state in which a killed process may have left it.
  ///
  /// For a link that is removed or moved, its target may have the expected version instead, since
  /// ``FileChange/Version`` follows links.
  func isExpected(
    _ status: FileStatus?, _ expected: [FileChange.Version], before outcome: FileChange._Batch.Outcome
  ) throws(FileChangeError) -> Bool {
    if try isOne(of: expected, status) { return true }
    if try isAsLeftBehind(status) { return true }
    if case .contents(let contents) = outcome { return try holds(contents, status) }
    guard status?.kind == .symbolicLink, access.options.symbolicLinks == .follow else { return false }
    return try unlessForbidden { () throws(FileChangeError) in
      let target = try access.find(followsLinks: true)
      if try target.isOne(of: expected, target.status) { return true }
      return try target.isAsLeftBehind(target.status)
    }
  }

  /// Whether the file with the present `status` has one of the versions.
  ///
  /// If only the change time differs, the contents decide, if their checksum is known.
  func isOne(of versions: [FileChange.Version], _ status: FileStatus?) throws(FileChangeError) -> Bool {
    if versions.contains(FileChange.Version(stamp: status?.stamp)) { return true }
    guard let status, status.kind == .file else { return false }
    let checksums = versions.filter { $0.stamp?.isSame(as: status.stamp) ?? false }.compactMap(\.checksum)
    guard !checksums.isEmpty else { return false }
    return try unlessForbidden { () throws(FileChangeError) in
      let file = try attempt(.inspect, system.openFile(name, in: folder))
      var checksum: UInt32 = 0
      while case let bytes = try attempt(.inspect, system.read(upTo: 1 << 20, from: file)), !bytes.isEmpty {
        checksum = Checksum.value(of: bytes[...], after: checksum)
      }
      // Another program may have changed it meanwhile.
      guard try attempt(.inspect, system.inspect(file)).stamp == status.stamp else { return false }
      return checksums.contains(checksum)
    }
  }

  /// Whether the file with the present `status` is in a state in which a killed process may have left it.
  private func isAsLeftBehind(_ status: FileStatus?) throws(FileChangeError) -> Bool {
    for attempt in access.leftovers.attempts {
      switch attempt.action {
      case .write(let contents): if try holds(contents, status) { return true }
      case .remove, .move: if status == nil { return true }
      }
    }
    return false
  }

  /// Whether the file with the present `status` has exactly these `contents`.
  func holds(_ contents: Data, _ status: FileStatus?) throws(FileChangeError) -> Bool {
    guard status?.kind == .file, status?.stamp.size == UInt64(contents.count) else { return false }
    return try unlessForbidden { () throws(FileChangeError) in
      let file = try attempt(.inspect, system.openFile(name, in: folder))
      var rest = contents
      while case let bytes = try attempt(.inspect, system.read(upTo: 1 << 20, from: file)), !bytes.isEmpty {
        guard rest.starts(with: bytes) else { return false }
        rest = rest.dropFirst(bytes.count)
      }
      return rest.isEmpty
    }
  }

  /// Returns `isTrue()`, but false if the file permanently cannot be read: then it isn't the expected file.
  private func unlessForbidden(_ isTrue: () throws(FileChangeError) -> Bool) throws(FileChangeError) -> Bool {
    do throws(FileChangeError) {
      return try isTrue()
    } catch {
      if error.isTransient { throw error }
      return false
    }
  }

  /// Throws if no change may be made to such a file, or no handle may read it.
  func checkKind(of status: FileStatus?, isWritten: Bool = true) throws(FileChangeError) {
    switch status?.kind {
    case nil, .file: break
    case .folder: throw refusal(.inspect, .folder)
    case .other: throw refusal(.inspect, .notAFile)
    case .symbolicLink:
      if isWritten, access.options.symbolicLinks == .refuse { throw refusal(.inspect, .symbolicLink) }
    }
  }
}

extension Data {
  /// The CRC-32C of the bytes.
  var checksum: UInt32 {
    // Computed in pieces, so that large contents aren't in memory twice.
    stride(from: 0, to: count, by: 1 << 16).reduce(0) { checksum, offset in
      Checksum.value(of: [UInt8](dropFirst(offset).prefix(1 << 16))[...], after: checksum)
    }
  }
}
