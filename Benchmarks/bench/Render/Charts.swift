/// The charts of a run, each with the name of its file.
struct Charts {
  struct Chart {
    let name: String
    let suite: String
    let drawing: Drawing
  }

  let all: [Chart]

  init(_ results: Results) {
    var charts: [Chart] = []
    var rest = results.cases[...]
    while let first = rest.first {
      let suite = Array(rest.prefix { $0.suite == first.suite })
      rest = rest.dropFirst(suite.count)
      if let chart = Self.ratios(of: suite) {
        charts.append(Chart(name: "\(first.suite).ratios", suite: first.suite, drawing: chart.drawing))
      }
      for series in Self.byBenchmark(suite) {
        if let chart = Self.times(of: series, growth: results.growth ?? []) {
          charts.append(Chart(name: "\(series[0].id).time", suite: first.suite, drawing: chart.drawing))
        }
        if let chart = Self.bytes(of: series) {
          charts.append(Chart(name: "\(series[0].id).memory", suite: first.suite, drawing: chart.drawing))
        }
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
        title: result.benchmark + (result.size.map { ", n = \(Format.grouped($0))" } ?? ""),
        bars: result.lanes.compactMap { lane in
          lane.ratio.map { ratio in
            RatioChart.Bar(
              contender: lane.contender, ratio: ratio.median, range: ratio.low...max(ratio.low, ratio.high),
              isDoubtful: !lane.marks.isEmpty)
          }
        })
    }
    return RatioChart(title: "\(suite[0].suite) against its contenders", groups: groups)
  }
}
