extension SeededRandom {
  /// Text that a careless implementation breaks: both normal forms, joined emoji, line ends, nothing at all.
  public mutating func text() -> String {
    let pieces = [
      "a", "b ", "é", "e\u{301}", "\u{301}", "🎉", "👨‍👩‍👧", "\r\n", "\r", "\n", "ß", "漢字", "한", "\u{1112}\u{1161}\u{11ab}",
      "🇩🇪",
      "\u{200d}", "a longer piece of text that does not fit into sixteen bytes",
    ]
    return (0..<int(in: 0..<4)).map { _ in pieces.randomElement(using: &self)! }.joined()
  }

  /// The UTF-8 offset of a scalar of a text, or of its end.
  public mutating func offset(in text: String) -> Int {
    let scalars = text.unicodeScalars
    let index = scalars.index(scalars.startIndex, offsetBy: int(in: 0..<(scalars.count + 1)))
    return text.utf8.distance(from: text.startIndex, to: index)
  }

  /// The UTF-8 offsets between two scalars of a text.
  public mutating func range(in text: String) -> Range<Int> {
    let (a, b) = (offset(in: text), offset(in: text))
    return min(a, b)..<max(a, b)
  }

  /// Indices of a collection of so many elements, from one to another.
  public mutating func range(upTo count: Int) -> Range<Int> {
    let (a, b) = (int(in: 0..<(count + 1)), int(in: 0..<(count + 1)))
    return min(a, b)..<max(a, b)
  }
}
