import Foundation

/// A run of one kind of machine, as it is kept in `docs/measurements`: the results without the figures of each process.
///
/// It is an ordinary file of results that `compare` and `render` can read, with one line for each case.
struct KeptRun {
  let results: Results

  /// The reasons not to keep a run, one sentence each.
  ///
  /// Empty if the run can be kept.
  static func flaws(of results: Results) -> [String] {
    var flaws = results.problems
    if results.kind != .full { flaws.append("it is a run of the kind \(results.kind.rawValue), and not a full one") }
    if results.environment.isBusy { flaws.append("the machine was busy when it began") }
    let timed = results.cases.flatMap(\.lanes).filter { $0.time != nil }
    let busy = timed.count { $0.marks.contains(.busy) }
    if busy * 4 > timed.count { flaws.append("the machine was busy in \(busy) of \(timed.count) times") }
    return flaws
  }

  /// Makes a kept run of `run`, with the bars, the instructions and the additional cases of another run on the same
  /// machine.
  init(_ run: Results, with other: Results? = nil) {
    var kept = run
    if let other {
      for result in other.cases {
        if let index = kept.cases.firstIndex(where: { $0.id == result.id && $0.size == result.size }) {
          kept.cases[index].takeInstructions(of: result)
        } else {
          kept.cases.append(result)
        }
      }
      kept.bars = other.bars ?? kept.bars
    }
    for index in kept.cases.indices { kept.cases[index].dropProcesses() }
    // Arguments may contain private paths.
    kept.environment.arguments = []
    kept.growth = nil
    kept.residue = ""
    results = kept
  }

  /// The name of the file, which is the same for all runs of this kind of machine.
  var name: String {
    let environment = results.environment
    let words = [environment.cpu, environment.cpuModel ?? "", Format.counted(environment.cores, "core")]
    let letters = words.joined(separator: " ").lowercased().map {
      $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-"
    }
    return String(letters).split(separator: "-").joined(separator: "-") + ".json"
  }

  func encoded() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    func line(_ value: some Encodable) throws -> String { String(decoding: try encoder.encode(value), as: UTF8.self) }
    var rest = results
    rest.cases = []
    let cases = try results.cases.map(line).joined(separator: ",\n")
    let text = try line(rest).replacing("\"cases\":[]", with: "\"cases\":[\n\(cases)\n]", maxReplacements: 1)
    return Data((text + "\n").utf8)
  }
}

extension Results.Case {
  fileprivate mutating func takeInstructions(of other: Results.Case) {
    for index in lanes.indices where lanes[index].instructions == nil {
      lanes[index].instructions = other.lanes.first { $0.contender == lanes[index].contender }?.instructions
    }
  }

  fileprivate mutating func dropProcesses() {
    for index in lanes.indices { lanes[index].processes = nil }
  }
}
