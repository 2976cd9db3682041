import XCTest

@testable import bench

/// The table of `bench` without arguments.
final class QuickTableTests: XCTestCase {
  private func result(_ row: QuickTable.Row, _ ratio: Double, marks: [Results.Mark] = []) -> Results.Case {
    let parts = row.id.split(separator: ".", maxSplits: 1).map(String.init)
    return Results.Case(
      suite: parts[0], benchmark: parts[1], operation: "work", unit: .operation, size: nil,
      lanes: [
        Results.Lane(
          contender: Contender(name: "Mine", role: .subject),
          time: Results.Time(median: 1200, medianAbsoluteDeviation: 1),
          memory: Results.Memory(operations: 10, allocations: 10, requestedBytes: 320)),
        Results.Lane(
          contender: Contender(name: row.other, role: .peer),
          time: Results.Time(median: 1200 * ratio, medianAbsoluteDeviation: 1),
          ratio: Results.Ratio(median: ratio, low: 0.99 * ratio, high: 1.01 * ratio), marks: marks),
      ])
  }

  private func table(_ cases: [Results.Case]) -> [String] {
    var results = Results(kind: .quick, environment: .current)
    results.cases = cases
    return Report(terminal: .plain).quickTable(results).split(separator: "\n").map(String.init)
  }

  func testEachRowComparesTwoContendersOfABenchmark() throws {
    let benchmarks = Dictionary(uniqueKeysWithValues: Suite.all.flatMap(\.benchmarks).map { ($0.id, $0) })
    for row in QuickTable.rows {
      let contenders = try XCTUnwrap(benchmarks[row.id], row.id).contenders.dropFirst()
      XCTAssertTrue(contenders.contains { $0.name == row.other }, "\(row.id): \(row.other)")
    }
    XCTAssertEqual(Set(QuickTable.rows.map(\.id)).count, QuickTable.rows.count)
  }

  func testTableFitsOnTwoScreens() {
    let lines = table(QuickTable.rows.map { result($0, 12_345, marks: [.busy]) })
    XCTAssertEqual(lines.count, QuickTable.rows.count + 2)
    XCTAssertLessThanOrEqual(lines.count, 40)
    XCTAssertLessThanOrEqual(lines.map(\.count).max() ?? 0, 150)
  }

  func testRowsSayWhichTakesLonger() throws {
    let rows = Array(QuickTable.rows.prefix(4))
    let lines = table([
      result(rows[0], 4), result(rows[1], 1.01), result(rows[2], 0.25), result(rows[3], 4, marks: [.unstable]),
    ])
    XCTAssertEqual(lines.count, 6)
    XCTAssertTrue(lines[1].contains("1.20 µs"), lines[1])
    XCTAssertTrue(lines[1].contains("4.80 µs"), lines[1])
    XCTAssertTrue(lines[1].contains(" 32 B"), lines[1])
    let verdicts = ["1/4.00 of the time", "the same time", "4.00 times as long", "1/4.00? of the time"]
    for (line, verdict) in zip(lines.dropFirst(), verdicts) { XCTAssertTrue(line.hasSuffix(verdict), line) }
    XCTAssertTrue(lines[5].hasPrefix("?"), lines[5])
  }

  func testRowWithoutFiguresIsLeftOut() {
    var failed = result(QuickTable.rows[0], 4)
    failed.lanes[1].ratio = nil
    XCTAssertEqual(table([failed, result(QuickTable.rows[1], 4)]).count, 2)
  }

  func testTimesHaveAUnitThatFits() {
    XCTAssertEqual(
      [0.5, 999.4, 999.6, 12_345, 2.5e6, 3e9].map { Format.time($0) },
      ["0.500 ns", "999 ns", "1.00 µs", "12.3 µs", "2.50 ms", "3.00 s"])
  }
}
