#if canImport(ObjectiveC)
  public import Foundation

  /// An `UndoManager` that undoes and redoes the steps of an `UndoHistory`.
  ///
  /// Pass it to any API that asks for an undo manager: the `undoManager` of an `NSDocument`, a `UIDocument` or a
  /// `UIResponder`, or `windowWillReturnUndoManager(_:)`. The Edit menu, its titles, ⌘Z and shaking the device then
  /// undo steps of the history, and a document counts its changes. SwiftUI doesn't accept an undo manager. Register the
  /// steps with the undo manager in its environment instead, with `UndoDriver.register(with:)`.
  ///
  /// It forwards every call to its ``driver``, and posts the driver's notifications. It has no actions of its own, so
  /// it refuses registrations: `isUndoRegistrationEnabled` is false, and ``onRefusal`` is called if a subclass can
  /// override the method that registers. A text field that is bound to the document would register edits that the
  /// history has already recorded, and undo them twice. Turn off `allowsUndo` in such a view, and give a view that
  /// isn't bound an undo manager of its own.
  ///
  /// This class does nothing where Apple's undo manager raises an exception, for example when a group is closed that
  /// was never opened. `setActionName(_:)` does nothing either, because a step gets its label when it begins.
  ///
  /// - Note: This class was type-checked and run against a stub of Apple's declarations, but never on Apple's systems.
  ///   The driver is tested on Linux.
  @MainActor
  public final class HistoryUndoManager: UndoManager {
    /// The driver that carries out the calls.
    public let driver: UndoDriver

    /// Called with the target of each refused registration.
    ///
    /// It isn't called for `registerUndo(withTarget:handler:)`, which is refused too, but which no subclass can
    /// override.
    public var onRefusal: ((_ target: Any) -> Void)?

    /// Creates an undo manager for a driver, and posts the driver's notifications from then on.
    ///
    /// The model may own the undo manager, because the driver refers to the model weakly. Create only one for each
    /// driver: a second undo manager takes over the notifications, and the first one stops posting them.
    public init(_ driver: UndoDriver) {
      self.driver = driver
      super.init()
      // Apple's own stacks then stay empty, and a registration doesn't require an open group.
      super.disableUndoRegistration()
      driver.onNotification = { [weak self] notification in self?.post(notification) }
    }

    private func post(_ notification: UndoNotification) {
      // If another group is open in the event's group when the event ends, the end is scheduled again once that group
      // closes.
      let isOutermost = driver.groupingLevel == 1
      if isOutermost, notification == .didOpenUndoGroup || notification == .didCloseUndoGroup {
        // Runs when the main actor is free again, which is after the event.
        Task { [weak self] in self?.driver.endEvent() }
      }
      NotificationCenter.default.post(name: notification.name, object: self)
      #if canImport(AppKit)
        for follower in followers { follower.delegate?.didPost(notification) }
      #endif
    }

    #if canImport(AppKit)
      private struct Follower {
        weak var delegate: HistoryTextViewDelegate?
      }

      private var followers: [Follower] = []

      /// Tells a delegate of a text view each notification from now on.
      func follow(_ delegate: HistoryTextViewDelegate) {
        followers.removeAll { $0.delegate == nil }
        followers.append(Follower(delegate: delegate))
      }
    #endif

    // MARK: Undo and redo

    /// Whether the history has a step to undo.
    public override var canUndo: Bool { driver.canUndo }

    /// Whether the history has a step to redo; posts a checkpoint, as Apple's undo manager does.
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

    /// Does the same as `undo()`, because a nested group has no step of its own.
    public override func undoNestedGroup() { driver.undo() }

    /// Removes every step.
    public override func removeAllActions() { driver.removeAllActions() }

    /// The largest number of steps that the history keeps; 0 if the number isn't limited.
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

    // MARK: Refused registrations

    /// Does nothing: the history records every edit, and registrations are always refused.
    public override func disableUndoRegistration() {}

    /// Does nothing: registrations are always refused.
    public override func enableUndoRegistration() {}

    /// Refuses a registration.
    public override func registerUndo(withTarget target: Any, selector: Selector, object: Any?) { onRefusal?(target) }

    /// Refuses a registration; messages to the returned object are ignored.
    public override func prepare(withInvocationTarget target: Any) -> Any {
      onRefusal?(target)
      return super.prepare(withInvocationTarget: target)
    }
  }

  extension UndoNotification {
    /// The name under which Apple's undo manager posts this notification.
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
    package func registerStep(_ target: AnyObject, named name: String, action: @escaping () -> Void) {
      registerUndo(withTarget: target) { _ in action() }
      if !name.isEmpty { setActionName(name) }
    }

    package func removeStep(_ target: AnyObject) { removeAllActions(withTarget: target) }
  }

  extension UndoDriver {
    /// Registers each later step with an undo manager.
    ///
    /// An undo manager from elsewhere may also have actions of others, such as a text field or a plug-in. SwiftUI
    /// provides one in its environment and accepts no other, and `DocumentGroup` knows from the registered actions that
    /// a document was edited. With each ``didEdit()``, the driver registers an action that undoes one step of the
    /// history. The manager puts the actions in order, shows their names in the menu, and closes its own undo groups.
    ///
    /// - When typing joins a step, the step is registered again, so that the document counts as edited even if it was
    ///   saved in between.
    /// - Undo through that manager. A step that is undone by other means no longer has an action there.
    /// - Earlier steps aren't registered, because that would count as an edit.
    /// - An edit that an observer makes while such an action runs is registered with the next edit. So is an edit that
    ///   is made while the manager accepts no registrations. Until then, the manager's next undo undoes that edit.
    /// - If the manager keeps fewer actions than the history keeps steps, the oldest steps have no action.
    ///
    /// - Parameter manager: The undo manager, which isn't kept alive; nil for none. The actions that were registered
    ///   with another manager are removed from it.
    /// - Complexity: O(*n*) in the number of steps that are registered with another manager.
    @MainActor
    public func register(with manager: UndoManager?) { register(with: manager as (any UndoRegistering)?) }
  }
#endif
