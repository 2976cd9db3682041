extension PendingChangeQueue: CustomStringConvertible {
  /// The waiting entries in order, those in flight and the dead letters.
  public var description: String {
    "PendingChangeQueue(waiting: \(waiting), inFlight: \(inFlight), deadLetters: \(deadLetters))"
  }
}
