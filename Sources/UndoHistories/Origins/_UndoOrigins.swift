/// The origins and identities of the steps of a history, and which steps undo others; setting the current origin; and
/// whether an assignment is recorded in each place that differs.
///
/// This folder contains the origins of edits, and undoes steps that aren't the newest, for which edits are transformed
/// over later steps. The rules for two edits are in `Edits/_UndoEdit+Transform`.
///
/// A history has origins once one is used. The steps before that have no row in the table of steps: their identities
/// follow from their states.
package struct _UndoOrigins {
  /// All origins that the history has had; steps refer to them by index.
  package var names: [UndoOrigin] = []
  /// The identity of the next step.
  package var nextID: UInt64
  /// The difference between the identity and the state of each step without a row.
  let offset: UInt64
  /// Whether any step has ever undone another one.
  private(set) var hasLinks = false

  /// The index of the current origin; -1 for none.
  var current: Int32 = -1
  /// The identity of the remote edit that is being recorded as a step.
  var recordedRemoteEdit: UInt64?
  /// The step that the next recorded step undoes.
  var target: Entry?
  /// The step that can be joined once its origin is the current one again: the latest step when the origin changed, and
  /// whether an edit could join it.
  var waiting:
    (origin: Int32, location: _UndoLocation, state: Int, run: _UndoRun, joinable: (state: Int, time: Int64)?)?
  /// The edits after the step that was undone last, kept for undoing the next one.
  var rest: _UndoLaterEdits?

  package struct Entry: Equatable {
    package var id: UInt64
    /// The identity of the step that this one undoes; 0 for none.
    package var link: UInt64 = 0
    package var origin: Int32 = -1
    /// Whether the original step is undone after this one, as after every second step of a chain of undos and redos.
    package var isUndoing = false

    package init(id: UInt64, link: UInt64 = 0, origin: Int32 = -1, isUndoing: Bool = false) {
      (self.id, self.link, self.origin, self.isUndoing) = (id, link, origin, isUndoing)
    }

    /// The label of a step that undoes this one, made from the label of this one.
    func label(ofUndoing old: String?) -> String {
      let (prefix, oldPrefix) = isUndoing ? ("Redo", "Undo") : ("Undo", "Redo")
      guard var name = old else { return prefix }
      if link != 0, name.hasPrefix(oldPrefix) { name.removeFirst(oldPrefix.count) } else { name = " " + name }
      return prefix + name
    }
  }

  /// Creates origins for a history whose steps up to a state get no rows.
  init(base: Int, nextID: UInt64) {
    self.nextID = nextID
    offset = nextID &- UInt64(base) &- 1
  }

  /// Creates the origins of an archive.
  package init(names: [UndoOrigin], nextID: UInt64, hasLinks: Bool) {
    (self.names, self.nextID, self.hasLinks, offset) = (names, nextID, hasLinks, 0)
  }

  /// The index of an origin, which is added if it is new.
  mutating func index(of origin: UndoOrigin?) -> Int32 {
    guard let origin else { return -1 }
    if let index = names.firstIndex(of: origin) { return Int32(index) }
    names.append(origin)
    return Int32(names.count - 1)
  }

  mutating func takeID() -> UInt64 {
    defer { nextID += 1 }
    return nextID
  }

  // MARK: Steps

  /// The row of a step that was just recorded.
  mutating func nextEntry() -> Entry {
    var entry = Entry(id: nextID, origin: current)
    if let target { (entry.link, entry.isUndoing, hasLinks) = (target.id, !target.isUndoing, true) }
    if let recordedRemoteEdit { entry.id = recordedRemoteEdit } else { nextID += 1 }
    (recordedRemoteEdit, target, rest) = (nil, nil, nil)
    return entry
  }

  /// Forgets steps after all steps were removed.
  mutating func forgetSteps() { (waiting, rest) = (nil, nil) }
}

// Methods that only read are mutating too, because a getter would copy all of the extras.
extension _UndoExtras {
  mutating func hasOrigins() -> Bool { origins != nil }

