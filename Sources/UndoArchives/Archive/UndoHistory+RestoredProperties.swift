package import UndoHistories

// The properties that undo restores (`restoreOnUndo`), as far as archives need them: which are named parts, and so have
// values in an archive; their values before and after a step; and making undo restore exactly those of an archive.

extension UndoHistory where Value: Codable {
  /// A property registered by `restoreOnUndo`, and the named part that is the same property.
  typealias RestoredPart = (part: _UndoPart, number: Int, property: _UndoRestored)

  /// The restored properties that are named parts.
  func restoredParts(of restoredProperties: [_UndoRestored]) -> [RestoredPart] {
    let parts = _UndoSchema().parts(of: Value.self)
    return restoredProperties.compactMap { property in
      parts.number(of: property.bytes).map { (parts[$0], $0, property) }
    }
  }

  mutating func restoreOnUndo(_ property: _UndoRestored) {
    _ = storage.access.log.restoreOnUndo(property, in: storage.access.documentPointer)
  }

  /// The properties that undo restores.
  package var restoredProperties: [_UndoRestored] { storage.access.log.restoredProperties }

  /// Makes undo restore no property from now on; the history must not have steps yet.
  package mutating func restoreNothing() { storage.access.log.restoreOnly([], in: storage.access.documentPointer) }

  /// Makes undo restore exactly these properties from now on.
  package mutating func restoreOnly(_ properties: [_UndoRestored]) throws {
    ensureUnique()
    for property in properties { restoreOnUndo(property) }
    let isComplete = restoredProperties.allSatisfy { property in properties.contains { $0.isSame(as: property) } }
    if isComplete { return }
    // The existing steps have to lose their values of the other properties.
    let archive = try archive(keepsWhole: true)
    var other = UndoHistory(initialValue: currentItem)
    (other.keepsBranches, other.coalescing, other.limit) = (keepsBranches, coalescing, limit)
    other.recordTimes(storage.access.log.extras.first?.now)
    other.storage.access.log.restoreOnly(properties, in: other.storage.access.documentPointer)
    try other.restore(archive)
    self = other
  }

  /// The values of restored parts before and after the latest step, which is undone and redone to read them.
  func restored(_ parts: [RestoredPart]) -> (before: [_UndoPatch], after: [_UndoPatch])? {
    let access = storage.access
    let parts = parts.filter {
      access.log.extras.first?.steps.restores($0.property, before: access.log.redoCount) ?? false
    }
    if parts.isEmpty { return nil }
    _ = follow(.back) { _ in }
    let before = parts.map { $0.part.patch($0.number, of: access.document) }
    _ = follow(.forward) { _ in }
    return (before, parts.map { $0.part.patch($0.number, of: access.document) })
  }
}
