import Foundation
import Journals
import TestSupport
import XCTest

/// Random writes with failing calls, and a power failure at any moment.
final class JournalPowerFailureTests: XCTestCase {
  /// The states that the journal may be in, each with the sequence numbers that it must and may contain.
  private struct Expectation {
    var alternatives: [(needed: Set<UInt64>, allowed: Set<UInt64>)] = [([], [])]

    func fits(_ found: Set<UInt64>) -> Bool {
      alternatives.contains { $0.needed.isSubset(of: found) && found.isSubset(of: $0.allowed) }
    }

    mutating func allow(_ numbers: [UInt64]) {
      for index in alternatives.indices { alternatives[index].allowed.formUnion(numbers) }
    }
  }

  func testPowerFailureKeepsCommittedRecordsAndRevivesNoOldOnes() async throws {
    try await withSeeds(25) { random in
      let folder = try TemporaryFolder(isInMemory: true)
      let faults = Faults(seed: random.next(), oneIn: random.int(in: 0..<3) == 0 ? 12 : nil)
      let system = ScriptedFileSystem(isArmed: false, isRecording: true) { call, _ in faults.next(call) }
      let journal = JournalWorker(folder.file("journal").path, system: system)
      let _: JournalContentsOnOpen<Line> = try await journal.open(newWriter: 7)
      system.arm()
      var (sequence, isWhole): (UInt64, Bool) = (1, true)
      var expectation = Expectation()
      /// The expected result if the power fails after this many effects or more.
      var moments: [(effects: Int, Expectation)] = []
      for _ in 0..<random.int(in: 5..<40) {
        isWhole = isWhole || random.chance(oneIn: 5)
        let kept = isWhole ? expectation.alternatives[0].needed.sorted().filter { _ in !random.chance(oneIn: 3) } : []
        let count = random.int(in: 0..<4)
        let new = Array(sequence..<sequence + UInt64(count))
        sequence += UInt64(count)
        let write = JournalWrite(
          records: (kept + new).map(Self.record), isWhole: isWhole, isSynchronized: isWhole || random.chance(oneIn: 2))
        var meanwhile = expectation
        if isWhole { meanwhile.alternatives.append((Set(kept + new), Set(kept + new))) } else { meanwhile.allow(new) }
        moments.append((system.device.effects.count, meanwhile))
        if await journal.commit(write) != nil {
          // After a failed group, the file is rewritten next.
          expectation = meanwhile
          isWhole = true
        } else if isWhole {
          expectation.alternatives = [(Set(kept + new), Set(kept + new))]
          isWhole = false
        } else {
          expectation.allow(new)
          if write.isSynchronized { expectation.alternatives[0].needed = expectation.alternatives[0].allowed }
        }
        moments.append((system.device.effects.count, expectation))
      }
      for _ in 0..<60 { try Self.check(system.device, moments, &random) }
    }
  }

  private static func check(
    _ device: RecordedDevice, _ moments: [(effects: Int, Expectation)], _ random: inout SeededRandom
  ) throws {
    let count = random.int(in: 0..<device.effects.count + 1)
    let expectation = moments.last { $0.effects <= count }?.1 ?? Expectation()
    let bytes = device.files(after: count, using: &random)["journal"] ?? []
    let contents = try Contents(bytes)
    let found = contents.records.map(\.sequence)
    expect(expectation.fits(Set(found)), "after \(count): \(found), expected \(expectation.alternatives)")
    expect(contents.records.allSatisfy { $0 == Self.record($0.sequence) }, "after \(count): wrong contents")
    expect(!contents.isDamaged, "after \(count): counted as damaged at \(contents.damage)")
  }

  /// The record for a sequence number.
  ///
  /// Its contents follow from the number, so that bytes of another record are noticed.
  private static func record(_ sequence: UInt64) -> Record {
    var random = SeededRandom(seed: sequence)
    let count = random.int(in: 0..<2000)
    return Record(
      sequence: sequence, body: Line(bytes: (0..<count).map { UInt8(truncatingIfNeeded: sequence &+ UInt64($0 / 600)) })
    )
  }
}

/// Makes some calls fail at random, before or after they take effect.
///
/// No write is short, because a sector with a part of a record counts as damage.
private final class Faults: @unchecked Sendable {
  private let lock = NSLock()
  private var random: SeededRandom
  private let odds: Int?

  init(seed: UInt64, oneIn odds: Int?) {
    random = SeededRandom(seed: seed)
    self.odds = odds
  }

  func next(_ call: ScriptedFileSystem.Call) -> ScriptedFileSystem.Fault? {
    let calls: [ScriptedFileSystem.Call] = [
      .overwrite, .synchronizeData, .synchronizeFile, .synchronizeFolder, .linkFile, .createFile, .truncate,
    ]
    return lock.withLock {
      guard let odds, calls.contains(call), random.chance(oneIn: odds) else { return nil }
      return random.chance(oneIn: 2) ? .failure(ENOSPC) : .lateFailure(EIO)
    }
  }
}
