/// An undo manager that steps can be registered with, as actions among those of others.
///
/// Apple's `UndoManager` is one.
package protocol UndoRegistering: AnyObject {
  /// Registers an action: for the next redo while an undo is under way, and for the next undo otherwise.
  ///
  /// - Parameters:
  ///   - target: What to remove the action by. The action refers to it.
  ///   - name: The name of the action; empty for none.
  ///   - action: What to do.
  func registerStep(_ target: AnyObject, named name: String, action: @escaping () -> Void)

  /// Removes the action with a target.
  func removeStep(_ target: AnyObject)

  /// Whether actions are taken; true by default.
  var isUndoRegistrationEnabled: Bool { get }
}

extension UndoRegistering {
  /// Whether actions are taken: always.
  package var isUndoRegistrationEnabled: Bool { true }
}

/// The steps that are registered with an undo manager that others share.
///
///     | manager (weak) | older steps | undoable targets, newest last | redoable targets, next last |
///
/// An action means "one step back", not a certain step: so an action can never take the wrong one. There are as many
/// as steps that can be undone, older ones apart.
struct _UndoRegistration {
  weak var manager: (any UndoRegistering)?
  /// How many steps led to the document when all had begun before: these have no action.
  var olderState = 0
  /// How many of the oldest steps were dropped, how many ever led to the document, and how many can be redone, as far
  /// as is taken in.
  var (droppedCount, state, redoCount) = (0, 0, 0)
  var undoable: [_RegisteredStep] = []
  var redoable: [_RegisteredStep] = []
}

/// What an action is removed by.
final class _RegisteredStep {}

extension UndoDriver {
  /// Registers each step with an undo manager, from now on; Apple's have a public method for it.
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

  /// How many steps lead to the document, be they dropped or not.
  private var state: Int { history.droppedCount + history.undoCount }

  /// How many steps can be undone that were there before.
  private var olderCount: Int {
    min(max(registration.olderState - history.droppedCount, 0), history.undoCount)
  }

  /// Takes in that there may be fewer steps to undo or redo than before.
  ///
  /// - Parameter isEdit: Whether that may come of edits.
  func didStep(isEdit: Bool = false) {
    guard let manager = registration.manager else { return }
    takeInDropped(manager)
    let (state, redoCount) = (state, history.redoCount)
    // Edits have taken the place of what could be redone.
    let areReplaced = isEdit && registration.redoCount > 0 && redoCount == 0
    registration.olderState = min(registration.olderState, areReplaced ? registration.state : state + redoCount)
    while olderCount + registration.undoable.count > history.undoCount {
      manager.removeStep(registration.undoable.removeLast())
    }
    // What was redone was next, and what was dropped came last.
    var redoneCount = state - registration.state
    while registration.redoable.count > redoCount {
      manager.removeStep(redoneCount > 0 ? registration.redoable.removeLast() : registration.redoable.removeFirst())
      redoneCount -= 1
    }
    (registration.state, registration.redoCount) = (state, redoCount)
  }

  /// Takes in that the latest step is new, or has other edits.
  ///
  /// - Precondition: `didStep()` was called since.
  func registerLatestStep() {
    // What is refused is registered with the next edit.
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
      registerUndo(of: step, named: label ?? "", with: manager)
    }
  }

  /// Removes the actions of the oldest steps where a limit has dropped those.
  private func takeInDropped(_ manager: any UndoRegistering) {
    let older = max(registration.olderState - registration.droppedCount, 0)
    let dropped = history.droppedCount - registration.droppedCount
    registration.droppedCount += dropped
    let own = min(dropped - older, registration.undoable.count)
    guard own > 0 else { return }
    for step in registration.undoable.prefix(own) { manager.removeStep(step) }
    registration.undoable.removeFirst(own)
  }

  private func registerUndo(of step: _RegisteredStep, named name: String, with manager: any UndoRegistering) {
    manager.registerStep(step, named: name) { [weak self] in self?.undo(registered: step) }
  }

  private func undo(registered step: _RegisteredStep) {
    guard let index = registration.undoable.firstIndex(where: { $0 === step }) else { return }
    registration.undoable.remove(at: index)
    let name = undoActionName
    guard carryOut(undo), let manager = registration.manager, registration.redoable.count < history.redoCount else {
      return
    }
    registration.redoable.append(step)
    manager.registerStep(step, named: name) { [weak self] in self?.redo(registered: step) }
  }

  private func redo(registered step: _RegisteredStep) {
    guard let index = registration.redoable.firstIndex(where: { $0 === step }) else { return }
    registration.redoable.remove(at: index)
    guard carryOut(redo), let manager = registration.manager,
      olderCount + registration.undoable.count < history.undoCount
    else { return }
    registration.undoable.append(step)
    registerUndo(of: step, named: undoActionName, with: manager)
  }

  private func carryOut(_ action: () -> Bool) -> Bool {
    let isWithinAnother = isCarryingOutAction
    isCarryingOutAction = true
    defer { isCarryingOutAction = isWithinAnother }
    return action()
  }
}
