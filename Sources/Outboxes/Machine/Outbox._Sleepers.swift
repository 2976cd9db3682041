internal import PendingChanges

extension Outbox {
  /// The changes that are sent again after a delay, with the time of each.
  struct _Sleepers {
    struct Sleep {
      let deadline: Duration
      /// The server asked not to receive the change before this time.
      let earliest: Duration
    }

    private struct Alarm: Comparable {
      let deadline: Duration
      let id: PendingChangeID

      static func < (left: Alarm, right: Alarm) -> Bool { left.deadline < right.deadline }
    }

    private var sleeps: [PendingChangeID: Sleep] = [:]
    /// An alarm without its sleep is obsolete, and is dropped when it comes first.
    private var alarms = _Heap<Alarm>()

    /// The earliest time at which a change wakes.
    var next: Duration? { alarms.first?.deadline }

    var ids: some Collection<PendingChangeID> { sleeps.keys }

    func contains(_ id: PendingChangeID) -> Bool { sleeps[id] != nil }

    mutating func add(_ id: PendingChangeID, _ sleep: Sleep) {
      sleeps[id] = sleep
      alarms.insert(Alarm(deadline: sleep.deadline, id: id))
    }

    /// - Returns: The sleep of the change, if it slept.
    @discardableResult
    mutating func remove(_ id: PendingChangeID) -> Sleep? {
      guard let sleep = sleeps.removeValue(forKey: id) else { return nil }
      while let first = alarms.first, sleeps[first.id]?.deadline != first.deadline { alarms.removeFirst() }
      return sleep
    }

    /// Removes and returns the changes whose time has come, earliest first.
    mutating func wake(at now: Duration) -> [PendingChangeID] {
      var woken: [PendingChangeID] = []
      while let first = alarms.first, first.deadline <= now {
        woken.append(first.id)
        remove(first.id)
      }
      return woken
    }

    /// Removes and returns the changes that may be tried now, oldest first; the others wake once they may be tried.
    mutating func wakeAll(at now: Duration) -> [PendingChangeID] {
      let woken = sleeps.filter { $0.value.earliest <= now }.keys.sorted()
      for id in woken { remove(id) }
      for (id, sleep) in sleeps where sleep.earliest < sleep.deadline {
        add(id, Sleep(deadline: sleep.earliest, earliest: sleep.earliest))
      }
      return woken
    }
  }
}
