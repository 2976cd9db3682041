import Foundation

/// Figures of the contenders of one benchmark over its sizes, with bands from the lowest process to the highest.
struct LineChart {
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

  private static let width = 760.0
  static let height = 420.0
  private static let plot = (left: 74.0, right: 540.0, top: 70.0, bottom: 366.0)

  var drawing: Drawing {
    var drawing = Drawing(width: Self.width, height: Self.height, title: title, description: description)
    drawing.rectangle(x: 0, y: 0, width: Self.width, height: Self.height, radius: 10, "bg")
    let plot = Self.plot
    let points = series.flatMap(\.points)
    let x = Scale(.logarithmic, covering: points.map { Double($0.size) }, from: plot.left, to: plot.right)
    let y = Scale(
      verticalScale, covering: points.flatMap { [$0.range.lowerBound, $0.range.upperBound] }, from: plot.bottom,
      to: plot.top)

    drawing.text(title, at: (20, 30), "title")
    drawing.text(quantity, at: (20, 51), "soft")
    for tick in y.ticks {
      drawing.line((plot.left, y(tick)), (plot.right, y(tick)), "grid")
      drawing.text(format(tick), at: (plot.left - 8, y(tick) + 4), "soft small", .end)
    }
    // The sizes themselves, where there is room for them.
    let sizes = Set(points.map(\.size)).sorted()
    for tick in sizes.count <= 9 ? sizes.map(Double.init) : x.ticks {
      drawing.line((x(tick), plot.top), (x(tick), plot.bottom), "grid")
      drawing.text(AxisFormat.size(tick), at: (x(tick), plot.bottom + 18), "soft small", .middle)
    }
    drawing.line((plot.left, plot.bottom), (plot.right, plot.bottom), "axis")
    drawing.text("size n", at: ((plot.left + plot.right) / 2, plot.bottom + 38), "soft", .middle)
    if points.contains(where: \.isDoubtful) {
      drawing.text("hollow: a doubtful figure", at: (Self.width - 20, plot.bottom + 38), "soft small", .end)
    }

    let styles = Palette.classes(for: series.map(\.contender))
    for (one, style) in zip(series, styles) {
      let upper = one.points.map { (x: x(Double($0.size)), y: y($0.range.upperBound)) }
      let lower = one.points.map { (x: x(Double($0.size)), y: y($0.range.lowerBound)) }
      drawing.path(upper + lower.reversed(), closed: true, "b \(style)")
    }
    // The subject last, so that it lies on top.
    for (one, style) in zip(series, styles).reversed() {
      let role = one.contender.role
      let line = one.points.map { (x: x(Double($0.size)), y: y($0.value)) }
      drawing.path(line, "l \(style)" + (role == .subject ? " first" : role == .floor ? " dash" : ""))
      for (point, place) in zip(one.points, line) {
        if point.isDoubtful {
          drawing.circle(place, radius: 4, "bg")
          drawing.circle(place, radius: 4, "l \(style)")
        } else {
          drawing.circle(place, radius: role == .subject ? 4 : 3.2, "f ring \(style)")
        }
      }
    }
    label(&drawing, y, styles)
    return drawing
  }

  /// Names stand where their lines end, moved apart where they would touch.
  private func label(_ drawing: inout Drawing, _ y: Scale, _ styles: [String]) {
    let gap = series.contains { !$0.note.isEmpty } ? 32.0 : 18.0
    let ends = zip(series, styles).map { one, style in
      (series: one, style: style, y: one.points.last.map { y($0.value) } ?? Self.plot.bottom)
    }.sorted { $0.y < $1.y }
    var places = ends.map(\.y)
    for index in places.indices.dropFirst() { places[index] = max(places[index], places[index - 1] + gap) }
    let lowest = Self.plot.bottom + 10
    if let last = places.indices.last, places[last] > lowest {
      places[last] = lowest
      for index in places.indices.dropLast().reversed() { places[index] = min(places[index], places[index + 1] - gap) }
    }
    for (end, place) in zip(ends, places) {
      let left = Self.plot.right + 26
      drawing.line(
        (left - 18, place), (left - 4, place), "l \(end.style)" + (end.series.contender.role == .floor ? " dash" : ""))
      drawing.text(
        Self.shortened(end.series.contender.name, to: Self.width - left - 8), at: (left + 2, place + 4),
        "\(end.style)" + (end.series.contender.role == .subject ? " name" : ""))
      if !end.series.note.isEmpty {
        drawing.text(end.series.note, at: (left + 2, place + 17), "soft small")
      }
    }
  }

  private static func shortened(_ text: String, to width: Double) -> String {
    let room = Int(width / Drawing.width(of: "x", size: 12))
    return text.count <= room ? text : text.prefix(room - 1) + "…"
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
