package import PendingChanges

extension FileChangeWriter._StateMachine {
  /// Takes a change back that is not being carried out at this moment.
  ///
  /// - Parameter ticket: Under which number somebody waits until the journal knows, if it has the change.
  /// - Returns: The change, or nil where it cannot be taken back, and whether it is waited for the journal.
  package mutating func cancel(
    _ id: PendingChangeID, ticket: Int
  ) -> (change: FileChange?, isRecorded: Bool, actions: [Action]) {
    defer { _checkInvariants() }
    let isRunning = queue.status(of: id) == .inFlight && sleeping[id] == nil
    guard !isShutDown, !isRunning, let isFailure = queue.status(of: id).map({ $0 == .deadLetter }),
      let entry = queue.remove(id)
    else { return (nil, false, []) }
    let isAwakened = forgetSleep(id) != nil
    if isAwakened { failuresInARow[entry.key] = nil }
    if !isFailure {
      counts.cancelled += 1
      room.remove(entry)
    }
    forgetReplacedErrors(of: entry.key)
    retarget(entry.key)
    let isRecorded = forget(id, of: entry.key)
    if isRecorded { journal?.stage(nil, ticket: ticket) }
    return (entry.change, isRecorded, (isAwakened ? [.awaken(id)] : []) + proceed())
  }

  /// Lets nobody wait for a change that does not come any more.
  private mutating func retarget(_ path: FileChange.Path) {
    let newest = queue.newest(for: path)?.id
    for index in waiters.indices {
      waiters[index].targets[path] = waiters[index].targets[path].flatMap { target in newest.map { min($0, target) } }
    }
  }
}
