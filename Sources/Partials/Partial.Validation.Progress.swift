extension Partial.Validation {
  /// How far a partial has come: how many of how many.
  public struct Progress: Hashable, Sendable {
    /// How many required key paths have a value.
    public let completed: Int
    /// How many key paths are required.
    public let total: Int

    /// Whether every required key path has a value, which does not mean that it is a good one.
    public var isComplete: Bool { completed == total }

    /// The share of required key paths that have a value, from 0 to 1; 1 where none is required.
    public var fractionCompleted: Double { total == 0 ? 1 : Double(completed) / Double(total) }
  }
}

extension Partial.Validation.Progress: CustomStringConvertible {
  /// How many of how many, as in `3 of 7`.
  public var description: String { "\(completed) of \(total)" }
}
