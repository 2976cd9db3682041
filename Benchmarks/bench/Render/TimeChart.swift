/// A chart of the times of one benchmark's contenders over its sizes.
///
/// Bands show the range from the lowest process to the highest.
struct TimeChart {
  struct Point: Equatable {
    var size: Int
    var value: Double
    var range: ClosedRange<Double>
    /// Whether the figure is doubtful.
    ///
    /// Doubtful points are drawn hollow.
    var isDoubtful = false
  }

  struct Series: Equatable {
    var contender: Contender
    var points: [Point]
    /// A note after the name that shows how the time grows.
    var note = ""
  }

  /// The benchmark's id, which is also the name of the file.
  let id: String
  let title: String
  /// The quantity on the vertical axis.
  let quantity: String
  let series: [Series]

  /// The charts of a run: one for each benchmark with times at two or more sizes.
  static func all(of results: Results) -> [TimeChart] {
    var groups: [[Results.Case]] = []
    for result in results.cases {
      if groups.last?.last?.id == result.id {
        groups[groups.count - 1].append(result)
      } else {
        groups.append([result])
      }
    }
    return groups.compactMap { TimeChart($0, growth: results.growth ?? []) }
  }

  /// Returns nil unless there are points at two or more sizes.
  private init?(_ cases: [Results.Case], growth: [Results.Growth]) {
    let first = cases[0]
    series = first.lanes.map { lane in
      let points = cases.compactMap { result -> Point? in
        guard let size = result.size, let lane = result.lanes.first(where: { $0.contender == lane.contender }),
          let time = lane.time?.median, time.isFinite, case let range = lane.times ?? time...time, range.lowerBound > 0
        else { return nil }
        return Point(size: size, value: time, range: range, isDoubtful: !lane.marks.isEmpty)
      }
      let growth = growth.first {
        $0.suite == first.suite && $0.benchmark == first.benchmark && $0.contender == lane.contender.name
      }
      return Series(contender: lane.contender, points: points, note: growth?.description ?? "")
    }.filter { !$0.points.isEmpty }
    guard Set(series.flatMap(\.points).map(\.size)).count > 1 else { return nil }
    id = first.id
    title = "\(first.id): \(first.operation)"
    let each = first.unit == .element ? "an element" : "an operation"
    quantity = "Time for \(each); the band spans the processes. Both axes logarithmic."
  }

  /// A description of the lines in words.
  var description: String {
    let ends = series.map { one in
      let (first, last) = (one.points[0], one.points[one.points.count - 1])
      return "\(one.contender.name): \(Axis.time(first.value)) at n = \(Format.grouped(first.size)), "
        + "\(Axis.time(last.value)) at n = \(Format.grouped(last.size))" + (one.note.isEmpty ? "" : " (\(one.note))")
    }
    return quantity + " " + ends.joined(separator: "; ") + "."
  }
}

// MARK: - Drawing

extension TimeChart {
  private static let (margin, left, right, plotHeight) = (20.0, 74.0, 520.0, 296.0)
  private static let lineHeight = 16.0

  var drawing: Drawing {
    let room = Drawing.width - 2 * Self.margin
    let heading = Drawing.lines(of: title, size: 15, width: room)
    let note = Drawing.lines(of: quantity, size: 12, width: room)
    let top = 34 + Double(heading.count) * 20 + Double(note.count) * Self.lineHeight
    let bottom = top + Self.plotHeight
    var drawing = Drawing(height: bottom + 54, title: title, description: description)
    let below = drawing.text(heading, at: (Self.margin, 30), leading: 20, "title")
    _ = drawing.text(note, at: (Self.margin, below), leading: Self.lineHeight, "soft")

    let points = series.flatMap(\.points)
    let x = Axis(covering: points.map { Double($0.size) }, from: Self.left, to: Self.right)
    let y = Axis(covering: points.flatMap { [$0.range.lowerBound, $0.range.upperBound] }, from: bottom, to: top)
    drawAxes(x, y, in: &drawing)
    if points.contains(where: \.isDoubtful) {
      drawing.text("hollow: doubtful", at: (Self.right, bottom + 38), "soft small", .end)
    }
    let styles = Palette.classes(for: series.map(\.contender))
    drawLines(x, y, styles, in: &drawing)
    label(&drawing, y, styles)
    return drawing
  }

