package import UndoHistories

/// The properties that go along with the steps of a history.
package struct UndoCarriedProperties {
  fileprivate let carriers: [_UndoRestored]

  fileprivate func contains(_ carrier: _UndoRestored) -> Bool { carriers.contains { $0.isSame(as: carrier) } }
}

// What an archive has of them are values of parts, by the numbers of the parts: as they were before each step, and
// behind it. A property without a name goes along in a history, and in no archive.

extension UndoHistory where Value: Codable {
  /// A part of the document that is carried.
  typealias CarriedPart = (part: _UndoPart, number: Int, carrier: _UndoRestored)

  /// Those of the carried properties that have names.
  func carriedParts(of carriers: [_UndoRestored]) -> [CarriedPart] {
    let parts = _UndoSchema(of: Value.self).parts(of: Value.self)
    return carriers.compactMap { carrier in parts.number(of: carrier.bytes).map { (parts[$0], $0, carrier) } }
  }

  /// What an archive carries.
  func carriers(asIn carried: [_UndoPatch]?) -> [_UndoRestored] {
    (carried ?? []).compactMap { patch in
      if case .part(_, let part)? = patch.path.first { part.carrier } else { nil }
    }
  }

  mutating func carry(_ carrier: _UndoRestored) {
    _ = storage.access.log.carry(carrier, in: storage.access.documentPointer)
  }

  /// What goes along with the steps.
  package var carriedProperties: UndoCarriedProperties { UndoCarriedProperties(carriers: storage.access.log.carriers) }

  /// Lets nothing go along with the steps; there are none yet.
  package mutating func carryNothing() { storage.access.log.carryOnly([], in: storage.access.documentPointer) }

  /// Lets these properties go along with the steps from now on, and no others.
  package mutating func carryOnly(_ properties: UndoCarriedProperties) throws {
    ensureUnique()
    for carrier in properties.carriers { carry(carrier) }
    guard storage.access.log.carriers.contains(where: { !properties.contains($0) }) else { return }
    // A step has both values of what it carries; without them it has none.
    let archive = try archive(keepsWhole: true)
    var other = UndoHistory(initialValue: currentItem)
    (other.branches, other.coalescing, other.limit) = (branches, coalescing, limit)
    other.keepTime(by: storage.access.log.extras.first?.now)
    other.storage.access.log.carryOnly(properties.carriers, in: other.storage.access.documentPointer)
    try other.restore(archive)
    self = other
  }

  /// What the latest step carries of such parts, in a history that is walked over: it is taken back and made again.
  func carried(_ parts: [CarriedPart]) -> Archive.Carried? {
    let access = storage.access
    let parts = parts.filter { access.log.latestStepCarries($0.carrier) }
    if parts.isEmpty { return nil }
    _ = access.log.stepBack(access.documentPointer) { _ in }
    let before = parts.map { $0.part.patch($0.number, of: access.document) }
    _ = access.log.stepForward(access.documentPointer) { _ in }
    return Archive.Carried(before: before, after: parts.map { $0.part.patch($0.number, of: access.document) })
  }
}
