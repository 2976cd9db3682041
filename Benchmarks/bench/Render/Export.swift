import Foundation

/// A run as text that other programs read.
struct Export {
  let results: Results

  private static let columns = [
    "suite", "benchmark", "unit", "n", "contender", "role", "ns", "ns_low", "ns_high", "ratio", "ratio_low",
    "ratio_high", "allocations", "requested_bytes", "live_bytes", "peak_bytes", "instructions", "marks",
  ]

  /// A line for each contender of each case; fields are empty where nothing was measured.
  ///
  /// RFC 4180, with line feeds.
  var csv: String {
    var lines = [Self.columns]
    for result in results.cases {
      for lane in result.lanes {
        func each(_ total: Int?) -> String {
          guard let memory = lane.memory, let total else { return "" }
          return "\(Double(total) / Double(memory.operations))"
        }
        let fields: [String] = [
          result.suite, result.benchmark, result.unit.rawValue, result.size.map(String.init) ?? "",
          lane.contender.name, lane.contender.role.rawValue,
          lane.time.map { "\($0.median)" } ?? "", lane.time.map { "\($0.range.lowerBound)" } ?? "",
          lane.time.map { "\($0.range.upperBound)" } ?? "",
          lane.ratio.map { "\($0.median)" } ?? "", lane.ratio.map { "\($0.low)" } ?? "",
          lane.ratio.map { "\($0.high)" } ?? "",
          each(lane.memory?.allocations), each(lane.memory?.requestedBytes),
          lane.memory?.liveBytes.map(String.init) ?? "", lane.memory?.peakBytes.map(String.init) ?? "",
          lane.instructions.map { "\($0)" } ?? "", lane.marks.map(\.rawValue).joined(separator: "; "),
        ]
        lines.append(fields)
      }
    }
    return Self.csv(lines)
  }

  static func csv(_ lines: [[String]]) -> String {
    lines.map { $0.map(quoted).joined(separator: ",") + "\n" }.joined()
  }

  private static func quoted(_ field: String) -> String {
    field.contains { ",\"\n\r".contains($0) } ? "\"" + field.replacing("\"", with: "\"\"") + "\"" : field
  }

  static let titles = [
    "n", "design", "nanoseconds", "times as long", "95 %", "allocations", "bytes", "holds", "at most", "notes",
  ]

  /// Whether what stands below a title is a text, and no number.
  static func isText(_ title: String) -> Bool { ["design", "notes"].contains(title) }

  /// The rows of the tables in Markdown and HTML; `n/a` where something could not be counted.
  static func rows(of result: Results.Case) -> [[String]] {
    result.lanes.map { lane in
      let wasTried = result.problem == nil && !lane.marks.contains(.cutOff)
      func each(_ total: Int?) -> String {
        guard let memory = lane.memory, let total else { return wasTried ? Format.absent : "" }
        return Format.each(total, of: memory.operations)
      }
      func bytes(_ value: Int?) -> String { value.map(Format.bytes) ?? (wasTried ? Format.absent : "") }
      return [
        result.size.map(Format.grouped) ?? "", lane.contender.name,
        lane.time.map { Format.significant($0.median) } ?? "", lane.ratio.map { Format.ratio($0.median) } ?? "",
        lane.ratio.map { "\(Format.ratio($0.low)) to \(Format.ratio($0.high))" } ?? "",
        each(lane.memory?.allocations), each(lane.memory?.requestedBytes), bytes(lane.memory?.liveBytes),
        bytes(lane.memory?.peakBytes), lane.marks.map(\.sign).joined(separator: " "),
      ]
    }
  }

  /// Tables as GitHub shows them.
  var markdown: String {
    var lines = ["# Benchmarks", "", Report(terminal: .plain).preamble(results), ""]
    lines += results.problems.flatMap { ["**Invalid:** \(Self.cell($0))", ""] }
    lines += (Conclusion(results.cases).sentences + [Report.legend(of: results.cases)]).flatMap { [Self.cell($0), ""] }
    lines += Report.footnotes(results).map { "- \(Self.cell($0))" } + [""]
    if let bars = results.bars {
      lines += ["| bar | measured | limit | |", "|---|---:|---:|---|"]
      lines += bars.map { "| \($0.id) | \($0.measuredText) | \($0.limitText) | \($0.outcome.rawValue) |" } + [""]
    }
    var last = ""
    for result in results.cases {
      if result.id != last {
        last = result.id
        lines += ["", "## \(result.id)", "", Self.cell(result.operation), ""]
        lines.append("| " + Self.titles.joined(separator: " | ") + " |")
        lines.append("|" + Self.titles.map { Self.isText($0) ? "---|" : "---:|" }.joined())
      }
      lines += Self.rows(of: result).map { "| " + $0.map(Self.cell).joined(separator: " | ") + " |" }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func cell(_ text: String) -> String {
    text.replacing("|", with: "\\|").replacing("\n", with: " ")
  }
}
