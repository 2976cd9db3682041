// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// A stub of the parts of Apple's Foundation that `HistoryUndoManager` uses, to compile it on other systems.
//
// Signatures and isolation follow Apple's documentation, but code that compiles here may not compile under Xcode. The
// posted notifications and the registered actions can be read. The rest does nothing, because a `HistoryUndoManager`
// must not depend on it.

@_exported public import ObjectiveC

open class NSObject: Equatable {
  public nonisolated init() {}
  public static func == (left: NSObject, right: NSObject) -> Bool { left === right }
}

public struct Selector {
  public init() {}
}

public struct Notification {
  public struct Name: Hashable, Sendable {
    public let rawValue: String
  }
}

extension Notification.Name {
  public static let NSUndoManagerCheckpoint = Notification.Name(rawValue: "Checkpoint")
  public static let NSUndoManagerDidOpenUndoGroup = Notification.Name(rawValue: "DidOpenUndoGroup")
  public static let NSUndoManagerWillCloseUndoGroup = Notification.Name(rawValue: "WillCloseUndoGroup")
  public static let NSUndoManagerDidCloseUndoGroup = Notification.Name(rawValue: "DidCloseUndoGroup")
  public static let NSUndoManagerWillUndoChange = Notification.Name(rawValue: "WillUndoChange")
  public static let NSUndoManagerDidUndoChange = Notification.Name(rawValue: "DidUndoChange")
  public static let NSUndoManagerWillRedoChange = Notification.Name(rawValue: "WillRedoChange")
  public static let NSUndoManagerDidRedoChange = Notification.Name(rawValue: "DidRedoChange")
}

open class NotificationCenter: @unchecked Sendable {
  public static let `default` = NotificationCenter()

  /// The names of the posted notifications, oldest first.
  public var posted: [Notification.Name] = []

  open func post(name: Notification.Name, object: Any?) { posted.append(name) }
}

@MainActor
open class UndoManager: NSObject {
  open func beginUndoGrouping() {}
  open func endUndoGrouping() {}
  open var groupingLevel: Int { 0 }
  open func disableUndoRegistration() { disableCount += 1 }
  open func enableUndoRegistration() { disableCount -= 1 }
  open var isUndoRegistrationEnabled: Bool { disableCount == 0 }
  private var disableCount = 0
  open var groupsByEvent: Bool = true
  open var levelsOfUndo: Int = 0

  open func undo() {}
  open func redo() {}
  open func undoNestedGroup() {}
  open var canUndo: Bool { false }
  open var canRedo: Bool { false }
  @available(macOS 14.4, iOS 17.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *)
  open var undoCount: Int { 0 }
  @available(macOS 14.4, iOS 17.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *)
  open var redoCount: Int { 0 }
  open var isUndoing: Bool { false }
  open var isRedoing: Bool { false }

  open func removeAllActions() {}
  open func removeAllActions(withTarget target: Any) {
    actions.removeAll { $0.target === target as AnyObject }
  }
  /// The actions that were registered with a handler, oldest first.
  public var actions: [(target: AnyObject, run: @MainActor () -> Void)] = []
  open func registerUndo(withTarget target: Any, selector: Selector, object: Any?) {}
  open func prepare(withInvocationTarget target: Any) -> Any { target }

  open var undoActionName: String { actionName }
  open var redoActionName: String { "" }
  open func setActionName(_ actionName: String) { self.actionName = actionName }
  private var actionName = ""
  open var undoMenuItemTitle: String { "" }
  open var redoMenuItemTitle: String { "" }
  open func undoMenuTitle(forUndoActionName actionName: String) -> String { "stub: undo \(actionName)" }
  open func redoMenuTitle(forUndoActionName actionName: String) -> String { "stub: redo \(actionName)" }
}

extension UndoManager {
  @preconcurrency
  public func registerUndo<TargetType: AnyObject>(
    withTarget target: TargetType, handler: @escaping @MainActor (TargetType) -> Void
  ) {
    guard isUndoRegistrationEnabled else { return }
    actions.append((target, { [unowned target] in handler(target) }))
  }
}
