/// A key path as the key of a dictionary that is Sendable.
struct _PartialKey<Root>: Hashable, Sendable {
  let keyPath: any PartialKeyPath<Root> & Sendable

  init(_ keyPath: any PartialKeyPath<Root> & Sendable) { self.keyPath = keyPath }

  static func == (left: Self, right: Self) -> Bool { left.keyPath == right.keyPath }

  func hash(into hasher: inout Hasher) { hasher.combine(keyPath) }
}
