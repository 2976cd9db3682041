import Foundation
import Unsaved
import XCTest

@testable import bench

final class EditingTraceTests: XCTestCase {
  typealias Patch = (Int, Int, String)

  private func trace(_ start: String, _ end: String, _ transactions: [[Patch]]) throws -> EditingTrace {
    let object: [String: Any] = [
      "startContent": start, "endContent": end,
      "txns": transactions.map { patches in
        ["time": "2020-10-18T07:27:11.000Z", "patches": patches.map { [$0.0, $0.1, $0.2] as [Any] }] as [String: Any]
      },
    ]
    return try EditingTrace(json: JSONSerialization.data(withJSONObject: object))
  }

  private func errorOfTrace(_ start: String, _ end: String, _ transactions: [[Patch]]) -> TraceError? {
    errorOf { try trace(start, end, transactions) }
  }

  private func errorOfJSON(_ text: String) -> TraceError? {
    errorOf { try EditingTrace(json: Data(text.utf8)) }
  }

  private func errorOf(_ body: () throws -> EditingTrace) -> TraceError? {
    do {
      _ = try body()
      return nil
    } catch {
      return error as? TraceError
    }
  }

  // MARK: Reading

  func testTransactionsGroupTheEditsInOrder() throws {
    let trace = try trace("ab", "aXY", [[(1, 0, "X")], [], [(2, 1, ""), (2, 0, "Y")]])
    XCTAssertEqual(trace.transactions, [0..<1, 1..<1, 1..<3])
    XCTAssertEqual(
      trace.edits,
      [
        EditingTrace.Edit(range: 1..<1, text: "X"), EditingTrace.Edit(range: 2..<3, text: ""),
        EditingTrace.Edit(range: 2..<2, text: "Y"),
      ])
    XCTAssertEqual(trace.replayed(), "aXY")
  }

  func testScalarPositionsBecomeUTF8Offsets() throws {
    // é has 2 bytes, 漢 has 3, 😀 has 4. An e with a combining accent is two scalars but one character.
    let trace = try trace("é漢😀e\u{301}!", "é漢-e?!", [[(2, 1, "-")], [(4, 1, "?")]])
    XCTAssertEqual(trace.edits.map(\.range), [5..<9, 7..<9])
    XCTAssertEqual(trace.replayed(), "é漢-e?!")
  }

  func testPatchMayCutACharacterInTwo() throws {
    let family = "👨‍👩‍👧"
    XCTAssertEqual(family.count, 1)
    let trace = try trace(family, "👨👧", [[(1, 3, "")]])
    XCTAssertEqual(trace.edits[0].range, 4..<14)
  }

  func testEmptyTraceIsValid() throws {
    let trace = try trace("same", "same", [])
    XCTAssertTrue(trace.edits.isEmpty && trace.transactions.isEmpty)
  }

  func testUnknownMembersAreIgnored() throws {
    let json = #"{"startContent":"","endContent":"a","txns":[{"agent":3,"patches":[[0,0,"a"]]}],"kind":"seq"}"#
    XCTAssertEqual(try EditingTrace(json: Data(json.utf8)).edits.count, 1)
  }

  // MARK: Errors

  func testPatchBeyondTheTextIsNamedInTheError() {
    let error = errorOfTrace("abc", "abc", [[(0, 0, "x")], [(1, 1, "y"), (3, 2, "")]])
    XCTAssertEqual(error?.description, "txns[1].patches[1] deletes 2 at 3, and the text has 4 scalars")
  }

  func testInvalidPositionsAndCountsAreNamedInTheError() {
    XCTAssertEqual(errorOfTrace("abc", "abc", [[(-1, 0, "x")]])?.place, "txns[0].patches[0]")
    XCTAssertEqual(errorOfTrace("abc", "abc", [[(0, -1, "x")]])?.place, "txns[0].patches[0]")
    XCTAssertEqual(errorOfTrace("abc", "abc", [[(4, 0, "x")]])?.place, "txns[0].patches[0]")
    XCTAssertEqual(errorOfTrace("abc", "abc", [[(1, .max, "x")]])?.place, "txns[0].patches[0]")
  }

  func testWrongEndContentIsReported() {
    let error = errorOfTrace("é", "éy", [[], [(1, 0, "x")]])
    XCTAssertEqual(
      error?.description,
      "the last edit leaves a text that differs from endContent at UTF-8 offset 2 (3 bytes, not 3)")
  }

  func testEndContentIsComparedByItsScalars() {
    // Equal as Swift strings, but not the same text.
    XCTAssertEqual("\u{E9}", "e\u{301}")
    XCTAssertNotNil(errorOfTrace("", "e\u{301}", [[(0, 0, "\u{E9}")]]))
  }

