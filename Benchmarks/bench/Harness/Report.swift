import Foundation

/// Formats results: the environment, a table for each suite, and problems.
struct Report {
  let terminal: Terminal
  /// Whether instructions were requested.
  var countsInstructions = false

  /// The text before the first table.
  func preamble(_ results: Results) -> String {
    let environment = results.environment
    var lines = [
      "\(environment.processor) · \(environment.operatingSystem) · Swift \(environment.swift), "
        + "\(environment.linkMode) runtime, \(environment.hashing) hashing"
        + (environment.layout.map { ", \($0) layout" } ?? "")
        + (environment.traits.isEmpty ? "" : " · traits: " + environment.traits.joined(separator: ", "))
    ]
    switch results.kind {
    case .quick: lines.append("Indicative: few rounds in one process. For all figures, and figures to keep: bench run.")
    case .full: break
    case .memory: lines.append("Memory only: counted, not timed.")
    }
    if !environment.countsAllocations {
      lines.append("Allocations cannot be counted in this process: n/a.")
    }
    if environment.isBusy, let load = environment.loadAverage {
      lines.append(terminal.styled("Busy machine: load average \(Format.significant(load)).", .doubtful))
    }
    return lines.joined(separator: "\n")
  }

  /// The table of one suite's cases.
  func table(of cases: [Results.Case]) -> String {
    var table = Table(columns: Self.columns)
    for (position, result) in cases.enumerated() {
      if position == 0 || cases[position - 1].benchmark != result.benchmark {
        let each = result.unit == .element ? " (times for each element)" : ""
        table.appendHeading("\(result.suite).\(result.benchmark): \(result.operation)" + each)
      }
      for (index, lane) in result.lanes.enumerated() {
        table.append(cells(of: lane, in: result, isFirst: index == 0))
      }
    }
    return table.rendered(for: terminal) + "\n" + terminal.styled(legend(of: cases), .dim)
  }

  /// A line that explains the columns of a table.
  private func legend(of cases: [Results.Case]) -> String {
    let isTimed = cases.contains { $0.lanes.contains { $0.time != nil } }
    let times = "times as long: as the first design of its group took; above 1 that is the faster one. "
    return (isTimed ? times : "")
      + "allocations, bytes, kept: of one operation. holds, at most: of the whole state."
  }

  /// The quick table, and what a doubtful figure is if there is one.
  func quickTable(_ results: Results) -> String {
    let table = QuickTable.rendered(results, for: terminal)
    let doubt = "?  doubtful: unsteady, or another program used the core meanwhile"
    return table.contains("?") ? table + "\n\n" + terminal.styled(doubt, .dim) : table
  }

  /// How times grow, in a line for each contender.
  ///
  /// Empty if no benchmark has enough sizes.
  func growth(_ growth: [Results.Growth]) -> String {
    guard !growth.isEmpty else { return "" }
    var table = Table(columns: [
      Table.Column(title: "growth of the time", alignment: .left), Table.Column(title: "design", alignment: .left),
      Table.Column(title: "", alignment: .left), Table.Column(title: "sizes", alignment: .left, expendability: 1),
    ])
    for one in growth {
      table.append([
        Table.Cell("\(one.suite).\(one.benchmark)"), Table.Cell(one.contender), Table.Cell(one.description),
        Table.Cell("\(Format.grouped(one.sizes.first ?? 0)) to \(Format.grouped(one.sizes.last ?? 0))", .dim),
      ])
    }
    return table.rendered(for: terminal)
  }

  /// Explains the marks of doubtful or missing figures once for the whole run.
  ///
  /// Empty if there are none.
  func footnotes(_ results: Results) -> String {
    let marks = Set(results.cases.flatMap(\.lanes).flatMap(\.marks))
    let signs = Results.Mark.allCases.filter(marks.contains).map { "\($0.sign)  \($0.note)" }
    let doubt = marks.isEmpty ? [] : ["?  a doubtful figure: one that has a letter in its row"]
    return (signs + doubt + [Conclusion(results.cases).floorNote].compactMap(\.self))
      .map { terminal.styled($0, .dim) }.joined(separator: "\n")
  }

  /// The three sentences of the conclusion.
  ///
  /// Empty if nothing was compared.
  func conclusion(_ results: Results) -> String {
    Conclusion(results.cases).sentences.joined(separator: "\n")
  }

