/// The measurements that bars are judged by, and what could be measured.
struct Measured {
  /// All benchmarks that exist.
  var benchmarks: [Benchmark]
  var cases: [Results.Case]
  /// Whether the build has the trait Peers and its contenders.
  var hasPeers: Bool
  /// Whether instructions can be counted.
  var countsInstructions = true
  /// Whether times are shown with their instructions.
  var showsInstructions = false

  func result(_ work: Selection.Work) -> Results.Case? {
    cases.first { $0.id == work.benchmark.id && $0.size == work.size }
  }
}

extension Bar {
  /// A figure, and the case that it comes from.
  private struct Finding {
    var value: Double
    var place: String
    var marks: [Results.Mark]
  }

  /// The existing benchmarks, with their sizes, that this bar is judged by, and the ids that don't exist.
  func works(among benchmarks: [Benchmark]) -> (works: [Selection.Work], missing: [String]) {
    guard case .figure(_, let ids, let sizes) = reading else { return ([], []) }
    let works = Self.works(ids, sizes, among: benchmarks)
    let missing = ids.filter { id in !benchmarks.contains { $0.id == id } }
    return (works, missing.map { "no benchmark \($0)" })
  }

  /// The benchmarks, with their sizes, that this bar only shows, and the figure to show.
  func shownWorks(among benchmarks: [Benchmark]) -> [(figure: Figure, work: Selection.Work)] {
    shown.flatMap { shown in
      Self.works(shown.ids, shown.sizes, among: benchmarks).map { (shown.figure, $0) }
    }
  }

  private static func works(_ ids: [String], _ sizes: [Int], among benchmarks: [Benchmark]) -> [Selection.Work] {
    ids.flatMap { id in
      benchmarks.filter { $0.id == id }.flatMap { benchmark in
        (sizes.isEmpty ? [nil] : sizes.map { Int?($0) }).map { Selection.Work(benchmark: benchmark, size: $0) }
      }
    }
  }

  /// Judges the bar by its worst figure.
  ///
  /// A missing or implausible figure makes the bar short.
  ///
  /// - Parameter probed: The value of the probe.
  func verdict(on measured: Measured, probed: Double?) -> Results.Verdict {
    var verdict = Results.Verdict(
      id: id, measuredText: Format.absent, relation: relation.rawValue, limit: limit, limitText: limitText,
      outcome: .short)
    var findings: [Finding] = []
    switch reading {
    case .probe(_, let probe):
      guard let probed else {
        verdict.remarks = [probe.missing]
        if probe.needsSQLite, !SQLite.isInstalled { verdict.outcome = .needsSQLite }
        return verdict
      }
      findings = [Finding(value: probed, place: probe.work, marks: [])]
    case .figure(let figure, _, _):
      let (works, missing) = works(among: measured.benchmarks)
      verdict.remarks = missing
      if missing.isEmpty, needsPeers, !measured.hasPeers {
        verdict.outcome = .needsPeers
        return verdict
      }
      if missing.isEmpty, figure.countsInstructions, !measured.countsInstructions {
        verdict.outcome = .needsValgrind
        return verdict
      }
      for work in works {
        let result = measured.result(work)
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
      let shown = shownFigures(in: measured) + (measured.showsInstructions ? instructions(in: measured) : [])
      verdict.shown = shown.isEmpty ? nil : shown
    }
    guard let worst = relation.worst(of: findings, by: \.value, limit: limit) else { return verdict }
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
    case .instructions:
      return subject.instructions.map { finding($0, []) }
    case .instructionCost:
      guard let mine = subject.instructions, let its = other?.instructions, its > 0 else { return nil }
      return finding(mine / its, [])
    }
  }
}

// MARK: - Figures that are only shown

extension Bar {
  /// Figures at larger sizes and against other contenders, each with its growth relative to the judged one.
  private func shownFigures(in measured: Measured) -> [Results.Verdict.Shown] {
    let judged = works(among: measured.benchmarks).works
    return shownWorks(among: measured.benchmarks).compactMap { figure, work in
      guard let result = measured.result(work), let finding = Self.finding(figure, in: result) else { return nil }
      let small = judged.last { figure == self.figure && $0.benchmark.id == work.benchmark.id }
      let base = small.flatMap { measured.result($0) }.flatMap { Self.finding(figure, in: $0) }
      return Results.Verdict.Shown(
        place: finding.place, measured: finding.value.isFinite ? finding.value : nil,
        text: figure.phrase(text(finding.value) + (finding.marks.isEmpty ? "" : "?")),
        growth: base.map { finding.value / $0.value }.flatMap { $0.isFinite ? $0 : nil })
    }
  }

  /// The instructions behind the times that are judged.
  private func instructions(in measured: Measured) -> [Results.Verdict.Shown] {
    guard let figure, figure.isTime, let name = figure.contender else { return [] }
    return works(among: measured.benchmarks).works.compactMap { work in
      guard let result = measured.result(work), let subject = result.lanes.first,
        let other = result.lanes.first(where: { $0.contender.name == name })
      else { return nil }
      func text(_ lane: Results.Lane) -> String { lane.instructions.map(Format.significant) ?? Format.absent }
      return Results.Verdict.Shown(
        place: result.title, measured: subject.instructions,
        text: "\(text(subject)) instructions, \(name) \(text(other))")
    }
  }

  /// Whether this bar needs the instructions of this contender.
  ///
  /// - Parameter everyTime: Whether to count the instructions behind times too.
  func wantsInstructions(
    of contender: Contender, in result: Results.Case, among benchmarks: [Benchmark], everyTime: Bool
  ) -> Bool {
    guard let figure, figure.countsInstructions || everyTime && figure.isTime,
      works(among: benchmarks).works.contains(where: { $0.benchmark.id == result.id && $0.size == result.size })
    else { return false }
    return contender.role == .subject || contender.name == figure.contender
  }
}
