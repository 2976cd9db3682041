import Foundation

/// Figures of the contenders of one benchmark over its sizes, with bands from the lowest process to the highest.
struct LineChart: Chart {
  struct Point: Equatable {
    var size: Int
    var value: Double
    var range: ClosedRange<Double>
    /// Doubtful figures are drawn hollow.
    var isDoubtful = false
  }

  struct Series: Equatable {
    var contender: Contender
    var points: [Point]
    /// Said after the name.
    var note = ""
  }

  let title: String
  /// What the vertical axis shows.
  let quantity: String
  let series: [Series]
  let verticalScale: Scale.Kind
  let format: (Double) -> String

  /// Nil unless something is drawn at two sizes at least.
  init?(
    title: String, quantity: String, series: [Series], verticalScale: Scale.Kind, format: @escaping (Double) -> String
  ) {
    let drawable = series.map { one in
      var one = one
      one.points = one.points.filter { $0.value.isFinite && (verticalScale == .linear || $0.range.lowerBound > 0) }
      return one
    }.filter { !$0.points.isEmpty }
    guard Set(drawable.flatMap(\.points).map(\.size)).count > 1 else { return nil }
    self.title = title
    self.quantity = quantity
    self.series = drawable
    self.verticalScale = verticalScale
    self.format = format
  }

  /// Where the parts of it lie: names stand beside the ends of their lines, or below all where there is no room.
  private struct Layout {
    let margin: Double
    let (left, right): (Double, Double)
    let plotHeight: Double
    let namesStandBeside: Bool

    init(_ width: DrawingWidth) {
      switch width {
      case .wide: (margin, left, right, plotHeight, namesStandBeside) = (20, 74, 520, 296, true)
      case .narrow: (margin, left, right, plotHeight, namesStandBeside) = (14, 58, 336, 240, false)
      }
    }
  }

  private static let lineHeight = 16.0

  func drawing(_ width: DrawingWidth) -> Drawing {
    let layout = Layout(width)
    let room = width.rawValue - 2 * layout.margin
    let heading = Drawing.lines(of: title, size: 15, width: room)
    let note = Drawing.lines(of: quantity, size: 12, width: room)
    let top = 34 + Double(heading.count) * 20 + Double(note.count) * Self.lineHeight
    let bottom = top + layout.plotHeight
    let names = layout.namesStandBeside ? 0 : series.reduce(8.0) { $0 + ($1.note.isEmpty ? 20 : 36) }
    var drawing = Drawing(width: width.rawValue, height: bottom + 54 + names, title: title, description: description)
    drawing.rectangle(x: 0, y: 0, width: drawing.width, height: drawing.height, radius: 10, "bg")
    let below = drawing.text(heading, at: (layout.margin, 30), leading: 20, "title")
    _ = drawing.text(note, at: (layout.margin, below), leading: Self.lineHeight, "soft")

    let points = series.flatMap(\.points)
    let x = Scale(.logarithmic, covering: points.map { Double($0.size) }, from: layout.left, to: layout.right)
    let y = Scale(
      verticalScale, covering: points.flatMap { [$0.range.lowerBound, $0.range.upperBound] }, from: bottom, to: top)
    drawAxes(x, y, layout, in: &drawing)
    if points.contains(where: \.isDoubtful) {
      drawing.text("hollow: doubtful", at: (layout.right, bottom + 38), "soft small", .end)
    }
    let styles = Palette.classes(for: series.map(\.contender))
    drawLines(x, y, styles, in: &drawing)
    if layout.namesStandBeside {
      label(&drawing, y, styles, layout)
    } else {
      list(&drawing, styles, at: (layout.margin, bottom + 62))
    }
    return drawing
  }

