import UndoHistories

/// What a driver asks of a history, whatever the history is of.
///
/// Of a model that is gone the history is empty, and no call changes anything.
protocol _DrivenHistory: AnyObject {
  var undoCount: Int { get }
  var redoCount: Int { get }
  /// How many of the oldest steps limits have dropped.
  var droppedCount: Int { get }
  /// What is to be compared with that of another moment.
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

/// What tells of a history whether it was edited, without a look at the document.
struct _HistoryMark {
  /// How many steps ever led to the document, how many can be redone, and how many edits were absorbed.
  var (state, redoCount, remoteEditCount) = (0, 0, 0)
  var (saveCount, isDirty) = (0, false)
  var limit = UndoLimit.unlimited
  var coalescing = UndoCoalescing.typing
  var (byteCount, undoLabel) = (0, String?.none)
  var (mayHaveJoined, restoresValues) = (false, false)
  /// What the last edit of the latest step has of a text, and when it was, while others can join it.
  var latestEdit: (text: _UndoTextNumbers?, time: Int64?) = (nil, nil)

  /// Whether an edit was made since, or there may be another history; where one may have joined a step, that counts.
  func isEdited(since old: _HistoryMark) -> Bool {
    if state != old.state || redoCount != old.redoCount || remoteEditCount != old.remoteEditCount { return true }
    if saveCount != old.saveCount { return false }
    let isSaved = !isDirty && old.isDirty
    // Without steps little tells one history from another.
    if state == 0 { return !restoresValues && !(isSaved && remoteEditCount > 0) }
    // A save ended, or the rules are others.
    if isSaved || limit != old.limit || coalescing != old.coalescing { return false }
    // A carried value may have been assigned behind an edit that joined.
    let hasJoined = latestEdit.text != old.latestEdit.text || latestEdit.time.map { $0 != old.latestEdit.time } ?? false
    return mayHaveJoined || hasJoined || isDirty != old.isDirty || byteCount != old.byteCount
      || undoLabel != old.undoLabel
  }
}

/// The history in a model, found anew with each call: the model may put another one there.
final class _ModelHistory<Model: AnyObject, Value>: _DrivenHistory {
  typealias Modification = (Model, (inout UndoHistory<Value>) -> Void) -> Void

  private weak var model: Model?
  private let keyPath: KeyPath<Model, UndoHistory<Value>>
  private let modification: Modification
  private var openStep: UndoHistory<Value>.OpenStep?
  /// Whether the history is being modified at this moment: to read it then would trap.
  private var isAccessing = false

  init(_ model: Model, _ keyPath: KeyPath<Model, UndoHistory<Value>>, modification: @escaping Modification) {
    self.model = model
    self.keyPath = keyPath
    self.modification = modification
  }

  // The history that is read is a copy: it must be gone before the next edit, which would copy the document.
  private func read<Result>(_ body: (UndoHistory<Value>) -> Result) -> Result? {
    guard let model, !isAccessing else { return nil }
    return body(model[keyPath: keyPath])
  }

  // A value that an undo lets go of may call the driver in its deinit; the history must not be read for that.
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
    // The steps are found from the oldest on; one, as an edit makes it, is known.
    guard count > 1 else { return count == 1 ? [undoLabel] : [] }
    return read { $0.steps.prefix($0.undoCount).map(\.label).suffix(count) } ?? []
  }

  var stepLimit: Int {
    get { read { $0.limit.steps } ?? .max }
    set {
      _ = modify { history in
        let bytes = history.limit.bytes
        // The way to have no limit of bytes is to name none.
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
    // Refused where an undo has ended the step, or another history has taken the place of the one that it is of.
    // A step that changed nothing stays: its action is registered.
    _ = modify { $0.endStepAsItIs(step) }
  }

  func removeAllSteps() { _ = modify { $0.removeAllSteps() } }
}
