import Foundation
import XCTest

@testable import bench

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// Charts, pages and tables: well-formed whatever was measured.
final class RenderTests: XCTestCase {
  private func lane(
    _ name: String, _ role: Contender.Role, time: Double?, ratio: Double?, live: Int?, marks: [Results.Mark] = []
  ) -> Results.Lane {
    Results.Lane(
      contender: Contender(name: name, role: role),
      time: time.flatMap { time in
        Results.Time(
          [0.5, 1, 1.5].map {
            .init(median: time * $0, medianAbsoluteDeviation: 0, rounds: 9, operations: 1)
          })
      },
      ratio: ratio.flatMap { ratio in
        Results.Ratio([0.9, 1, 1.1].map { .init(median: ratio * $0, low: ratio * $0, high: ratio * $0) })
      },
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

  /// What measurements may look like when nothing went well.
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
    let text = text.replacing("<!DOCTYPE html>\n", with: "")
    let parser = XMLParser(data: Data(text.utf8))
    XCTAssertTrue(parser.parse(), "\(name): \(String(describing: parser.parserError))", file: file, line: line)
    for word in ["nan", "inf"] {
      let attribute = #""[^"]*\b-?\#(word)\b[^"]*""#
      XCTAssertNil(text.range(of: attribute, options: .regularExpression), "\(name): \(word)", file: file, line: line)
    }
  }

  func testEveryFileIsWellFormedWhateverWasMeasured() {
    for results in [ordinary, degenerate, results([])] {
      for (name, text) in RenderCommand.files(for: results) where name.hasSuffix("svg") || name.hasSuffix("html") {
        assertWellFormed(text, name)
      }
    }
  }

  func testAChartForTimesMemoryAndRatios() {
    XCTAssertEqual(
      Charts(ordinary).all.map(\.name), ["Queue.ratios", "Queue.steady.time", "Queue.steady.memory"])
  }

  func testFilesHaveNamesAndNoPaths() {
    for (name, _) in RenderCommand.files(for: degenerate) { XCTAssertFalse(name.contains("/"), name) }
  }

  func testChartsNeedNothingFromElsewhere() {
    for (name, text) in RenderCommand.files(for: ordinary) {
      let text = text.replacing("http://www.w3.org/2000/svg", with: "")
      for word in ["http:", "https:", "src=", "@import", "url("] {
        XCTAssertFalse(text.contains(word), "\(name) \(word)")
      }
    }
  }

  func testChartsSuitLightAndDark() {
    for chart in Charts(ordinary).all { XCTAssertTrue(chart.drawing.svg.contains("prefers-color-scheme:dark")) }
  }

  func testChartsAreToldInWordsToo() throws {
    let chart = try XCTUnwrap(Charts(ordinary).all.first { $0.name == "Queue.steady.time" })
    XCTAssertTrue(
      chart.drawing.description.contains("Mine: 12 ns at n = 16, 12 ns at n = 1,024"), chart.drawing.description)
    XCTAssertTrue(chart.drawing.description.contains("~ n^1.00"))
    XCTAssertTrue(chart.drawing.svg.contains("<desc>"))
    let ratios = try XCTUnwrap(Charts(ordinary).all.first)
    XCTAssertTrue(ratios.drawing.description.contains("nothing takes 0.25 times as long"))
  }

  func testThePageHoldsEveryChartAndEveryFigure() {
    let html = Page(results: ordinary, charts: Charts(ordinary)).html
    XCTAssertEqual(html.components(separatedBy: "<svg").count - 1, 2 * 3, "for phones and for wide screens")
    XCTAssertEqual(html.components(separatedBy: "<tr><td").count - 1, 12)
    XCTAssertTrue(html.contains("Array | &lt;firstIndex&gt;"))
  }

  func testThePageBeginsWithTheVerdictAndHasALegend() throws {
    let html = Page(results: ordinary, charts: Charts(ordinary)).html
    let verdict = try XCTUnwrap(html.range(of: "Faster in 4 of 4 comparisons"))
    XCTAssertLessThan(verdict.upperBound, try XCTUnwrap(html.range(of: "<svg")).lowerBound)
    for sentence in Conclusion(ordinary.cases).sentences { XCTAssertTrue(html.contains(Drawing.escaped(sentence))) }
    XCTAssertTrue(html.contains("<i class=\"slower\"></i>Unsaved is slower"))
    XCTAssertEqual(html.components(separatedBy: "unstable: ").count - 1, 1, "a caveat is said once")
    XCTAssertTrue(html.contains("name=\"viewport\""))
  }

  func testAnInvalidRunHasNoVerdict() {
    var invalid = ordinary
    invalid.cases[0].problem = "they do not see the same"
    let html = Page(results: invalid, charts: Charts(invalid)).html
    XCTAssertFalse(html.contains("Faster in"))
    XCTAssertTrue(html.contains("Invalid: Queue.steady n=16: they do not see the same"))
  }

  func testNothingIsDrawnOutsideOfItsWidth() throws {
    for chart in Charts(ordinary).all + Charts(farApart).all {
      for width in DrawingWidth.allCases {
        let svg = chart.chart.drawing(width).svg
        for match in svg.matches(of: #/ x[12]?="(-?[0-9.]+)"/#) {
          let x = try XCTUnwrap(Double(match.1))
          XCTAssertTrue((0...width.rawValue).contains(x), "\(chart.name) \(width): \(x)")
        }
        for match in svg.matches(of: #/<text x="([0-9.]+)" y="[0-9.]+" text-anchor="start" class="([^"]*)">([^<]*)</#) {
          let size = match.2.contains("title") ? 15.0 : match.2.contains("small") ? 11 : 12
          let end =
            try XCTUnwrap(Double(match.1))
            + Drawing.width(
              of: String(match.3.replacing(#/&[a-z]+;/#, with: "x")), size: size)
          XCTAssertLessThanOrEqual(end, width.rawValue + 4, "\(chart.name) \(width): \(match.3)")
        }
      }
    }
  }

  /// Factors that only a logarithmic scale shows side by side.
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

  func testFactorsThatAreFarApartAreDrawnByALogarithmicScale() throws {
    let svg = try XCTUnwrap(Charts(farApart).all.first).drawing.svg
    let widths = svg.matches(of: #/<rect [^>]*width="([0-9.]+)"[^>]*class="f c0"/#).compactMap { Double($0.1) }
    XCTAssertEqual(widths.count, 2)
    XCTAssertGreaterThan(widths[1] * 100, widths[0], "the small factor is seen beside one a million times as large")
    XCTAssertTrue(svg.contains("Logarithmic"))
  }

  func testTextIsBrokenBetweenWords() {
    XCTAssertEqual(Drawing.lines(of: "a few short words", size: 10, width: 60), ["a few", "short", "words"])
    XCTAssertEqual(Drawing.lines(of: "unbreakable", size: 10, width: 5), ["unbreakable"])
    XCTAssertEqual(Drawing.lines(of: "", size: 10, width: 5), [])
  }

  // MARK: Axes

  func testAxesHaveAFewRoundTicks() {
    func ticks(_ kind: Scale.Kind, _ values: Double...) -> [Double] {
      Scale(kind, covering: values, from: 0, to: 100).ticks
    }
    XCTAssertEqual(ticks(.logarithmic, 16, 1_048_576), [100, 1000, 10_000, 100_000, 1_000_000])
    XCTAssertEqual(ticks(.logarithmic, 9, 110), [10, 20, 50, 100])
    XCTAssertEqual(ticks(.linear, 3, 46), [0, 10, 20, 30, 40])
    for spread in [1.0, 1.01, 3, 40, 1e4, 1e9, 1e15] {
      XCTAssertTrue((2...8).contains(ticks(.logarithmic, 7, 7 * spread).count), "\(spread)")
      XCTAssertTrue((3...8).contains(ticks(.linear, 7, 7 * spread).count), "\(spread)")
    }
  }

  func testScalesRunFromEndToEnd() {
    let scale = Scale(.logarithmic, covering: [1, 100], from: 0, to: 100)
    XCTAssertEqual(scale(10), 50, accuracy: 0.001)
    XCTAssertEqual(scale(1e-9), 0, "what lies outside is drawn at the edge")
  }

  func testAxesAreWrittenInTheUnitThatSuits() {
    XCTAssertEqual([0.5, 20, 1000, 2.5e6, 3e9].map(AxisFormat.time), ["0.5 ns", "20 ns", "1 µs", "2.5 ms", "3 s"])
    XCTAssertEqual([16, 1000, 65_536, 1e6].map(AxisFormat.size), ["16", "1,000", "65,536", "1M"])
    XCTAssertEqual([8, 9000, 20_480].map(AxisFormat.bytes), ["8 B", "9,000 B", "20 KiB"])
  }

  // MARK: Tables

  func testCSVHasALineForEachContenderAndQuotesWhatHasToBe() {
    let lines = Export(results: ordinary).csv.split(separator: "\n")
    XCTAssertEqual(lines.count, 1 + 12)
    XCTAssertTrue(lines[0].hasPrefix("suite,benchmark,unit,n,contender,role,ns,"))
    XCTAssertTrue(lines[2].contains(#","Array | <firstIndex>, ""quoted""","#), String(lines[2]))
    XCTAssertEqual(lines[1], "Queue,steady,operation,16,Mine,subject,12.0,6.0,18.0,,,,0.1875,3.0,640,,,")
  }

  func testMarkdownEscapesItsOwnSigns() {
    let markdown = Export(results: ordinary).markdown
    XCTAssertTrue(markdown.contains("## Queue.steady\n"))
    XCTAssertTrue(markdown.contains(#"| Array \| <firstIndex>, "quoted" |"#))
    XCTAssertTrue(markdown.contains("| 16 | Mine | 12.0 |  |  | 0.188 | 3 | 640 B | n/a |  |"), markdown)
  }

  // MARK: The command

  func testRenderWritesEveryFileAndSaysWhatIsWrong() throws {
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
    let pictures = folder.appendingPathComponent("pictures")
    let canDraw = Tool("rsvg-convert").succeeds("--version")
    XCTAssertEqual(code(json.path, "--out", pictures.path, "--png"), canDraw ? .success : .cannotCreate)
    let names = try FileManager.default.contentsOfDirectory(atPath: pictures.path)
    XCTAssertEqual(
      names.filter { $0.hasSuffix(".png") }.count, canDraw ? names.filter { $0.hasSuffix(".svg") }.count : 0)
    XCTAssertEqual(code(json.path), .usage)
    XCTAssertEqual(code("/nonexistent.json", "--out", out.path), .noInput)
    XCTAssertEqual(code(json.path, "--out", json.path), .cannotCreate)
  }
}
