import UndoManagers

/// An undo manager that other objects register with as well, following the rules that Apple documents.
///
/// An action that is registered during an undo becomes a redo action. An action that is registered outside of undo and
/// redo drops the redo actions. The actions of one event are one group. A group is removed with its last action.
final class SharedUndoManager: UndoRegistering {
  struct Action {
    let target: AnyObject
    let name: String
    let run: () -> Void
  }

  private(set) var undoGroups: [[Action]] = []
  private(set) var redoGroups: [[Action]] = []
  private var openGroup: [Action] = []
  private var isUndoing = false
  private var isRedoing = false
  /// The number of changes, as a document counts them.
  private(set) var changeCount = 0
  var isUndoRegistrationEnabled = true

  var actionCount: Int { undoGroups.joined().count + openGroup.count }
  var undoName: String? { (undoGroups + (openGroup.isEmpty ? [] : [openGroup])).last?.last?.name }

  func registerStep(_ target: AnyObject, named name: String, action: @escaping () -> Void) {
    guard isUndoRegistrationEnabled else { return }
    openGroup.append(Action(target: target, name: name, run: action))
    if !isUndoing, !isRedoing { redoGroups = [] }
  }

  func removeStep(_ target: AnyObject) {
    func without(_ group: [Action]) -> [Action] { group.filter { $0.target !== target } }
    undoGroups = undoGroups.map(without).filter { !$0.isEmpty }
    redoGroups = redoGroups.map(without).filter { !$0.isEmpty }
    openGroup = without(openGroup)
  }

  func event(_ body: () -> Void) {
    body()
    closeGroup()
  }

  func undo() {
    closeGroup()
    guard let group = undoGroups.popLast() else { return }
    isUndoing = true
    for action in group.reversed() { action.run() }
    isUndoing = false
    if !openGroup.isEmpty { redoGroups.append(openGroup) }
    openGroup = []
    changeCount -= 1
  }

  func redo() {
    closeGroup()
    guard let group = redoGroups.popLast() else { return }
    isRedoing = true
    for action in group.reversed() { action.run() }
    isRedoing = false
    if !openGroup.isEmpty { undoGroups.append(openGroup) }
    openGroup = []
    changeCount += 1
  }

  private func closeGroup() {
    guard !openGroup.isEmpty else { return }
    undoGroups.append(openGroup)
    openGroup = []
    changeCount += 1
  }
}
