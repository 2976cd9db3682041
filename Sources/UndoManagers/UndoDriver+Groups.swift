// Undo groups: opening, closing and nesting them, by calls and by the edits of an event.

extension UndoDriver {
  /// The number of open undo groups, each nested in the one before.
  package var groupingLevel: Int { groups.count }

  /// Opens an undo group: every edit until it closes becomes one step.
  ///
  /// ```swift
  /// final class Model {
  ///   var history = UndoHistory(initialValue: [0.0, 0.0])
  /// }
  ///
  /// let model = Model()
  /// let driver = UndoDriver(model, \.history)
  /// driver.beginUndoGrouping("Move")
  /// for distance in 1...100 {
  ///   model.history.edit[0] = Double(distance)
  ///   model.history.edit[1] = Double(distance) / 2
  /// }
  /// driver.endUndoGrouping()
  /// print(driver.undoMenuItemTitle, model.history.undoCount)  // Undo Move 1
  /// ```
  ///
  /// The outermost group that you open is an open step of the history (`UndoHistory.beginStep(_:id:)`). A nested group
  /// is part of that step, and its label is ignored. The group and its step stay open across as many events as needed.
  /// Typing in the group doesn't join an earlier step.
  ///
  /// An undo, a redo or a save ends the step, and so does another history in the model. The group stays open until it
  /// is closed, but later edits in it become steps as they would without a group.
  ///
  /// - Parameter label: The label of the step, which can't be set later.
  /// - Complexity: O(1).
  public func beginUndoGrouping(_ label: String? = nil) { open(label, isOfEvent: false) }

  /// Closes the undo group that was opened last.
  ///
  /// - Returns: Whether there was a group to close. An undo closes every group; if its caller then ends a group, the
  ///   call returns false and doesn't trap. The group of an event is only closed by ``endEvent()``.
  /// - Complexity: O(1).
  @discardableResult
  public func endUndoGrouping() -> Bool {
    guard let group = groups.last, !group.isOfEvent, !isClosingGroup, !isModifying else { return false }
    closeLatestGroup()
    return true
  }

  /// Makes the edits of an event one step; call it before the first of several edits.
  ///
  /// If no group is open, it opens the group of the event, with an open step. Call it if one event makes several edits
  /// that should be undone together, and no transaction can contain them all. Don't call it for typing, which could
  /// then no longer join.
  ///
  /// - Parameter label: The label of the step, which can't be set later.
  /// - Complexity: O(1).
  public func willEdit(_ label: String? = nil) {
    guard groupsByEvent, groups.isEmpty else { return }
    open(label, isOfEvent: true)
  }

  /// Tells the driver that the model was edited; call it after each edit, for example in a `didSet`.
  ///
  /// If no group is open, it opens the group of the event, so that `didCloseUndoGroup` is announced once per event.
  /// This group has no open step, because the edit has already become a step, or joined one. The driver's own changes,
  /// a save, a new limit and a restored value don't count as edits. Another history in the model counts as an edit. If
  /// a step can be redone, no step was recorded, so only remote edits are announced.
  ///
  /// - Complexity: O(1).
  public func didEdit() {
    guard !isModifying else { return }
    let (old, new) = (mark, history.mark)
    mark = new
    didStep(isEdit: true)
    if old == new { return }
    if history.redoCount == 0 {
      registerLatestStep()
    } else if new?.remoteEditCount == (old ?? new)?.remoteEditCount {
      return
    }
    guard groups.isEmpty else { return }
    groups.append((isOfEvent: true, hasStep: false))
    announce(.didOpenUndoGroup)
    if !groupsByEvent { endEvent() }
  }

  /// Ends an event: closes its undo group, unless another group is open in it.
  ///
  /// The undo manager that wraps the driver calls this. Without one, call it when an event has been handled. You can
  /// leave it out if no event begins with ``willEdit(_:)``, because an undo closes the group as well.
  ///
  /// - Complexity: O(1).
  public func endEvent() {
    guard groups.count == 1, groups[0].isOfEvent, !isClosingGroup, !isModifying else { return }
    closeLatestGroup()
  }

  private func open(_ label: String?, isOfEvent: Bool) {
    guard !isModifying else { return }
    if !groups.isEmpty { checkpoint() }
    let hasStep = !groups.contains { $0.hasStep }
    if hasStep { modify { $0.beginStep(label) } }
    groups.append((isOfEvent, hasStep))
    announce(.didOpenUndoGroup)
  }

  func closeEveryGroup() {
    guard !isClosingGroup else { return }
    // Closes as many groups as are open now, because an observer may open a group with each that closes, or close some.
    for _ in groups where !groups.isEmpty { closeLatestGroup() }
  }

  private func closeLatestGroup() {
    let index = groups.count - 1
    isClosingGroup = true
    checkpoint()
    announce(.willCloseUndoGroup)
    isClosingGroup = false
    // By index: an observer may have opened another group in this one, which stays open.
    let group = groups.remove(at: index)
    if group.hasStep { modify { $0.endStep() } }
    announce(.didCloseUndoGroup)
  }
}
