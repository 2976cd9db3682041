internal import Journals
internal import PendingChanges
internal import UniqueQueues

extension FileChangeWriter {
  /// The files whose changes are delayed: the journal has the changes, so they can wait while submissions keep coming.
  ///
  /// If the files were replaced at once, both they and the journal would wait for the device. If several changes
  /// of a file arrive meanwhile, only the newest is written. Databases delay their checkpoints for the same reason.
  ///
  /// A timer ticks while any change is delayed. If no submission came since the last tick, the delay ends until the
  /// next submission. Before that, a file becomes *due* when its oldest change has been delayed for the longest time
  /// allowed. Due files are written one at a time, and take only a tenth of the time, because callers wait for the same
  /// device. But however long a write takes, the next one begins at the latest one tick after a change accepted at its
  /// end would become due.
  struct _WriteDelay: Sendable {
    /// The time between two ticks; zero turns delays off.
    let tickLength: Duration
    /// The number of ticks after which a file is due.
    private let longest: Int
    /// The tick in which the oldest waiting change of each file was accepted.
    private var ticks: [FileChange.Path: Int] = [:]
    private var now = 0
    private var hasNews = false
    private var isTicking = false
    /// How much longer due files may be written before the next tick; negative if a write took longer than allowed.
    private var allowance: Duration
    /// The time that each tick adds to the allowance.
    private let share: Duration
    /// The due change that is being written.
    private var running: PendingChangeID?
    /// Whether no submission came for a while.
    private(set) var isOver = false

    init(tickLength: Duration, longest: Duration) {
      self.tickLength = tickLength
      self.longest = tickLength > .zero ? max(1, Int(longest / tickLength)) : 0
      share = tickLength / 10
      allowance = share
    }

    /// How many files are delayed.
    var count: Int { ticks.count }
    var paths: some Collection<FileChange.Path> { ticks.keys }

    func applies(to path: FileChange.Path) -> Bool { !ticks.isEmpty && ticks[path] != nil }

    func isDue(_ path: FileChange.Path) -> Bool { ticks[path].map { now - $0 >= longest } ?? true }

    /// Whether a due file may be written now.
    var allowsDue: Bool { allowance > .zero }

    mutating func beginDue(_ id: PendingChangeID) { running = id }

    /// Subtracts the time of a due change from the allowance.
    mutating func finish(_ id: PendingChangeID, after time: Duration) {
      guard id == running else { return }
      running = nil
      allowance = max(allowance - time, share * -longest)
    }

    /// Notes that a change is on its way to the journal.
    mutating func submit() {
      hasNews = true
      isOver = false
    }

    /// Delays the file: the journal has a change of it, which waits.
    mutating func begin(_ path: FileChange.Path) {
      guard longest > 0, ticks[path] == nil else { return }
      ticks[path] = now
    }

    /// Ends the delay of the file: none of its changes waits any more.
    mutating func release(_ path: FileChange.Path) {
      if !ticks.isEmpty { ticks[path] = nil }
    }

    /// Whether to start a timer, because a file is delayed and no timer runs; true only once.
    mutating func beginTick() -> Bool {
      guard !ticks.isEmpty, !isTicking else { return false }
      isTicking = true
      return true
    }

    /// - Parameter isBusy: Whether the journal is being written, so that callers may be waiting for it.
    mutating func tick(isBusy: Bool) {
      now += 1
      allowance = min(allowance, .zero) + share
      isTicking = false
      isOver = !hasNews && !isBusy
      hasNews = false
    }
  }

  /// The changes that begin after a delay; the queue treats them as in flight meanwhile.
  struct _Sleepers: Sendable {
    /// The changes that failed and are tried again.
    var failed: [PendingChangeID: FileChangeError] = [:]
    /// The changes that pause to spare the device, because another change of the file was just made.
    var paused = UniqueQueue<PendingChangeID>()

    var count: Int { failed.count + paused.count }
    var ids: [PendingChangeID] { (Array(failed.keys) + paused).sorted() }

    func contains(_ id: PendingChangeID) -> Bool { failed[id] != nil || paused.contains(id) }

    /// - Returns: Whether the change slept.
    mutating func remove(_ id: PendingChangeID) -> Bool {
      failed.removeValue(forKey: id) != nil || paused.remove(id) != nil
    }
  }
}

// While submissions keep coming, recorded changes are not yet written to their files.

extension FileChangeWriter._StateMachine {
  /// Handles the timer that ``Action/watch(_:)`` started.
  package mutating func tick() -> [Action] {
    writeDelay.tick(isBusy: !journal.isIdle)
    return proceed()
  }

  /// Whether changes are delayed.
  ///
  /// A change that isn't delayed must not wait for one that is. The delay ends if a caller waits, or if the waiting
  /// changes exceed half of the journal's limit: so a rewritten journal has room for new records.
  var isDelaying: Bool {
    writeDelay.count > 0 && writeDelay.count == queue.waitingCount && !writeDelay.isOver && phase == .open
      && waiters.isEmpty && admission.tickets.isEmpty && admission.byteCount <= configuration.journalByteLimit / 2
  }

  /// Whether the next change is due, so that it may begin although changes are delayed.
  var isNextDue: Bool {
    guard let next = queue.next, writeDelay.isDue(next.key) else { return false }
    // One at a time, because callers with new submissions wait for the same device.
    return runningCount == 0 && writeDelay.allowsDue
  }

  // A change sleeps until it is tried again, or pauses to spare the device.

  /// Pauses before the next change of a file that was just changed, unless a caller waits for it.
  mutating func pause(before path: FileChange.Path) -> [Action] {
    let hasPauses = configuration.parallelFiles > 1 && configuration.firstPause > .zero
    guard hasPauses, waiters.isEmpty, admission.tickets.isEmpty, phase == .open, !writeDelay.applies(to: path),
      let next = queue.newest(for: path)?.id, admission.mayBegin(next), queue.begin(next) != nil
    else {
      pausesInARow[path] = nil
      return []
    }
    admission.begin(next)
    let count = pausesInARow[path, default: 0]
    pausesInARow[path] = count + 1
    sleepers.paused.append(next)
    return [.pause(next, configuration.firstPause.doubled(count, upTo: configuration.longestPause))]
  }

  /// Ends the sleep of a change or a batch, if it sleeps.
  mutating func endSleep(_ id: PendingChangeID) {
    let error = sleepers.failed[id]
    guard sleepers.remove(id) else { return batches.endSleep(id) }
    let entry = error.map { queue.fail(id, attempts: nil, reason: $0.description) } ?? queue.release(id)
    // Only a newer change, which replaces this one, removes it from the queue.
    if let entry, queue.status(of: id) == nil {
      counts.coalesced += 1
      admission.remove(entry)
      journal.forget(id, of: entry.key)
    }
  }

  private mutating func endSleeps(of ids: [PendingChangeID]) -> [Action] {
    ids.map { id in
      endSleep(id)
      return .awaken(id)
    }
  }

  mutating func endSleeps() -> [Action] {
    endSleeps(of: sleepers.ids + batches.open.filter { $0.phase == .sleeping }.map(\.id))
  }

  /// Ends all pauses, because a caller waits.
  ///
  /// - Complexity: Amortized O(1), since each pause ends once.
  mutating func endPauses() -> [Action] { endSleeps(of: Array(sleepers.paused)) }
}
