import Foundation

/// How many times as long as the subject each contender of a suite takes: to the right of 1 the subject is faster.
struct RatioChart {
  struct Bar: Equatable {
    var contender: Contender
    var ratio: Double
    var range: ClosedRange<Double>
    var isDoubtful: Bool
  }

  /// The bars of one benchmark.
  struct Group: Equatable {
    var title: String
    var bars: [Bar]
  }

  let title: String
  let groups: [Group]

  /// Nil without a ratio.
  init?(title: String, groups: [Group]) {
    let drawable = groups.map { group in
      Group(title: group.title, bars: group.bars.filter { $0.ratio.isFinite && $0.range.lowerBound > 0 })
    }.filter { !$0.bars.isEmpty }
    guard !drawable.isEmpty else { return nil }
    self.title = title
    self.groups = drawable
  }

  private static let width = 760.0
  private static let plot = (left: 236.0, right: 676.0, top: 84.0)
  private static let rowHeight = 22.0
  private static let headingHeight = 30.0

  var drawing: Drawing {
    let plot = Self.plot
    let rows = groups.reduce(0) { $0 + $1.bars.count }
    let bottom = plot.top + Double(groups.count) * Self.headingHeight + Double(rows) * Self.rowHeight
    let height = bottom + 46
    var drawing = Drawing(width: Self.width, height: height, title: title, description: description)
    drawing.rectangle(x: 0, y: 0, width: Self.width, height: height, radius: 10, "bg")
    drawing.text(title, at: (20, 30), "title")
    drawing.text(
      "Time of each contender, the subject's being 1. Logarithmic; a thin line spans the interval.", at: (20, 51),
      "soft")

    let ends = groups.flatMap(\.bars).flatMap { [$0.range.lowerBound, $0.range.upperBound] }
    let x = Scale(.logarithmic, covering: ends + [0.8, 2], from: plot.left, to: plot.right)
    for tick in x.ticks where tick != 1 {
      drawing.line((x(tick), plot.top - 8), (x(tick), bottom), "grid")
      drawing.text(AxisFormat.ratio(tick), at: (x(tick), bottom + 18), "soft small", .middle)
    }
    var y = plot.top
    for group in groups {
      drawing.text(group.title, at: (20, y + 16), "name")
      y += Self.headingHeight
      for bar in group.bars {
        let middle = y + Self.rowHeight / 2 - 3
        // Faster than the peer, slower than the peer, against what nothing can beat.
        let style = bar.contender.role == .floor ? "g0" : bar.ratio >= 1 ? "c0" : "c1"
        let (left, right) = (min(x(1), x(bar.ratio)), max(x(1), x(bar.ratio)))
        drawing.text(Self.shortened(bar.contender.name), at: (plot.left - 12, middle + 4), "soft", .end)
        drawing.rectangle(
          x: left, y: middle - 6, width: max(1.5, right - left), height: 12, radius: 2, "f \(style)")
        drawing.line((x(bar.range.lowerBound), middle), (x(bar.range.upperBound), middle), "w whisker")
        let value = Format.ratio(bar.ratio) + "×" + (bar.isDoubtful ? " ?" : "")
        let outside = max(right, x(bar.range.upperBound)) + 6
        drawing.text(value, at: (outside, middle + 4), "small" + (bar.isDoubtful ? " soft" : ""))
        y += Self.rowHeight
      }
    }
    drawing.line((x(1), plot.top - 8), (x(1), bottom), "one")
    drawing.text("1×", at: (x(1), bottom + 18), "small", .middle)
    drawing.text("subject slower ←", at: (x(1) - 14, bottom + 36), "soft small", .end)
    drawing.text("→ subject faster", at: (x(1) + 14, bottom + 36), "soft small")
    return drawing
  }

  private static func shortened(_ text: String) -> String {
    text.count <= 30 ? text : text.prefix(29) + "…"
  }

  var description: String {
    groups.map { group in
      group.title + ": "
        + group.bars.map { "\($0.contender.name) takes \(Format.ratio($0.ratio)) times as long" }.joined(
          separator: ", ")
    }.joined(separator: ". ") + "."
  }
}
