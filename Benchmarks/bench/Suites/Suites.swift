/// Every suite, in the order of the tables. How to add one is told in `Harness/Suite.swift`.
extension Suite {
  static var all: [Suite] {
    [
      // The suites of the types come before the instrument's own.
      .harness
    ]
  }
}