  /// The result of the self-test, and cases without figures.
  func verdict(_ results: Results) -> String {
    var lines: [String] = []
    if let test = results.selfTest {
      let allocations = test.allocations.map { "\(Format.grouped($0)) allocations" } ?? Format.absent
      lines.append(
        "Self-test: A against A \(Format.ratio(test.ratio.median)) "
          + "(\(Format.ratio(test.ratio.low)) to \(Format.ratio(test.ratio.high))); "
          + "\(Format.grouped(SelfTest.objects)) objects: \(allocations).")
    }
    lines += results.problems.map { terminal.styled("INVALID: \($0)", .doubtful) }
    return lines.joined(separator: "\n")
  }

  private static let columns = [
    Table.Column(title: "n"),
    Table.Column(title: "design", alignment: .left),
    Table.Column(title: "nanoseconds"),
    Table.Column(title: "±", expendability: 3),
    Table.Column(title: "times as long"),
    Table.Column(title: "95 %", expendability: 6),
    Table.Column(title: "min–max", expendability: 8),
    Table.Column(title: "allocations", expendability: 1),
    Table.Column(title: "bytes", expendability: 2),
    Table.Column(title: "kept", expendability: 7),
    Table.Column(title: "holds", expendability: 4),
    Table.Column(title: "at most", expendability: 5),
    Table.Column(title: "instructions", expendability: 4),
    Table.Column(title: "notes", alignment: .left),
  ]

  private func cells(of lane: Results.Lane, in result: Results.Case, isFirst: Bool) -> [Table.Cell] {
    let figureStyle: Terminal.Style = lane.marks.isEmpty ? .plain : .doubtful
    let memory = lane.memory
    func each(_ total: Int?) -> Table.Cell {
      guard let memory, let total else { return Table.Cell(wasTried(lane, in: result) ? Format.absent : "") }
      return Table.Cell(Format.each(total, of: memory.operations))
    }
    func bytes(_ value: Int?) -> Table.Cell {
      Table.Cell(value.map(Format.bytes) ?? (wasTried(lane, in: result) ? Format.absent : ""))
    }
    return [
      Table.Cell(isFirst ? result.size.map(Format.grouped) ?? "" : "", .dim),
      Table.Cell(lane.contender.name, lane.contender.role == .subject ? .bold : .plain),
      Table.Cell(lane.time.map { Format.significant($0.median) } ?? "", figureStyle),
      Table.Cell(lane.time.map { Format.percent($0.medianAbsoluteDeviation / $0.median) } ?? "", .dim),
      ratio(of: lane),
      Table.Cell(lane.ratio.map { "\(Format.ratio($0.low))–\(Format.ratio($0.high))" } ?? "", .dim),
      Table.Cell(
        (lane.processes ?? []).count < 2
          ? "" : lane.ratios.map { "\(Format.ratio($0.lowerBound))–\(Format.ratio($0.upperBound))" } ?? "", .dim),
      each(memory?.allocations),
      each(memory?.requestedBytes),
      each(memory?.grownBytes),
      bytes(memory?.liveBytes),
      bytes(memory?.peakBytes),
      Table.Cell(
        lane.instructions.map(Format.significant) ?? (countsInstructions ? Format.absent : ""), .dim),
      Table.Cell(
        lane.marks.map(\.sign).joined(separator: " ")
          + (isFirst && result.problem != nil ? "no valid figures, see below" : ""), .doubtful),
    ]
  }

  private func ratio(of lane: Results.Lane) -> Table.Cell {
    guard let ratio = lane.ratio else { return "" }
    return Table.Cell(
      Format.ratio(ratio.median), !lane.marks.isEmpty ? .doubtful : ratio.low > 1 ? .faster : .plain)
  }

  private func wasTried(_ lane: Results.Lane, in result: Results.Case) -> Bool {
    result.problem == nil && !lane.marks.contains(.cutOff)
  }
}

extension Results {
  /// The reasons why the run cannot be trusted, one sentence each.
  ///
  /// Empty if it can.
  var problems: [String] {
    (selfTest?.failures ?? [])
      + cases.compactMap { result in
        result.problem.map { "\(result.title): \($0)" }
      }
  }
}
