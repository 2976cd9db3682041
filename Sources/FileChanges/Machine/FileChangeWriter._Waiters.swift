internal import PendingChanges

extension FileChangeWriter {
  /// The callers that wait until what was accepted so far is on disk.
  struct _Waiters: Sendable {
    struct Waiter: Sendable {
      let number: Int
      /// The newest change of each file that was not done when the wait began.
      var targets: [FileChange.Path: PendingChangeID]
      var unwritten: [PendingChangeID: Failure]
      /// Whether the wait goes on until the journal is given back, too.
      let isForTheEnd: Bool
      /// The one file that the caller asks for; nil for all of them.
      var path: FileChange.Path?
    }

    private(set) var all: [Waiter] = []

    var isEmpty: Bool { all.isEmpty }

    mutating func add(_ waiter: Waiter) { all.append(waiter) }

    mutating func remove(_ number: Int) -> Waiter? {
      all.firstIndex { $0.number == number }.map { all.remove(at: $0) }
    }

    mutating func removeAll(where isOver: (Waiter) -> Bool) -> [Waiter] {
      let removed = all.filter(isOver)
      if !removed.isEmpty { all.removeAll(where: isOver) }
      return removed
    }
  }
}

extension FileChangeWriter._Waiters {
  /// Reports that the changes of a file up to `id` are done, or that this one failed for good.
  ///
  /// - Parameters:
  ///   - batch: What the batch is called that the change stands for in the queue.
  ///   - isHeld: Whether the failure is held, so that no newer change has taken its place.
  mutating func report(
    _ path: FileChange.Path, _ id: PendingChangeID, of batch: PendingChangeID? = nil,
    failure: FileChangeWriter.Failure?, isHeld: Bool
  ) {
    let name = batch ?? id
    for index in all.indices {
      let target = all[index].targets[path]
      let isLast = target.map { $0 <= id } ?? false
      if isLast { all[index].targets[path] = nil }
      if let failure {
        // A failure that gave way is the newer change's to report, unless that one was accepted after the wait began:
        // a wait for each next one would last as long as a file is saved that cannot be written.
        let isReported = all[index].unwritten[failure.id] != nil
        if isLast || target != nil && isHeld || isReported { all[index].unwritten[failure.id] = failure }
      } else {
        let isAskedFor = all[index].path == path
        all[index].unwritten = all[index].unwritten.filter { key, failure in
          if failure.batch.isEmpty { return failure.change.path != path || key > id }
          // This writes no other file of an older batch; but a wait for one file is not about those.
          return key > name || key < name && !isAskedFor
        }
      }
    }
  }

  /// Lets no caller wait for a change of the file that is newer than the newest that is left.
  mutating func retarget(_ path: FileChange.Path, newest: PendingChangeID?) {
    for index in all.indices {
      all[index].targets[path] = all[index].targets[path].flatMap { target in newest.map { min($0, target) } }
    }
  }

  /// Lets those that wait for the end wait for one more change.
  mutating func extendToTheEnd(_ path: FileChange.Path, _ id: PendingChangeID) {
    for index in all.indices where all[index].isForTheEnd { all[index].targets[path] = id }
  }
}
