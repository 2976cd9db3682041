import Foundation
import XCTest

@testable import bench

/// Runs that are kept in the repository, one for each kind of machine.
final class KeepTests: XCTestCase {
  private func results(
    cpu: String = "Maker's X-1", ratio: Double = 3, instructions: Double? = nil, benchmark: String = "b",
    marks: [Results.Mark] = []
  ) -> Results {
    var environment = Environment.current
    (environment.cpu, environment.cpuModel, environment.cores) = (cpu, "family 1", 2)
    environment.caches = [Processor.Cache(level: 1, bytes: 32 << 10)]
    environment.date = Date(timeIntervalSince1970: 1_700_000_000)
    environment.loadAverage = 0.1
    environment.arguments = ["run", "--json", "somebody/run.json"]
    var results = Results(kind: .full, environment: environment)
    let time = Results.Time(median: 12, medianAbsoluteDeviation: 0.1)
    let process = Results.Process(median: 12, medianAbsoluteDeviation: 0.1, rounds: 20, operations: 8)
    results.cases = [
      Results.Case(
        suite: "S", benchmark: benchmark, operation: "do it", unit: .operation, size: 64,
        lanes: [
          Results.Lane(
            contender: Contender(name: "Mine", role: .subject), processes: [process], time: time,
            instructions: instructions),
          Results.Lane(
            contender: Contender(name: "Other", role: .peer), time: time,
            ratio: Results.Ratio(median: ratio, low: ratio, high: ratio),
            instructions: instructions.map { 2 * $0 }, marks: marks),
        ])
    ]
    return results
  }

  // MARK: One run

  func testKeptRunIsAResultsFileWithoutProcessesAndPaths() throws {
    let kept = KeptRun(results())
    XCTAssertEqual(kept.name, "maker-s-x-1-family-1-2-cores.json")
    let data = try kept.encoded()
    XCTAssertEqual(try ResultsFile.decode(data), kept.results)
    XCTAssertEqual(kept.results.cases[0].lanes[1].ratio?.median, 3)
    XCTAssertNil(kept.results.cases[0].lanes[0].processes)
    let text = String(decoding: data, as: UTF8.self)
    XCTAssertFalse(text.contains("somebody"))
    XCTAssertEqual(text.split(separator: "\n").count, 3, "a line for each case, between a first and a last one")
  }

  func testKeptRunTakesBarsInstructionsAndExtraCasesFromAnotherRun() {
    var check = results(ratio: 7, instructions: 50)
    check.cases.append(results(benchmark: "only").cases[0])
    check.bars = [
      Results.Verdict(
        id: "a", measured: 1, measuredText: "1.00x", relation: "<=", limit: 2, limitText: "<= 2x", outcome: .held)
    ]
    let kept = KeptRun(results(), with: check).results
    XCTAssertEqual(kept.cases.map(\.id), ["S.b", "S.only"])
    XCTAssertEqual(kept.cases[0].lanes[1].ratio?.median, 3)
    XCTAssertEqual(kept.cases[0].lanes.map(\.instructions), [50, 100])
    XCTAssertEqual(kept.bars?.map(\.id), ["a"])
  }

  func testFlawedRunIsNotKept() {
    XCTAssertEqual(KeptRun.flaws(of: results()), [])
    var busy = results()
    busy.environment.loadAverage = 3
    XCTAssertEqual(KeptRun.flaws(of: busy), ["the machine was busy when it began"])
    XCTAssertEqual(KeptRun.flaws(of: results(marks: [.busy])), ["the machine was busy in 1 of 2 times"])
    var quick = results()
    quick.kind = .quick
    XCTAssertEqual(KeptRun.flaws(of: quick), ["it is a run of the kind quick, and not a full one"])
    var invalid = results()
    invalid.cases[0].problem = "they do not see the same"
    XCTAssertEqual(KeptRun.flaws(of: invalid).count, 1)
  }

  // MARK: Several machines

  private func ratios(_ runs: Results...) -> [String] {
    let machines = Machines(runs.enumerated().map { ("\($0.offset).json", $0.element) })
    return machines.tables.last?.text.split(separator: "\n").map(String.init) ?? []
  }

  func testRatioTableCombinesAllMachines() {
    XCTAssertEqual(
      ratios(
        results(ratio: 3, instructions: 50), results(ratio: 2.5, instructions: 52),
        results(ratio: 4, marks: [.unstable])
      ).last,
      "S.b,64,Other,peer,3,1,2.5,4,faster,50,52,100,104")
    XCTAssertEqual(ratios(results()).last, "S.b,64,Other,peer,1,0,3,3,faster,,,,")
    XCTAssertEqual(ratios(), [])
  }

