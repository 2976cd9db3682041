import Foundation
import XCTest

@testable import bench

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// Charts of ordinary and of extreme results.
final class RenderTests: XCTestCase {
  private func lane(
    _ name: String, _ role: Contender.Role, time: Double?, ratio: Double?, live: Int?, marks: [Results.Mark] = []
  ) -> Results.Lane {
    Results.Lane(
      contender: Contender(name: name, role: role),
      processes: time.map { time in
        [0.5, 1, 1.5].map { .init(median: time * $0, medianAbsoluteDeviation: 0, rounds: 9, operations: 1) }
      },
      time: time.map { Results.Time(median: $0, medianAbsoluteDeviation: 0) },
      ratio: ratio.map { Results.Ratio(median: $0, low: 0.9 * $0, high: 1.1 * $0) },
      memory: live.map { Results.Memory(operations: 16, allocations: 3, requestedBytes: 48, liveBytes: $0) },
      marks: marks)
  }

  private func results(_ cases: [Results.Case]) -> Results {
    var results = Results(
      kind: .full,
      environment: Environment(
        date: Date(timeIntervalSince1970: 0), cpu: "CPU <&> \"x\"", cores: 2, operatingSystem: "OS", swift: "6.3",
        linkMode: "dynamic", hashing: "deterministic", countsAllocations: true, traits: [], arguments: []))
    results.cases = cases
    results.growth = Results.Growth.all(in: cases)
    return results
  }

  private var ordinary: Results {
    results(
      [16, 64, 256, 1024].map { n in
        Results.Case(
          suite: "Queue", benchmark: "steady", operation: "append & <pop>", unit: .operation, size: n,
          lanes: [
            lane("Mine", .subject, time: 12, ratio: nil, live: 40 * n),
            lane("Array | <firstIndex>, \"quoted\"", .peer, time: Double(n), ratio: Double(n) / 12, live: 16 * n),
            lane("nothing", .floor, time: 3, ratio: 0.25, live: nil, marks: n == 64 ? [.unstable] : []),
          ])
      })
  }

  /// Results with extreme and missing figures.
  private var degenerate: Results {
    results([
      Results.Case(
        suite: "A/B", benchmark: "zero", operation: "", unit: .element, size: 16,
        lanes: [
          lane("a", .subject, time: 0, ratio: nil, live: 0), lane("b", .peer, time: 0, ratio: 0, live: -64),
        ]),
      Results.Case(
        suite: "A/B", benchmark: "zero", operation: "", unit: .element, size: 64,
        lanes: [
          lane("a", .subject, time: .infinity, ratio: nil, live: 1),
          lane("b", .peer, time: .infinity, ratio: .infinity, live: 1 << 60),
        ]),
      Results.Case(
        suite: "A/B", benchmark: "one size", operation: "\u{1}", unit: .operation, size: nil,
        lanes: [lane("a", .subject, time: 1, ratio: nil, live: nil), lane("b", .peer, time: 1, ratio: 1e9, live: nil)]),
      Results.Case(
        suite: "C", benchmark: "nothing", operation: "", unit: .operation, size: 8,
        lanes: [lane("a", .subject, time: nil, ratio: nil, live: nil, marks: [.cutOff])], problem: "crashed\nhard"),
    ])
  }

  private func assertWellFormed(_ text: String, _ name: String, file: StaticString = #filePath, line: UInt = #line) {
    let parser = XMLParser(data: Data(text.utf8))
    XCTAssertTrue(parser.parse(), "\(name): \(String(describing: parser.parserError))", file: file, line: line)
    for word in ["nan", "inf"] {
      let attribute = #""[^"]*\b-?\#(word)\b[^"]*""#
      XCTAssertNil(text.range(of: attribute, options: .regularExpression), "\(name): \(word)", file: file, line: line)
    }
  }

  func testEveryFileIsWellFormedForAnyResults() {
    for results in [ordinary, degenerate, results([])] {
      for (name, text) in RenderCommand.files(for: results) { assertWellFormed(text, name) }
    }
  }

  func testBenchmarkWithTimesAtTwoSizesHasAChart() {
    XCTAssertEqual(RenderCommand.files(for: ordinary).map(\.name), ["Queue.steady.time.svg"])
    var one = ordinary
    one.cases.removeLast(3)
    XCTAssertEqual(RenderCommand.files(for: one).map(\.name), [])
  }

  func testFileNamesContainNoSlashes() {
    var slashed = ordinary
    for index in slashed.cases.indices { slashed.cases[index].suite = "A/B" }
    XCTAssertEqual(RenderCommand.files(for: slashed).map(\.name), ["A-B.steady.time.svg"])
  }

  func testChartsReferenceNoExternalResources() {
    for (name, text) in RenderCommand.files(for: ordinary) {
      let text = text.replacing("http://www.w3.org/2000/svg", with: "")
      for word in ["http:", "https:", "src=", "@import", "url("] {
        XCTAssertFalse(text.contains(word), "\(name) \(word)")
      }
    }
  }

