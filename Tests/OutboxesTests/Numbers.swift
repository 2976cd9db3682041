import Foundation
import Journals
import Outboxes
import PendingChanges
import TestSupport

/// A change that shows what became of it: numbers, each accepted once, in the order in which they count.
protocol Numbers: PendingChange, Codable, Hashable, Sendable where Key == Int {
  var values: [Int] { get }
  init(key: Int, values: [Int])
}

extension Numbers {
  init(_ key: Int, _ value: Int) { self.init(key: key, values: [value]) }
}

/// Numbers that go behind those that wait.
struct Joined: Numbers {
  let key: Int
  let values: [Int]

  static var policy: PendingChangeQueue<Joined>.Policy {
    .merge { waiting, new in Joined(key: new.key, values: waiting.values + new.values) }
  }
}

/// A number that stands for those before.
struct Newest: Numbers {
  let key: Int
  let values: [Int]
}

/// The same, at the end of the line.
struct NewestLast: Numbers {
  let key: Int
  let values: [Int]

  static var policy: PendingChangeQueue<NewestLast>.Policy { .moveToEnd }
}

/// A number that stands for those behind.
struct Oldest: Numbers {
  let key: Int
  let values: [Int]

  static var policy: PendingChangeQueue<Oldest>.Policy { .keep }
}

/// The bytes of a journal, as a file system and a device keep them.
struct JournalBytes {
  /// What a process reads.
  private(set) var bytes: [UInt8] = []
  private var identity: UInt64 = 0
  /// How many of the bytes the device has for sure.
  private var durableCount = 0
  /// The offset behind each record.
  private(set) var ends: [Int] = []

  mutating func write(_ write: JournalWrite<_OutboxRecord>) {
    if write.isWhole {
      identity += 1
      bytes = JournalHeader(writer: 1, identity: identity).bytes
      ends = [bytes.count]
    }
    for record in write.records {
      record.append(to: &bytes, identity: identity)
      ends.append(bytes.count)
    }
    if write.isSynchronized { durableCount = bytes.count }
  }

  /// What is left when the process ends in the middle of a write.
  mutating func crash(during write: JournalWrite<_OutboxRecord>?, losesPower: Bool, _ random: inout SeededRandom) {
    let durable = durableCount
    if let write {
      let before = bytes.count
      if write.isWhole {
        if random.chance(oneIn: 2) { self.write(write) }
      } else {
        self.write(write)
        bytes.removeSubrange(random.int(in: before..<bytes.count + 1)...)
        durableCount = min(durable, bytes.count)
      }
    }
    if losesPower, durableCount < bytes.count {
      let end = random.int(in: durableCount..<bytes.count + 1)
      // Bytes that never got to the device are cut off, or read as zeros.
      let zeros = random.chance(oneIn: 2) ? bytes.count - end : 0
      bytes.replaceSubrange(end..., with: repeatElement(0, count: zeros))
    }
  }

  var contents: JournalContents<_OutboxRecord>? { try? JournalContents(bytes) }
}

extension Outbox where Change: Numbers {
  /// A machine that numbers its identities by the opening.
  static func machine(
    _ configuration: Configuration, opening: UInt64, contents: JournalContents<_OutboxRecord>
  ) throws(OutboxError) -> (_StateMachine, JournalWrite<_OutboxRecord>?) {
    var machine = _StateMachine(
      configuration: configuration, path: "/journal", opening: opening,
      random: SeededRandom(seed: 1), encode: { Array(try JSONEncoder().encode($0)) })
    let write = try machine.recover(contents) { try JSONDecoder().decode(Change.self, from: Data($0)) }
    return (machine, write)
  }
}
