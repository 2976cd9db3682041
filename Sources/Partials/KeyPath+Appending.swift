extension KeyPath {
  /// The key path that goes on along `path`.
  ///
  /// What it captures is what the two capture, so it is as Sendable as they are.
  func appending<End>(_ path: any KeyPath<Value, End> & Sendable) -> any KeyPath<Root, End> & Sendable {
    unsafe unsafeBitCast(appending(path: path), to: (any KeyPath<Root, End> & Sendable).self)
  }

  /// The key path that goes on along `path`, whose end is not known.
  func appending(erased path: any PartialKeyPath<Value> & Sendable) -> any PartialKeyPath<Root> & Sendable {
    let path = (self as PartialKeyPath<Root>).appending(path: path as AnyKeyPath)
    guard let path else { preconditionFailure("A key path goes on where another ended, and cannot") }
    return unsafe unsafeBitCast(path, to: (any PartialKeyPath<Root> & Sendable).self)
  }
}
