/// Runs `body`, and where `isShared` is true keeps a copy of `value` meanwhile and then proves that the copy did not
/// change.
///
/// Call it with both `false` and `true` (see `withEvery`) around each mutation of a copy-on-write type: the first
/// proves the mutation in place, the second proves that shared storage is left alone.
///
/// - Parameter contents: What must stay the same in the copy, taken out of the value before and after.
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

/// Runs `body`, and where `isShared` is true keeps a copy of `value` meanwhile and then proves that the copy did not
/// change.
public func withHiddenCopies<Value: Equatable, Result>(
  if isShared: Bool, of value: inout Value, file: StaticString = #filePath, line: UInt = #line,
  _ body: (inout Value) throws -> Result
) rethrows -> Result {
  // A plain copy shares storage with what it is compared with; the description is the witness that cannot be shared.
  try withHiddenCopies(if: isShared, of: &value, contents: { String(reflecting: $0) }, file: file, line: line, body)
}
