/// What is drawn for one width or another.
protocol Chart {
  func drawing(_ width: DrawingWidth) -> Drawing
}

/// The charts of a run, each with the name of its file.
struct Charts {
  struct Entry {
    let name: String
    let suite: String
    let chart: any Chart

    /// As in a file of its own.
    var drawing: Drawing { chart.drawing(.wide) }
  }

  let all: [Entry]

  init(_ results: Results) {
    var charts: [Entry] = []
    var rest = results.cases[...]
    while let first = rest.first {
      let suite = Array(rest.prefix { $0.suite == first.suite })
      rest = rest.dropFirst(suite.count)
      func add(_ name: String, _ chart: (any Chart)?) {
        if let chart { charts.append(Entry(name: name, suite: first.suite, chart: chart)) }
      }
      add("\(first.suite).ratios", Self.ratios(of: suite))
      for series in Self.byBenchmark(suite) {
        add("\(series[0].id).time", Self.times(of: series, growth: results.growth ?? []))
        add("\(series[0].id).memory", Self.bytes(of: series))
      }
    }
    all = charts
  }

  /// Consecutive cases of one benchmark.
  private static func byBenchmark(_ cases: [Results.Case]) -> [[Results.Case]] {
    var groups: [[Results.Case]] = []
    for result in cases {
      if let last = groups.last?.last, last.id == result.id {
        groups[groups.count - 1].append(result)
      } else {
        groups.append([result])
      }
    }
    return groups
  }

  private static func times(of series: [Results.Case], growth: [Results.Growth]) -> LineChart? {
    let first = series[0]
    let lines = first.lanes.map { lane in
      let points = series.compactMap { result -> LineChart.Point? in
        guard let size = result.size,
          let lane = result.lanes.first(where: { $0.contender == lane.contender }), let time = lane.time
        else { return nil }
        return LineChart.Point(size: size, value: time.median, range: time.range, isDoubtful: !lane.marks.isEmpty)
      }
      let growth = growth.first {
        $0.suite == first.suite && $0.benchmark == first.benchmark && $0.contender == lane.contender.name
      }
      return LineChart.Series(contender: lane.contender, points: points, note: growth?.description ?? "")
    }
    let each = first.unit == .element ? "an element" : "an operation"
    return LineChart(
      title: "\(first.id): \(first.operation)",
      quantity: "Time for \(each); the band spans the processes. Both axes logarithmic.", series: lines,
      verticalScale: .logarithmic, format: AxisFormat.time)
  }

  private static func bytes(of series: [Results.Case]) -> LineChart? {
    let first = series[0]
    let lines = first.lanes.map { lane in
      LineChart.Series(
        contender: lane.contender,
        points: series.compactMap { result in
          guard let size = result.size,
            let lane = result.lanes.first(where: { $0.contender == lane.contender }),
            let live = lane.memory?.liveBytes
          else { return nil }
          let value = Double(live) / Double(size)
          return LineChart.Point(size: size, value: value, range: value...value)
        })
    }
    let values = lines.flatMap(\.points).map(\.value).filter { $0 > 0 }
    guard let low = values.min(), let high = values.max() else { return nil }
    return LineChart(
      title: "\(first.id): memory", quantity: "Bytes held for each of n elements.", series: lines,
      verticalScale: high / low > 30 ? .logarithmic : .linear, format: AxisFormat.bytes)
  }

  /// Each benchmark at the largest size at which all of its contenders have a ratio, or as many as ever.
  private static func ratios(of suite: [Results.Case]) -> RatioChart? {
    let groups = byBenchmark(suite).compactMap { series -> RatioChart.Group? in
      let counts = series.map { $0.lanes.count { $0.ratio != nil } }
      guard let most = counts.max(), most > 0, let index = counts.lastIndex(of: most) else { return nil }
      let result = series[index]
      return RatioChart.Group(
        title: "\(result.benchmark): \(result.operation)"
          + (result.size.map { ", n\u{A0}=\u{A0}\(Format.grouped($0))" } ?? ""),
        bars: result.lanes.filter { !$0.marks.contains(.optimisedAway) }.compactMap { lane in
          lane.ratio.map { ratio in
            RatioChart.Bar(
              contender: lane.contender, ratio: ratio.median, range: ratio.low...max(ratio.low, ratio.high),
              isDoubtful: !lane.marks.isEmpty)
          }
        })
    }
    return RatioChart(title: "\(suite[0].suite) and other designs", groups: groups)
  }
}
