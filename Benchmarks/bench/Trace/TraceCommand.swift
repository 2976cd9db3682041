import Foundation
import Unsaved

/// `bench trace FILE.json`: replays a trace with every grouping, checks the results, and prints the cost of recording.
enum TraceCommand {
  struct Settings {
    var path = ""
  }

  static func run(_ settings: Settings, on console: Console) throws(Failure) -> ExitCode {
    let path = settings.path
    let trace = try EditingTrace(path: path)
    try Build.current.requireFit()
    let replay = TraceReplay(trace: trace)
    console.print(
      "\(URL(fileURLWithPath: path).lastPathComponent): \(Format.counted(trace.transactions.count, "transaction")), "
        + "\(Format.counted(trace.edits.count, "edit")), from \(Format.bytes(trace.start.utf8.count)) "
        + "to \(Format.bytes(trace.end.utf8.count))")

    let problems = TraceReplay.Grouping.allCases.flatMap { grouping in
      replay.problems(grouping).map { "\(grouping.title): \($0)" }
    }
    guard problems.isEmpty else {
      for problem in problems { console.print(console.terminal.styled("INVALID: \(problem)", .doubtful)) }
      return .invalidRun
    }
    console.print(
      "All edits lead to the end content, undoing leads to the start content, redoing to the end content: exact.\n")
    guard !trace.edits.isEmpty else {
      console.print("Without an edit there is nothing to time.")
      return .success
    }
    let report = TraceReport(replay: replay)
    console.print(report.table.rendered(for: console.terminal))
    console.print("\n" + report.undoing)
    return .success
  }
}

extension TraceReplay.Grouping {
  var title: String {
    switch self {
    case .transactions: "a step a transaction"
    case .typing: "adjoining typing joined"
    case .assigning: "the same, assigned whole"
    }
  }
}

/// The time and memory that replays of a trace take.
struct TraceReport {
  let replay: TraceReplay

  /// How often the replays are timed, and for how long at most.
  private static let plan = Plan(
    rounds: 40, roundsOnAState: 40, warmUpRounds: 2, fewestRounds: 2, timeLimit: .seconds(8))

  /// The ids of the benchmarks, for bars.
  static let (id, undoID, assigningID, sessionID) = ("Trace.replay", "Trace.undo", "Trace.assign", "Trace.session")
  /// The name of the peer of assigning.
  static let unrecordedAssigning = "unrecorded, compared"

  /// Benchmarks of replays that record ranges, assign the whole text, run in an editing session, or restore a
  /// selection.
  ///
  /// The unrecorded replay comes first, then each grouping of the recorded one, as contenders of one race.
  var benchmarks: [Benchmark] {
    Suite("Trace") { suite in
      suite.benchmark("replay", "all edits", state: .fresh(upTo: 1), input: { _ in replay }) { race in
        race.subject("unrecorded") { replay in
          replay.trace.start
        } run: { text, replay, operations in
          for _ in operations { replay.replay(on: &text) }
          return text.utf8.count
        }
        for grouping in TraceReplay.Grouping.allCases {
          race.peer(grouping.title) { replay in
            UndoHistory(initialValue: replay.trace.start)
          } run: { history, replay, operations in
            for _ in operations { replay.replay(on: &history, grouping) }
            return history.currentItem.utf8.count
          }
        }
      }

      let steps = replay.trace.transactions.count
      suite.benchmark("undo", "undo one of the last steps", state: .fresh(upTo: steps), input: { _ in replay }) {
        race in
        race.subject(TraceReplay.Grouping.transactions.title) { replay in
          replay.recorded(.transactions)
        } run: { history, _, operations in
          for _ in operations { history.undo() }
          return history.currentItem.utf8.count
        }
      }

      suite.benchmark("assign", "all edits, each by the whole text", state: .fresh(upTo: 1), input: { _ in replay }) {
        race in
        race.subject(TraceReplay.Grouping.assigning.title) { replay in
          UndoHistory(initialValue: replay.trace.start)
        } run: { history, replay, operations in
          for _ in operations { replay.replay(on: &history, .assigning) }
          return history.currentItem.utf8.count
        }
        race.peer(Self.unrecordedAssigning) { replay in
          replay.trace.start
        } run: { text, replay, operations in
          var common = 0
          for _ in operations { common &+= replay.replayAssigning(on: &text) }
          // The common length is never negative, but the optimizer must not know that.
          return common < 0 ? common : text.utf8.count
        }
      }

      let count = replay.trace.edits.count
      suite.benchmark("session", "one edit after the other", state: .fresh(upTo: count), input: { _ in replay }) {
        race in
        race.subject("EditingSession") { replay in
          OpenSession(new: replay.trace.start, .text)
        } run: { open, replay, operations in
          MainActor.assumeIsolated { [open] in
            for edit in replay.trace.edits[operations] {
              open.session.edit { $0.replaceSubrange(utf8: edit.range, with: edit.text) }
            }
            return open.session.history.currentItem.utf8.count
          }
        }
        race.peer(OpenSession<String>.historyAlone) { replay in
          UndoHistory(initialValue: replay.trace.start)
        } run: { history, replay, operations in
          for edit in replay.trace.edits[operations] {
            history.edit.replaceSubrange(utf8: edit.range, with: edit.text)
          }
          return history.currentItem.utf8.count
        }
      }

      addCarrying(to: &suite)
    }.benchmarks
  }

