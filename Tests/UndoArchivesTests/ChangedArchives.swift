import TestSupport
import UndoArchives
import UndoHistories
import XCTest

extension UndoHistory.Archive where Value: Codable {
  /// An archive read from the bytes of this one, in which `new` replaces the first occurrence of `old`.
  func replacing(_ old: [UInt8], with new: [UInt8]) throws -> Self {
    let bytes = try bytes(.json)
    let index = try XCTUnwrap(bytes.indices.first { bytes[$0...].starts(with: old) })
    return try Self(bytes[..<index] + new + bytes[index...].dropFirst(old.count), .json)
  }

  /// An archive with these contents that counts as unchanged, as if its digest matched.
  func forged() -> Self {
    var forged = self
    forged.isAsItWasMade = true
    return forged
  }
}
