extension KeyPath {
  /// The key path that goes on along `path`.
  ///
  /// It captures the same as the two, so it is as Sendable as they are. The cast changes no bits: Sendable is only a
  /// mark.
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
