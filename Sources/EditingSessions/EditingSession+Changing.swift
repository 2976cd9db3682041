internal import Observation
internal import UndoArchives
internal import UndoHistories

/// The reasons for an edit to do more than change the history; most edits have none.
@usableFromInline
struct _SessionFlags: OptionSet {
  @usableFromInline
  let rawValue: UInt8

  @inlinable
  init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The history was read since its last change, so there may be observers.
  ///
  /// An observer observes a property for one change, and has to read it again before it can be told about the next. So
  /// if the history wasn't read since the last change, nothing observes it, and the registrar needn't be called. Such a
  /// call takes as long as five edits.
  static var wasRead: _SessionFlags { _SessionFlags(rawValue: 1) }
  /// The session is closed, so changes aren't kept.
  static var isClosed: _SessionFlags { _SessionFlags(rawValue: 2) }
  /// The history is being changed.
  @inlinable
  static var isChanging: _SessionFlags { _SessionFlags(rawValue: 4) }
  /// The history is being changed, and observers were told.
  static var isAnnounced: _SessionFlags { _SessionFlags(rawValue: 8) }
  /// The session saves without being asked.
  static var savesByItself: _SessionFlags { _SessionFlags(rawValue: 16) }
  /// The recorder has read the history and not marked it, which it must do before the history is copied or changed.
  static var isUnmarked: _SessionFlags { _SessionFlags(rawValue: 32) }
}

// Changing the history, and logging the changes.

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension EditingSession {
  /// Changes the history, and records the changes.
  func change<Result>(_ body: (inout UndoHistory<Document>) -> Result) -> Result {
    willChange()
    defer { didChange() }
    return body(&_history)
  }

  /// Changes the history together with the status.
  ///
  /// Observers are told first, and may edit then: before all changes in `body` or after them, never in between. So
  /// anything that `body` says about the file is true for the document that it has seen.
  func announcing<Result>(_ body: () -> Result) -> Result {
    announceChange()
    registrar.willSet(self, keyPath: statusKeyPath)
    let (number, byteCount) = (edits, recorder.messageByteCount)
    let result = body()
    registrar.didSet(self, keyPath: statusKeyPath)
    // An observer of the status may have read the history since its change was announced.
    if edits != number || recorder.messageByteCount != byteCount { announceChange() }
    endAnnouncement()
    return result
  }

  /// Changes the history, after observers were told.
  @discardableResult
  func changeAnnounced<Result>(_ body: (inout UndoHistory<Document>) -> Result) -> Result {
    defer { readHistory() }
    return body(&_history)
  }

  /// Makes several changes that the log gets in a record of their own, and returns their messages.
  func changeInOwnRecord(_ changes: (inout UndoHistory<Document>) -> Void...) -> [UInt8] {
    log.collectMessages()
    for change in changes {
      change(&_history)
      recorder.read(&_history)
    }
    edits += 1
    return takeWrittenMessages()
  }

  /// Prepares a change of the history.
  @inlinable
  @inline(__always)
  func willChange() {
    if !flags.isEmpty { prepareChange() }
    flags.insert(.isChanging)
  }

  @usableFromInline
  @inline(never)
  func prepareChange() {
    precondition(!flags.contains(.isChanging), "A session cannot be changed by the closure of an edit")
    markHistory()
    if flags.contains(.isClosed) {
      // The change isn't kept: the document stays as the next session has it.
      closedHistory = _history
    } else {
      announceChange()
    }
  }

  private func markHistory() {
    guard flags.contains(.isUnmarked) else { return }
    flags.remove(.isUnmarked)
    recorder.mark(&_history)
  }

  /// Tells observers that the history is about to be changed; they may read and edit it now.
  func announceChange() {
    guard flags.contains(.wasRead) else { return }
    // First, because observers may read the history now.
    flags.remove(.wasRead)
    registrar.willSet(self, keyPath: historyKeyPath)
    flags.insert(.isAnnounced)
  }

  /// Ends a change of the history, and passes the change to the log.
  @usableFromInline
  func didChange() {
    guard flags == .isChanging else { return finishChange() }
    flags = []
    readHistory()
  }

  @inline(never)
  private func finishChange() {
    flags.remove(.isChanging)
    if let history = closedHistory {
      _history = history
      closedHistory = nil
      return
    }
    readHistory()
    endAnnouncement()
  }

  private func endAnnouncement() {
    guard flags.contains(.isAnnounced) else { return }
    flags.remove(.isAnnounced)
    registrar.didSet(self, keyPath: historyKeyPath)
  }

  /// Reads from the history what was changed, and tells the log.
  @inline(__always)
  private func readHistory() {
    let byteCount = recorder.messageByteCount
    let reading = recorder.read(&_history)
    if recorder.isUnmarked { flags.insert(.isUnmarked) }
    guard reading == .ofDocument || recorder.messageByteCount != byteCount else { return }
    if reading == .ofDocument {
      edits += 1
      haveEditsToTake = true
    }
    log.hasWaitingMessages()
    if flags.contains(.savesByItself) { scheduleAutosave() }
  }

  /// Returns the messages since the log took messages the last time.
  func takeMessages() -> _SessionRecord {
    defer { haveEditsToTake = false }
    return .messages(takeWrittenMessages(), haveEdits: haveEditsToTake)
  }

  private func takeWrittenMessages() -> [UInt8] {
    if recorder.takeRemoval() {
      // The log before has the steps.
      beginning = nil
      log.forget()
    } else if recorder.error != nil {
      // The messages are incomplete, and only the document itself has everything.
      beginning = nil
      log.demandSnapshot()
    }
    return recorder.takeMessages()
  }

  /// Returns the contents with which the log begins anew: the first time those of the session's beginning, later the
  /// current ones.
  ///
  /// An open step stays open if the history is at its position. Otherwise the snapshot would end it, so the log waits
  /// as long as it can.
  func takeSnapshot(_ isNeeded: Bool) -> _SessionLog.Beginning? {
    let isStepOpen = _history.isStepOpen
    if !isNeeded, _history.hasOpenStep, !isStepOpen { return nil }
    if let beginning {
      self.beginning = nil
      return beginning
    }
    if !isStepOpen {
      _history.settle()
      recorder.read(&_history)
    }
    flags.remove(.isUnmarked)
    return makeBeginning(end: recorder.takeMessages())
  }

  /// Makes the contents of a log that begins with the history as it is now.
  func makeBeginning(end: [UInt8]?) -> _SessionLog.Beginning {
    let first = recorder.begin(with: &_history)
    let (history, names, place) = (_history, recorder.header, _status.place)
    let files = _status.files.map { $0.inSnapshot(at: edits) }
    return _SessionLog.Beginning(end: end, first: first) {
      try _Snapshot(of: history, names: names, place: place, files: files)
    }
  }

  /// Prepares reading the history, perhaps by an observer.
  func access() {
    precondition(!flags.contains(.isChanging), "A session cannot be read by the closure of an edit")
    markHistory()
    flags.insert(.wasRead)
    registrar.access(self, keyPath: historyKeyPath)
  }
}
