import UndoHistories

/// The history in a model, as an ``UndoDriver`` uses it, regardless of the type of the document.
///
/// If the model is gone, the history is empty, and calls change nothing.
protocol _DrivenHistory: AnyObject {
  var undoCount: Int { get }
  var redoCount: Int { get }
  /// The number of oldest steps that limits have dropped.
  var droppedCount: Int { get }
  /// The state of the history, to compare with that of another moment.
  var mark: _HistoryMark { get }
  var undoLabel: String? { get }
  var redoLabel: String? { get }
  /// The labels of the latest steps that can be undone, oldest first.
  func labels(ofLatest count: Int) -> [String?]
  var stepLimit: Int { get set }

  func undo() -> Bool
  func redo() -> Bool
  func beginStep(_ label: String?)
  func endStep()
  func removeAllSteps()
}

/// The state of a history by which a driver recognizes edits, without looking at the document.
struct _HistoryMark {
  /// The number of steps that ever led to the document, of steps that can be redone, and of remote edits.
  var (state, redoCount, remoteEditCount) = (0, 0, 0)
  var (saveCount, isDirty) = (0, false)
  var limit = UndoLimit.unlimited
  var coalescing = UndoCoalescing.typing
  var (byteCount, undoLabel) = (0, String?.none)
  var (mayHaveJoined, restoresValues) = (false, false)
  /// The place in a text and the time of the latest step's last edit, while others can join it.
  var latestEdit: (text: _UndoTextNumbers?, rewritingCount: Int, time: Int64?) = (nil, 0, nil)

  /// Whether the history was edited since, or may be another one; true as well if an edit may have joined a step.
  func isEdited(since old: _HistoryMark) -> Bool {
    if state != old.state || redoCount != old.redoCount || remoteEditCount != old.remoteEditCount { return true }
    if saveCount != old.saveCount { return false }
    let isSaved = !isDirty && old.isDirty
    // Without steps, the marks of two histories hardly differ.
    if state == 0 { return !restoresValues && !(isSaved && remoteEditCount > 0) }
    // A save ended, or the rules have changed.
    if isSaved || limit != old.limit || coalescing != old.coalescing { return false }
    // A restored value may have been assigned after an edit that joined.
    let hasJoined =
      latestEdit.text != old.latestEdit.text || latestEdit.rewritingCount != old.latestEdit.rewritingCount
      || latestEdit.time.map { $0 != old.latestEdit.time } ?? false
    return mayHaveJoined || hasJoined || isDirty != old.isDirty || byteCount != old.byteCount
      || undoLabel != old.undoLabel
  }
}

/// The history in a model, which is looked up with each call, because the model may replace it.
final class _ModelHistory<Model: AnyObject, Value>: _DrivenHistory {
  typealias Modification = (Model, (inout UndoHistory<Value>) -> Void) -> Void

  private weak var model: Model?
  private let keyPath: KeyPath<Model, UndoHistory<Value>>
  private let modification: Modification
  private var openStep: UndoHistory<Value>.OpenStep?
  /// Whether the history is being modified right now; reading it would then trap.
  private var isAccessing = false

  init(_ model: Model, _ keyPath: KeyPath<Model, UndoHistory<Value>>, modification: @escaping Modification) {
    self.model = model
    self.keyPath = keyPath
    self.modification = modification
  }

  // The history that is read is a copy. It must be gone before the next edit, which would otherwise copy the document.
  private func read<Result>(_ body: (UndoHistory<Value>) -> Result) -> Result? {
    guard let model, !isAccessing else { return nil }
    return body(model[keyPath: keyPath])
  }

  // A value that an undo releases may call the driver in its deinit; the history must not be read then.
  private func modify<Result>(_ body: (inout UndoHistory<Value>) -> Result) -> Result? {
    guard let model, !isAccessing else { return nil }
    var result: Result?
    modification(model) { history in
      isAccessing = true
      result = body(&history)
      isAccessing = false
    }
    return result
  }

  var undoCount: Int { read { $0.undoCount } ?? 0 }
  var redoCount: Int { read { $0.redoCount } ?? 0 }
  var droppedCount: Int { read { $0.droppedCount } ?? 0 }

  var mark: _HistoryMark {
    let mark = read { history in
      _HistoryMark(
        state: history.droppedCount + history.undoCount, redoCount: history.redoCount,
        remoteEditCount: history.remoteEditCount, saveCount: history.savesInFlight.count,
        isDirty: history.isDirty, limit: history.limit, coalescing: history.coalescing,
        byteCount: history.byteCount, undoLabel: history.undoLabel, mayHaveJoined: history.mayHaveJoined,
        restoresValues: history.restoresValues, latestEdit: history.latestEdit)
    }
    return mark ?? _HistoryMark()
  }

  var undoLabel: String? { read { $0.undoLabel } ?? nil }
  var redoLabel: String? { read { $0.redoLabel } ?? nil }

  func labels(ofLatest count: Int) -> [String?] {
    // Steps are found from the oldest on. If an edit made only one step, it is the latest, and its label is known.
    guard count > 1 else { return count == 1 ? [undoLabel] : [] }
    return read { $0.steps.prefix($0.undoCount).map(\.label).suffix(count) } ?? []
  }

  var stepLimit: Int {
    get { read { $0.limit.steps } ?? .max }
    set {
      _ = modify { history in
        let bytes = history.limit.bytes
        // A limit without bytes leaves them out.
        switch (newValue == .max, bytes == .max) {
        case (true, true): history.limit = .unlimited
        case (true, false): history.limit = .bytes(bytes)
        case (false, true): history.limit = .steps(newValue)
        case (false, false): history.limit = .steps(newValue, bytes: bytes)
        }
      }
    }
  }

  func undo() -> Bool { modify { $0.undo() != nil } ?? false }
  func redo() -> Bool { modify { $0.redo() != nil } ?? false }

  func beginStep(_ label: String?) { openStep = modify { $0.beginStep(label) } }

  func endStep() {
    guard let step = openStep else { return }
    openStep = nil
    // Refused if an undo has ended the step, or if the model has another history now. A step that changed nothing
    // stays, because its action is registered.
    _ = modify { $0.endStepAsItIs(step) }
  }

  func removeAllSteps() { _ = modify { $0.removeAllSteps() } }
}
