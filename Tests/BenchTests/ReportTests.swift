import Foundation
import XCTest

@testable import bench

/// The output of `bench`: numbers, tables, JSON.
final class ReportTests: XCTestCase {
  // MARK: Numbers

  func testNumbersHaveThreeSignificantDigits() {
    XCTAssertEqual(
      [0, 0.0123, 0.26, 1, 9.99, 12.34, 99.94, 99.96, 471.6, 2_762_774].map(Format.significant),
      ["0", "0.012", "0.260", "1.00", "9.99", "12.3", "99.9", "100", "472", "2,762,774"])
    XCTAssertEqual(Format.significant(.infinity), "n/a")
    XCTAssertEqual(Format.significant(.nan), "n/a")
  }

  func testRatiosHaveAFractionUnlessTheyAreLarge() {
    XCTAssertEqual(
      [0.5, 1, 9.994, 24.56, 99.96, 308_000].map(Format.ratio), ["0.50", "1.00", "9.99", "24.6", "100", "308,000"])
  }

  func testThousandsAreSeparated() {
    XCTAssertEqual([0, 7, 999, 1000, -1_234_567].map(Format.grouped), ["0", "7", "999", "1,000", "-1,234,567"])
  }

  func testCountsHaveTheirPlural() {
    XCTAssertEqual([0, 1, 1234].map { Format.counted($0, "edit") }, ["0 edits", "1 edit", "1,234 edits"])
  }

  func testBytesHaveBinaryUnits() {
    XCTAssertEqual(
      [0, 1023, 1024, -2048, 1 << 20, 5 << 40].map(Format.bytes),
      ["0 B", "1023 B", "1.00 KiB", "-2.00 KiB", "1.00 MiB", "5.00 TiB"])
  }

  func testExactQuotientIsPrintedAsAWholeNumber() {
    XCTAssertEqual(Format.each(2048, of: 1024), "2")
    XCTAssertEqual(Format.each(1, of: 1024), "0.001")
    XCTAssertEqual(Format.each(0, of: 1024), "0")
  }

  func testPercentagesAreFormatted() {
    XCTAssertEqual([0.0012, 0.0996, 0.5].map(Format.percent), ["0.1%", "10%", "50%"])
    XCTAssertEqual(Format.percent(.nan), "n/a")
  }

  // MARK: Tables

  private var table: Table {
    var table = Table(columns: [
      Table.Column(title: "name", alignment: .left), Table.Column(title: "ns"),
      Table.Column(title: "more", expendability: 2), Table.Column(title: "most", expendability: 1),
      Table.Column(title: "none"),
    ])
    table.appendHeading("first")
    table.append(["a", "1", "22", "333", ""])
    table.append(["long", "10", "", Table.Cell("4", .faster), ""])
    return table
  }

  func testColumnsAlignAndEmptyOnesAreLeftOut() {
    XCTAssertEqual(
      table.rendered(for: .plain),
      """
      name  ns  more  most

      first
      a      1    22   333
      long  10           4
      """)
  }

  func testLeastImportantColumnsAreLeftOutFirst() {
    func titles(_ width: Int) -> String? {
      table.rendered(for: Terminal(isInteractive: true, width: width, usesColor: false))
        .split(separator: "\n").first.map(String.init)
    }
    XCTAssertEqual(titles(20), "name  ns  more  most")
    XCTAssertEqual(titles(19), "name  ns  most")
    XCTAssertEqual(titles(13), "name  ns")
    XCTAssertEqual(titles(1), "name  ns", "some columns stay whatever happens")
  }

  func testTableOfHeadingsAloneHasNoColumns() {
    var table = Table(columns: [Table.Column(title: "name", alignment: .left)])
    table.appendHeading("first")
    XCTAssertEqual(table.rendered(for: .plain), "\n\nfirst")
  }