  private func drawAxes(_ x: Axis, _ y: Axis, in drawing: inout Drawing) {
    let (top, bottom) = (y.end, y.start)
    for tick in y.ticks {
      drawing.line((Self.left, y(tick)), (Self.right, y(tick)), "grid")
      drawing.text(Axis.time(tick), at: (Self.left - 8, y(tick) + 4), "soft small", .end)
    }
    // Label the sizes themselves if there is enough space.
    let sizes = Set(series.flatMap(\.points).map(\.size)).sorted()
    var free = -Double.infinity
    for tick in sizes.count <= 9 ? sizes.map(Double.init) : x.ticks {
      drawing.line((x(tick), top), (x(tick), bottom), "grid")
      let text = Axis.size(tick)
      let half = Drawing.width(of: text, size: 11) / 2
      guard x(tick) - half > free else { continue }
      drawing.text(text, at: (x(tick), bottom + 18), "soft small", .middle)
      free = x(tick) + half + 6
    }
    drawing.line((Self.left, bottom), (Self.right, bottom), "axis")
    drawing.text("size n", at: ((Self.left + Self.right) / 2, bottom + 38), "soft", .middle)
  }

  private func drawLines(_ x: Axis, _ y: Axis, _ styles: [String], in drawing: inout Drawing) {
    for (one, style) in zip(series, styles) {
      let upper = one.points.map { (x: x(Double($0.size)), y: y($0.range.upperBound)) }
      let lower = one.points.map { (x: x(Double($0.size)), y: y($0.range.lowerBound)) }
      drawing.path(upper + lower.reversed(), closed: true, "b \(style)")
    }
    // Draw the subject last, so that it is on top.
    for (one, style) in zip(series, styles).reversed() {
      let line = one.points.map { (x: x(Double($0.size)), y: y($0.value)) }
      drawing.path(line, "l \(style)" + Self.weight(of: one.contender))
      for (point, place) in zip(one.points, line) {
        if point.isDoubtful {
          drawing.circle(place, radius: 4, "bg")
          drawing.circle(place, radius: 4, "l \(style)")
        } else {
          drawing.circle(place, radius: one.contender.role == .subject ? 4 : 3.2, "f ring \(style)")
        }
      }
    }
  }

  private static func weight(of contender: Contender) -> String {
    switch contender.role {
    case .subject: " first"
    case .peer: ""
    case .floor: " dash"
    }
  }

  /// Draws the names at the ends of their lines, and moves them apart if they would overlap.
  private func label(_ drawing: inout Drawing, _ y: Axis, _ styles: [String]) {
    let gap = series.contains { !$0.note.isEmpty } ? 32.0 : 18.0
    let ends = zip(series, styles).map { one, style in
      (series: one, style: style, y: y(one.points[one.points.count - 1].value))
    }.sorted { $0.y < $1.y }
    var places = ends.map(\.y)
    for index in places.indices.dropFirst() { places[index] = max(places[index], places[index - 1] + gap) }
    let lowest = y.start + 10
    if let last = places.indices.last, places[last] > lowest {
      places[last] = lowest
      for index in places.indices.dropLast().reversed() { places[index] = min(places[index], places[index + 1] - gap) }
    }
    for (end, place) in zip(ends, places) {
      let (line, contender, left) = (Self.right + 8, end.series.contender, Self.right + 28)
      drawing.line((line, place), (line + 14, place), "l \(end.style)" + Self.weight(of: contender))
      drawing.text(
        Drawing.shortened(contender.name, size: 12, width: Drawing.width - left - 8), at: (left, place + 4),
        end.style + (contender.role == .subject ? " name" : ""))
      if !end.series.note.isEmpty { drawing.text(end.series.note, at: (left, place + 17), "soft small") }
    }
  }
}
