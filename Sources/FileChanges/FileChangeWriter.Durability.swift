extension FileChangeWriter {
  /// What a change has survived when ``FileChangeWriter/submit(_:durability:)`` returns.
  public enum Durability: Hashable, Sendable {
    /// The end of the process, and a power failure as far as the device keeps what it was told to keep.
    ///
    /// A writer without a journal has no more to offer than ``memory``.
    case journal

    /// Nothing: the change is in the memory of the process.
    ///
    /// Where the journal has to have it for the sake of another one, it is in the journal all the same: when that has a
    /// change of the same file, and always with the policy that keeps the change that waits.
    case memory
  }
}
