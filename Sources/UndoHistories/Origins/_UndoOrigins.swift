/// Whose steps those of a history are, and which of them take others back.
///
/// It exists once an origin is used. The steps of before have no row: their identities are counted from the states that
/// they lead to.
package struct _UndoOrigins {
  /// The origins by their indices.
  package var names: [UndoOrigin] = []
  /// The identity of the next step.
  package var nextID: UInt64
  /// What the identities of the steps of before are more than the states.
  let offset: UInt64
  /// Whether any step ever took another one back.
  private(set) var hasLinks = false

  /// The index of the origin in force; -1 for none.
  var current: Int32 = -1
  /// The identity of the absorbed edit that is to be recorded as a step.
  var adopted: UInt64?
  /// The step that the one to be recorded takes back.
  var target: Entry?
  /// What may be gone on with once its origin is in force again.
  var waiting: Waiting?
  /// What was found out about the steps behind one, for the next one to be taken back.
  var rest: _UndoRest?

  package struct Entry: Equatable {
    package var id: UInt64
    /// The identity of the step that this one takes back; 0 for none.
    package var link: UInt64 = 0
    package var origin: Int32 = -1
    /// Whether what the step did at first is undone by it: by each second one of those that take each other back.
    package var isUndoing = false

    package init(id: UInt64, link: UInt64 = 0, origin: Int32 = -1, isUndoing: Bool = false) {
      (self.id, self.link, self.origin, self.isUndoing) = (id, link, origin, isUndoing)
    }
  }

  /// The latest step, as it was when another origin came into force.
  struct Waiting {
    let origin: Int32
    let location: _UndoLog.RecordLocation
    let state: Int
    let canJoin: Bool
    let joinable: (state: Int, time: Int64)?
  }

  /// The steps up to a state have no rows.
  init(base: Int, nextID: UInt64) {
    self.nextID = nextID
    offset = nextID &- UInt64(base) &- 1
  }

  /// What an archive has.
  package init(names: [UndoOrigin], nextID: UInt64, hasLinks: Bool) {
    (self.names, self.nextID, self.hasLinks, offset) = (names, nextID, hasLinks, 0)
  }

  func origin(_ entry: Entry) -> UndoOrigin? { entry.origin < 0 ? nil : names[Int(entry.origin)] }

  /// The index of an origin, which is added if there is none yet.
  mutating func index(of origin: UndoOrigin?) -> Int32 {
    guard let origin else { return -1 }
    if let index = names.firstIndex(of: origin) { return Int32(index) }
    names.append(origin)
    return Int32(names.count - 1)
  }

  /// Gives an identity out.
  mutating func takeID() -> UInt64 {
    defer { nextID += 1 }
    return nextID
  }

  // MARK: Steps

  /// Gives an identity to a step that was recorded.
  mutating func nextEntry() -> Entry {
    var entry = Entry(id: nextID, origin: current)
    if let target { (entry.link, entry.isUndoing, hasLinks) = (target.id, !target.isUndoing, true) }
    if let adopted { entry.id = adopted } else { nextID += 1 }
    (adopted, target, rest) = (nil, nil, nil)
    return entry
  }

  /// Takes it that no step is left.
  mutating func forgetSteps() { (waiting, rest) = (nil, nil) }
}

// Methods that mutate, also where they only read, as the others of the extras.
extension _UndoExtras {
  mutating func hasOrigins() -> Bool { origins != nil }

  /// The index of an origin and of the one in force, and what may be joined.
  mutating func indices(
    of origin: UndoOrigin?
  ) -> (index: Int32, old: Int32, joinable: (state: Int, time: Int64)?) {
    (origins?.index(of: origin) ?? -1, origins?.current ?? -1, joinable)
  }

  /// What may be gone on with, if it is of an origin.
  mutating func waiting(for index: Int32) -> _UndoOrigins.Waiting? {
    origins?.waiting.flatMap { $0.origin == index ? $0 : nil }
  }
}

extension _UndoLog {
  package var origins: _UndoOrigins? { hasExtras ? extras[0].origins : nil }

  var hasOrigins: Bool { hasExtras && extras[0].origins != nil }

  /// Gives identities to the steps from now on; those of branches get the ones before the next.
  package mutating func useOrigins(nextID: UInt64? = nil) {
    if hasExtras, extras[0].hasOrigins() { return }
    let (base, count) = (state + redoCount, UInt64(branches?.stepCount ?? 0))
    let first = nextID.map { $0 - count } ?? UInt64(base) + 1
    changeExtras { $0.origins = _UndoOrigins(base: base, nextID: first) }
    if count > 0 { giveIdentitiesToBranches() }
    if let next = extras[0].origins?.nextID { unread?.identities = next }
  }

  /// Lets edits have an origin; nil is none.
  @usableFromInline
  mutating func enter(_ origin: UndoOrigin?) {
    useOrigins()
    // What another origin does is no part of a gesture.
    if origin != nil { loseTrack() }
    if origin != nil, extras[0].hasOpenStep() { settle() }
    let (index, old, joinable) = extras[0].indices(of: origin)
    guard index != old else { return }
    let (location, state) = (location, state)
    if coalescing.canJoin || joinable != nil {
      extras[0].origins?.waiting = _UndoOrigins.Waiting(
        origin: old, location: location, state: state, canJoin: coalescing.canJoin, joinable: joinable)
    }
    (coalescing.canJoin, extras[0].joinable) = (false, nil)
    extras[0].origins?.current = index
    guard let waiting = extras[0].waiting(for: index), waiting.location == location, waiting.state == state, isOpen
    else { return }
    (coalescing.canJoin, extras[0].joinable) = (waiting.canJoin, waiting.joinable)
    extras[0].origins?.waiting = nil
  }

  /// Whose the step is that leads to a state.
  package func identity(_ state: Int) -> _UndoOrigins.Entry {
    let offset = extras[0].origins?.offset ?? 0
    return extras[0].steps.identities[before: newestState - state] ?? .init(id: UInt64(max(state, 0)) &+ offset)
  }

  /// Whether any step behind a state takes another one back.
  func isUndone(behind state: Int) -> Bool {
    origins?.hasLinks == true && stride(from: self.state, to: state, by: -1).contains { identity($0).link != 0 }
  }

  /// The identities of the steps behind a state that take others back, by those of the others.
  func undoingSteps(behind state: Int) -> [UInt64: UInt64] {
    guard origins?.hasLinks == true else { return [:] }
    var steps: [UInt64: UInt64] = [:]
    for state in stride(from: self.state, to: state, by: -1).reversed() {
      let entry = identity(state)
      if entry.link != 0 { steps[entry.link] = entry.id }
    }
    return steps
  }

  /// The identity of the step that leads to a state, with its origin and the step that it takes back.
  func identity(ofStep state: Int) -> (id: UndoStepID, origin: UndoOrigin?, target: UndoStepID?)? {
    guard let origins else { return nil }
    let entry = identity(state)
    return (
      UndoStepID(rawValue: entry.id), origins.origin(entry),
      entry.link == 0 ? nil : UndoStepID(rawValue: entry.link)
    )
  }
}

extension _UndoAccess {
  /// Whether others may edit, too.
  ///
  /// A caller in another module asks the log by this: for a call of its own the log would be copied.
  @inlinable
  @inline(__always)
  package var hasOrigins: Bool { log.hasExtras && hasOriginsInExtras }

  @usableFromInline
  var hasOriginsInExtras: Bool { log.hasOrigins }
}
