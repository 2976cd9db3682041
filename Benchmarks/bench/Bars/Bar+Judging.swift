extension Bar {
  /// A figure, and where it is from.
  private struct Finding {
    var value: Double
    var place: String
    var marks: [Results.Mark]
  }

  /// The benchmarks at sizes that this bar reads, as far as they exist, and what does not.
  func works(among benchmarks: [Benchmark]) -> (works: [Selection.Work], missing: [String]) {
    guard case .figure(_, let ids, let sizes) = reading else { return ([], []) }
    var works: [Selection.Work] = []
    var missing: [String] = []
    for id in ids {
      guard let benchmark = benchmarks.first(where: { $0.id == id }) else {
        missing.append("no benchmark \(id)")
        continue
      }
      works += (sizes.isEmpty ? [nil] : sizes.map { Int?($0) }).map { Selection.Work(benchmark: benchmark, size: $0) }
    }
    return (works, missing)
  }

  /// Judges by the worst figure.
  ///
  /// What is missing makes the bar short, and so does a figure that cannot be believed.
  ///
  /// - Parameters:
  ///   - benchmarks: All that exist.
  ///   - cases: What was measured.
  ///   - probed: What the probe answered.
  ///   - hasPeers: Whether the contenders of the trait Peers take part.
  func verdict(
    benchmarks: [Benchmark], cases: [Results.Case], probed: Double?, hasPeers: Bool
  ) -> Results.Verdict {
    var verdict = Results.Verdict(
      id: id, measuredText: Format.absent, relation: relation.rawValue, limit: limit, limitText: limitText,
      outcome: .short)
    var findings: [Finding] = []
    switch reading {
    case .probe(_, let probe):
      guard let probed else {
        verdict.remarks = [probe.missing]
        return verdict
      }
      findings = [Finding(value: probed, place: probe.work, marks: [])]
    case .figure(let figure, _, _):
      let (works, missing) = works(among: benchmarks)
      verdict.remarks = missing
      if missing.isEmpty, needsPeers, !hasPeers {
        verdict.outcome = .needsPeers
        return verdict
      }
      for work in works {
        let result = cases.first { $0.id == work.benchmark.id && $0.size == work.size }
        let title = result?.title ?? work.benchmark.id
        if let problem = result?.problem {
          verdict.remarks.append("\(title): \(problem)")
        } else if let finding = result.flatMap({ Self.finding(figure, in: $0) }) {
          findings.append(finding)
        } else if let name = figure.contender, !work.benchmark.contenders.contains(where: { $0.name == name }) {
          verdict.remarks.append("\(title) has no contender \(name)")
        } else {
          verdict.remarks.append("\(title) was not measured")
        }
      }
    }
    guard let worst = relation.worst(of: findings, by: \.value) else { return verdict }
    let isComplete = verdict.remarks.isEmpty
    let isBelievable = findings.allSatisfy { $0.value.isFinite && !$0.marks.contains(.optimisedAway) }
    verdict.measured = worst.value.isFinite ? worst.value : nil
    verdict.measuredText = text(worst.value) + (findings.allSatisfy { $0.marks.isEmpty } ? "" : "?")
    verdict.place = worst.place
    for finding in findings where !finding.marks.isEmpty {
      verdict.remarks.append("\(finding.place): \(finding.marks.map(\.rawValue).joined(separator: ", "))")
    }
    if isComplete, isBelievable, relation.holds(worst.value, limit) { verdict.outcome = .held }
    return verdict
  }

  private static func finding(_ figure: Figure, in result: Results.Case) -> Finding? {
    guard let subject = result.lanes.first else { return nil }
    let other = figure.contender.flatMap { name in result.lanes.first { $0.contender.name == name } }
    func finding(_ value: Double, _ marks: [Results.Mark]) -> Finding {
      Finding(value: value, place: result.title, marks: marks)
    }
    func marksOfBoth() -> [Results.Mark] {
      let marks = subject.marks.filter { $0 != .unstable } + (other?.marks ?? [])
      return marks.enumerated().filter { !marks[..<$0.offset].contains($0.element) }.map(\.element)
    }
    switch figure {
    case .speedup:
      return other?.ratio.map { finding($0.median, marksOfBoth()) }
    case .cost:
      return other?.ratio.map { finding(1 / $0.median, marksOfBoth()) }
    case .liveBytes:
      guard let mine = subject.memory?.liveBytes, let its = other?.memory?.liveBytes, its > 0 else { return nil }
      return finding(Double(mine) / Double(its), [])
    case .allocations:
      return subject.memory.map { finding(Double($0.allocations) / Double($0.operations), []) }
    }
  }
}
