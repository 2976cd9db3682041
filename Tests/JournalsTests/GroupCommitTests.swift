import Journals
import XCTest

/// Which submissions are recorded together, and how failures are handled.
final class GroupCommitTests: XCTestCase {
  private struct Submission: JournalSubmission, Equatable {
    let key: String?
    var others: [String] = []
    let byteCount: Int

    var keys: [String] { (key.map { [$0] } ?? []) + others }
  }

  private typealias Commits = GroupCommit<Submission>

  private func commits(byteLimit: Int = 100, replacesOlder: Bool = false) -> Commits {
    Commits(nextSequence: 1, byteLimit: byteLimit, replacesOlder: replacesOlder)
  }

  private func submission(_ key: String?, _ byteCount: Int = 10) -> Submission {
    Submission(key: key, byteCount: byteCount)
  }

  func testSubmissionsDuringAWriteFormTheNextGroup() {
    var commits = commits()
    commits.stage(submission("a"))
    XCTAssertEqual(commits.begin(hasRecords: false)?.submissions, [submission("a")])
    commits.stage(submission("b"))
    commits.stage(submission("c"))
    XCTAssertNil(commits.begin(hasRecords: true), "one group at a time")
    XCTAssertFalse(commits.finish(.written(byteCount: 10)))
    XCTAssertEqual(commits.begin(hasRecords: false)?.submissions, [submission("b"), submission("c")])
    XCTAssertFalse(commits.finish(.written(byteCount: 20)))
    XCTAssertTrue(commits.isIdle)
    XCTAssertNil(commits.begin(hasRecords: false), "there is nothing to write")
    XCTAssertEqual(commits.begin(hasRecords: true)?.submissions, [])
  }

  func testKeysAreStagedUntilTheirSubmissionsAreRecordedOrRefused() {
    var commits = commits()
    commits.stage(Submission(key: "a", others: ["b"], byteCount: 10))
    commits.stage(submission("a"))
    commits.stage(submission(nil))
    XCTAssertEqual(Set(commits.stagedCounts.keys), ["a", "b"])
    _ = commits.begin(hasRecords: false)
    commits.stage(submission("a"))
    XCTAssertFalse(commits.finish(.failed(lacksSpace: false)))
    XCTAssertEqual(Set(commits.stagedCounts.keys), ["a"])
    _ = commits.begin(hasRecords: false)
    XCTAssertFalse(commits.finish(.written(byteCount: 10)))
    XCTAssertFalse(commits.isStaged("a"))
    commits.stage(submission("c"))
    _ = commits.begin(hasRecords: false)
    XCTAssertTrue(commits.finish(.failed(lacksSpace: false)), "an append is tried again")
    XCTAssertTrue(commits.isStaged("c"))
  }

  func testGroupFitsTheByteLimitOrHoldsOneSubmission() {
    for replacesOlder in [false, true] {
      var commits = commits(replacesOlder: replacesOlder)
      let sizes = [("a", 200), ("b", 60), ("b", 60), ("c", 40), ("d", 1)]
      for (key, byteCount) in sizes { commits.stage(submission(key, byteCount)) }
      var counts: [Int] = []
      while let (group, _) = commits.begin(hasRecords: false) {
        counts.append(group.count)
        _ = commits.finish(.written(byteCount: 0))
      }
      // If newer submissions replace older ones, only the newest of a key counts toward the limit.
      XCTAssertEqual(counts, replacesOlder ? [1, 3, 1] : [1, 1, 2, 1])
    }
  }

  func testFileIsRewrittenAtFirstWhenFullAndAfterAFailure() {
    var commits = commits(byteLimit: 100)
    func isWhole(_ outcome: Commits.Outcome) -> Bool? {
      let isWhole = commits.begin(hasRecords: true)?.isWhole
      _ = commits.finish(outcome)
      return isWhole
    }
    XCTAssertEqual(isWhole(.written(byteCount: 10)), true)
    XCTAssertEqual(isWhole(.written(byteCount: 57)), false)
    XCTAssertEqual(isWhole(.written(byteCount: 1)), false)
    XCTAssertEqual(isWhole(.written(byteCount: 80)), true, "it has reached the limit")
    // The new limit is twice the file's size including its header.
    XCTAssertEqual(isWhole(.written(byteCount: 111)), false)
    XCTAssertEqual(isWhole(.failed(lacksSpace: true)), false)
    XCTAssertEqual(isWhole(.failed(lacksSpace: true)), true)
    XCTAssertEqual(isWhole(.written(byteCount: 10)), true)
    XCTAssertEqual(isWhole(.written(byteCount: 10)), false)
  }