  func testColorIsUsedOnlyWhereTheTerminalAllowsIt() {
    let colourful = Terminal(isInteractive: true, width: 80, usesColor: true)
    XCTAssertTrue(table.rendered(for: colourful).contains("\u{1B}[32m4\u{1B}[0m"))
    XCTAssertFalse(table.rendered(for: .plain).contains("\u{1B}"))
    XCTAssertTrue(Terminal.allowsColor([:]))
    XCTAssertTrue(Terminal.allowsColor(["NO_COLOR": ""]))
    XCTAssertFalse(Terminal.allowsColor(["NO_COLOR": "1"]))
    XCTAssertFalse(Terminal.allowsColor(["TERM": "dumb"]))
  }

  func testRemainingTimeIsShownInMinutesAndSeconds() {
    XCTAssertEqual(Progress.remaining(.seconds(125)), "2:05 left")
    XCTAssertEqual(Progress.remaining(.milliseconds(900)), "0:00 left")
  }

  // MARK: Reports

  private var results: Results {
    var results = Results(
      kind: .quick, environment: environment,
      selfTest: SelfTest(
        ratio: Results.Ratio(median: 1, low: 0.99, high: 1.01), allocations: 1000, requestedBytes: 32_000
      ))
    let ratio = Results.Ratio(median: 3, low: 2.9, high: 3.1)
    results.cases = [
      Results.Case(
        suite: "S", benchmark: "b", operation: "append", unit: .operation, size: 1024,
        lanes: [
          Results.Lane(
            contender: Contender(name: "Mine", role: .subject),
            processes: [.init(median: 12, medianAbsoluteDeviation: 0.12, rounds: 20, operations: 4096)],
            time: Results.Time(median: 12, medianAbsoluteDeviation: 0.12),
            memory: Results.Memory(
              operations: 1024, allocations: 0, requestedBytes: 0, grownBytes: 0, liveBytes: 2048, peakBytes: 4096)),
          Results.Lane(
            contender: Contender(name: "Other", role: .peer),
            processes: [
              .init(median: 36, medianAbsoluteDeviation: 0.36, ratio: ratio, rounds: 20, operations: 2048)
            ], time: Results.Time(median: 36, medianAbsoluteDeviation: 0.36), ratio: ratio, memory: nil),
          Results.Lane(contender: Contender(name: "Slow", role: .peer), marks: [.cutOff]),
        ])
    ]
    return results
  }

  private var environment: Environment {
    Environment(
      date: Date(timeIntervalSince1970: 1_700_000_000), cpu: "CPU", cores: 2,
      caches: [Processor.Cache(level: 1, bytes: 48 << 10)], operatingSystem: "OS", swift: "6.3",
      linkMode: "dynamic", hashing: "seeded", countsAllocations: true, traits: ["Peers"], commit: nil, loadAverage: 3,
      arguments: [])
  }

  func testTableShowsTimesRatiosMemoryAndMissingFigures() {
    XCTAssertEqual(
      Report(terminal: .plain).table(of: results.cases),
      """
          n  design  nanoseconds     ±  times as long       95 %  allocations  bytes  kept     holds   at most  notes

      S.b: append
      1,024  Mine           12.0  1.0%                                      0      0     0  2.00 KiB  4.00 KiB
             Other          36.0  1.0%           3.00  2.90–3.10          n/a    n/a   n/a       n/a       n/a
             Slow                                                                                               c
      times as long: as the first design of its group took; above 1 that is the faster one. allocations, bytes, kept: \
      of one operation. holds, at most: of the whole state.
      """)
  }

  func testPreambleNamesTheMachineAndDoubtfulConditions() {
    let text = Report(terminal: .plain).preamble(results)
    XCTAssertTrue(
      text.hasPrefix("CPU, 2 cores, L1 48 KiB · OS · Swift 6.3, dynamic runtime, seeded hashing · traits: Peers\n"))
    XCTAssertTrue(text.contains("Indicative"))
    XCTAssertTrue(text.hasSuffix("Busy machine: load average 3.00."))
  }

