/// Base64 (RFC 4648, without padding): bytes as a text that every encoder preserves.
enum _UndoBase64 {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func text(of bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count / 3 * 4 + 4)
    var (bits, count): (UInt32, UInt32) = (0, 0)
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 6 {
        count -= 6
        text.append(digits[Int(bits >> count & 0x3f)])
      }
    }
    if count > 0 { text.append(digits[Int(bits << (6 - count) & 0x3f)]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of a text, or nil if it isn't Base64.
  static func bytes(of text: String) -> [UInt8]? {
    var values = [UInt8](repeating: 0xff, count: 256)
    for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count / 4 * 3 + 3)
    var (bits, count): (UInt32, UInt32) = (0, 0)
    for digit in text.utf8 {
      let value = values[Int(digit)]
      guard value < 64 else { return nil }
      bits = bits << 6 | UInt32(value)
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> count))
      }
    }
    // The rest is the unused part of the last digit. Six bits would be a digit without a byte.
    return count < 6 && bits & (1 << count - 1) == 0 ? bytes : nil
  }
}
