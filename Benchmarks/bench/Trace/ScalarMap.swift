/// Translates positions in Unicode scalars into UTF-8 offsets, in a text that is edited all the time.
///
/// The text itself is not kept, only how many bytes each scalar takes, in chunks that know their sum:
///
/// ```
/// chunks   [1 1 1 2 1 1 4 … ; bytes: 1733] [1 1 1 … ; bytes: 1024] [3 3 3 … ; bytes: 3001]
/// ```
///
/// A position is found by adding up whole chunks and then part of one: n/1024 + 2048 small steps at most. An edit
/// touches one chunk, or those that it deletes from; a chunk of more than 2048 scalars is cut in pieces of 1024.
/// Nothing joins chunks again: there are never more than one for each 1024 scalars that were ever inserted, and one.
struct ScalarMap {
  /// Scalars in the text.
  private(set) var count = 0
  private var chunks: [Chunk] = []

  private struct Chunk {
    var widths: [UInt8]
    var bytes: Int
  }

  private static let fill = 1024

  init(_ text: String) {
    replace(0..<0, with: text)
  }

  /// Replaces a range of scalars, and answers the range of bytes that this was.
  @discardableResult
  mutating func replace(_ scalars: Range<Int>, with text: String) -> Range<Int> {
    precondition(scalars.lowerBound >= 0 && scalars.upperBound <= count, "Range out of bounds")
    var (index, offset, start) = locate(scalars.lowerBound)
    let place = (index: index, offset: offset)

    var end = start
    var remaining = scalars.count
    while remaining > 0 {
      let upper = min(chunks[index].widths.count, offset + remaining)
      let removed = Self.sum(chunks[index].widths[offset..<upper])
      chunks[index].widths.removeSubrange(offset..<upper)
      chunks[index].bytes -= removed
      end += removed
      remaining -= upper - offset
      index += 1
      offset = 0
    }
    count -= scalars.count
    if index > place.index + 1 { chunks[place.index + 1..<index].removeAll { $0.widths.isEmpty } }
    insert(text, at: place)
    if place.index < chunks.count, chunks[place.index].widths.isEmpty { chunks.remove(at: place.index) }
    return start..<end
  }

  /// The chunk that the scalar is in, its place in there, and its UTF-8 offset in the text.
  ///
  /// A position between two chunks is at the end of the first.
  private func locate(_ scalar: Int) -> (index: Int, offset: Int, bytes: Int) {
    var rest = scalar
    var bytes = 0
    var index = 0
    while index < chunks.count, rest > chunks[index].widths.count {
      rest -= chunks[index].widths.count
      bytes += chunks[index].bytes
      index += 1
    }
    if rest > 0 { bytes += Self.sum(chunks[index].widths[..<rest]) }
    return (index, rest, bytes)
  }

  private mutating func insert(_ text: String, at place: (index: Int, offset: Int)) {
    guard !text.isEmpty else { return }
    let widths = text.unicodeScalars.map { UInt8(UTF8.width($0)) }
    count += widths.count
    if place.index == chunks.count { chunks.append(Chunk(widths: [], bytes: 0)) }
    chunks[place.index].widths.insert(contentsOf: widths, at: place.offset)
    chunks[place.index].bytes += text.utf8.count
    if chunks[place.index].widths.count > 2 * Self.fill { split(place.index) }
  }

  private mutating func split(_ index: Int) {
    let widths = chunks[index].widths
    let pieces = stride(from: 0, to: widths.count, by: Self.fill).map { lower in
      let piece = Array(widths[lower..<min(lower + Self.fill, widths.count)])
      return Chunk(widths: piece, bytes: Self.sum(piece[...]))
    }
    chunks.replaceSubrange(index...index, with: pieces)
  }

  private static func sum(_ widths: ArraySlice<UInt8>) -> Int {
    widths.reduce(0) { $0 + Int($1) }
  }
}
