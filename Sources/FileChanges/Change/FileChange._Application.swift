internal import Journals

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension FileChange {
  /// One change being carried out.
  struct _Application: SystemCalling {
    let path: FileChange.Path
    let options: FileChange.Options
    let system: any FileSystem
    var leftovers = _Leftovers.none
    var sweeper: Sweeper?
    var note: ((FileChange.Version) -> Void)?
    /// What closes folders of a batch between their uses, since a batch may be in more than a process may have open.
    var openFolders: OpenFolders?

    /// An entry in an open folder.
    struct Place: ~Copyable {
      let openFolder: OpenFolder
      let name: String
      /// The path of the folder, to name what is in it.
      let folderPath: String
      /// What has the name, or nil when nothing has.
      let status: FileStatus?

      var folder: Descriptor { _read { yield openFolder.descriptor } }
      var version: FileChange.Version { FileChange.Version(stamp: status?.stamp) }
    }

    func failure(_ step: FileChangeError.Operation, _ error: SystemError) -> FileChangeError {
      FileChangeError(path: path, operation: step, error: error)
    }

    func refusal(_ step: FileChangeError.Operation, _ reason: FileChangeError.Reason) -> FileChangeError {
      FileChangeError(path: path, operation: step, reason: reason)
    }

    /// - Parameter expected: The versions that the file may have; nil for any.
    func write(_ contents: Data, over expected: [FileChange.Version]?) throws(FileChangeError) {
      let place = try find(followsLinks: options.symbolicLinks == .follow)
      switch place.status?.kind {
      case nil, .file: break
      case .symbolicLink: if options.symbolicLinks == .refuse { throw refusal(.write, .isASymbolicLink) }
      case .folder: throw refusal(.write, .isAFolder)
      case .other: throw refusal(.write, .notAFile)
      }
      // Contents that are there already are written anew: whoever wrote them need not have brought them to the device,
      // which tells only once that it could not take them.
      if let expected, try !isExpected(place.status, at: place, expected, or: contents) {
        throw refusal(.inspect, .changedByAnother)
      }
      sweeper?.sweep(place.folder, in: system)
      let old = place.status?.kind == .file ? place.status : nil
      let version = try replace(place, with: contents, like: old, over: expected)
      if let version { note?(version) }
      try synchronize(place.folder)
    }

    func remove(_ expected: [FileChange.Version]?) throws(FileChangeError) {
      do throws(FileChangeError) {
        let place = try find(followsLinks: false)
        if let expected, let status = place.status, try !isExpected(status, toBeRemovedFrom: place, expected) {
          throw refusal(.inspect, .changedByAnother)
        }
        try remove(place, expected)
      } catch {
        // Without the folder the file is not there either.
        if error.reason != .noSuchFolder { throw error }
        note?(.absent)
      }
    }

    /// Whether what is to be removed is what the change is based on; of a link that is what it leads to, too.
    private func isExpected(
      _ status: FileStatus, toBeRemovedFrom place: borrowing Place, _ expected: [FileChange.Version]
    ) throws(FileChangeError) -> Bool {
      if try isOne(of: expected, status, at: place) { return true }
      if try isAsLeftBehind(status, at: place) { return true }
      guard status.kind == .symbolicLink, options.symbolicLinks == .follow else { return false }
      return try unlessForbidden { () throws(FileChangeError) in
        let target = try find(followsLinks: true)
        if try isOne(of: expected, target.status, at: target) { return true }
        return try isAsLeftBehind(target.status, at: target)
      }
    }

    private func remove(
      _ place: consuming Place, _ expected: [FileChange.Version]?
    ) throws(FileChangeError) {
      sweeper?.sweep(place.folder, in: system)
      switch place.status?.kind {
      case nil: break
      case .file, .symbolicLink:
        if let expected {
          try takeAway(place) { place, status throws(FileChangeError) in
            try isExpected(status, toBeRemovedFrom: place, expected)
          }
        } else {
          _ = try attempt(.remove, except: .absent, call: system.removeFile(place.name, in: place.folder))
        }
      case .folder: throw refusal(.remove, .isAFolder)
      case .other: throw refusal(.remove, .notAFile)
      }
      note?(.absent)
      // Also where nothing was there: an earlier attempt may have removed it and failed here.
      try synchronize(place.folder)
    }
  }
}
