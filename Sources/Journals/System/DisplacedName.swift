/// The name of a file that an exchange has displaced, until it is known whether it is the file that was to be replaced.
///
///     .unsaved-out- │ digest of the new file 16 │ - │ digest of the expected file 16 │ - │ the name that it had
///
/// The digests are of the files' stamps, without the numbers that a rename changes. If the process is killed, a later
/// process compares them with the files that it finds, and so learns what happened: see ``Sweeper``. The file may be
/// the only copy, so it isn't removed because it is old.
package struct DisplacedName: Hashable, Sendable {
  package static let prefix = ".unsaved-out-"
  /// The most bytes that common file systems allow in a name.
  private static let limit = 255

  /// The digest of the new file; 0 if the file was to be removed.
  package let own: UInt64
  /// The digest of the file that was to be replaced or removed.
  package let expected: UInt64
  /// The name that the file had.
  package let name: String

  /// - Parameter own: The new file, or nil if there is none.
  package init(own: FileStamp?, expected: FileStamp, name: String) {
    self.own = own?.digest ?? 0
    self.expected = expected.digest
    self.name = name
  }

  /// Reads a name; nil if it isn't a displaced name.
  package init?(_ fileName: String) {
    guard fileName.utf8.starts(with: Self.prefix.utf8) else { return nil }
    let rest = fileName.utf8.dropFirst(Self.prefix.utf8.count)
    let parts = rest.split(separator: UInt8(ascii: "-"), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[2].isEmpty, parts[0].count == 16, parts[1].count == 16,
      let own = UInt64(Substring(parts[0]), radix: 16), let expected = UInt64(Substring(parts[1]), radix: 16)
    else { return nil }
    (self.own, self.expected, name) = (own, expected, String(Substring(parts[2])))
  }

  /// The complete name; nil if it would be too long.
  package var fileName: String? {
    let fileName = Self.prefix + own.digits + "-" + expected.digits + "-" + name
    return fileName.utf8.count <= Self.limit ? fileName : nil
  }

  /// A name under which the file stays if it cannot get its own name back; sweepers ignore it.
  package func randomKeptName() -> String {
    ".unsaved-kept-" + UInt64.random(in: .min ... .max).digits + "-" + name
  }

  /// Whether this is the new file, unchanged.
  package func isOwn(_ status: FileStatus) -> Bool { own != 0 && status.stamp.digest == own }

  /// Whether this is the file that was to be replaced or removed, unchanged.
  package func isExpected(_ status: FileStatus) -> Bool { status.stamp.digest == expected }
}

extension FileStamp {
  /// A digest of the stamp without the change time, which a rename sets, and without the device, whose number may
  /// differ after a restart of the system; never 0.
  fileprivate var digest: UInt64 {
    // The finalizer of SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
    let numbers = [number, size, UInt64(bitPattern: seconds), UInt64(bitPattern: nanoseconds)]
    let digest = numbers.reduce(0x9E37_79B9_7F4A_7C15 as UInt64) { digest, number in
      var mixed = (digest ^ number) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
      return mixed ^ mixed >> 31
    }
    return max(digest, 1)
  }
}

extension UInt64 {
  package var digits: String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