  private func drawAxes(_ x: Scale, _ y: Scale, _ layout: Layout, in drawing: inout Drawing) {
    let (top, bottom) = (y.end, y.start)
    for tick in y.ticks {
      drawing.line((layout.left, y(tick)), (layout.right, y(tick)), "grid")
      drawing.text(format(tick), at: (layout.left - 8, y(tick) + 4), "soft small", .end)
    }
    // The sizes themselves, where there is room for them.
    let sizes = Set(series.flatMap(\.points).map(\.size)).sorted()
    var free = -Double.infinity
    for tick in sizes.count <= 9 ? sizes.map(Double.init) : x.ticks {
      drawing.line((x(tick), top), (x(tick), bottom), "grid")
      let text = AxisFormat.size(tick)
      let half = Drawing.width(of: text, size: 11) / 2
      guard x(tick) - half > free else { continue }
      drawing.text(text, at: (x(tick), bottom + 18), "soft small", .middle)
      free = x(tick) + half + 6
    }
    drawing.line((layout.left, bottom), (layout.right, bottom), "axis")
    drawing.text("size n", at: ((layout.left + layout.right) / 2, bottom + 38), "soft", .middle)
  }

  private func drawLines(_ x: Scale, _ y: Scale, _ styles: [String], in drawing: inout Drawing) {
    for (one, style) in zip(series, styles) {
      let upper = one.points.map { (x: x(Double($0.size)), y: y($0.range.upperBound)) }
      let lower = one.points.map { (x: x(Double($0.size)), y: y($0.range.lowerBound)) }
      drawing.path(upper + lower.reversed(), closed: true, "b \(style)")
    }
    // The subject last, so that it lies on top.
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

  /// Names stand where their lines end, moved apart where they would touch.
  private func label(_ drawing: inout Drawing, _ y: Scale, _ styles: [String], _ layout: Layout) {
    let gap = series.contains { !$0.note.isEmpty } ? 32.0 : 18.0
    let ends = zip(series, styles).map { one, style in
      (series: one, style: style, y: one.points.last.map { y($0.value) } ?? y.start)
    }.sorted { $0.y < $1.y }
    var places = ends.map(\.y)
    for index in places.indices.dropFirst() { places[index] = max(places[index], places[index - 1] + gap) }
    let lowest = y.start + 10
    if let last = places.indices.last, places[last] > lowest {
      places[last] = lowest
      for index in places.indices.dropLast().reversed() { places[index] = min(places[index], places[index + 1] - gap) }
    }
    for (end, place) in zip(ends, places) {
      name(end.series, end.style, at: (layout.right + 8, place), in: &drawing)
    }
  }

  /// Names stand one below the other.
  private func list(_ drawing: inout Drawing, _ styles: [String], at corner: (x: Double, y: Double)) {
    var place = corner
    for (one, style) in zip(series, styles) {
      name(one, style, at: place, in: &drawing)
      place.y += one.note.isEmpty ? 20 : 36
    }
  }

  private func name(_ one: Series, _ style: String, at place: (x: Double, y: Double), in drawing: inout Drawing) {
    let left = place.x + 20
    drawing.line((place.x, place.y), (place.x + 14, place.y), "l \(style)" + Self.weight(of: one.contender))
    drawing.text(
      Drawing.shortened(one.contender.name, size: 12, width: drawing.width - left - 8), at: (left, place.y + 4),
      "\(style)" + (one.contender.role == .subject ? " name" : ""))
    if !one.note.isEmpty { drawing.text(one.note, at: (left, place.y + 17), "soft small") }
  }

  /// What the lines say, in words.
  var description: String {
    let ends = series.compactMap { one -> String? in
      guard let first = one.points.first, let last = one.points.last else { return nil }
      return "\(one.contender.name): \(format(first.value)) at n = \(Format.grouped(first.size)), "
        + "\(format(last.value)) at n = \(Format.grouped(last.size))"
        + (one.note.isEmpty ? "" : " (\(one.note))")
    }
    return quantity + ". " + ends.joined(separator: "; ") + "."
  }
}
