/// Rows of cells in aligned columns, with headings between rows.
///
/// If columns do not fit, the least important ones are left out.
struct Table {
  struct Column {
    let title: String
    var alignment = Alignment.right
    /// Columns with a larger number are left out first.
    ///
    /// Columns with 0 are never left out.
    var expendability = 0
  }

  enum Alignment {
    case left
    case right
  }

  struct Cell: ExpressibleByStringLiteral {
    let text: String
    var style = Terminal.Style.plain

    init(_ text: String, _ style: Terminal.Style = .plain) {
      self.text = text
      self.style = style
    }

    init(stringLiteral value: String) {
      self.init(value)
    }
  }

  private enum Line {
    case heading(String)
    case cells([Cell])
  }

  let columns: [Column]
  private var lines: [Line] = []

  init(columns: [Column]) {
    self.columns = columns
  }

  /// Adds a line across all columns, with an empty one before it.
  mutating func appendHeading(_ text: String) {
    lines.append(.heading(text))
  }

  /// Adds a row with a cell for each column.
  mutating func append(_ cells: [Cell]) {
    precondition(cells.count == columns.count, "A row has a cell for each column")
    lines.append(.cells(cells))
  }

  /// The table as text for the terminal.
  func rendered(for terminal: Terminal) -> String {
    var widths = columns.indices.map { column in
      lines.reduce(columns[column].title.count) { widest, line in
        if case .cells(let cells) = line { max(widest, cells[column].text.count) } else { widest }
      }
    }
    // Omit columns that are empty in every row.
    var shown = columns.indices.filter { column in
      lines.contains { if case .cells(let cells) = $0 { !cells[column].text.isEmpty } else { false } }
    }
    while let width = terminal.width, total(shown, widths) > width,
      let column = shown.filter({ columns[$0].expendability > 0 }).max(by: {
        columns[$0].expendability < columns[$1].expendability
      })
    {
      shown.removeAll { $0 == column }
      widths[column] = 0
    }
    let titles = row(columns.map { Cell($0.title, .dim) }, shown, widths, terminal)
    return
      ([titles]
      + lines.map { line in
        switch line {
        case .heading(let text): "\n" + terminal.styled(text, .bold)
        case .cells(let cells): row(cells, shown, widths, terminal)
        }
      }).joined(separator: "\n")
  }

  private static let gap = "  "

  private func total(_ shown: [Int], _ widths: [Int]) -> Int {
    shown.reduce(0) { $0 + widths[$1] } + Self.gap.count * max(0, shown.count - 1)
  }

  private func row(_ cells: [Cell], _ shown: [Int], _ widths: [Int], _ terminal: Terminal) -> String {
    var pieces: [String] = []
    let shown = shown.prefix(1 + (shown.lastIndex { !cells[$0].text.isEmpty } ?? -1))
    for column in shown {
      let cell = cells[column]
      let padding = String(repeating: " ", count: widths[column] - cell.text.count)
      let text = terminal.styled(cell.text, cell.style)
      switch columns[column].alignment {
      case .left: pieces.append(column == shown.last ? text : text + padding)
      case .right: pieces.append(padding + text)
      }
    }
    return pieces.joined(separator: Self.gap)
  }
}
