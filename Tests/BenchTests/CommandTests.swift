import FileChanges
import Foundation
import XCTest

@testable import bench

/// The exit codes and messages of `bench` for its arguments.
final class CommandTests: XCTestCase {
  private struct Answer: Equatable {
    var code: ExitCode
    var output: String
    var error: String?
  }

  private func bench(_ arguments: String...) -> Answer {
    var output = ""
    let console = Console(print: { output += $0 + "\n" }, terminal: .plain, errorTerminal: .plain)
    do throws(Failure) {
      return Answer(code: try Bench.run(arguments, on: console), output: output)
    } catch {
      return Answer(code: error.code, output: output, error: error.message)
    }
  }

  private func assertUsageError(
    _ answer: Answer, _ message: String, file: StaticString = #filePath, line: UInt = #line
  ) {
    XCTAssertEqual(answer, Answer(code: .usage, output: "", error: message), file: file, line: line)
    XCTAssertEqual(message.contains("\n"), false, file: file, line: line)
  }

  // MARK: Exit codes

  func testExitCodesMatchTheDocumentation() {
    XCTAssertEqual(ExitCode.success.rawValue, 0)
    XCTAssertEqual(ExitCode.invalidRun.rawValue, 1)
    XCTAssertEqual(ExitCode.fellShort.rawValue, 2)
    XCTAssertEqual(ExitCode.nothingToCompare.rawValue, 5)
    XCTAssertEqual(ExitCode.usage.rawValue, 64)
    XCTAssertEqual(ExitCode.dataError.rawValue, 65)
    XCTAssertEqual(ExitCode.noInput.rawValue, 66)
    XCTAssertEqual(ExitCode.cannotCreate.rawValue, 73)
    XCTAssertEqual(ExitCode.unfitBuild.rawValue, 78)
  }

  // MARK: Help

  func testHelpNamesEveryCommandAndEveryCommandHasHelp() {
    for spelling in ["--help", "-h", "help"] {
      let answer = bench(spelling)
      XCTAssertEqual(answer.code, .success)
      for command in Command.all { XCTAssertTrue(answer.output.contains("  " + command.name + " ")) }
    }
    for command in Command.all {
      for spelling in ["--help", "-h"] {
        let answer = bench(command.name, spelling)
        XCTAssertEqual(answer.code, .success)
        XCTAssertTrue(answer.output.hasPrefix(command.summary))
        XCTAssertTrue(answer.output.contains("usage: bench \(command.name)"))
      }
    }
  }

  func testHelpTakesPrecedenceOverErrors() {
    XCTAssertEqual(bench("run", "--nonsense", "--help").code, .success)
  }

  func testHelpOfRunShowsItsOptions() {
    let help = bench("run", "--help").output
    for option in [
      "--suite S", "--filter REGEX", "--sizes N,N", "--json FILE", "--quick", "--processes N", "--sweep",
      "--instructions", "--randomised", "--seed N",
    ] {
      XCTAssertTrue(help.contains(option), option)
    }
  }

  // MARK: Usage errors

  func testUnknownWordsAreUsageErrors() {
    assertUsageError(bench("rnu"), "unknown command 'rnu'; see 'bench --help'")
    assertUsageError(bench("--quick"), "unknown option '--quick'; see 'bench --help'")
    assertUsageError(bench("run", "--fast"), "unknown option '--fast'; see 'bench run --help'")
    assertUsageError(bench("list", "--sizes", "4"), "unknown option '--sizes'; see 'bench list --help'")
    assertUsageError(bench("run", "-x=3"), "unknown option '-x'; see 'bench run --help'")
    assertUsageError(bench("run", "queue"), "unexpected argument 'queue'; see 'bench run --help'")
    assertUsageError(bench("run", "--", "--quick"), "unexpected argument '--quick'; see 'bench run --help'")
  }

  func testMissingAndSuperfluousValuesAreUsageErrors() {
    assertUsageError(bench("run", "--suite"), "--suite is missing its value; see 'bench run --help'")
    assertUsageError(bench("run", "--json="), "--json is missing its value; see 'bench run --help'")
    assertUsageError(bench("run", "--json", ""), "--json is missing its value; see 'bench run --help'")
    assertUsageError(bench("run", "--quick=yes"), "--quick takes no value; see 'bench run --help'")
    assertUsageError(bench("trace"), "FILE.json is missing; see 'bench trace --help'")
    assertUsageError(bench("trace", "a", "b"), "unexpected argument 'b'; see 'bench trace --help'")
  }

