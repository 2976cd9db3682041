/// One undo group: edits that become one step, or that are announced together.
///
///     | isOfEvent | hasStep |
///
/// The groups that are open lie in one another, the outermost first. At most one of them has the open step, since open
/// steps do not nest. Only the outermost can be that of an event.
struct _UndoGroup {
  let isOfEvent: Bool
  let hasStep: Bool
}

extension UndoDriver {
  /// The number of undo groups that are open, each in the one before.
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
  /// print(driver.undoCount, driver.undoActionName)  // 1 Move
  /// ```
  ///
  /// The outermost group is an open step of the history (`UndoHistory.beginStep(_:)`). A group in another one is part
  /// of that one's step, and its label is not used. Group and step stay open over as many events as they need to. An
  /// edit that typing would join begins a step of its own here.
  ///
  /// An undo, a redo and a save end the step; so does another history in its stead. Edits behind that are steps as the
  /// history makes them. The group is open until it is closed.
  ///
  /// - Parameter label: The label of the step, which cannot be given later.
  /// - Complexity: O(1).
  public func beginUndoGrouping(_ label: String? = nil) { open(label, isOfEvent: false) }

  /// Closes the undo group that was opened last.
  ///
  /// - Returns: Whether there was one to close. An undo has closed every group; the end that its caller then still
  ///   calls is refused, not trapped. The group of an event is closed by ``endEvent()`` alone.
  /// - Complexity: O(1).
  @discardableResult
  public func endUndoGrouping() -> Bool {
    guard let group = groups.last, !group.isOfEvent, !isClosingGroup, !isBusy else { return false }
    closeLatestGroup()
    return true
  }

  /// Makes what an event edits one step: call it before the first of several edits.
  ///
  /// It opens the group of the event if no group is open, with an open step. Call it where one event makes several
  /// edits that should be undone at once, and no transaction can have them all. Typing needs no such call, which would
  /// keep it from joining.
  ///
  /// - Parameter label: The label of the step, which cannot be given later.
  /// - Complexity: O(1).
  public func willEdit(_ label: String? = nil) {
    guard groupsByEvent, groups.isEmpty else { return }
    open(label, isOfEvent: true)
  }

  /// Takes in that the model was edited: call it behind each edit, as in a `didSet`.
  ///
  /// It opens the group of the event if no group is open, so that `didCloseUndoGroup` is announced once an event. Such
  /// a group has no open step: the edit is a step, or has joined one, already. The driver's own changes are no edits,
  /// nor is a save, another limit, or a carried value. Another history in the model is an edit, unless it has as many
  /// steps and bytes. Where something can be redone nothing was recorded, so only what was absorbed is announced.
  ///
  /// - Complexity: O(1).
  public func didEdit() {
    guard !isBusy else { return }
    let (old, new) = (mark, history.mark)
    mark = new
    didStep(isEdit: true)
    if let old, !new.isEdited(since: old) { return }
    if history.redoCount == 0 {
      registerLatestStep()
    } else if new.remoteEditCount == old?.remoteEditCount ?? new.remoteEditCount {
      return
    }
    guard groups.isEmpty else { return }
    groups.append(_UndoGroup(isOfEvent: true, hasStep: false))
    announce(.didOpenUndoGroup)
    if !groupsByEvent { endEvent() }
  }

  /// Ends an event: closes its undo group, if it has one and no other is open in that.
  ///
  /// The undo manager around the driver calls this. Without one, call it where the handling of an event ends. Where no
  /// event begins with ``willEdit(_:)``, it can be left out: an undo closes the group as well.
  ///
  /// - Complexity: O(1).
  public func endEvent() {
    guard groups.count == 1, groups[0].isOfEvent, !isClosingGroup, !isBusy else { return }
    closeLatestGroup()
  }

  private func open(_ label: String?, isOfEvent: Bool) {
    guard !isBusy else { return }
    if !groups.isEmpty { checkpoint() }
    let hasStep = !groups.contains(where: \.hasStep)
    if hasStep { modify { $0.beginStep(label) } }
    groups.append(_UndoGroup(isOfEvent: isOfEvent, hasStep: hasStep))
    announce(.didOpenUndoGroup)
  }

  func closeEveryGroup() {
    guard !isClosingGroup else { return }
    // Not until there is none: an observer may open one with each that is closed, or close some itself.
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