  /// A sentence with the time of undoing a step if all of them are recorded.
  var undoing: String {
    let times = benchmarks.filter { $0.id == Self.undoID }.flatMap(times)
    guard let time = times.first, let process = Results.Process(time, against: nil, scale: 1) else { return "" }
    return "With a step a transaction, undoing one of the last steps takes \(Format.significant(process.median)) ns."
  }

  private func times(of benchmark: Benchmark) -> [TimingPass.Times] {
    var pass = TimingPass(plan: Self.plan)
    return pass.measure(benchmark.makeLanes(1), state: benchmark.state)
  }

  var table: Table {
    let edits = replay.trace.edits.count
    let benchmark = benchmarks[0]
    let times = times(of: benchmark)

    var table = Table(columns: [
      Table.Column(title: "", alignment: .left), Table.Column(title: "edits/s"), Table.Column(title: "ns/edit"),
      Table.Column(title: "ratio"), Table.Column(title: "95 %", expendability: 1), Table.Column(title: "steps"),
      Table.Column(title: "log"), Table.Column(title: "bytes/edit"),
    ])
    for (contender, lane) in zip(benchmark.contenders, times) {
      let time = Results.Process(lane, against: contender.role == .subject ? nil : times[0], scale: edits)
      let ratio = time?.ratio
      let history = TraceReplay.Grouping.allCases.first { $0.title == contender.name }.map { replay.recorded($0) }
      table.append([
        Table.Cell(contender.name),
        Table.Cell(time.map { Format.significant(1e9 / $0.median) } ?? ""),
        Table.Cell(time.map { Format.significant($0.median) } ?? ""),
        Table.Cell(ratio.map { Format.ratio($0.median) } ?? ""),
        Table.Cell(ratio.map { "\(Format.ratio($0.low))–\(Format.ratio($0.high))" } ?? "", .dim),
        Table.Cell(history.map { Format.grouped($0.undoCount) } ?? ""),
        Table.Cell(history.map { Format.bytes($0.byteCount) } ?? ""),
        Table.Cell(history.map { Format.significant(Double($0.byteCount) / Double(edits)) } ?? ""),
      ])
    }
    let snapshots = replay.snapshots
    table.append([
      "snapshots (computed)", "", "", "", "", Table.Cell(Format.grouped(snapshots.count)),
      Table.Cell(Format.bytes(snapshots.bytes)),
      Table.Cell(Format.significant(Double(snapshots.bytes) / Double(edits))),
    ])
    return table
  }
}
