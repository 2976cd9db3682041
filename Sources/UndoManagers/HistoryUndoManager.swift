#if canImport(ObjectiveC)
  public import Foundation

  /// An `UndoManager` whose steps are those of an `UndoHistory`.
  ///
  /// Give it to whatever asks for an undo manager: the `undoManager` of an `NSDocument` or a `UIDocument`, that of a
  /// `UIResponder`, or `windowWillReturnUndoManager(_:)`. The Edit menu, its titles, ⌘Z and shaking then undo steps of
  /// the history, and a document counts its changes. SwiftUI takes no undo manager: with the one of its environment
  /// `UndoDriver.register(with:)` registers the steps.
  ///
  /// It forwards every call to its ``driver`` and posts the driver's notifications. It keeps no actions of its own, so
  /// it takes none: `isUndoRegistrationEnabled` is false, and a registration goes to ``onRefusal`` where Swift can see
  /// it. A text field that is bound to the document would register what the history has recorded already, and undo it
  /// twice. Turn `allowsUndo` off in such a view. Give a view that is not bound an undo manager of its own.
  ///
  /// Where Apple's undo manager raises an exception, as for an end without a beginning, this one does nothing.
  /// `setActionName(_:)` does nothing: the label of a step is known when it begins.
  ///
  /// - Note: This class was type-checked and run against a stub of Apple's declarations, and never on Apple's systems.
  ///   The driver is tested on Linux.
  @MainActor
  public final class HistoryUndoManager: UndoManager {
    /// What carries out the calls.
    public let driver: UndoDriver

    /// Called with the target of a registration that was refused.
    ///
    /// Not so for `registerUndo(withTarget:handler:)`, which no subclass can override. It is refused as well.
    public var onRefusal: ((_ target: Any) -> Void)?

    /// Creates the undo manager around a driver, whose notifications it takes over.
    ///
    /// The model may own it: the driver refers to the model weakly. Make one for a driver: a second one takes the
    /// notifications over, and the first posts no more.
    public init(_ driver: UndoDriver) {
      self.driver = driver
      super.init()
      // Apple's own stacks stay empty whatever is registered, and no group has to be open there.
      super.disableUndoRegistration()
      driver.onNotification = { [weak self] notification in self?.post(notification) }
    }

    private func post(_ notification: UndoNotification) {
      // The event's group outlasts the event where another one lies in it.
      let isOutermost = driver.groupingLevel == 1
      if isOutermost, notification == .didOpenUndoGroup || notification == .didCloseUndoGroup {
        // Runs when the main actor is free again, which is behind the event.
        Task { [weak self] in self?.driver.endEvent() }
      }
      NotificationCenter.default.post(name: notification.name, object: self)
    }

    // MARK: Undo and redo

    /// Whether the history has a step to undo.
    public override var canUndo: Bool { driver.canUndo }

    /// Whether the history has a step to redo; posts a checkpoint, as Apple's does.
    public override var canRedo: Bool {
      driver.checkpoint()
      return driver.canRedo
    }

    /// The number of steps that can be undone.
    @available(macOS 14.4, iOS 17.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *)
    public override var undoCount: Int { driver.undoCount }

    /// The number of steps that can be redone.
    @available(macOS 14.4, iOS 17.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *)
    public override var redoCount: Int { driver.redoCount }

    /// Whether a step is being undone.
    public override var isUndoing: Bool { driver.isUndoing }

    /// Whether a step is being redone.
    public override var isRedoing: Bool { driver.isRedoing }

    /// Closes every undo group and undoes the latest step.
    public override func undo() { driver.undo() }

    /// Closes every undo group and redoes the step that was undone last.
    public override func redo() { driver.redo() }

    /// The same as `undo()`: a group in another one has no step of its own.
    public override func undoNestedGroup() { driver.undo() }

    /// Forgets every step.
    public override func removeAllActions() { driver.removeAllActions() }

    /// How many steps the history may keep; 0 for no limit of steps.
    public override var levelsOfUndo: Int {
      get { driver.levelsOfUndo }
      set { driver.levelsOfUndo = newValue }
    }

    // MARK: Titles

    /// The label of the step to undo.
    public override var undoActionName: String { driver.undoActionName }

    /// The label of the step to redo.
    public override var redoActionName: String { driver.redoActionName }

    /// The localized title of the menu item "Undo".
    public override var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: driver.undoActionName) }

    /// The localized title of the menu item "Redo".
    public override var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: driver.redoActionName) }

    /// Does nothing: a step gets its label when it begins.
    public override func setActionName(_ actionName: String) {}

    // MARK: Undo groups

    /// The number of undo groups that are open.
    public override var groupingLevel: Int { driver.groupingLevel }

    /// Whether the edits of one event become one undo group.
    public override var groupsByEvent: Bool {
      get { driver.groupsByEvent }
      set { driver.groupsByEvent = newValue }
    }

    /// Opens an undo group; ``UndoDriver/beginUndoGrouping(_:)`` gives its step a label.
    public override func beginUndoGrouping() { driver.beginUndoGrouping() }

    /// Closes the undo group that was opened last, if there is one.
    public override func endUndoGrouping() { driver.endUndoGrouping() }

    // MARK: Registrations of others

    /// Does nothing: the history records every edit, and registrations are refused anyway.
    public override func disableUndoRegistration() {}

    /// Does nothing: registrations are refused.
    public override func enableUndoRegistration() {}

    /// Refuses a registration.
    public override func registerUndo(withTarget target: Any, selector: Selector, object: Any?) { onRefusal?(target) }

    /// Refuses a registration; messages to the object that it returns are ignored.
    public override func prepare(withInvocationTarget target: Any) -> Any {
      onRefusal?(target)
      return super.prepare(withInvocationTarget: target)
    }
  }

  extension UndoNotification {
    /// The name under which Apple's undo manager posts it.
    package var name: Notification.Name {
      switch self {
      case .checkpoint: .NSUndoManagerCheckpoint
      case .didOpenUndoGroup: .NSUndoManagerDidOpenUndoGroup
      case .willCloseUndoGroup: .NSUndoManagerWillCloseUndoGroup
      case .didCloseUndoGroup: .NSUndoManagerDidCloseUndoGroup
      case .willUndoChange: .NSUndoManagerWillUndoChange
      case .didUndoChange: .NSUndoManagerDidUndoChange
      case .willRedoChange: .NSUndoManagerWillRedoChange
      case .didRedoChange: .NSUndoManagerDidRedoChange
      }
    }
  }

  extension UndoManager: UndoRegistering {
    /// Registers an action with a name.
    package func registerStep(_ target: AnyObject, named name: String, action: @escaping () -> Void) {
      registerUndo(withTarget: target) { _ in action() }
      if !name.isEmpty { setActionName(name) }
    }

    /// Removes the actions with a target.
    package func removeStep(_ target: AnyObject) { removeAllActions(withTarget: target) }
  }

  extension UndoDriver {
    /// Registers each step with an undo manager, from now on.
    ///
    /// An undo manager that comes from elsewhere has actions of others: those of a text field, or of a plug-in. SwiftUI
    /// gives one in its environment and takes none; `DocumentGroup` learns by what is registered there that a document
    /// was edited. With each ``didEdit()`` the driver registers an action, which takes one step of the history back.
    /// The manager puts the actions in order, names them in the menu, and closes its own undo groups.
    ///
    /// - A step that typing has joined is registered anew, so that the document counts as edited also after a save.
    /// - Undo through that manager. A step that is undone by other means has no action there any more.
    /// - Steps from before are not registered: that would count as edits.
    /// - An edit that an observer makes while such an action is carried out is registered behind the next edit. So is
    ///   one that is made while the manager takes no registrations; until then an undo of the manager takes that one
    ///   back.
    /// - A manager that keeps fewer actions than the history keeps steps forgets the others.
    ///
    /// - Parameter manager: The undo manager, which is not kept alive; nil for none. Actions that another one has are
    ///   removed there.
    /// - Complexity: O(*n*) in the number of steps that are registered with another manager.
    @MainActor
    public func register(with manager: UndoManager?) { register(with: manager as (any UndoRegistering)?) }
  }
#endif
