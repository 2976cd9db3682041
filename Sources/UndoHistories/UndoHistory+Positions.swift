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
  ///   - position: Where to go; a number of steps that a menu still shows may be out of reach by now.
  ///   - onStep: Called after each step with what it changed.
  /// - Returns: Whether it is there now. To a position out of reach, as behind more steps than there are, there is no
  ///   way, and nothing changes. Where an absorbed edit is in the way, the history stops in front of that
  ///   (``obstacle``).
  /// - Complexity: As the edits of the steps in between.
  @discardableResult
  public mutating func go(to position: UndoPosition, onStep: (Change) -> Void = { _ in }) -> Bool {
    if position == .savedPoint, storage.access.log.hidesBranch { settle() }
    guard let number = number(of: position) else {
      return position == .savedPoint
        && goToSavedBranch { history, position in history.go(to: position, onStep: onStep) }
    }
    let state = storage.access.log.counts.dropped + number
    go(to: number, onStep: onStep)
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
  /// The position may lie ahead, among what can be redone. The answer comes from where the edits in between lie in
  /// memory: nothing is undone, and no values are compared. So a property that was changed and changed back counts as
  /// touched. Edits that replaced a value that contains the property count as well. A property that is not stored is
  /// touched by every edit. What was absorbed is no edit here, but for what the store does not have
  /// (``absorb(saved:_:)``).
  ///
  /// Where a new edit dropped the steps that led to the saved point, what those touched counts, with all that was
  /// edited since. Where a limit dropped them, or ``removeAllSteps()``, the saved point is not known any more.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - position: Where it is not known any more, everything counts as touched.
  /// - Complexity: O(*k*) for *k* edits in between.
  public func touches<Part>(_ keyPath: KeyPath<Value, Part>, since position: UndoPosition) -> Bool {
    var finder = TouchedParts<Value>()
    finder.add(keyPath)
    find(&finder, since: position)
    return !finder.touched.isEmpty
  }

  /// The properties, of those asked for, that were edited between a position and now, in the order asked for.
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
  /// Each is found as by ``touches(_:since:)``, all of them in one walk.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties.
  ///   - position: Where it is not known any more, everything counts as touched.
  /// - Complexity: O(*k* · *n*) for *k* edits in between and *n* properties.
  public func changed<each Part>(
    among keyPaths: repeat KeyPath<Value, each Part>, since position: UndoPosition
  ) -> [PartialKeyPath<Value>] {
    var finder = TouchedParts<Value>()
    for keyPath in repeat each keyPaths { finder.add(keyPath) }
    find(&finder, since: position)
    return finder.touched
  }

  private func find(_ parts: inout TouchedParts<Value>, since position: UndoPosition) {
    let log = storage.access.log
    var point = log.onPresentLine(log.saves.saved)
    if position != .savedPoint { point = .init(state: number(of: position).map { $0 + log.counts.dropped }) }
    guard let state = point.state, state >= log.oldestState else { return parts.touchAll() }
    for bytes in point.differences { parts.touch(bytes) }
    log.forEachEdit(between: state, and: log.state) { record in
      parts.touch(log.fastPath.operations.editedBytes(of: record))
      return parts.isComplete
    }
  }

  /// How many steps lead to a position; nil if it is out of reach.
  private func number(of position: UndoPosition) -> Int? {
    let log = storage.access.log
    switch position.kind {
    case .savedPoint: return log.saves.saved.exact.flatMap { $0 < log.counts.dropped ? nil : $0 - log.counts.dropped }
    case .step(let number):
      return number >= 0 && number <= undoCount + redoCount ? number : nil
    case .ago(let time): return log.stepCount(ago: time)
    }
  }
}

/// Which of some properties the edits of a walk have touched.
private struct TouchedParts<Root> {
  private var parts: [(keyPath: PartialKeyPath<Root>, bytes: Range<Int>?, isTouched: Bool)] = []
  private var untouchedCount = 0

  mutating func add<Part>(_ keyPath: KeyPath<Root, Part>) {
    let offset = MemoryLayout<Root>.offset(of: keyPath)
    parts.append((keyPath, offset.map { $0..<$0 + MemoryLayout<Part>.size }, false))
    untouchedCount += 1
  }

  /// Whether there is nothing more to find.
  var isComplete: Bool { untouchedCount == 0 }

  mutating func touch(_ bytes: Range<Int>) {
    for index in parts.indices where !parts[index].isTouched && parts[index].bytes?.overlaps(bytes) ?? true {
      parts[index].isTouched = true
      untouchedCount -= 1
    }
  }

  mutating func touchAll() {
    for index in parts.indices { parts[index].isTouched = true }
  }

  var touched: [PartialKeyPath<Root>] { parts.filter(\.isTouched).map(\.keyPath) }
}
