extension SeededRandom {
  /// A text that careless implementations break: with both normal forms, joined emoji and line ends, or empty.
  public mutating func text() -> String {
    let pieces = [
      "a", "b ", "é", "e\u{301}", "\u{301}", "🎉", "👨‍👩‍👧", "\r\n", "\r", "\n", "ß", "漢字", "한", "\u{1112}\u{1161}\u{11ab}",
      "🇩🇪",
      "\u{200d}", "a longer piece of text that does not fit into sixteen bytes",
    ]
    return (0..<int(in: 0..<4)).map { _ in pieces.randomElement(using: &self)! }.joined()
  }

  /// A random UTF-8 offset at which a scalar of `text` begins, or its end.
  public mutating func offset(in text: String) -> Int {
    let scalars = text.unicodeScalars
    let index = scalars.index(scalars.startIndex, offsetBy: int(in: 0..<(scalars.count + 1)))
    return text.utf8.distance(from: text.startIndex, to: index)
  }

  /// A random range of UTF-8 offsets that begins and ends at scalars of `text`.
  public mutating func range(in text: String) -> Range<Int> {
    let (a, b) = (offset(in: text), offset(in: text))
    return min(a, b)..<max(a, b)
  }

  /// A random range within a collection of `count` elements.
  public mutating func range(upTo count: Int) -> Range<Int> {
    let (a, b) = (int(in: 0..<(count + 1)), int(in: 0..<(count + 1)))
    return min(a, b)..<max(a, b)
  }
}
