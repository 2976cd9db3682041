/// Runs `body` and, if `isShared` is true, checks that a copy of `value` did not change meanwhile.
///
/// Call it with both `false` and `true` (see `withEvery`) around each mutation of a copy-on-write type. The first call
/// tests the mutation in place; the second tests that shared storage is not changed.
///
/// - Parameter contents: Extracts the contents of the copy that must stay the same.
public func withHiddenCopies<Value, Contents: Equatable, Result>(
  if isShared: Bool, of value: inout Value, contents: (Value) -> Contents,
  file: StaticString = #filePath, line: UInt = #line,
  _ body: (inout Value) throws -> Result
) rethrows -> Result {
  guard isShared else { return try body(&value) }
  let copy = value
  let before = contents(copy)
  defer {
    expectEqual(contents(copy), before, "a mutation reached a copy of the value", file: file, line: line)
    withExtendedLifetime(copy) {}
  }
  return try body(&value)
}

/// Runs `body` and, if `isShared` is true, checks that a copy of `value` did not change meanwhile.
public func withHiddenCopies<Value: Equatable, Result>(
  if isShared: Bool, of value: inout Value, file: StaticString = #filePath, line: UInt = #line,
  _ body: (inout Value) throws -> Result
) rethrows -> Result {
  // A copy could share its storage with the value that it is compared with. A description cannot.
  try withHiddenCopies(if: isShared, of: &value, contents: { String(reflecting: $0) }, file: file, line: line, body)
}