  func testInputThatIsNotATraceIsRefused() {
    XCTAssertEqual(errorOfJSON("")?.description, "it is not JSON")
    XCTAssertEqual(errorOfJSON("<p>")?.description, "it is not JSON")
    XCTAssertNotNil(errorOfJSON("[]"))
    XCTAssertEqual(errorOfJSON("{}")?.description, "has no startContent")
    XCTAssertEqual(
      errorOfJSON(#"{"startContent":1,"endContent":"","txns":[]}"#)?.description,
      "startContent is not as it should be")
    XCTAssertEqual(
      errorOfJSON(#"{"startContent":"","endContent":"","txns":7}"#)?.description,
      "txns is not as it should be")
  }

  func testBrokenPatchIsNamedInTheError() {
    func broken(_ patch: String) -> TraceError? {
      errorOfJSON(#"{"startContent":"","endContent":"","txns":[{"patches":[]},{"patches":[[0,0,""],\#(patch)]}]}"#)
    }
    for patch in [
      "7", "[]", "[0]", "[0,0]", #"[0,0,"",1]"#, #"["0",0,""]"#, "[0,0,0]", #"[0.5,0,""]"#,
      #"[0,99999999999999999999,""]"#, "null", "{}",
    ] {
      let error = broken(patch)
      XCTAssertEqual(error?.place.hasPrefix("txns[1].patches[1]"), true, patch)
      XCTAssertEqual(error?.description.contains("\n"), false, patch)
    }
    XCTAssertEqual(broken("[0,0,0]")?.description, "txns[1].patches[1][2] is not as it should be")
  }

  func testBrokenTransactionIsNamedInTheError() {
    let error = errorOfJSON(#"{"startContent":"","endContent":"","txns":[{"patches":[]},{}]}"#)
    XCTAssertEqual(error, TraceError(place: "txns[1]", problem: "has no patches"))
  }

  // MARK: Replaying

  func testEveryGroupingReplaysTheTraceExactly() throws {
    let trace = try trace(
      "Grüße, 漢字 👩‍👩‍👧!", "Gruß, 漢 👩‍👧 e\u{301}?",
      [
        [(2, 1, "u"), (4, 1, "")], [], [(7, 1, "")], [(10, 2, "")], [(11, 1, "")], [(11, 0, " ")], [(12, 0, "e")],
        [(13, 0, "\u{301}")], [(13, 0, "")], [(14, 0, "?")],
      ])
    for grouping in TraceReplay.Grouping.allCases {
      XCTAssertEqual(TraceReplay(trace: trace).problems(grouping), [], "\(grouping)")
    }
  }

  /// Long sessions as of several people, with transactions of several patches and text in many scripts.
  func testRandomSessionsReplayExactly() throws {
    for seed in UInt64(0)..<4 {
      var random = SplitMix64(seed: seed)
      var oracle = Self.text(200, &random)
      let start = oracle.asString
      var cursor = 0
      let transactions: [[Patch]] = (0..<1500).map { _ in
        (0..<[0, 1, 1, 1, 4][Int.random(in: 0..<5, using: &random)]).map { _ in
          if Int.random(in: 0..<6, using: &random) == 0 { cursor = Int.random(in: 0...oracle.count, using: &random) }
          cursor = min(cursor, oracle.count)
          // Type, delete backwards, or replace the text after the cursor.
          let kind = Int.random(in: 0..<8, using: &random)
          let deleted =
            kind < 5 ? 0 : min(Int.random(in: 1...3, using: &random), kind < 7 ? cursor : oracle.count - cursor)
          if kind >= 5, kind < 7 { cursor -= deleted }
          let inserted = kind >= 5 && kind < 7 ? [] : Self.text(Int.random(in: 1...3, using: &random), &random)
          oracle.replaceSubrange(cursor..<cursor + deleted, with: inserted)
          defer { cursor += inserted.count }
          return (cursor, deleted, inserted.asString)
        }
      }
      let replay = TraceReplay(trace: try trace(start, oracle.asString, transactions))
      for grouping in TraceReplay.Grouping.allCases {
        XCTAssertEqual(replay.problems(grouping), [], "seed \(seed), \(grouping)")
      }
      let steps = transactions.filter { $0.contains { $0.1 > 0 || !$0.2.isEmpty } }
      XCTAssertLessThanOrEqual(replay.recorded(.transactions).undoCount, steps.count, "seed \(seed)")
    }
  }

  func testTransactionIsOneStepAndAdjoiningTypingJoins() throws {
    let replay = TraceReplay(
      trace: try trace("", "abc-x", [[(0, 0, "a")], [(1, 0, "b")], [(2, 0, "c")], [(3, 0, "-"), (4, 0, "x")], []]))
    XCTAssertEqual(replay.recorded(.transactions).undoCount, 4)
    XCTAssertEqual(replay.recorded(.typing).undoCount, 2)
  }

  func testUndoRestoresTheSelectionOfEachStep() throws {
    let replay = TraceReplay(
      trace: try trace("", "abc-x", [[(0, 0, "a")], [(1, 0, "b")], [(2, 0, "c")], [(3, 0, "-"), (4, 0, "x")]]))
    var history = replay.restoring
    replay.replayCarrying(on: &history)
    XCTAssertEqual(history.currentItem.text, "abc-x")
    XCTAssertEqual(history.undoCount, 2)
    let selections = (0..<2).map { _ in
      defer { history.undo() }
      return history.selection
    }
    XCTAssertEqual(selections, [5, 3])
    XCTAssertEqual(history.selection, 0)
    XCTAssertEqual(replay.uncarriedBytes, 0)
    XCTAssertGreaterThan(try XCTUnwrap(replay.restoredBytes), 0)
  }

  func testReplaysWithASelectionDoTheSameWork() throws {
    let replay = TraceReplay(trace: try trace("é", "xéb", [[(1, 0, "a"), (1, 1, "b")], [], [(0, 0, "x")]]))
    for benchmark in TraceReport(replay: replay).benchmarks {
      XCTAssertNil(Agreement.disagreement(among: benchmark.makeLanes(1), of: benchmark), benchmark.id)
    }
  }

  func testReportSaysHowLongAnUndoTakes() throws {
    let report = TraceReport(replay: TraceReplay(trace: try trace("", "ab", [[(0, 0, "a")], [(1, 0, "b")]])))
    // Benchmarks/outside/replay.py reads the figure.
    let figure = "undoing one of the last steps takes [0-9.,]+ ns"
    XCTAssertNotNil(report.undoing.range(of: figure, options: .regularExpression), report.undoing)
  }

  func testWrongResultOfAReplayIsReported() {
    let wrong = EditingTrace(start: "é", end: "éy", edits: [], transactions: [])
    XCTAssertEqual(
      TraceReplay(trace: wrong).problems(.typing),
      [
        "after all edits, the text differs from the recorded one at UTF-8 offset 2",
        "after redoing 0 steps, the text differs from the recorded one at UTF-8 offset 2",
      ])
  }

  func testSnapshotsHoldTheTextOnceForEachTransactionThatEdits() throws {
    let trace = try trace("é", "éab", [[(1, 0, "a")], [], [(2, 0, "b")]])
    let snapshots = TraceReplay(trace: trace).snapshots
    XCTAssertEqual(snapshots.count, 3)
    XCTAssertEqual(snapshots.bytes, 2 + 3 + 4)
  }

  // MARK: Against an oracle

  /// Random scalars, some of which combine with their neighbors.
  private static func text(_ count: Int, _ random: inout SplitMix64) -> [Unicode.Scalar] {
    let alphabet: [Unicode.Scalar] = ["a", "b", "\n", "\r", "é", "ß", "漢", "字", "😀", "\u{301}", "\u{200D}"]
    return (0..<count).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] }
  }

  func testScalarWidthsMatchAnArrayForRandomEdits() {
    for seed in UInt64(0)..<8 {
      var random = SplitMix64(seed: seed)
      var oracle = Self.text([0, 1, 2000, 9000][Int(seed % 4)], &random)
      var map = ScalarWidths(oracle.asString)
      for _ in 0..<40 {
        let lower = Int.random(in: 0...oracle.count, using: &random)
        let reach = Bool.random(using: &random) ? 3 : 5000
        let upper = min(oracle.count, lower + Int.random(in: 0...reach, using: &random))
        let inserted = Self.text(Int.random(in: 0...(Bool.random(using: &random) ? 3 : 5000), using: &random), &random)
        let start = oracle[..<lower].reduce(0) { $0 + UTF8.width($1) }
        let end = start + oracle[lower..<upper].reduce(0) { $0 + UTF8.width($1) }
        XCTAssertEqual(map.replace(lower..<upper, with: inserted.asString), start..<end, "seed \(seed)")
        oracle.replaceSubrange(lower..<upper, with: inserted)
        XCTAssertEqual(map.count, oracle.count, "seed \(seed)")
      }
    }
  }
}

extension [Unicode.Scalar] {
  fileprivate var asString: String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: self)
    return String(text)
  }
}
