internal import FileChanges
internal import Observation
internal import UndoArchives
internal import UndoHistories

/// What an edit has to see to besides the history; most edits have nothing.
@frozen
@usableFromInline
struct _SessionFlags: OptionSet {
  @usableFromInline
  let rawValue: UInt8

  @inlinable
  init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The history was read since its last change: there may be observers.
  ///
  /// What observes a property does so for one change, and reads it again before it can learn of the next. So where it
  /// was not read since, nothing observes it, and the registrar need not be asked, which takes as long as five edits.
  @inlinable
  static var wasRead: _SessionFlags { _SessionFlags(rawValue: 1) }
  /// Changes are not kept.
  static var isClosed: _SessionFlags { _SessionFlags(rawValue: 2) }
  /// The history is being changed.
  @inlinable
  static var isChanging: _SessionFlags { _SessionFlags(rawValue: 4) }
  /// It is, and observers know of that.
  static var isAnnounced: _SessionFlags { _SessionFlags(rawValue: 8) }
  /// The file is written without being asked for.
  static var savesByItself: _SessionFlags { _SessionFlags(rawValue: 16) }
  /// The history was assigned and read, and is to be marked as such before it is copied or changed.
  static var isUnmarked: _SessionFlags { _SessionFlags(rawValue: 32) }
}

// How the history is changed, and how the log comes to know of it.

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension EditingSession {
  /// Changes the history, and writes down how.
  @discardableResult
  func change<Result>(_ body: (inout UndoHistory<Document>) -> Result) -> Result {
    willChange()
    defer { didChange() }
    return body(&_history)
  }

  /// Changes the history together with what observers see besides it.
  ///
  /// They are told first, and may edit then: before all of it or behind it, never in between. So what `body` says of
  /// the file is of the document that it has seen.
  func announcing<Result>(_ body: () -> Result) -> Result {
    announceChange()
    registrar.willSet(self, keyPath: statusKeyPath)
    let (number, byteCount) = (edits, recorder.messageByteCount)
    let result = body()
    registrar.didSet(self, keyPath: statusKeyPath)
    // An observer of the rest may have read the history since that was announced.
    if edits != number || recorder.messageByteCount != byteCount { announceChange() }
    endAnnouncement()
    return result
  }

  /// Changes the history by an edit that was announced.
  @discardableResult
  func changeAnnounced<Result>(_ body: (inout UndoHistory<Document>) -> Result) -> Result {
    defer { readHistory() }
    return body(&_history)
  }

  /// Does so where the log gets a record of its own of the edits, each read by itself, and returns its messages.
  func changeApart(_ changes: (inout UndoHistory<Document>) -> Void...) -> [UInt8] {
    log.collectMessages()
    for change in changes {
      change(&_history)
      recorder.read(&_history)
    }
    edits += 1
    return takeWrittenMessages()
  }

  /// The history is about to be changed.
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
      // Nothing would keep it: the document stays as the next session has it.
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
    // First, since observers may read it now.
    flags.remove(.wasRead)
    registrar.willSet(self, keyPath: historyKeyPath)
    flags.insert(.isAnnounced)
  }

  /// The history was changed: what was done to it goes to the log.
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

  /// Reads off the history what was done to it, and lets the log know of it.
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
    log.messagesWait()
    if flags.contains(.savesByItself) { scheduleAutosave() }
  }

  /// What happened since the log took messages the last time.
  func takeMessages() -> _SessionRecord {
    let haveEdits = haveEditsToTake
    return .messages(takeWrittenMessages(), haveEdits: haveEdits)
  }

  private func takeWrittenMessages() -> [UInt8] {
    if recorder.error != nil {
      // Nothing but the document itself has all of it.
      beginning = nil
      log.demandSnapshot()
    }
    haveEditsToTake = false
    return recorder.takeMessages()
  }

  /// What the log needs to begin anew: here, or at first where the session began.
  ///
  /// A step that is open stays open. One that is not where the history is now would end by it, and so the log waits as
  /// long as it can.
  func takeSnapshot(_ isNeeded: Bool) -> _SessionLog.Beginning? {
    let isStepOpen = _history.isStepOpen
    if !isNeeded, _history.hasOpenStep, !isStepOpen { return nil }
    let names = recorder.header
    if let beginning {
      self.beginning = nil
      return _SessionLog.Beginning(first: beginning.first) {
        try _Snapshot(of: beginning.history, names: names, files: beginning.files)
      }
    }
    if !isStepOpen {
      _history.settle()
      recorder.read(&_history)
    }
    let messages = recorder.takeMessages()
    let first = recorder.begin(with: &_history)
    flags.remove(.isUnmarked)
    let history = _history
    let files = _status.files.map { $0.inSnapshot(at: edits) }
    return _SessionLog.Beginning(end: messages, first: first) { try _Snapshot(of: history, names: names, files: files) }
  }

  /// The history is about to be read, maybe by an observer.
  func access() {
    precondition(!flags.contains(.isChanging), "A session cannot be read by the closure of an edit")
    markHistory()
    flags.insert(.wasRead)
    registrar.access(self, keyPath: historyKeyPath)
  }
}
