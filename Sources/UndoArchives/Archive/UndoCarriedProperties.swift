package import UndoHistories

/// The properties that the steps of a history restore on undo.
package struct UndoCarriedProperties {
  fileprivate let carriers: [_UndoRestored]

  fileprivate func contains(_ carrier: _UndoRestored) -> Bool { carriers.contains { $0.isSame(as: carrier) } }
}

// An archive contains the values of restored properties before and after each step, by the numbers of their parts. A
// property without a named part isn't archived.

extension UndoHistory where Value: Codable {
  /// A part of the document that undo restores.
  typealias CarriedPart = (part: _UndoPart, number: Int, carrier: _UndoRestored)

  /// The restored properties that are named parts.
  func carriedParts(of carriers: [_UndoRestored]) -> [CarriedPart] {
    let parts = _UndoSchema(of: Value.self).parts(of: Value.self)
    return carriers.compactMap { carrier in parts.number(of: carrier.bytes).map { (parts[$0], $0, carrier) } }
  }

  /// The carriers of the parts that an archive restores.
  func carriers(asIn carried: [_UndoPatch]?) -> [_UndoRestored] {
    (carried ?? []).compactMap { patch in
      if case .part(_, let part)? = patch.path.first { part.carrier } else { nil }
    }
  }

  mutating func carry(_ carrier: _UndoRestored) {
    _ = storage.access.log.carry(carrier, in: storage.access.documentPointer)
  }

  /// The properties that undo restores.
  package var carriedProperties: UndoCarriedProperties { UndoCarriedProperties(carriers: storage.access.log.carriers) }

  /// Restores no property from now on; there must be no steps yet.
  package mutating func carryNothing() { storage.access.log.carryOnly([], in: storage.access.documentPointer) }

  /// Restores exactly these properties from now on.
  package mutating func carryOnly(_ properties: UndoCarriedProperties) throws {
    ensureUnique()
    for carrier in properties.carriers { carry(carrier) }
    guard storage.access.log.carriers.contains(where: { !properties.contains($0) }) else { return }
    // The existing steps have to lose their values of the other properties.
    let archive = try archive(keepsWhole: true)
    var other = UndoHistory(initialValue: currentItem)
    (other.keepsBranches, other.coalescing, other.limit) = (keepsBranches, coalescing, limit)
    other.recordTimes(storage.access.log.extras.first?.now)
    other.storage.access.log.carryOnly(properties.carriers, in: other.storage.access.documentPointer)
    try other.restore(archive)
    self = other
  }

  /// The values of restored parts before and after the latest step, which is undone and redone to read them.
  func carried(_ parts: [CarriedPart]) -> Archive.Carried? {
    let access = storage.access
    let parts = parts.filter {
      access.log.extras.first?.steps.restores($0.carrier, before: access.log.redoCount) ?? false
    }
    if parts.isEmpty { return nil }
    _ = access.log.stepBack(access.documentPointer) { _ in }
    let before = parts.map { $0.part.patch($0.number, of: access.document) }
    _ = access.log.stepForward(access.documentPointer) { _ in }
    return Archive.Carried(before: before, after: parts.map { $0.part.patch($0.number, of: access.document) })
  }
}
