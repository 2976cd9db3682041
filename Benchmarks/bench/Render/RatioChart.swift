import Foundation

/// How many times as long as the subject each contender of a suite takes: to the right of 1 the subject is faster.
struct RatioChart: Chart {
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

  /// Where the parts of it lie: names stand beside their bars, or above them where there is no room.
  private struct Layout {
    let margin: Double
    let (left, right): (Double, Double)
    let (rowHeight, nameOffset): (Double, Double)

    init(_ width: DrawingWidth) {
      switch width {
      case .wide: (margin, left, right, rowHeight, nameOffset) = (20, 262, 684, 22, 0)
      case .narrow: (margin, left, right, rowHeight, nameOffset) = (14, 14, 296, 36, -15)
      }
    }
  }

  private static let lineHeight = 16.0
  private static let headingHeight = 14.0
  private static let axisHeight = 56.0

  func drawing(_ width: DrawingWidth) -> Drawing {
    let layout = Layout(width)
    let room = width.rawValue - 2 * layout.margin
    func wrapped(_ text: String, _ size: Double) -> [String] { Drawing.lines(of: text, size: size, width: room) }
    let (title, note) = (wrapped(title, 15), wrapped(Self.note, 12))
    let headings = groups.map { wrapped($0.title, 12.5) }

    let top = 30 + Double(title.count) * 20 + Double(note.count) * Self.lineHeight
    let bottom = zip(groups, headings).reduce(top) { y, group in
      y + Self.headingHeight + Double(group.1.count) * Self.lineHeight
        + Double(group.0.bars.count) * layout.rowHeight
    }
    var drawing = Drawing(
      width: width.rawValue, height: bottom + Self.axisHeight, title: self.title, description: description)
    drawing.rectangle(x: 0, y: 0, width: drawing.width, height: drawing.height, radius: 10, "bg")
    let below = drawing.text(title, at: (layout.margin, 30), leading: 20, "title")
    _ = drawing.text(note, at: (layout.margin, below), leading: Self.lineHeight, "soft")

    let ends = groups.flatMap(\.bars).flatMap { [$0.range.lowerBound, $0.range.upperBound] }
    let x = Scale(.logarithmic, covering: ends + [0.8, 2], from: layout.left, to: layout.right)
    var taken = [x(1)]
    for tick in x.ticks where tick != 1 {
      drawing.line((x(tick), top - 4), (x(tick), bottom), "grid")
      // What would touch another is left out.
      let text = AxisFormat.ratio(tick)
      let room = Drawing.width(of: text, size: 11) + 8
      guard taken.allSatisfy({ abs(x(tick) - $0) > max(room, 26) }) else { continue }
      drawing.text(text, at: (x(tick), bottom + 18), "soft small", .middle)
      taken.append(x(tick))
    }
    var y = top
    for (group, heading) in zip(groups, headings) {
      y = drawing.text(heading, at: (layout.margin, y + Self.headingHeight), leading: Self.lineHeight, "name halo")
      for bar in group.bars {
        draw(bar, from: y - 10, layout, x, in: &drawing)
        y += layout.rowHeight
      }
    }
    drawing.text("equal", at: (x(1), bottom + 18), "small", .middle)
    drawing.text("← slower", at: (max(layout.left, x(1) - 96), bottom + 40), "soft small")
    drawing.text("faster →", at: (layout.right, bottom + 40), "soft small", .end)
    return drawing
  }

  private func draw(_ bar: Bar, from top: Double, _ layout: Layout, _ x: Scale, in drawing: inout Drawing) {
    let middle = top + layout.rowHeight - 11
    let name = bar.contender.name
    if layout.nameOffset == 0 {
      let room = layout.left - layout.margin - 14
      drawing.text(Drawing.shortened(name, size: 12, width: room), at: (layout.left - 12, middle + 4), "soft", .end)
    } else {
      let room = drawing.width - layout.left - layout.margin
      drawing.text(
        Drawing.shortened(name, size: 12, width: room), at: (layout.left, middle + layout.nameOffset + 4), "soft halo")
    }
    drawing.line((x(1), middle - 10), (x(1), middle + 10), "one")
    let (left, right) = (min(x(1), x(bar.ratio)), max(x(1), x(bar.ratio)))
    drawing.rectangle(
      x: left, y: middle - 6, width: max(1.5, right - left), height: 12, radius: 2, "f \(Self.style(of: bar))")
    drawing.line((x(bar.range.lowerBound), middle), (x(bar.range.upperBound), middle), "w whisker")
    let value = Format.ratio(bar.ratio) + "×" + (bar.isDoubtful ? " ?" : "")
    let outside = max(right, x(bar.range.upperBound)) + 6
    drawing.text(value, at: (outside, middle + 4), "small halo" + (bar.isDoubtful ? " soft" : ""))
  }

  /// Faster than the peer, slower than the peer, against what nothing can beat.
  private static func style(of bar: Bar) -> String {
    bar.contender.role == .floor ? "g0" : bar.ratio >= 1 ? "c0" : "c1"
  }

  /// What is drawn.
  private static let note = "How many times as long each other design takes. Logarithmic: each line is a factor."

  var description: String {
    groups.map { group in
      group.title + ": "
        + group.bars.map { "\($0.contender.name) takes \(Format.ratio($0.ratio)) times as long" }.joined(
          separator: ", ")
    }.joined(separator: ". ") + "."
  }
}
