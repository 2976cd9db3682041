/// An undo manager with which steps can be registered, as actions among those of others.
///
/// Apple's `UndoManager` is one.
package protocol UndoRegistering: AnyObject {
  /// Registers an action: for the next redo during an undo, and for the next undo otherwise.
  ///
  /// - Parameters:
  ///   - target: The object by which the action is removed. The action refers to it.
  ///   - name: The name of the action; empty for none.
  ///   - action: The closure to call.
  func registerStep(_ target: AnyObject, named name: String, action: @escaping () -> Void)

  /// Removes the action that was registered with a target.
  func removeStep(_ target: AnyObject)

  /// Whether registrations are accepted.
  var isUndoRegistrationEnabled: Bool { get }
}

/// The steps that are registered with an undo manager, which others share.
///
///     | manager (weak) | older steps | undoable targets, newest last | redoable targets, next last |
///
/// An action means "one step back" and not a specific step, so an action can never undo the wrong step. There are as
/// many actions as steps that can be undone, except for older steps.
struct _UndoRegistration {
  weak var manager: (any UndoRegistering)?
  /// The steps that led to this state are older than the registration, and have no action.
  var olderState = 0
  /// The number of dropped steps, of steps that ever led to the document, and of steps that can be redone, at the last
  /// update.
  var (droppedCount, state, redoCount) = (0, 0, 0)
  var undoable: [_RegisteredStep] = []
  var redoable: [_RegisteredStep] = []
}

/// Identifies a registered action, so that it can be removed.
final class _RegisteredStep {}

extension UndoDriver {
  /// Registers each later step with an undo manager; on Apple's systems, a public method calls this one.
  ///
  /// - Complexity: O(*n*) in the number of steps that are registered with another manager.
  package func register(with manager: (any UndoRegistering)?) {
    guard registration.manager !== manager else { return }
    mark = history.mark
    for step in registration.undoable + registration.redoable { registration.manager?.removeStep(step) }
    registration = _UndoRegistration(
      manager: manager, olderState: state, droppedCount: history.droppedCount, state: state,
      redoCount: history.redoCount)
  }

  /// The number of steps that led to the document, including dropped ones.
  private var state: Int { history.droppedCount + history.undoCount }

  /// The number of steps that can be undone and are older than the registration.
  private var olderCount: Int {
    min(max(registration.olderState - history.droppedCount, 0), history.undoCount)
  }

  /// Updates the registration, because there may be fewer steps to undo or redo than before.
  ///
  /// - Parameter isEdit: Whether edits may be the reason.
  func didStep(isEdit: Bool = false) {
    guard let manager = registration.manager else { return }
    takeInDropped(manager)
    let (state, redoCount) = (state, history.redoCount)
    // Edits have removed the redo steps.
    let areReplaced = isEdit && registration.redoCount > 0 && redoCount == 0
    registration.olderState = min(registration.olderState, areReplaced ? registration.state : state + redoCount)
    while olderCount + registration.undoable.count > history.undoCount {
      manager.removeStep(registration.undoable.removeLast())
    }
    // Steps that were redone are last in the list, and steps that were removed are first.
    var redoneCount = state - registration.state
    while registration.redoable.count > redoCount {
      manager.removeStep(redoneCount > 0 ? registration.redoable.removeLast() : registration.redoable.removeFirst())
      redoneCount -= 1
    }
    (registration.state, registration.redoCount) = (state, redoCount)
  }

  /// Updates the registration, because the latest step is new or has other edits.
  ///
  /// - Precondition: `didStep()` was called after the change.
  func registerLatestStep() {
    // A step that can't be registered now is registered with the next edit.
    guard !isCarryingOutAction, let manager = registration.manager, manager.isUndoRegistrationEnabled else { return }
    let count = history.undoCount
    guard count > 0 else { return }
    if olderCount + registration.undoable.count == count {
      // Typing has joined the step.
      if let latest = registration.undoable.popLast() {
        manager.removeStep(latest)
      } else {
        registration.olderState = state - 1
      }
    }
    for label in history.labels(ofLatest: count - olderCount - registration.undoable.count) {
      let step = _RegisteredStep()
      registration.undoable.append(step)
      register(step, isUndo: true, named: label ?? "", with: manager)
    }
  }

  /// Removes the actions of the oldest steps if a limit has dropped these steps.
  private func takeInDropped(_ manager: any UndoRegistering) {
    let older = max(registration.olderState - registration.droppedCount, 0)
    let dropped = history.droppedCount - registration.droppedCount
    registration.droppedCount += dropped
    let own = min(dropped - older, registration.undoable.count)
    guard own > 0 else { return }
    for step in registration.undoable.prefix(own) { manager.removeStep(step) }
    registration.undoable.removeFirst(own)
  }

  /// Registers an action that undoes or redoes a step.
  private func register(_ step: _RegisteredStep, isUndo: Bool, named name: String, with manager: any UndoRegistering) {
    manager.registerStep(step, named: name) { [weak self] in self?.carryOut(step, isUndo: isUndo) }
  }

  /// Undoes or redoes a step because its action was called, and registers the opposite action.
  private func carryOut(_ step: _RegisteredStep, isUndo: Bool) {
    let actions = isUndo ? \_UndoRegistration.undoable : \.redoable
    let opposite = isUndo ? \_UndoRegistration.redoable : \.undoable
    guard let index = registration[keyPath: actions].firstIndex(where: { $0 === step }) else { return }
    registration[keyPath: actions].remove(at: index)
    let (name, isWithinAnother) = (isUndo ? undoActionName : redoActionName, isCarryingOutAction)
    isCarryingOutAction = true
    let isDone = isUndo ? undo() : redo()
    isCarryingOutAction = isWithinAnother
    let count = isUndo ? registration.redoable.count : olderCount + registration.undoable.count
    guard isDone, let manager = registration.manager, count < (isUndo ? history.redoCount : history.undoCount) else {
      return
    }
    registration[keyPath: opposite].append(step)
    register(step, isUndo: !isUndo, named: name, with: manager)
  }
}
