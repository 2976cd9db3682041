import Journals

typealias Record = JournalRecord<Line>
typealias Contents = JournalContents<Line>

/// What the records of these tests say: some bytes.
struct Line: JournalBody, ExpressibleByStringLiteral {
  let bytes: [UInt8]

  /// A line that makes no sense to the one who reads it.
  static let senseless = Line(bytes: [0xFF])

  init(bytes: [UInt8]) { self.bytes = bytes }
  init(text: String) { bytes = Array(text.utf8) }
  init(stringLiteral text: String) { self.init(text: text) }

  var byteCount: Int { 1 + bytes.count }

  func append(to bytes: inout [UInt8]) {
    bytes.append(1)
    bytes += self.bytes
  }

  init?(_ payload: ArraySlice<UInt8>) throws(JournalRefusal) {
    guard payload.first == 1 else { throw .newerVersion }
    bytes = Array(payload.dropFirst())
    if self == .senseless { return nil }
  }
}
