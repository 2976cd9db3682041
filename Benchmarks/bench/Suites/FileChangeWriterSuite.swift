import FileChanges
import Foundation

extension Suite {
  /// Writes to the temporary folder.
  ///
  /// Most of each time is spent in its device or, if the folder is on a RAM disk, in the code.
  static var fileChangeWriter: Suite {
    Suite("FileChangeWriter") { suite in
      suite.benchmark(
        "replace", "one file of n bytes replaced durably", sizes: .exactly(4096, 1 << 20), state: .fresh(upTo: 64)
      ) { n in
        Data((0..<n).lazy.map { UInt8(truncatingIfNeeded: $0) })
      } contenders: { race in
        race.subject("FileChange.apply") { _ in
          FilesOnDisk(count: 1)
        } run: { files, contents, operations in
          for _ in operations { must { try FileChange.write(contents, to: files[0]).apply() } }
          return files.byteCount
        }
        race.peer("FileChangeWriter, flushed each time") { _ in
          FilesOnDisk(count: 1)
        } run: { files, contents, operations in
          let change = FileChange.write(contents, to: files[0])
          blocking { [writer = files.writer] in
            for _ in operations {
              await must {
                try await writer.submit(change)
                try await writer.flush()
              }
            }
          }
          return files.byteCount
        }
        // This contender does less: it does not synchronize the folder, so a power failure may undo the write.
        race.peer("Data.write(.atomic), folder not synced") { _ in
          FilesOnDisk(count: 1)
        } run: { files, contents, operations in
          for _ in operations { must { try contents.write(to: files[0], options: .atomic) } }
          return files.byteCount
        }
        race.floor("the system calls alone") { _ in
          FilesOnDisk(count: 1)
        } run: { files, contents, operations in
          let name = files[0].lastPathComponent
          for _ in operations { replaceBarely(name, with: contents, in: files.folder.path) }
          return files.byteCount
        }
      }

      suite.benchmark(
        "journal", "n saves of 100 files by 8 tasks, each safe when acknowledged, the newest on disk in the end",
        sizes: .exactly(200, 800, 8000, quick: 200), unit: .element, state: .fresh(upTo: 8)
      ) { n in
        (0..<n).map { Data(repeating: 7, count: 4096 + $0 % 64) }
      } contenders: { race in
        race.subject("FileChangeWriter with a journal") { _ in
          FilesOnDisk(count: 100, hasJournal: true)
        } run: { files, saves, operations in
          for _ in operations { files.submit(saves, tasks: 8) }
          return files.byteCount
        }
        // No save is durable before the end.
        race.peer("FileChangeWriter in memory") { _ in
          FilesOnDisk(count: 100)
        } run: { files, saves, operations in
          for _ in operations { files.submit(saves, tasks: 8) }
          return files.byteCount
        }
        race.peer("FileChange.apply for each save") { _ in
          FilesOnDisk(count: 100)
        } run: { files, saves, operations in
          for _ in operations {
            for (i, save) in saves.enumerated() { must { try FileChange.write(save, to: files[i % 100]).apply() } }
          }
          return files.byteCount
        }
        race.peer(DurableSaving.Way.atomicWrites.title) { _ in
          FilesOnDisk(count: 100)
        } run: { files, saves, operations in
          for _ in operations {
            inTurn(saves, files: 100, tasks: 8) { [urls = files.urls] contents, file in
              try DurableSaving.replace(urls[file], with: contents)
            }
          }
          return files.byteCount
        }
        if SQLite.isInstalled {
          race.peer(DurableSaving.Way.database.title) { _ in
            FilesInDatabase(count: 100)
          } run: { files, saves, operations in
            for _ in operations { files.save(saves, tasks: 8) }
            return files.byteCount
          }
        }
      }
    }
  }
}

/// Files in a temporary folder that is removed with this object, and a writer for them.
private final class FilesOnDisk {
  let folder: URL
  let urls: [URL]
  let writer: FileChangeWriter

  init(count: Int, hasJournal: Bool = false) {
    let folder = FileManager.default.temporaryDirectory.appending(path: "bench-\(UUID())")
    must { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false) }
    self.folder = folder
    urls = (0..<count).map { folder.appending(path: "\($0)") }
    writer = hasJournal ? Self.makeWriter(journal: folder.appending(path: "journal")) : FileChangeWriter()
  }

  private static func makeWriter(journal: URL) -> FileChangeWriter {
    blocking {
      do {
        return try await FileChangeWriter(journal: FileChange.Path(journal))
      } catch {
        preconditionFailure("\(error)")
      }
    }
  }

  /// Submits saves in the order of the files, in parallel tasks with separate files.
  ///
  /// Returns when everything is on disk.
  func submit(_ saves: [Data], tasks: Int) {
    inTurn(saves, files: urls.count, tasks: tasks) { [writer, urls] contents, file in
      try await writer.submit(.write(contents, to: urls[file]))
    }
    blocking { [writer] in await must { try await writer.flush() } }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  subscript(index: Int) -> URL { urls[index] }

  /// The number of bytes on disk, which must be the same for all contenders.
  var byteCount: Int {
    urls.reduce(0) { $0 + ((try? FileManager.default.attributesOfItem(atPath: $1.path)[.size] as? Int) ?? 0) }
  }
}

/// The same files as rows of a database, in a temporary folder that is removed with this object.
private final class FilesInDatabase {
  private let folder: URL
  private let names: [String]
  private let database: SQLite

  init(count: Int) {
    folder = FileManager.default.temporaryDirectory.appending(path: "bench-\(UUID())")
    names = (0..<count).map(String.init)
    must { [folder] in try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false) }
    guard let database = SQLite(folder.appending(path: "database").path) else {
      preconditionFailure("Cannot make a database in \(folder.path)")
    }
    self.database = database
  }

  func save(_ saves: [Data], tasks: Int) {
    inTurn(saves, files: names.count, tasks: tasks) { [database, names] contents, file in
      precondition(database.save(contents, to: names[file]), "The database takes no more")
    }
  }

  var byteCount: Int { database.byteCount ?? 0 }

  deinit { try? FileManager.default.removeItem(at: folder) }
}

/// Saves contents in the order of the files, in parallel tasks with separate files.
private func inTurn(
  _ saves: [Data], files: Int, tasks: Int, _ save: @escaping @Sendable (Data, Int) async throws -> Void
) {
  blocking {
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<tasks {
        group.addTask {
          for (i, contents) in saves.enumerated() where i % files % tasks == task {
            await must { try await save(contents, i % files) }
          }
        }
      }
    }
  }
}

/// Makes only the system calls that a durable replacement needs.
private func replaceBarely(_ name: String, with contents: Data, in folder: String) {
  let directory = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  let file = unsafe openat(directory, ".temporary", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
  let written = unsafe contents.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
  precondition(written == contents.count && fsync(file) == 0 && close(file) == 0, "Cannot write in \(folder)")
  precondition(unsafe renameat(directory, ".temporary", directory, name) == 0, "Cannot rename in \(folder)")
  precondition(fsync(directory) == 0 && close(directory) == 0, "Cannot synchronize \(folder)")
}

/// Runs `body`, and traps if it throws.
private func must<Result>(_ body: () throws -> Result) -> Result {
  do { return try body() } catch { preconditionFailure("\(error)") }
}

private func must(_ body: () async throws -> Void) async {
  do { try await body() } catch { preconditionFailure("\(error)") }
}
