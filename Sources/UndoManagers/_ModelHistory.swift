import UndoHistories

/// The history in a model, as an ``UndoDriver`` uses it, regardless of the type of the document.
///
/// If the model is gone, the history is empty, and calls change nothing.
protocol _DrivenHistory: AnyObject {
  var undoCount: Int { get }
  var redoCount: Int { get }
  /// The number of oldest steps that limits have dropped.
  var droppedCount: Int { get }
  /// The state of the history, to compare with that of another moment; nil if the model is gone.
  var mark: _UndoChangeMark? { get }
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

  var mark: _UndoChangeMark? { read(\.changeMark) }

  var undoLabel: String? { read { $0.undoLabel } ?? nil }
  var redoLabel: String? { read { $0.redoLabel } ?? nil }

  func labels(ofLatest count: Int) -> [String?] {
    // Steps are found from the oldest on. If an edit made only one step, it is the latest, and its label is known.
    guard count > 1 else { return count == 1 ? [undoLabel] : [] }
    return read { $0.steps.prefix($0.undoCount).map(\.label).suffix(count) } ?? []
  }

  var stepLimit: Int {
    get { read { $0.limit.steps } ?? .max }
    set { _ = modify { $0.limit = .steps(newValue, bytes: $0.limit.bytes) } }
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