  func testFootnotesExplainDoubtfulFiguresOnce() {
    XCTAssertEqual(
      Report(terminal: .plain).footnotes(results),
      """
      c  cut off: an operation took too long at a smaller size
      ?  a doubtful figure: one that has a letter in its row
      """)
    var clear = results
    clear.cases[0].lanes[2].marks = []
    XCTAssertEqual(Report(terminal: .plain).footnotes(clear), "")
    XCTAssertEqual(Set(Results.Mark.allCases.map(\.sign)).count, Results.Mark.allCases.count)
  }

  func testConclusionHasThreeSentences() {
    XCTAssertEqual(
      Report(terminal: .plain).conclusion(results).split(separator: "\n").map { $0.prefix(10) },
      ["Faster in ", "Equal in n", "Slower in "])
  }

  func testFailedSelfTestMakesARunInvalid() {
    var results = results
    XCTAssertEqual(results.problems, [])
    results.selfTest = SelfTest(
      ratio: Results.Ratio(median: 1.2, low: 1.1, high: 1.3), allocations: 1001, requestedBytes: 32_000)
    XCTAssertEqual(
      results.problems,
      ["A takes 1.20 times as long as A (1.10 to 1.30)", "1000 objects were counted as 1001 allocations"])
    XCTAssertTrue(Report(terminal: .plain).verdict(results).contains("INVALID: A takes 1.20"))
  }

  func testDisagreeingContenderMakesARunInvalid() {
    var results = results
    results.cases[0].problem = "Mine and Other do not see the same"
    XCTAssertEqual(results.problems, ["S.b n=1,024: Mine and Other do not see the same"])
  }

  func testUncountableAllocationsAreNotAFailure() {
    let ratio = Results.Ratio(median: 1.02, low: 1.01, high: 1.03)
    XCTAssertEqual(SelfTest(ratio: ratio, allocations: nil, requestedBytes: nil).failures, [])
  }

  // MARK: JSON

  func testResultsSurviveARoundTripThroughJSON() throws {
    let data = try ResultsFile.encode(results)
    XCTAssertEqual(try ResultsFile.decode(data), results)
    XCTAssertEqual(try ResultsFile.encode(results), data)
  }

  func testJSONHasTheDocumentedShape() throws {
    let object = try XCTUnwrap(JSONSerialization.jsonObject(with: ResultsFile.encode(results)) as? [String: Any])
    XCTAssertEqual(object["schema"] as? Int, 1)
    XCTAssertEqual(object["kind"] as? String, "quick")
    let environment = try XCTUnwrap(object["environment"] as? [String: Any])
    XCTAssertEqual(environment["date"] as? String, "2023-11-14T22:13:20Z")
    let first = try XCTUnwrap((object["cases"] as? [[String: Any]])?.first)
    XCTAssertEqual(Set(first.keys), ["suite", "benchmark", "operation", "unit", "size", "lanes"])
    let lanes = try XCTUnwrap(first["lanes"] as? [[String: Any]])
    XCTAssertEqual(Set(lanes[0].keys), ["contender", "processes", "time", "memory", "marks"])
    XCTAssertEqual(
      Set(lanes[1].keys), ["contender", "processes", "time", "ratio", "marks"], "what was not measured is absent, not 0"
    )
    XCTAssertEqual(lanes[2]["marks"] as? [String], ["cut off"])
  }

  func testLaterSchemaIsRefusedByItsNumber() {
    XCTAssertThrowsError(try ResultsFile.decode(Data(#"{"schema":2,"anything":[]}"#.utf8))) { error in
      XCTAssertEqual(
        error as? Failure, Failure(.dataError, "the results have schema 2, and this bench reads schema 1"))
    }
  }

  func testUnwritableFileIsReported() {
    XCTAssertThrowsError(try ResultsFile(path: "/nonexistent/r.json", results: results)) { error in
      XCTAssertEqual((error as? Failure)?.code, .cannotCreate)
    }
  }

  func testEnvironmentOfThisProcessIsKnown() {
    let environment = Environment.current
    XCTAssertGreaterThan(environment.cores, 0)
    XCTAssertFalse(environment.cpu.isEmpty || environment.operatingSystem.isEmpty || environment.swift.isEmpty)
    XCTAssertTrue(["dynamic", "static"].contains(environment.linkMode))
  }
}