  func testRatioThatChangesSidesIsReported() {
    func side(_ ratios: Double...) -> String? {
      let lines = Machines(ratios.map { ("a.json", results(ratio: $0)) }).tables.last?.text.split(separator: "\n")
      return lines?.last?.split(separator: ",", omittingEmptySubsequences: false)[8].description
    }
    XCTAssertEqual(side(2.3, 0.94), "changes sides")
    XCTAssertEqual(side(2.3, 1.01), "faster or equal")
    XCTAssertEqual(side(0.5, 1.01), "slower or equal")
    XCTAssertEqual(side(0.97, 1.01), "equal")
  }

  func testMachineTableListsNameCoresCachesAndDate() {
    let text = Machines([("x.json", results())]).tables.first?.text
    let line = text?.split(separator: "\n").last.map(String.init)
    XCTAssertEqual(line?.hasPrefix("x.json,Maker's X-1,family 1,2,L1 32 KiB,2023-11-14,"), true, line ?? "")
  }

  func testFiguresOfTheReadmeAreThoseOfTheRunThatItNames() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardizedFileURL
    let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    let file = try XCTUnwrap(readme.firstMatch(of: #/\[one run\]\(docs/measurements/(.*?)\)/#)).output.1
    let run = try ResultsFile.read(root.appending(path: "docs/measurements/\(file)").path)
    let figures = ReadmeFigures(results: run, file: String(file))
    XCTAssertEqual(figures.inserted(into: readme), readme)
    XCTAssertEqual(figures.text.split(separator: "\n").filter { $0.hasPrefix("| ") }.count, 19, "rows of both tables")
    let chart = RenderCommand.files(for: run).first { $0.name == ReadmeFigures.chart }
    let kept = try String(contentsOf: root.appending(path: "docs/\(ReadmeFigures.chart)"), encoding: .utf8)
    XCTAssertEqual(chart?.text, kept)
  }

  func testTablesInTheRepositoryMatchItsRuns() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/measurements")
      .standardizedFileURL
    for (name, text) in try Machines(in: folder).tables {
      XCTAssertEqual(try String(contentsOf: folder.appending(path: name), encoding: .utf8), text, name)
    }
  }

  func testRowOfTheReadmeThatTheRunLacksIsLeftOut() {
    let figures = ReadmeFigures(results: results(), file: "x.json")
    XCTAssertTrue(figures.text.contains("[one run](docs/measurements/x.json): Maker's X-1 (family 1), 2 cores"))
    XCTAssertTrue(figures.text.contains("14 November 2023"))
    XCTAssertFalse(figures.text.contains("numbers, with undo"))
    let readme = "a\n![c](docs/\(ReadmeFigures.chart))\n\nold\n[How it is measured](b)\n"
    XCTAssertEqual(
      figures.inserted(into: readme),
      "a\n![c](docs/\(ReadmeFigures.chart))\n\n\(figures.text)\n[How it is measured](b)\n")
    XCTAssertNil(figures.inserted(into: "no chart"))
  }

  func testFiguresOfARunStandInTheReadmeWithTheirFactors() throws {
    var run = results(ratio: 0.5)
    (run.cases[0].suite, run.cases[0].benchmark) = ("Draft", "commit")
    run.cases[0].lanes[1].contender = Contender(name: "copy, edit, assign", role: .floor)
    let text = ReadmeFigures(results: run, file: "x.json").text
    XCTAssertTrue(
      text.contains("| edit a draft of 40 strings and commit it | 12.0 ns | copy, edit and assign: 12.0 ns | 2.00 |\n"),
      text)
  }

  // MARK: The command

  func testKeepWritesRunAndTablesAndRefusesRunsOfAnotherMachine() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    func write(_ results: Results, _ name: String) throws -> String {
      let url = folder.appending(path: name)
      try ResultsFile.encode(results).write(to: url)
      return url.path
    }
    let console = Console(print: { _ in }, terminal: .plain, errorTerminal: .plain)
    func code(_ arguments: String...) -> ExitCode {
      do throws(Failure) { return try Bench.run(["keep"] + arguments, on: console) } catch { return error.code }
    }
    let out = folder.appending(path: "measurements")
    let run = try write(results(), "run.json")
    XCTAssertEqual(code(run), .usage)
    XCTAssertEqual(code(run, "--out", out.path, "--bars", try write(results(cpu: "Y"), "y.json")), .nothingToCompare)
    XCTAssertEqual(code(try write(results(marks: [.busy]), "busy.json"), "--out", out.path), .invalidRun)
    XCTAssertFalse(FileManager.default.fileExists(atPath: out.path), "nothing is written of what is refused")
    XCTAssertEqual(code(run, "--out", out.path, "--bars", run), .success)
    XCTAssertEqual(
      try FileManager.default.contentsOfDirectory(atPath: out.path).sorted(),
      ["machines.csv", "maker-s-x-1-family-1-2-cores.json", "ratios.csv"])
    try Data("{}".utf8).write(to: out.appending(path: "other.json"))
    XCTAssertEqual(code(run, "--out", out.path), .dataError)
  }
}
