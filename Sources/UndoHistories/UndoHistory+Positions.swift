// Goes to a position, that is a number of steps, a time or the saved point, and finds the properties that were edited
// since a position. Going to a branch is in `Branches/UndoHistory+Branches`, and the search for a time in
// `Steps/UndoHistory+Times`. The steps that call a closure after each edit are in `Following/UndoHistory+Following`.

extension UndoHistory {
  /// Undoes or redoes steps until the document is at a position.
  ///
  /// ```swift
  /// var history = UndoHistory(initialValue: "Milk")
  /// history.edit.append(" and flour")
  /// print(history.go(to: .savedPoint), history.currentItem)  // true Milk
  /// ```
  ///
  /// - Parameters:
  ///   - position: Where to go. A step that a menu still shows may no longer exist.
  ///   - onStep: Called after each step with what it changed.
  /// - Returns: Whether the document is at the position now. If the position doesn't exist, for example after more
  ///   steps than there are, nothing changes. If a remote edit blocks the way, the history stops before it
  ///   (``blockingRemoteEdit``).
  /// - Complexity: That of the edits of the steps in between.
  @discardableResult
  public mutating func go(to position: UndoPosition, onStep: (Change) -> Void = { _ in }) -> Bool {
    go(to: position) { history, state in history.walk(toState: state, onStep: onStep) }
  }

  /// Undoes or redoes steps until the document is at a position, and calls a closure after each edit.
  ///
  /// Write the argument's label, because a trailing closure may match ``go(to:onStep:)-(UndoPosition,_)`` instead.
  ///
  /// - Parameters:
  ///   - position: Where to go.
  ///   - onEdit: Called after each edit, in the order in which the edits are made. It can't use the history.
  /// - Returns: Whether the document is at the position now.
  /// - Complexity: That of the edits of the steps in between, and of what `onEdit` reads.
  @_disfavoredOverload
  @discardableResult
  public mutating func go(to position: UndoPosition, onEdit: (borrowing UndoLiveEdit<Value>) -> Void) -> Bool {
    go(to: position) { history, state in history.walk(toState: state, onEdit: onEdit) }
  }

  /// Undoes or redoes steps until the document is in a state.
  ///
  /// A state and not an undo count, because a remote edit may hide some of the steps.
  package mutating func walk(toState target: Int, onStep: (Change) -> Void = { _ in }) {
    if storage.access.log.hasOpenStep { settle() }
    while storage.access.log.state > target, let change = undo() { onStep(change) }
    while storage.access.log.state < target, let change = redo() { onStep(change) }
  }

  private mutating func go(to position: UndoPosition, by walk: (inout UndoHistory, Int) -> Void) -> Bool {
    if position == .savedPoint, storage.access.log.hidesBranch { settle() }
    guard let state = storage.access.log.state(at: position) else {
      return position == .savedPoint && goToSavedBranch(walk)
    }
    walk(&self, state)
    return storage.access.log.state == state
  }

  /// Whether anything within a property was edited between a position and now.
  ///
  /// ```swift
  /// struct Contact { var name = "", email = "" }
  ///
  /// var history = UndoHistory(initialValue: Contact())
  /// history.edit.email = "ada@example.org"
  /// print(history.touches(\.email, since: .savedPoint))  // true
  /// print(history.touches(\.name, since: .savedPoint))   // false
  /// ```
  ///
  /// The position may lie among the redo steps. The answer comes from where the edits in between lie in memory; nothing
  /// is undone, and no values are compared. So a property that was changed and changed back counts as touched, and so
  /// does a property inside a value that was replaced. A computed property is touched by every edit. Remote edits don't
  /// count, except for what the store doesn't have (``applyRemote(saved:_:)``).
  ///
  /// If a new edit discarded the steps that led to the saved point, the properties that those steps touched count too.
  /// If a limit or ``removeAllSteps()`` dropped them, the saved point isn't known any more.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - position: If it isn't known any more, every property counts as touched.
  /// - Complexity: O(*k*) for *k* edits in between.
  public func touches<Part>(_ keyPath: KeyPath<Value, Part>, since position: UndoPosition) -> Bool {
    !changed(among: keyPath, since: position).isEmpty
  }

  /// Returns the given properties that were edited between a position and now, in the given order.
  ///
  /// ```swift
  /// struct Contact { var name = "", email = "", phone = "" }
  ///
  /// var history = UndoHistory(initialValue: Contact())
  /// history.edit.name = "Ada"
  /// history.edit.phone = "1815"
  /// let touched = history.changed(among: \.name, \.email, \.phone, since: .savedPoint)
  /// print(touched == [\.name, \.phone])  // true
  /// ```
  ///
  /// Each property is checked as ``touches(_:since:)`` does, all of them in one pass over the edits.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties.
  ///   - position: If it isn't known any more, every property counts as touched.
  /// - Complexity: O(*k* · *n*) for *k* edits in between and *n* properties.
  public func changed<each Part>(
    among keyPaths: repeat KeyPath<Value, each Part>, since position: UndoPosition
  ) -> [PartialKeyPath<Value>] {
    var parts: [(keyPath: PartialKeyPath<Value>, bytes: Range<Int>?)] = []
    for keyPath in repeat each keyPaths { parts.append((keyPath, keyPath.bytes)) }
    let areTouched = storage.access.log.areTouched(parts.map { $0.bytes }, since: position)
    return zip(parts, areTouched).filter { $1 }.map { $0.0.keyPath }
  }
}

extension _UndoLog {
  /// Whether the edits between a position and the document have touched each of some parts, given their bytes.
  fileprivate func areTouched(_ parts: [Range<Int>?], since position: UndoPosition) -> [Bool] {
    var point = branches?.onMainLine(saves.saved, records) ?? saves.saved
    if position != .savedPoint { point = .init(state: state(at: position)) }
    guard let state = point.state, state >= oldestState else { return parts.map { _ in true } }
    var areTouched = parts.map { _ in false }
    func touch(_ bytes: Range<Int>) {
      for (index, part) in parts.enumerated() where part?.overlaps(bytes) ?? true { areTouched[index] = true }
    }
    for bytes in point.differences { touch(bytes) }
    records.forEachEdit(between: state, and: self.state) { record in
      touch(records.fastPath.operations.editedBytes(of: record))
      return !areTouched.contains(false)
    }
    return areTouched
  }

  /// The state at a position, or nil if the position doesn't exist.
  fileprivate func state(at position: UndoPosition) -> Int? {
    let dropped = records.counts.dropped
    return switch position.kind {
    case .savedPoint: saves.saved.exact.flatMap { $0 < dropped ? nil : $0 }
    case .step(let number): 0...records.counts.undo + redoCount ~= number ? dropped + number : nil
    case .ago(let time): extras.first?.state(ago: time, in: records)
    }
  }
}
