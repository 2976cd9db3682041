import Foundation

/// The kept runs of all kinds of machines, and the CSV tables that compare them.
struct Machines {
  /// The runs with the names of their files, in the order of these names.
  let runs: [(name: String, results: Results)]

  init(in folder: URL) throws(Failure) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    var runs: [(name: String, results: Results)] = []
    for name in names.sorted() where name.hasSuffix(".json") {
      runs.append((name, try ResultsFile.read(folder.appending(path: name).path)))
    }
    self.runs = runs
  }

  init(_ runs: [(name: String, results: Results)]) { self.runs = runs }

  /// The tables with the names of their files.
  ///
  /// Empty if there are no runs.
  var tables: [(name: String, text: String)] {
    runs.isEmpty ? [] : [("machines.csv", machines), ("ratios.csv", ratios)]
  }

  /// A table with a line for each machine.
  private var machines: String {
    // In one expression without types, these columns took the compiler ten seconds.
    let lines = runs.map { name, results -> [String] in
      let environment = results.environment
      let bars = results.bars ?? []
      let caches = (environment.caches ?? []).map { "L\($0.level) \($0.size)" }
      let short = bars.filter { $0.outcome == .short }.map { "\($0.id) \($0.measuredText)" }
      return [
        name, environment.cpu, environment.cpuModel ?? "", String(environment.cores),
        caches.joined(separator: "; "),
        environment.date.formatted(.iso8601.year().month().day()), environment.swift,
        environment.commit.map { String($0.prefix(12)) } ?? "", String(bars.count { $0.outcome == .held }),
        short.joined(separator: "; "),
      ]
    }
    let titles = [
      "file", "processor", "model", "cores", "caches", "date", "swift", "commit", "bars_held", "bars_short",
    ]
    return Self.csv([titles] + lines)
  }

  /// A table with a line for each comparison, with the range over all machines.
  private var ratios: String {
    var order: [Key] = []
    var found: [Key: [Found]] = [:]
    for result in runs.flatMap(\.results.cases) where result.problem == nil {
      guard let subject = result.lanes.first else { continue }
      for lane in result.lanes.dropFirst() {
        guard let ratio = lane.ratio else { continue }
        let key = Key(id: result.id, size: result.size, contender: lane.contender)
        if found[key] == nil { order.append(key) }
        found[key, default: []].append(
          Found(
            ratio: ratio, isDoubtful: !lane.marks.isEmpty, subject: subject.instructions,
            contender: lane.instructions))
      }
    }
    let titles = [
      "benchmark", "n", "design", "role", "machines", "doubtful", "ratio_lowest", "ratio_highest", "unsaved_is",
      "instructions_lowest", "instructions_highest", "design_instructions_lowest", "design_instructions_highest",
    ]
    let lines = order.map { key in
      let all = found[key] ?? []
      let counts = [all.count, all.count { $0.isDoubtful }].map(String.init)
      return [key.id, key.size.map(String.init) ?? "", key.contender.name, key.contender.role.rawValue] + counts
        + Self.ends(all.map(\.ratio.median)) + [Self.side(all.map(\.ratio))]
        + Self.ends(all.compactMap(\.subject)) + Self.ends(all.compactMap(\.contender))
    }
    return Self.csv([titles] + lines)
  }

  /// CSV as in RFC 4180, but with line feeds only.
  static func csv(_ lines: [[String]]) -> String {
    func quoted(_ field: String) -> String {
      field.contains { ",\"\n\r".contains($0) } ? "\"" + field.replacing("\"", with: "\"\"") + "\"" : field
    }
    return lines.map { $0.map(quoted).joined(separator: ",") + "\n" }.joined()
  }

  private struct Key: Hashable {
    let id: String
    let size: Int?
    let contender: Contender
  }

  private struct Found {
    let ratio: Results.Ratio
    let isDoubtful: Bool
    let subject: Double?
    let contender: Double?
  }

  private static func ends(_ values: [Double]) -> [String] {
    [values.min(), values.max()].map { $0.map { String(format: "%.4g", $0) } ?? "" }
  }

  /// The side of 1 that a ratio is on, over all machines: `faster or equal` if it is equal on one of them.
  ///
  /// It is `changes sides` if the subject is faster on one machine and slower on another.
  private static func side(_ ratios: [Results.Ratio]) -> String {
    let sides = Set(ratios.map(Conclusion.Side.init))
    if sides.isSuperset(of: [.faster, .slower]) { return "changes sides" }
    return [Conclusion.Side.faster, .slower, .equal].filter(sides.contains).map { "\($0)" }.joined(separator: " or ")
  }
}