  func testChartsSupportDarkMode() {
    for chart in TimeChart.all(of: ordinary) {
      XCTAssertTrue(chart.drawing.svg.contains("prefers-color-scheme:dark"))
    }
  }

  func testChartsHaveADescriptionInWords() throws {
    let chart = try XCTUnwrap(TimeChart.all(of: ordinary).first)
    XCTAssertTrue(
      chart.drawing.description.contains("Mine: 12 ns at n = 16, 12 ns at n = 1,024"), chart.drawing.description)
    XCTAssertTrue(chart.drawing.description.contains("~ n^1.00"))
    XCTAssertTrue(chart.drawing.svg.contains("<desc>"))
  }

  func testNothingIsDrawnOutsideTheWidth() throws {
    for chart in TimeChart.all(of: ordinary) + TimeChart.all(of: farApart) {
      let svg = chart.drawing.svg
      for match in svg.matches(of: #/ x[12]?="(-?[0-9.]+)"/#) {
        let x = try XCTUnwrap(Double(match.1))
        XCTAssertTrue((0...Drawing.width).contains(x), "\(chart.id): \(x)")
      }
      for match in svg.matches(of: #/<text x="([0-9.]+)" y="[0-9.]+" text-place="start" class="([^"]*)">([^<]*)</#) {
        let size = match.2.contains("title") ? 15.0 : match.2.contains("small") ? 11 : 12
        let text = String(match.3.replacing(#/&[a-z]+;/#, with: "x"))
        let end = try XCTUnwrap(Double(match.1)) + Drawing.width(of: text, size: size)
        XCTAssertLessThanOrEqual(end, Drawing.width + 4, "\(chart.id): \(match.3)")
      }
    }
  }

  /// Times that differ by orders of magnitude, and a name that is too long.
  private var farApart: Results {
    results(
      [16, 1024].map { n in
        Results.Case(
          suite: "Far", benchmark: "apart", operation: "an operation that takes many words to say what it does to whom",
          unit: .operation, size: n,
          lanes: [
            lane("Mine", .subject, time: 1, ratio: nil, live: 1),
            lane("a very long name of a design that nobody can shorten", .peer, time: 5e6, ratio: 5e6, live: 9_000_000),
            lane("near", .peer, time: 1.2, ratio: 1.2, live: 2),
          ])
      })
  }

  func testTextIsBrokenBetweenWords() {
    XCTAssertEqual(Drawing.lines(of: "a few short words", size: 10, width: 60), ["a few", "short", "words"])
    XCTAssertEqual(Drawing.lines(of: "unbreakable", size: 10, width: 5), ["unbreakable"])
    XCTAssertEqual(Drawing.lines(of: "", size: 10, width: 5), [])
  }

  // MARK: Axes

  func testAxesHaveAFewRoundTicks() {
    func ticks(_ values: Double...) -> [Double] { Axis(covering: values, from: 0, to: 100).ticks }
    XCTAssertEqual(ticks(16, 1_048_576), [100, 1000, 10_000, 100_000, 1_000_000])
    XCTAssertEqual(ticks(9, 110), [10, 20, 50, 100])
    for spread in [1.0, 1.01, 3, 40, 1e4, 1e9, 1e15] {
      XCTAssertTrue((2...8).contains(ticks(7, 7 * spread).count), "\(spread)")
    }
  }

  func testAxesRunFromEndToEnd() {
    let axis = Axis(covering: [1, 100], from: 0, to: 100)
    XCTAssertEqual(axis(10), 50, accuracy: 0.001)
    XCTAssertEqual(axis(1e-9), 0, "what lies outside is drawn at the edge")
  }

  func testAxisLabelsUseASuitableUnit() {
    XCTAssertEqual([0.5, 20, 1000, 2.5e6, 3e9].map(Axis.time), ["0.5 ns", "20 ns", "1 µs", "2.5 ms", "3 s"])
    XCTAssertEqual([16, 1000, 65_536, 1e6].map(Axis.size), ["16", "1,000", "65,536", "1M"])
  }

  // MARK: The command

  func testRenderWritesEveryFileAndReportsErrors() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let json = folder.appendingPathComponent("r.json")
    try ResultsFile.encode(ordinary).write(to: json)
    let console = Console(print: { _ in }, terminal: .plain, errorTerminal: .plain)
    func code(_ arguments: String...) -> ExitCode {
      do throws(Failure) { return try Bench.run(["render"] + arguments, on: console) } catch { return error.code }
    }
    let out = folder.appendingPathComponent("a/b")
    XCTAssertEqual(code(json.path, "--out", out.path), .success)
    XCTAssertEqual(
      try FileManager.default.contentsOfDirectory(atPath: out.path).sorted(),
      RenderCommand.files(for: ordinary).map(\.name).sorted())
    XCTAssertEqual(code(json.path), .usage)
    XCTAssertEqual(code("/nonexistent.json", "--out", out.path), .noInput)
    XCTAssertEqual(code(json.path, "--out", json.path), .cannotCreate)
  }
}
