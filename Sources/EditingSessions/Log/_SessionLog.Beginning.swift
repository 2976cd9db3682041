extension _SessionLog {
  /// The contents with which a log begins.
  struct Beginning {
    /// The last messages of the old log, which the snapshot includes; nil if the snapshot is of a state before all that
    /// waits.
    var end: [UInt8]?
    /// The messages that directly follow the snapshot, in the new log only.
    var first: [UInt8] = []
    /// Encodes the snapshot.
    let encode: @Sendable () throws -> _Snapshot
  }
}