  mutating func alignsPlaces() -> Bool { origins != nil || openStep?.alignsPlaces ?? false }

  /// The row of the step that leads to a state, computed for a step without one.
  package mutating func identity(_ state: Int, _ records: _UndoRecords) -> _UndoOrigins.Entry {
    steps.identities[before: records.newestState - state]
      ?? .init(id: UInt64(max(state, 0)) &+ (origins?.offset ?? 0))
  }

  /// The identities of the steps after a state that undo other steps, by the identities of those.
  mutating func undoingSteps(behind state: Int, _ records: _UndoRecords) -> [UInt64: UInt64] {
    guard origins?.hasLinks == true else { return [:] }
    var steps: [UInt64: UInt64] = [:]
    for state in stride(from: records.state, to: state, by: -1).reversed() {
      let entry = identity(state, records)
      if entry.link != 0 { steps[entry.link] = entry.id }
    }
    return steps
  }

  /// Assigns the identities of an archive to the steps of branches, or new ones if there isn't one for each.
  package mutating func setIdentitiesInBranches(_ identities: ArraySlice<_UndoOrigins.Entry> = []) {
    guard let count = branches.first?.stepCount else { return }
    let new = identities.count == count ? identities : (0..<count).map { _ in .init(id: origins?.takeID() ?? 0) }[...]
    branches[0].setIdentities(new)
  }

  /// The oldest state, including hidden ones.
  func oldestState(of records: _UndoRecords) -> Int { remoteEdits?.bottom ?? records.counts.dropped }
}

extension _UndoLog {
  package var origins: _UndoOrigins? { hasExtras ? extras[0].origins : nil }

  /// Assigns identities to steps from now on, and to the steps of branches at once.
  ///
  /// - Parameter nextID: The identity of the next step; the steps of branches get the identities just before it. Nil to
  ///   number the steps from their states.
  package mutating func useOrigins(nextID: UInt64? = nil) {
    if hasExtras, extras[0].hasOrigins() { return }
    let (base, count, dropped) = (records.newestState, UInt64(branches?.stepCount ?? 0), branches?.droppedCount ?? 0)
    let first = nextID.map { $0 - count } ?? UInt64(base) + 1
    changeExtras { $0.origins = _UndoOrigins(base: base, nextID: first) }
    if count > 0 { extras[0].setIdentitiesInBranches() }
    if let next = extras[0].origins?.nextID { unread?.identities = (next, dropped) }
  }

  /// Sets the origin of the following edits.
  ///
  /// The latest step can be joined again once its origin is the current one.
  @usableFromInline
  mutating func enter(_ origin: UndoOrigin?) {
    useOrigins()
    // An edit with an origin ends an open step.
    if origin != nil { unread?.loseTrack() }
    if origin != nil, hasOpenStep { settle() }
    guard let old = extras[0].origins?.current, let index = extras[0].origins?.index(of: origin), index != old
    else { return }
    let (state, run, joinable) = (state, records.position.run, extras[0].joinable)
    if run != .none || joinable != nil { extras[0].origins?.waiting = (old, records.location, state, run, joinable) }
    (records.position.run, extras[0].joinable) = (.none, nil)
    extras[0].origins?.current = index
    guard let waiting = extras[0].origins?.waiting, waiting.origin == index, waiting.location == records.location,
      waiting.state == state, isOpen
    else { return }
    (records.position.run, extras[0].joinable) = (waiting.run, waiting.joinable)
    extras[0].origins?.waiting = nil
  }
}

extension _UndoAccess {
  /// Whether an origin was used.
  ///
  /// Callers in other modules use this, because a call on the log itself would copy the log.
  @usableFromInline
  package var hasOrigins: Bool { log.hasExtras && log.extras[0].hasOrigins() }

  /// Whether an assigned text or collection is recorded in each place that differs (`UndoCursor+Aligning`).
  @inlinable
  var alignsPlaces: Bool { log.hasExtras && alignsPlacesInExtras }

  @usableFromInline
  var alignsPlacesInExtras: Bool { log.extras[0].alignsPlaces() }
}
