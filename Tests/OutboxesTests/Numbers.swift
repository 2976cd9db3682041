import Foundation
import Journals
import Outboxes
import PendingChanges
import TestSupport

/// A change that lists the numbers merged into it, in order, so that a test can see what happened to each number.
protocol Numbers: PendingChange, Codable, Hashable, Sendable where Key == Int {
  var values: [Int] { get }
  init(key: Int, values: [Int])
}

extension Numbers {
  init(_ key: Int, _ value: Int) { self.init(key: key, values: [value]) }
}

/// A change that is merged with a waiting change of its key: its numbers follow the older ones.
struct Joined: Numbers {
  let key: Int
  let values: [Int]

  static var policy: PendingChangeQueue<Joined>.Policy {
    .merge { waiting, new in Joined(key: new.key, values: waiting.values + new.values) }
  }
}

/// A change that replaces a waiting change of its key.
struct Newest: Numbers {
  let key: Int
  let values: [Int]
}

/// A change that replaces a waiting change of its key and moves to the end of the queue.
struct NewestLast: Numbers {
  let key: Int
  let values: [Int]

  static var policy: PendingChangeQueue<NewestLast>.Policy { .moveToEnd }
}

/// A change that stays when newer changes of its key arrive: they are dropped.
struct Oldest: Numbers {
  let key: Int
  let values: [Int]

  static var policy: PendingChangeQueue<Oldest>.Policy { .keep }
}

/// The bytes of a journal, as a process reads them and as they survive a crash.
struct JournalBytes {
  /// The bytes that a process reads.
  private(set) var bytes: [UInt8] = []
  private var identity: UInt64 = 0
  /// The number of bytes that are synchronized.
  private var durableCount = 0
  /// The end offset of the header and of each record.
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

  /// Simulates a crash of the process, possibly in the middle of a write.
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
      // Bytes that did not reach the device are missing, or read as zeros.
      let zeros = random.chance(oneIn: 2) ? bytes.count - end : 0
      bytes.replaceSubrange(end..., with: repeatElement(0, count: zeros))
    }
  }

  var contents: JournalContents<_OutboxRecord>? { try? JournalContents(bytes) }
}

extension Outbox where Change: Numbers {
  /// A machine that has recovered from a journal.
  ///
  /// Its IDs contain the number of the opening.
  static func machine(
    _ configuration: Configuration, opening: UInt64, date: Date = Date(timeIntervalSince1970: 0),
    contents: JournalContents<_OutboxRecord>,
    coding: _Coding = .json()
  ) throws(OutboxError) -> (_StateMachine, JournalWrite<_OutboxRecord>?) {
    var machine = _StateMachine(
      configuration: configuration, path: "/journal", opening: opening,
      random: SeededRandom(seed: 1), coding: coding)
    let write = try machine.recover(contents, date: date)
    return (machine, write)
  }
}

extension Outbox._Coding where Change: Numbers {
  /// JSON, from which `change` makes the changes that it can decode.
  static func json(_ change: @escaping @Sendable (Change) throws -> Change = { $0 }) -> Self {
    Self {
      try JSONEncoder().encode($0)
    } decode: { contents, _ in
      try change(JSONDecoder().decode(Change.self, from: contents))
    }
  }
}

extension _OutboxContents {
  /// The contents that an outbox records for a change.
  static func of(_ change: some Numbers) throws -> Self {
    Self(try JSONEncoder().encode(change), key: try JSONEncoder().encode(change.key))
  }
}
