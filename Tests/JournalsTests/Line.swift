import Journals

typealias Record = JournalRecord<Line>
typealias Contents = JournalContents<Line>

/// The body of the records in these tests: some bytes.
struct Line: JournalBody, ExpressibleByStringLiteral {
  let bytes: [UInt8]

  /// A line that cannot be decoded.
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
