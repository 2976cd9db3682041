@_exported public import UndoHistories

/// Undoes and redoes the steps of the `UndoHistory` in a model, with the interface of an undo manager.
///
/// ```swift
/// struct Note { var title = "" }
///
/// final class Model {
///   var history = UndoHistory(initialValue: Note())
///   private(set) lazy var undo = UndoDriver(self, \.history)
/// }
///
/// let model = Model()
/// model.history.transaction("Rename") { $0.title.set("Friday") }
/// print(model.undo.undoMenuItemTitle)  // Undo Rename
/// model.undo.undo()
/// print(model.undo.canRedo)            // true
/// ```
///
/// The driver stores no steps: it reads each answer from the history in the model. So steps from a restored archive can
/// be undone at once, and the model may replace its history.
///
/// A driver adds what a menu needs besides: undo groups, which are open steps; notifications; and registration with an
/// undo manager that others share (`register(with:)`). On Apple's systems, a `HistoryUndoManager` is an `UndoManager`
/// that wraps a driver.
///
///     | model (weak) | key path | open step | undo groups | registered steps |
///
/// Undo and redo need no more than this. If others have to know about edits, such as a document that must be saved, or
/// a manager with which steps are registered, call ``didEdit()`` after each edit:
///
/// ```swift
/// final class Document {
///   var history = UndoHistory(initialValue: "") { didSet { undo.didEdit() } }
///   private(set) lazy var undo = UndoDriver(self, \.history)
/// }
/// ```
///
/// A driver belongs to the isolation of its model. It refers to the model weakly, so the model may own it. Once the
/// model is gone, no step can be undone.
///
/// Calls may come in any order without trapping, except during an access to the history. For example, a call in the
/// closure of a transaction would read the history while it is being written.
public final class UndoDriver {
  let history: any _DrivenHistory

  /// Called with each notification, while the driver isn't accessing the model.
  ///
  /// The closure may read and edit the model, and call the driver. ``undo()`` and ``redo()`` are refused while one of
  /// them is under way, and a group can't be closed while another one closes.
  package var onNotification: ((UndoNotification) -> Void)?

  /// Whether the edits of one event become one undo group; true by default.
  ///
  /// The group opens with ``willEdit(_:)`` or ``didEdit()`` and closes with ``endEvent()``. If false, `willEdit(_:)`
  /// does nothing, and each `didEdit()` opens and closes a group.
  package var groupsByEvent = true

  /// Whether a step is being undone: from `willUndoChange` until just before `didUndoChange`.
  package private(set) var isUndoing = false
  /// Whether a step is being redone: from `willRedoChange` until just before `didRedoChange`.
  package private(set) var isRedoing = false

  /// The open undo groups: the edits of each become one step, or are announced together.
  ///
  /// They are nested, the outermost first. At most one of them has the open step, because open steps don't nest. Only
  /// the outermost group can be the group of an event.
  var groups: [(isOfEvent: Bool, hasStep: Bool)] = []
  var isClosingGroup = false
  /// Whether an undo or redo is under way, including the notifications before it.
  private var isStepping = false
  var registration = _UndoRegistration()
  /// Whether a registered action is running; an action that is registered meanwhile would have the opposite direction.
  var isCarryingOutAction = false
  /// Whether the driver itself modifies the model; calls from the model's observers are then refused, or aren't edits.
  private(set) var isModifying = false
  /// The mark of the history when the driver last looked at it.
  var mark: _UndoChangeMark?
  private var isAtCheckpoint = false

  /// Creates a driver for the history at a key path in a model.
  ///
  /// - Parameters:
  ///   - model: The object with the history. The driver doesn't keep it alive.
  ///   - history: The key path of the history. The driver writes through it with each undo and redo.
  /// - Complexity: O(1). If the property is computed, as in an `@Observable` class, each undo copies the part of the
  ///   document that it changes, because Swift writes a computed property by way of a copy. See
  ///   ``init(_:_:modifying:)``.
  public convenience init<Model: AnyObject, Value>(
    _ model: Model, _ history: ReferenceWritableKeyPath<Model, UndoHistory<Value>>
  ) {
    self.init(model, history) { model, body in body(&model[keyPath: history]) }
  }

  /// Creates a driver for a history in a model, which is modified in place even if its property is computed.
  ///
  /// ```swift
  /// final class Model {
  ///   var history = UndoHistory(initialValue: "")
  ///   private(set) lazy var undo = UndoDriver(self, \.history) { model, body in body(&model.history) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - model: The object with the history. The driver doesn't keep it alive.
  ///   - history: The key path by which the history is read.
  ///   - modifying: Calls its second argument once, with the same history.
  /// - Complexity: O(1).
  public init<Model: AnyObject, Value>(
    _ model: Model, _ history: KeyPath<Model, UndoHistory<Value>>,
    modifying: @escaping (Model, (inout UndoHistory<Value>) -> Void) -> Void
  ) {
    self.history = _ModelHistory(model, history, modification: modifying)
  }
}

