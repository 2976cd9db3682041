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
}

// How the history is changed, and how the log comes to know of it.

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension EditingSession {
  /// Messages that the log has not taken.
  struct Untaken {
    var byteCount = 0
    var haveEdits = false
  }

  /// Changes the history, and writes down how.
  @discardableResult
  func change<Result, Failure: Error>(
    isEdit: Bool = true, _ body: (inout UndoHistory<Document>.Observed) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    willChange()
    defer { didChange(isEdit: isEdit) }
    return try _history.observed(by: recorder, body)
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
  func changeAnnounced<Result>(
    isEdit: Bool = true, _ body: (inout UndoHistory<Document>.Observed) -> Result
  ) -> Result {
    flags.insert(.isChanging)
    defer {
      flags.remove(.isChanging)
      didWriteMessages(isEdit)
    }
    return _history.observed(by: recorder, body)
  }

  /// Does so where the log gets a record of its own of the edit, and returns its messages.
  func changeApart(_ body: (inout UndoHistory<Document>.Observed) -> Void) -> [UInt8] {
    log.collectMessages()
    flags.insert(.isChanging)
    _history.observed(by: recorder, body)
    flags.remove(.isChanging)
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
    if flags.contains(.isClosed) {
      // Nothing would keep it: the document stays as the next session has it.
      closedHistory = _history
    } else {
      announceChange()
    }
  }

  /// Tells observers that the history is about to be changed; they may read and edit it now.
  func announceChange() {
    guard flags.contains(.wasRead) else { return }
    // First, since observers may read it now.
    flags.remove(.wasRead)
    registrar.willSet(self, keyPath: historyKeyPath)
    flags.insert(.isAnnounced)
  }

  /// The history was changed: the messages go to the log.
  @usableFromInline
  func didChange(isEdit: Bool = true) {
    guard flags == .isChanging else { return finishChange(isEdit) }
    flags = []
    didWriteMessages(isEdit)
  }

  @inline(never)
  private func finishChange(_ isEdit: Bool) {
    flags.remove(.isChanging)
    if let history = closedHistory {
      _history = history
      closedHistory = nil
      // What it knows of the latest text is of what was just dropped.
      recorder.begin(with: &_history)
      return
    }
    didWriteMessages(isEdit)
    endAnnouncement()
  }

  private func endAnnouncement() {
    guard flags.contains(.isAnnounced) else { return }
    flags.remove(.isAnnounced)
    registrar.didSet(self, keyPath: historyKeyPath)
  }

  @inline(__always)
  private func didWriteMessages(_ isEdit: Bool) {
    let byteCount = recorder.messageByteCount
    guard byteCount != untaken.byteCount else { return }
    untaken.byteCount = byteCount
    if isEdit {
      edits += 1
      untaken.haveEdits = true
    }
    log.messagesWait()
    if flags.contains(.savesByItself) { scheduleAutosave() }
  }

  /// What happened since the log took messages the last time.
  func takeMessages() -> _SessionRecord {
    let haveEdits = untaken.haveEdits
    return .messages(takeWrittenMessages(), haveEdits: haveEdits)
  }

  private func takeWrittenMessages() -> [UInt8] {
    if recorder.error != nil {
      // Nothing but the document itself has all of it.
      beginning = nil
      log.demandSnapshot()
    }
    untaken = Untaken()
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
    if !isStepOpen { _history.observed(by: recorder) { $0.settle() } }
    let messages = recorder.takeMessages()
    let first = recorder.begin(with: &_history)
    let history = _history
    let files = _status.files.map { $0.known(at: edits) }
    return _SessionLog.Beginning(end: messages, first: first) { try _Snapshot(of: history, names: names, files: files) }
  }

  /// The history is about to be read, maybe by an observer.
  func access() {
    precondition(!flags.contains(.isChanging), "A session cannot be read by the closure of an edit")
    flags.insert(.wasRead)
    registrar.access(self, keyPath: historyKeyPath)
  }
}
