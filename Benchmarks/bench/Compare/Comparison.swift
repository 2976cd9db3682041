/// The changes from one run to another.
///
/// Times are compared by the ratio to a peer of the same run, because nanoseconds depend on the state of the machine.
/// Allocations and requested bytes are exact and are compared exactly. Those of peers are not compared, because they
/// are not part of this package.
struct Comparison: Equatable {
  /// First the changes for the worse, then those for the better, then doubtful ones, each in the order of the cases.
  var changes: [Change] = []
  /// The number of figures that both runs have.
  var comparedCount = 0
  /// Cases of the base that are missing in the new run.
  var gone: [String] = []
  /// Cases without figures in the new run, with the reason.
  var problems: [String] = []

  struct Change: Equatable {
    var place: String
    var figure: String
    var base: String
    var new: String
    /// How much worse the figure is, as a fraction of the base.
    ///
    /// Negative if it is better.
    ///
    /// Absent if the base is zero.
    var worsening: Double?
    var verdict: Verdict
  }

  enum Verdict: CaseIterable {
    case worse, better
    /// A figure of one of the runs is marked as unreliable.
    case doubtful
  }

  var isWorse: Bool { count(of: .worse) > 0 }

  func count(of verdict: Verdict) -> Int { changes.count { $0.verdict == verdict } }

  /// Compares the figures that both runs have.
  ///
  /// - Parameter tolerance: The fraction by which a ratio may be worse. If the interval of one of the runs is wider,
  ///   its width applies instead.
  init(base: Results, new: Results, tolerance: Double) {
    var found: [Change] = []
    func note(_ change: Change?) {
      if let change { found.append(change) }
    }
    for old in base.cases {
      guard let fresh = new.cases.first(where: { $0.id == old.id && $0.size == old.size }) else {
        gone.append(old.title)
        continue
      }
      if let problem = fresh.problem {
        problems.append("\(fresh.title): \(problem)")
        continue
      }
      for before in old.lanes {
        guard let after = fresh.lanes.first(where: { $0.contender.name == before.contender.name }) else { continue }
        if let was = before.ratio, let now = after.ratio {
          comparedCount += 1
          var change = Self.change(was, now, tolerance: tolerance, at: fresh.title, against: before.contender.name)
          if old.isDoubtful(before) || fresh.isDoubtful(after) { change?.verdict = .doubtful }
          note(change)
        }
        if before.contender.role == .subject, let was = before.memory, let now = after.memory {
          comparedCount += 2
          note(Self.change(\.allocations, "allocations/op", was, now, at: fresh.title))
          note(Self.change(\.requestedBytes, "bytes/op", was, now, at: fresh.title))
        }
      }
    }
    changes = Verdict.allCases.flatMap { verdict in found.filter { $0.verdict == verdict } }
  }

  /// A change must exceed the tolerance and the intervals.
  ///
  /// Exceeding only one of them is noise.
  private static func change(
    _ base: Results.Ratio, _ new: Results.Ratio, tolerance: Double, at place: String, against contender: String
  ) -> Change? {
    guard base.median > 0, new.median > 0 else { return nil }
    // A ratio is the peer's time divided by the subject's, so the subject is slower if the ratio is below the base.
    let worsening = base.median / new.median - 1
    let isApart = new.high < base.low || base.high < new.low
    let allowed = max(tolerance, 2 * base.relativeWidth, 2 * new.relativeWidth)
    guard isApart, worsening > allowed || 1 / (1 + worsening) - 1 > allowed else { return nil }
    return Change(
      place: place, figure: "ratio to \(contender)", base: text(base), new: text(new), worsening: worsening,
      verdict: worsening > 0 ? .worse : .better)
  }

  private static func text(_ ratio: Results.Ratio) -> String {
    "\(Format.ratio(ratio.median)) (\(Format.ratio(ratio.low)) to \(Format.ratio(ratio.high)))"
  }

  /// Any higher count is worse.
  ///
  /// Counts are compared per operation if the runs counted different numbers of operations.
  private static func change(
    _ count: KeyPath<Results.Memory, Int>, _ figure: String, _ base: Results.Memory, _ new: Results.Memory,
    at place: String
  ) -> Change? {
    let (was, now) = (base[keyPath: count] * new.operations, new[keyPath: count] * base.operations)
    guard was != now else { return nil }
    return Change(
      place: place, figure: figure, base: Format.each(base[keyPath: count], of: base.operations),
      new: Format.each(new[keyPath: count], of: new.operations),
      worsening: was == 0 ? nil : Double(now) / Double(was) - 1, verdict: now > was ? .worse : .better)
  }
}

extension Results.Case {
  /// Whether the ratio of this lane is unreliable.
  ///
  /// The ratio depends on both this lane and the subject.
  fileprivate func isDoubtful(_ lane: Results.Lane) -> Bool {
    let subject = lanes.first { $0.contender.role == .subject }
    let marks = lane.marks + (subject?.marks ?? [])
    return marks.contains { [.unstable, .busy, .optimisedAway].contains($0) }
  }
}

extension Environment {
  /// The differences that make figures of the two environments incomparable, one sentence each.
  func differences(from other: Environment) -> [String] {
    func difference(_ name: String, _ mine: String?, _ its: String?) -> String? {
      mine == its ? nil : "\(name): \(its ?? "unknown") and \(mine ?? "unknown")"
    }
    return [
      difference("link mode", linkMode, other.linkMode), difference("hashing", hashing, other.hashing),
      difference("toolchain", swift, other.swift),
    ].compactMap { $0 }
  }

  /// Differences that may explain a change, one sentence each.
  func doubts(about other: Environment) -> [String] {
    func doubt(_ name: String, _ mine: String?, _ its: String?) -> String? {
      mine == its ? nil : "\(name) differs: \(its ?? "unknown") and \(mine ?? "unknown")"
    }
    return [
      doubt("processor", cpu, other.cpu), doubt("system", operatingSystem, other.operatingSystem),
      doubt("layout of memory", layout, other.layout),
      doubt("seed", String(seed ?? 0), String(other.seed ?? 0)),
      doubt("number of processes", processes.map(String.init), other.processes.map(String.init)),
      isBusy || other.isBusy ? "a run was made on a busy machine" : nil,
    ].compactMap { $0 }
  }
}