// MARK: - State for menus

extension UndoDriver {
  /// Whether there is a step to undo, even while an undo group is open.
  ///
  /// - Complexity: O(1).
  public var canUndo: Bool { undoCount > 0 }

  /// Whether there is a step to redo.
  ///
  /// - Complexity: O(1).
  public var canRedo: Bool { redoCount > 0 }

  /// The number of steps that can be undone.
  ///
  /// - Complexity: O(1).
  package var undoCount: Int { history.undoCount }

  /// The number of steps that can be redone.
  ///
  /// - Complexity: O(1).
  package var redoCount: Int { history.redoCount }

  /// The label of the step to undo; empty if the step has no label, or if there is no step.
  package var undoActionName: String { history.undoLabel ?? "" }

  /// The label of the step to redo; empty if the step has no label, or if there is no step.
  package var redoActionName: String { history.redoLabel ?? "" }

  /// "Undo" with the label of the step, in English; an `UndoManager` that wraps the driver localizes it.
  public var undoMenuItemTitle: String { undoActionName.isEmpty ? "Undo" : "Undo \(undoActionName)" }

  /// "Redo" with the label of the step, in English.
  public var redoMenuItemTitle: String { redoActionName.isEmpty ? "Redo" : "Redo \(redoActionName)" }

  /// The largest number of steps that the history keeps; 0 if the number isn't limited.
  ///
  /// This is the `limit` of the history. Setting it doesn't change a limit of bytes. A negative number counts as 0.
  package var levelsOfUndo: Int {
    get { history.stepLimit == .max ? 0 : history.stepLimit }
    set {
      modify { $0.stepLimit = newValue > 0 ? newValue : .max }
      didStep()
    }
  }
}

// MARK: - Undo and redo

extension UndoDriver {
  /// Closes every undo group, and undoes the latest step.
  ///
  /// - Returns: Whether a step was undone; false if there is none, or while an undo or redo is under way.
  /// - Complexity: That of the step's edits. See ``init(_:_:)`` for the additional cost of a computed property.
  @discardableResult
  public func undo() -> Bool {
    step(while: \.isUndoing, .willUndoChange, .didUndoChange, canStep: { $0.canUndo }, { $0.undo() })
  }

  /// Closes every undo group, and redoes the step that was undone last.
  ///
  /// If a group that it closes has edits, there is no step to redo.
  ///
  /// - Returns: Whether a step was redone; false if there is none, or while an undo or redo is under way.
  /// - Complexity: That of the step's edits. See ``init(_:_:)`` for the additional cost of a computed property.
  @discardableResult
  public func redo() -> Bool {
    step(while: \.isRedoing, .willRedoChange, .didRedoChange, canStep: { $0.canRedo }, { $0.redo() })
  }

  private func step(
    while flag: ReferenceWritableKeyPath<UndoDriver, Bool>, _ before: UndoNotification, _ after: UndoNotification,
    canStep: (UndoDriver) -> Bool, _ body: (any _DrivenHistory) -> Bool
  ) -> Bool {
    guard !isStepping, !isModifying, !isClosingGroup else { return false }
    isStepping = true
    checkpoint()
    closeEveryGroup()
    guard canStep(self) else {
      isStepping = false
      return false
    }
    checkpoint()
    self[keyPath: flag] = true
    announce(before)
    let isDone = modify(body) ?? false
    self[keyPath: flag] = false
    didStep()
    isStepping = false
    announce(after)
    return isDone
  }

  /// Removes every step, and closes every undo group.
  ///
  /// The document doesn't change. This is the `removeAllSteps()` of the history.
  package func removeAllActions() {
    guard !isModifying else { return }
    closeEveryGroup()
    modify { $0.removeAllSteps() }
    didStep()
  }

  /// Announces a checkpoint, unless one is being announced.
  ///
  /// Apple's undo manager does this also when it is asked whether there is a step to redo.
  package func checkpoint() {
    guard !isAtCheckpoint else { return }
    isAtCheckpoint = true
    announce(.checkpoint)
    isAtCheckpoint = false
  }

  func announce(_ notification: UndoNotification) { onNotification?(notification) }

  @discardableResult
  func modify<Result>(_ body: (any _DrivenHistory) -> Result) -> Result? {
    guard !isModifying else { return nil }
    isModifying = true
    defer {
      mark = history.mark
      isModifying = false
    }
    return body(history)
  }
}
