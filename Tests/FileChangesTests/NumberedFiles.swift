import FileChanges
import Foundation
import TestSupport

/// Files whose contents are increasing numbers, and the promises that a writer made for them.
struct NumberedFiles {
  private struct Submission {
    let number: Int
    let names: [String]
    /// The moment at which it was accepted.
    var moment: Int?
    /// Whether it was a batch that was rolled back.
    var isRolledBack = false
  }

  private static let names = ["a", "b", "c", "d"]
  private let folder: TemporaryFolder
  private var submissions: [Submission] = []

  init(in folder: TemporaryFolder) { self.folder = folder }

  /// Contents of a few bytes or of several sectors, which are not a part of any others.
  private func contents(_ name: String, _ number: Int) -> Data {
    Data("\(name) \(number) ".utf8) + Data(repeating: UInt8(number & 0xff), count: number * 389 % 1700) + Data(".".utf8)
  }

  private func write(_ name: String, _ number: Int) -> FileChange {
    .write(contents(name, number), to: folder.path(name))
  }

  /// Submits new contents of one file, or of several in a batch, where one file may get its contents by a move.
  mutating func submit(
    to writer: FileChangeWriter, moment: () -> Int, _ random: inout SeededRandom
  ) async throws(FileChangeError) {
    let number = submissions.count + 1
    let names = Array(Self.names.shuffled(using: &random).prefix(random.chance(oneIn: 4) ? random.int(in: 1..<4) : 1))
    submissions.append(Submission(number: number, names: names))
    if names.count > 1 || random.chance(oneIn: 8) {
      var changes = names.map { write($0, number) }
      if random.chance(oneIn: 2) {
        changes[0] = .write(contents(names[0], number), to: folder.path("moving"))
        changes += [.remove(folder.path(names[0])), .move(folder.path("moving"), to: folder.path(names[0]))]
      }
      try await writer.submit(batch: changes)
    } else {
      try await writer.submit(write(names[0], number))
    }
    submissions[number - 1].moment = moment()
  }

  /// Removes the failures if a batch was ever rolled back, and retries them otherwise.
  mutating func settle(_ writer: FileChangeWriter) async throws {
    for failure in await writer.failures {
      guard case .write(let contents)? = failure.batch.first?.action else { continue }
      let number = Int(String(decoding: contents.prefix(12), as: UTF8.self).split(separator: " ")[1])
      submissions[number! - 1].isRolledBack = true
    }
    if submissions.contains(where: \.isRolledBack) {
      await writer.removeFailures()
    } else {
      await writer.retryFailures()
    }
  }

  /// The broken promises, if the process ended at this moment.
  func complaints(after moment: Int = .max) -> [String] {
    // An unreadable journal is kept, and removed files may come back until they are swept. The old files of a batch
    // must not stay.
    let kept = ["journal.damaged-", ".unsaved-"]
    let strays = folder.names.filter { name in
      !Self.names.contains(name) && (name.hasSuffix("-old") || !kept.contains { name.hasPrefix($0) })
    }
    var complaints = strays.map { "\($0) was left behind" }
    var numbers: [String: Int] = [:]
    for name in Self.names {
      let all = submissions.filter { $0.names.contains(name) }
      let found = try? Data(contentsOf: folder.file(name))
      let number = all.last { found == contents(name, $0.number) }?.number
      if found != nil, number == nil { complaints.append("\(name) is torn, or of another program") }
      numbers[name] = number ?? 0
      let newest = all.last { !$0.isRolledBack && $0.moment ?? .max <= moment && $0.moment != nil }?.number ?? 0
      if number ?? 0 < newest { complaints.append("\(name) has \(number ?? 0), and \(newest) was accepted") }
    }
    for batch in submissions where batch.names.count > 1 {
      let has = batch.names.filter { numbers[$0, default: 0] >= batch.number }
      if batch.names.contains(where: { numbers[$0] == batch.number }), has.count < batch.names.count {
        complaints.append("of \(batch.number) only \(has) are there, of \(batch.names)")
      }
    }
    return complaints
  }
}