  func testBadValuesAreUsageErrors() {
    for sizes in ["0", "-4", "x", "4,,8", "4,", ",", "1.5", "99999999999999999999", "1,2,1000000000"] {
      assertUsageError(
        bench("run", "--sizes", sizes), "--sizes expects positive numbers, separated by commas, and '\(sizes)' is not")
    }
    for seed in ["-1", "x", "18446744073709551616"] {
      assertUsageError(
        bench("check", "--seed", seed), "--seed expects a number from 0 to 2^64 - 1, and '\(seed)' is not")
    }
    assertUsageError(bench("run", "--filter", "("), "--filter expects a regular expression, and '(' is not")
    let suites = Suite.all.map(\.name).joined(separator: ", ")
    assertUsageError(bench("memory", "--suite=Nope"), "--suite expects one of \(suites), and 'Nope' is not")
  }

  func testFilterThatMatchesNothingIsAnError() {
    assertUsageError(
      bench("list", "--filter", "^no such$"), "no benchmark has an id that '^no such$' matches; see 'bench list'")
  }

  // MARK: list

  func testListNamesEveryBenchmark() {
    let answer = bench("list")
    XCTAssertEqual(answer.code, .success)
    for benchmark in Suite.all.flatMap(\.benchmarks) {
      XCTAssertTrue(answer.output.contains(benchmark.id + ": "), benchmark.id)
    }
  }

  func testListAcceptsASuiteInAnyCaseAndAFilter() {
    XCTAssertEqual(bench("list", "--suite", "harness"), bench("list", "--suite=HARNESS"))
    let output = bench("list", "--suite", "Harness", "--filter", "sa.e.words$").output
    XCTAssertTrue(output.hasPrefix("Harness.same.words: "))
    XCTAssertFalse(output.contains("Harness.queue"))
  }

  // MARK: Builds that cannot measure

  func testOnlyAnOptimizedBuildWithoutChecksMayMeasure() {
    XCTAssertNoThrow(try Build(isOptimised: true, checksInvariants: false).requireFit())
    for build in [
      Build(isOptimised: false, checksInvariants: false), Build(isOptimised: true, checksInvariants: true),
      Build(isOptimised: false, checksInvariants: true),
    ] {
      XCTAssertThrowsError(try build.requireFit()) { error in
        XCTAssertEqual((error as? Failure)?.code, .unfitBuild)
      }
    }
  }

  #if DEBUG
    func testDebugBuildRefusesToMeasure() {
      for arguments in [[], ["run"], ["run", "--quick"], ["memory"], ["check"]] {
        var printed = false
        let console = Console(print: { _ in printed = true }, terminal: .plain, errorTerminal: .plain)
        XCTAssertThrowsError(try Bench.run(arguments, on: console)) { error in
          XCTAssertEqual((error as? Failure)?.code, .unfitBuild)
        }
        XCTAssertFalse(printed)
      }
    }
  #endif

  // MARK: saving

  func testSavingTakesAWholeNumberOfSeconds() {
    assertUsageError(bench("saving", "--seconds", "0"), "--seconds expects a whole number from 1 to 60, and '0' is not")
  }

  func testEveryWayOfSavingSavesTheFiles() async throws {
    let saving = DurableSaving(files: 3, tasks: 2, duration: .milliseconds(20))
    for way in DurableSaving.Way.allCases {
      let isInstalled = way == .database ? SQLite.isInstalled : way == .lmdb ? LMDB.isInstalled : true
      let outcome = try await saving.outcome(way)
      XCTAssertEqual(outcome.map { $0.saves > 0 }, isInstalled ? true : nil, way.title)
    }
  }

  // MARK: trace

  func testUnreadableFileAndInvalidTraceHaveDifferentErrors() throws {
    let missing = bench("trace", "/nonexistent/trace.json")
    XCTAssertEqual(missing.code, .noInput)
    XCTAssertEqual(missing.error?.hasPrefix("cannot read /nonexistent/trace.json"), true)

    let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString + ".json")
    defer { try? FileManager.default.removeItem(at: url) }
    try Data(#"{"startContent":"","endContent":"","txns":[{"patches":[[0,1,""]]}]}"#.utf8).write(to: url)
    XCTAssertEqual(
      bench("trace", url.path),
      Answer(
        code: .dataError, output: "",
        error: "\(url.path) is not an editing trace: txns[0].patches[0] deletes 1 at 0, and the text has 0 scalars")
    )
  }
}
