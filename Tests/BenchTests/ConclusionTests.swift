import XCTest

@testable import bench

/// The conclusion of a run in three sentences.
final class ConclusionTests: XCTestCase {
  private func result(
    _ benchmark: String, of suite: String = "S", size: Int? = nil,
    _ lanes: (name: String, role: Contender.Role, ratio: ClosedRange<Double>, marks: [Results.Mark])...
  ) -> Results.Case {
    Results.Case(
      suite: suite, benchmark: benchmark, operation: "do \(benchmark)", unit: .operation, size: size,
      lanes: [Results.Lane(contender: Contender(name: "Mine", role: .subject))]
        + lanes.map { lane in
          let median = (lane.ratio.lowerBound + lane.ratio.upperBound) / 2
          return Results.Lane(
            contender: Contender(name: lane.name, role: lane.role),
            ratio: Results.Ratio(
              median: median, low: lane.ratio.lowerBound, high: lane.ratio.upperBound),
            marks: lane.marks)
        })
  }

  func testEachComparisonIsFasterEqualOrSlower() {
    let conclusion = Conclusion([
      result("fast", ("A", .peer, 2...4, []), ("B", .peer, 8...8, [])),
      result("same", ("A", .peer, 0.9...1.3, []), ("B", .peer, 1.02...1.04, []), ("C", .peer, 0.85...1.01, [])),
      result("slow", ("A", .peer, 0.5...0.5, []), ("B", .peer, 0.25...0.25, [.unstable])),
    ])
    XCTAssertEqual(conclusion.faster.map(\.ratio), [8, 3], "the clearest first")
    XCTAssertEqual(
      conclusion.equal.map(\.contender), ["A", "B", "C"], "an interval that holds 1, and a hair's breadth")
    XCTAssertEqual(conclusion.slower.map(\.ratio), [0.25, 0.5], "the worst first")
  }

  func testSentencesNameTheBestTheEqualAndTheWorst() {
    let conclusion = Conclusion([
      result("fast", size: 1000, ("A", .peer, 3...3, []), ("B", .peer, 8...8, [])),
      result("same", ("A", .peer, 1...1, [])),
      result("slow", of: "T", ("A", .peer, 0.5...0.5, []), ("B", .peer, 0.25...0.25, [.unstable])),
    ])
    XCTAssertEqual(
      conclusion.sentences,
      [
        "Faster in 2 of 5 comparisons with other designs (S 2 of 3, T 0 of 2), in half of them 3.00 times or more; "
          + "most of all in S.fast n=1,000 (do fast), where B takes 8.00 times as long.",
        "Equal in 1, within 5 % or what the run can tell: S.same (A).",
        "Slower in 2: the worst is T.slow (do slow), which takes 4.00? times as long as B; then T.slow (2.00, A).",
      ])
  }

  func testLongListIsShortenedToACount() {
    let conclusion = Conclusion((1...9).map { result("b\($0)", ("A", .peer, 1...1, [])) })
    XCTAssertEqual(
      conclusion.sentences,
      [
        "Faster in none of 9 comparisons.",
        "Equal in 9, within 5 % or what the run can tell: S.b1 (A), S.b2 (A), S.b3 (A) and 6 more.",
        "Slower in none.",
      ])
  }

  func testFloorsAreReportedSeparately() {
    let conclusion = Conclusion([
      result("a", ("floor", .floor, 0.1...0.1, [])), result("b", ("floor", .floor, 0.5...0.5, [])),
    ])
    XCTAssertEqual(conclusion.sentences, [])
    XCTAssertEqual(
      conclusion.floorNote,
      "Not counted: 2 comparisons with a floor, which does less than any design can. The subject takes at most 10.0 "
        + "times as long as one: S.a, against floor.")
  }

  func testInvalidCasesAndInternalSuitesDoNotCount() {
    var invalid = result("a", ("A", .peer, 2...2, []))
    invalid.problem = "they do not see the same"
    let conclusion = Conclusion([
      invalid, result("b", of: "Harness", ("A", .peer, 2...2, [])), result("c", of: "Trace", ("A", .peer, 2...2, [])),
      result("d", ("A", .peer, 9...9, [.optimisedAway])),
    ])
    XCTAssertEqual(conclusion.count, 0)
    XCTAssertNil(conclusion.floorNote)
  }
}
