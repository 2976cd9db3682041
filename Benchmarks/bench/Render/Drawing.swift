import Foundation

/// A self-contained SVG image that suits light and dark pages.
struct Drawing {
  static let width = 760.0

  let height: Double
  /// The title, for screen readers.
  let title: String
  let description: String
  private var elements: [String] = []

  init(height: Double, title: String, description: String) {
    self.height = height
    self.title = title
    self.description = description
  }

  mutating func line(_ from: (x: Double, y: Double), _ to: (x: Double, y: Double), _ style: String) {
    elements.append(
      #"<line x1="\#(at(from.x))" y1="\#(at(from.y))" x2="\#(at(to.x))" y2="\#(at(to.y))" class="\#(style)"/>"#)
  }

  mutating func path(_ points: [(x: Double, y: Double)], closed: Bool = false, _ style: String) {
    let steps = points.enumerated().map { ($0.offset == 0 ? "M" : "L") + at($0.element.x) + " " + at($0.element.y) }
    elements.append(#"<path d="\#(steps.joined())\#(closed ? "Z" : "")" class="\#(style)"/>"#)
  }

  mutating func circle(_ center: (x: Double, y: Double), radius: Double, _ style: String) {
    elements.append(#"<circle cx="\#(at(center.x))" cy="\#(at(center.y))" r="\#(at(radius))" class="\#(style)"/>"#)
  }

  enum Anchor: String {
    case start, middle, end
  }

  mutating func text(_ text: String, at point: (x: Double, y: Double), _ style: String, _ anchor: Anchor = .start) {
    let place = #"x="\#(at(point.x))" y="\#(at(point.y))""#
    elements.append(
      #"<text \#(place) text-anchor="\#(anchor.rawValue)" class="\#(style)">\#(Self.escaped(text))</text>"#)
  }

  /// Draws lines of text, one below the other.
  ///
  /// - Returns: The y coordinate of the next line.
  mutating func text(_ lines: [String], at point: (x: Double, y: Double), leading: Double, _ style: String) -> Double {
    for (index, line) in lines.enumerated() { text(line, at: (point.x, point.y + Double(index) * leading), style) }
    return point.y + Double(lines.count) * leading
  }

  /// The whole file.
  var svg: String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(at(Self.width)) \(at(height))" width="\(at(Self.width))" \
    height="\(at(height))" role="img" font-family="system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', \
    sans-serif">
    <title>\(Self.escaped(title))</title>
    <desc>\(Self.escaped(description))</desc>
    <style>\(Palette.style)</style>
    <rect x="0" y="0" width="\(at(Self.width))" height="\(at(height))" rx="10" class="bg"/>
    \(elements.joined(separator: "\n"))
    </svg>

    """
  }

  /// The text with XML's special characters escaped.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case _ where scalar.value < 32 && scalar != "\n" && scalar != "\t": escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// The approximate width of a text.
  ///
  /// It is an estimate, because no font is at hand that could measure it.
  static func width(of text: String, size: Double) -> Double {
    Double(text.count) * size * 0.56
  }

  /// The lines of a text that is broken between words to fit the width.
  static func lines(of text: String, size: Double, width: Double) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, Self.width(of: last + " " + word, size: size) <= width {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }

  /// A text that is truncated to the width, with an ellipsis.
  static func shortened(_ text: String, size: Double, width: Double) -> String {
    let most = max(1, Int(width / Self.width(of: "x", size: size)))
    return text.count <= most ? text : text.prefix(most - 1) + "…"
  }

  private func at(_ coordinate: Double) -> String {
    precondition(coordinate.isFinite, "A drawing has no place for what is not a number")
    let text = String(format: "%.1f", coordinate)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}

/// The colors of charts, which color-blind readers can distinguish too (after Okabe and Ito), for light and dark pages.
enum Palette {
  /// The CSS class names for the contenders of a race: the subject first, floors in gray.
  static func classes(for contenders: [Contender]) -> [String] {
    var peers = 0
    var floors = 0
    return contenders.map { contender in
      switch contender.role {
      case .subject: return "c0"
      case .peer:
        peers += 1
        return "c\((peers - 1) % (light.count - 1) + 1)"
      case .floor:
        floors += 1
        return floors.isMultiple(of: 2) ? "g1" : "g0"
      }
    }
  }

  private static let light = ["#0b63ce", "#c2570c", "#00806a", "#9b3fa8", "#8a6d00", "#c2325e"]
  private static let dark = ["#62a8ff", "#ff9d57", "#3fcfae", "#d993e6", "#e0c04c", "#ff85a8"]

  static var style: String {
    let common = """
      text{font-size:12px}.title{font-size:15px;font-weight:600}.name{font-weight:600}.small{font-size:11px}\
      .l{fill:none;stroke-width:1.8;stroke-linejoin:round;stroke-linecap:round}.first{stroke-width:2.8}\
      .dash{stroke-dasharray:5 4}.b{stroke:none;opacity:.16}.grid{stroke-width:1}.axis{stroke-width:1.2}
      """
    return common
      + colors(
        light, ["#6b7280", "#9aa1ab"], background: "#ffffff", ink: "#1b2330", soft: "#5b6472", grid: "#e6e9ee",
        axis: "#9aa1ab")
      + "@media (prefers-color-scheme:dark){"
      + colors(
        dark, ["#9aa3b2", "#6f7887"], background: "#14181f", ink: "#e8ecf2", soft: "#a3acba", grid: "#2a313c",
        axis: "#5e6877") + "}"
  }

  private static func colors(
    _ hues: [String], _ greys: [String], background: String, ink: String, soft: String, grid: String, axis: String
  ) -> String {
    let named =
      hues.enumerated().map { ("c\($0.offset)", $0.element) } + greys.enumerated().map { ("g\($0.offset)", $0.element) }
    return named.map { name, color in
      ".l.\(name){stroke:\(color)}.f.\(name),.b.\(name),text.\(name){fill:\(color)}"
    }.joined()
      + ".bg{fill:\(background)}text{fill:\(ink)}text.soft{fill:\(soft)}.grid{stroke:\(grid)}.axis{stroke:\(axis)}"
      + ".ring{stroke:\(background);stroke-width:1.5}"
  }
}
