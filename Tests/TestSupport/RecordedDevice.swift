/// A simulated device: it records the writes to the files of one folder, and gives the contents that may survive a
/// power failure.
///
/// Writes that were not synchronized may survive or not: each sector of a file independently, as it was after any of
/// its writes, and each change of the folder independently. A file has the size that it had when all of it was
/// synchronized, or after any later change.
package struct RecordedDevice: Sendable {
  /// A file's inode number.
  package typealias File = UInt64

  package enum Effect: Sendable {
    case write(File, offset: Int, [UInt8])
    case resize(File, Int)
    case synchronizeData(File)
    case synchronizeFile(File)
    case name(String, File)
    case move(String, to: String, File)
    /// Two names, each with its file after the exchange.
    case exchange(String, File, String, File)
    case remove(String)
    case synchronizeFolder
  }

  package private(set) var effects: [Effect] = []

  package init() {}

  package mutating func add(_ effect: Effect) { effects.append(effect) }

  /// Possible contents of the files, by their names, if the power fails after `count` effects.
  package func files(after count: Int, using random: inout SeededRandom) -> [String: [UInt8]] {
    var files: [File: Contents] = [:]
    var names: [String: File] = [:]
    var changes: [Effect] = []
    for effect in effects[..<count] {
      switch effect {
      case .write(let file, let offset, let bytes):
        files[file, default: Contents()].pending.append(.write(offset, bytes))
      case .resize(let file, let size): files[file, default: Contents()].pending.append(.resize(size))
      case .synchronizeData(let file): files[file, default: Contents()].synchronizeData()
      case .synchronizeFile(let file): files[file, default: Contents()].synchronize()
      case .name, .move, .exchange, .remove: changes.append(effect)
      case .synchronizeFolder:
        for change in changes { Self.apply(change, to: &names) }
        changes = []
      }
    }
    let odds = random.int(in: 1..<4)
    for change in changes where random.int(in: 0..<4) < odds { Self.apply(change, to: &names) }
    var left: [String: [UInt8]] = [:]
    for (name, file) in names.sorted(by: { $0.key < $1.key }) {
      left[name] = files[file, default: Contents()].left(using: &random)
    }
    return left
  }

  private static func apply(_ change: Effect, to names: inout [String: File]) {
    switch change {
    case .name(let name, let file): names[name] = file
    case .move(let source, let name, let file):
      if names[source] == file { names[source] = nil }
      names[name] = file
    case .exchange(let name, let file, let other, let otherFile): (names[name], names[other]) = (file, otherFile)
    case .remove(let name): names[name] = nil
    default: break
    }
  }
}

extension RecordedDevice {
  /// The contents of a file on the device, and the changes that may not have reached it.
  private struct Contents {
    enum Change {
      case write(Int, [UInt8])
      case resize(Int)
    }

    static let sector = 512

    var bytes: [UInt8] = []
    var pending: [Change] = []

    mutating func synchronize() {
      bytes = applied(pending.count) { _ in pending.count }
      pending = []
    }

    /// Synchronizes the changes that do not make the file longer.
    mutating func synchronizeData() {
      let size = bytes.count
      let all = applied(pending.count) { _ in pending.count }
      bytes = Array((all + Array(repeating: 0, count: max(0, size - all.count)))[..<size])
      pending = pending.compactMap { change in
        guard case .write(let offset, let written) = change else { return change }
        let rest = written.dropFirst(max(0, size - offset))
        return rest.isEmpty ? nil : .write(max(offset, size), Array(rest))
      }
    }

    func left(using random: inout SeededRandom) -> [UInt8] {
      let all = pending.count
      let sizes = random.chance(oneIn: 2) ? all : random.int(in: 0..<all + 1)
      let odds = random.int(in: 0..<4)
      return applied(sizes) { _ in
        if random.int(in: 0..<3) < odds { return all }
        return random.chance(oneIn: 2) ? 0 : random.int(in: 0..<all + 1)
      }
    }

    /// - Parameters:
    ///   - sizes: The number of changes that determine the size.
    ///   - version: The number of changes that have reached a sector.
    private func applied(_ sizes: Int, _ version: (Int) -> Int) -> [UInt8] {
      var size = bytes.count
      for change in pending[..<sizes] {
        switch change {
        case .write(let offset, let written): size = max(size, offset + written.count)
        case .resize(let count): size = count
        }
      }
      var left = bytes + Array(repeating: 0, count: max(0, size - bytes.count))
      left.removeSubrange(size...)
      var versions: [Int: Int] = [:]
      for (number, change) in pending.enumerated() {
        guard case .write(let offset, let written) = change else { continue }
        var start = offset
        let end = min(size, offset + written.count)
        while start < end {
          let sector = start / Self.sector
          let next = min((sector + 1) * Self.sector, end)
          let count = versions[sector] ?? version(sector)
          versions[sector] = count
          if number < count { left.replaceSubrange(start..<next, with: written[start - offset..<next - offset]) }
          start = next
        }
      }
      return left
    }
  }
}
