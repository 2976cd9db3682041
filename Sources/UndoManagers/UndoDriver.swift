@_exported public import UndoHistories

/// What an undo manager does, carried out by the `UndoHistory` in a model.
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
/// The history has the steps, and the driver keeps none: each answer is read from the model. So steps of a restored
/// archive can be undone at once, and the model may put another history there.
///
/// A driver brings what a menu needs beyond that: undo groups, which are open steps; notifications; and registration
/// with an undo manager that others share (`register(with:)`). On Apple's systems a `HistoryUndoManager` is an
/// `UndoManager` around it.
///
///     | model (weak) | key path | open step | undo groups | registered steps |
///
/// For undo and redo the history needs no more. Let the model call ``didEdit()`` behind each edit where others are to
/// learn of it: a document that is to be saved, or a manager with which steps are registered.
///
/// ```swift
/// final class Document {
///   var history = UndoHistory(initialValue: "") { didSet { undo.didEdit() } }
///   private(set) lazy var undo = UndoDriver(self, \.history)
/// }
/// ```
///
/// A driver belongs to the isolation of its model. It refers to the model weakly, so a model may own it. Once the model
/// is gone there is nothing to undo.
///
/// No call traps, in whatever order calls come, but for those within an access of the history: as from the closure of a
/// transaction, which would read what is being written.
public final class UndoDriver {
  let history: any _DrivenHistory

  /// Called with each notification, when the driver does not access the model.
  ///
  /// It may read and edit the model, and call the driver. ``undo()`` and ``redo()`` are refused until one under way has
  /// ended, as is closing an undo group while one closes.
  package var onNotification: ((UndoNotification) -> Void)?

  /// Whether the edits of one event become one undo group, as far as the driver learns of them; true by default.
  ///
  /// The group opens with ``willEdit(_:)`` or ``didEdit()`` and closes with ``endEvent()``. If false, `willEdit(_:)`
  /// does nothing, and each `didEdit()` opens and closes a group.
  public var groupsByEvent = true

  /// Whether a step is being undone: from `willUndoChange` on until before `didUndoChange`.
  public private(set) var isUndoing = false
  /// Whether a step is being redone: from `willRedoChange` on until before `didRedoChange`.
  public private(set) var isRedoing = false

  var groups: [_UndoGroup] = []
  var isClosingGroup = false
  /// Whether an undo or redo is under way, or announces what comes before it.
  private var isStepping = false
  var registration = _UndoRegistration()
  /// Whether an action that was registered is carried out: what is registered meanwhile would be for the other way.
  var isCarryingOutAction = false
  private var isModifying = false
  /// What the history was like when it was looked at last.
  var mark: _HistoryMark?
  private var isAtCheckpoint = false

  /// Creates a driver for the history at a key path in a model.
  ///
  /// - Parameters:
  ///   - model: The object with the history. The driver does not keep it alive.
  ///   - history: Where the history is. The driver writes through it with each undo and redo.
  /// - Complexity: O(1). Where the property is computed, as it is in an `@Observable` class, each undo copies the part
  ///   of the document that it changes, since Swift writes such a property by a copy of it. See
  ///   ``init(_:_:modifying:)``.
  public convenience init<Model: AnyObject, Value>(
    _ model: Model, _ history: ReferenceWritableKeyPath<Model, UndoHistory<Value>>
  ) {
    self.init(model, history) { model, body in body(&model[keyPath: history]) }
  }

  /// Creates a driver for a history in a model, which is modified in place also where its property is computed.
  ///
  /// ```swift
  /// final class Model {
  ///   var history = UndoHistory(initialValue: "")
  ///   private(set) lazy var undo = UndoDriver(self, \.history) { model, body in body(&model.history) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - model: The object with the history. The driver does not keep it alive.
  ///   - history: Where the history is read.
  ///   - modifying: Calls its second argument once, with the same history.
  /// - Complexity: O(1).
  public init<Model: AnyObject, Value>(
    _ model: Model, _ history: KeyPath<Model, UndoHistory<Value>>,
    modifying: @escaping (Model, (inout UndoHistory<Value>) -> Void) -> Void
  ) {
    self.history = _ModelHistory(model, history, modification: modifying)
  }
}

// MARK: - What a menu shows

extension UndoDriver {
  /// Whether there is a step to undo, in an open undo group too.
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
  public var undoCount: Int { history.undoCount }

  /// The number of steps that can be redone.
  ///
  /// - Complexity: O(1).
  public var redoCount: Int { history.redoCount }

  /// The label of the step to undo; empty if it has none, or there is none.
  public var undoActionName: String { history.undoLabel ?? "" }

  /// The label of the step to redo; empty if it has none, or there is none.
  public var redoActionName: String { history.redoLabel ?? "" }

  /// "Undo" with the label of the step, in English: an `UndoManager` around the driver localizes it.
  public var undoMenuItemTitle: String { undoActionName.isEmpty ? "Undo" : "Undo \(undoActionName)" }

  /// "Redo" with the label of the step, in English.
  public var redoMenuItemTitle: String { redoActionName.isEmpty ? "Redo" : "Redo \(redoActionName)" }

  /// How many steps the history may keep; 0 for no limit of steps.
  ///
  /// This is the `limit` of the history. A limit of bytes stays. A negative number counts as 0.
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
  /// Closes every undo group and takes the latest step back.
  ///
  /// - Returns: Whether a step was undone. Not so where there is none, and while an undo or redo is under way.
  /// - Complexity: As the step's edits. See ``init(_:_:)`` for what a computed property adds.
  @discardableResult
  public func undo() -> Bool {
    step(while: \.isUndoing, .willUndoChange, .didUndoChange, canStep: { $0.canUndo }, { $0.undo() })
  }

  /// Closes every undo group and takes the step that was undone last again.
  ///
  /// A group with edits has dropped what could be redone.
  ///
  /// - Returns: Whether a step was redone. Not so where there is none, and while an undo or redo is under way.
  /// - Complexity: As the step's edits. See ``init(_:_:)`` for what a computed property adds.
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

  /// Forgets every step, and closes every undo group.
  ///
  /// The document stays as it is. This is the `removeAllSteps()` of the history.
  package func removeAllActions() {
    guard !isModifying else { return }
    closeEveryGroup()
    modify { $0.removeAllSteps() }
    didStep()
  }

  /// Announces a checkpoint, unless one is being announced.
  ///
  /// Apple's undo manager does that also when it is asked whether there is something to redo.
  package func checkpoint() {
    guard !isAtCheckpoint else { return }
    isAtCheckpoint = true
    announce(.checkpoint)
    isAtCheckpoint = false
  }

  func announce(_ notification: UndoNotification) { onNotification?(notification) }

  /// Whether the driver itself modifies the model: calls of the model's observers are refused, or are no news.
  var isBusy: Bool { isModifying }

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
