internal import PendingChanges
internal import UniqueQueues

extension FileChangeWriter {
  /// The files whose changes are held back: the journal has them, so that they can wait while submissions keep coming.
  ///
  /// To replace files beside the journal would make both wait for the device; and of several changes of a file that
  /// come meanwhile only the newest is written. It is what a database does with its checkpoints.
  ///
  /// Time comes as ticks, as long as anything is held. A tick without a submission since the one before is the end of
  /// the holding, until the next submission. Before that, a file is *due* when its oldest change has been held for the
  /// longest time. Due files are written one at a time, in a tenth of the time, since callers wait for the same device;
  /// but after a slow one the next begins a tick after one would be due that was accepted then.
  struct _Holding: Sendable {
    /// How long the time between two ticks is; nothing is held where that is zero.
    let tickLength: Duration
    /// After how many ticks a file is due.
    private let longest: Int
    /// The tick in which the oldest change of each file was accepted that is to be written.
    private var ticks: [FileChange.Path: Int] = [:]
    private var now = 0
    private var hasNews = false
    private var isTicking = false
    /// How much longer due files may be written before the next tick; below zero where one took longer than that.
    private var allowance: Duration
    /// What each tick adds to that.
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

    /// How many files are held back.
    var count: Int { ticks.count }
    var paths: some Collection<FileChange.Path> { ticks.keys }

    func holds(_ path: FileChange.Path) -> Bool { !ticks.isEmpty && ticks[path] != nil }

    func isDue(_ path: FileChange.Path) -> Bool { ticks[path].map { now - $0 >= longest } ?? true }

    /// Whether a due file may be written now.
    var allowsDue: Bool { allowance > .zero }

    mutating func beginDue(_ id: PendingChangeID) { running = id }

    /// A change was carried out.
    mutating func finish(_ id: PendingChangeID, after time: Duration) {
      guard id == running else { return }
      running = nil
      allowance = max(allowance - time, share * -longest)
    }

    /// A change is on its way to the journal.
    mutating func submit() {
      hasNews = true
      isOver = false
    }

    /// The journal has a change of the file, which waits.
    mutating func hold(_ path: FileChange.Path) {
      guard longest > 0, ticks[path] == nil else { return }
      ticks[path] = now
    }

    /// Nothing of the file waits any more.
    mutating func release(_ path: FileChange.Path) {
      if !ticks.isEmpty { ticks[path] = nil }
    }

    /// Whether a tick is to be ordered, since there is something to wait for and none is under way; true once.
    mutating func beginTick() -> Bool {
      guard !ticks.isEmpty, !isTicking else { return false }
      isTicking = true
      return true
    }

    /// - Parameter isBusy: Whether the journal is being written, so that callers may wait for it.
    mutating func tick(isBusy: Bool) {
      now += 1
      allowance = min(allowance, .zero) + share
      isTicking = false
      isOver = !hasNews && !isBusy
      hasNews = false
    }
  }
}

// While submissions keep coming, what the journal has is not yet written to its files.

extension FileChangeWriter._StateMachine {
  /// Time has passed, as ``Action/watch(_:)`` has asked for.
  package mutating func tick() -> [Action] {
    defer { _checkInvariants() }
    holding.tick(isBusy: !journal.isIdle)
    return proceed()
  }

  /// Whether changes are held back.
  ///
  /// What is not held must not wait for what is. A caller that waits ends the holding, and so does the size of what
  /// waits: the journal could not be written anew with less than half of its limit.
  var isHolding: Bool {
    holding.count > 0 && holding.count == queue.waitingCount && !holding.isOver && phase == .open && waiters.isEmpty
      && admission.line.isEmpty && admission.byteCount <= configuration.journalByteLimit / 2
  }

  /// Whether the change that is next may begin although changes are held back.
  var isNextDue: Bool {
    guard let next = queue.next, holding.isDue(next.key) else { return false }
    // One at a time: the callers whose submissions keep coming wait for the same device.
    return runningCount == 0 && holding.allowsDue
  }
}
