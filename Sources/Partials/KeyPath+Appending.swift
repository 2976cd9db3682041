extension KeyPath {
  /// The key path that continues from this one along `path`.
  ///
  /// It captures what the two key paths capture, so it is Sendable if they are. The cast changes no bits, because
  /// Sendable is only a marker.
  func appending<End>(_ path: any KeyPath<Value, End> & Sendable) -> any KeyPath<Root, End> & Sendable {
    unsafe unsafeBitCast(appending(path: path), to: (any KeyPath<Root, End> & Sendable).self)
  }

  /// The key path that continues from this one along `path`, whose value type is known only at run time.
  func appending(erased path: any PartialKeyPath<Value> & Sendable) -> any PartialKeyPath<Root> & Sendable {
    let path = (self as PartialKeyPath<Root>).appending(path: path as AnyKeyPath)
    guard let path else { preconditionFailure("A key path goes on where another ended, and cannot") }
    return unsafe unsafeBitCast(path, to: (any PartialKeyPath<Root> & Sendable).self)
  }
}