  func testFailedGroupIsRetriedWholeThenInPartsThenDropped() {
    var commits = commits(byteLimit: 1000)
    _ = commits.begin(hasRecords: true)
    _ = commits.finish(.written(byteCount: 0))
    let all = [("a", 10), ("b", 50), ("b", 5), (nil, 0)].map { submission($0.0, $0.1) }
    all.forEach { commits.stage($0) }
    for isWhole in [false, true] {
      let next = commits.begin(hasRecords: false)
      XCTAssertEqual(next?.submissions, all)
      XCTAssertEqual(next?.isWhole, isWhole)
      XCTAssertTrue(commits.finish(.failed(lacksSpace: true)))
    }
    XCTAssertEqual(commits.begin(hasRecords: false)?.submissions, [all[0], all[3]])
    XCTAssertFalse(commits.finish(.written(byteCount: 10)))
    XCTAssertEqual(commits.begin(hasRecords: false)?.submissions, [all[1], all[2]], "the largest, in order")
    XCTAssertTrue(commits.finish(.failed(lacksSpace: true)), "it was an append")
    XCTAssertEqual(commits.begin(hasRecords: false)?.isWhole, true)
    XCTAssertFalse(commits.finish(.failed(lacksSpace: true)))
    XCTAssertTrue(commits.isIdle)
  }

  func testSubmissionsOfAKeyKeepTheirOrderInADividedGroup() {
    var commits = commits(byteLimit: 1000)
    let all = [
      submission("x"), Submission(key: "a", others: ["b"], byteCount: 90), submission("c"),
      Submission(key: "b", others: ["d"], byteCount: 10), submission("d"), submission("y"),
    ]
    all.forEach { commits.stage($0) }
    _ = commits.begin(hasRecords: false)
    XCTAssertTrue(commits.finish(.failed(lacksSpace: true)))
    XCTAssertEqual(commits.begin(hasRecords: false)?.submissions, [all[0], all[2], all[5]])
    XCTAssertFalse(commits.finish(.written(byteCount: 30)))
    XCTAssertEqual(commits.begin(hasRecords: false)?.submissions, [all[1], all[3], all[4]])
  }

  func testGroupIsDividedOnlyForLackOfSpace() {
    var commits = commits(byteLimit: 1000)
    commits.stage(submission("a"))
    commits.stage(submission("b"))
    _ = commits.begin(hasRecords: false)
    XCTAssertFalse(commits.finish(.failed(lacksSpace: false)))
    XCTAssertTrue(commits.isIdle)
  }

  func testHalfOfADividedGroupIsNotDividedAgain() {
    var commits = commits(byteLimit: 1000)
    for (key, byteCount) in [("a", 10), ("b", 50), ("c", 20)] { commits.stage(submission(key, byteCount)) }
    _ = commits.begin(hasRecords: false)
    XCTAssertTrue(commits.finish(.failed(lacksSpace: true)))
    XCTAssertEqual(commits.begin(hasRecords: false)?.submissions, [submission("a", 10), submission("c", 20)])
    XCTAssertFalse(commits.finish(.failed(lacksSpace: true)))
    XCTAssertEqual(commits.begin(hasRecords: false)?.submissions, [submission("b", 50)])
  }

  func testGroupWithoutKeysIsNotDivided() {
    var commits = commits(byteLimit: 1000)
    commits.stage(submission(nil))
    commits.stage(submission(nil))
    _ = commits.begin(hasRecords: false)
    XCTAssertFalse(commits.finish(.failed(lacksSpace: true)))
    XCTAssertTrue(commits.isIdle)
  }

  func testRecordsWithoutSubmissionsAreRetriedOnceInARewrittenFile() {
    var commits = commits()
    _ = commits.begin(hasRecords: true)
    _ = commits.finish(.written(byteCount: 10))
    XCTAssertEqual(commits.begin(hasRecords: true)?.isWhole, false)
    XCTAssertTrue(commits.finish(.failed(lacksSpace: true)))
    let again = commits.begin(hasRecords: false)
    XCTAssertEqual(again?.submissions, [])
    XCTAssertEqual(again?.isWhole, true)
    XCTAssertFalse(commits.finish(.failed(lacksSpace: true)))
    XCTAssertTrue(commits.isIdle)
  }

  func testFileIsRepairedOnceBeforeItIsClosed() {
    var commits = commits()
    _ = commits.begin(hasRecords: true)
    _ = commits.finish(.written(byteCount: 10))
    XCTAssertFalse(commits.beginRepair(), "its end is known")
    _ = commits.begin(hasRecords: true)
    _ = commits.finish(.failed(lacksSpace: false))
    XCTAssertTrue(commits.beginRepair())
    XCTAssertFalse(commits.beginRepair())
  }

  func testSequenceNumbersGoUp() {
    var commits = commits()
    XCTAssertEqual((0..<3).map { _ in commits.takeSequence() }, [1, 2, 3])
  }
}
