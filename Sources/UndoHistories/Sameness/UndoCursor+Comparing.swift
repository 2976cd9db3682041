// Records an assignment of any value or of the document: compares the new value with the old one part by part
// (`_UndoDifferingPart`), and records the parts that differ.

internal import Sameness

extension UndoCursor {
  /// Records how the target differs from the old value that it replaced: as one step, or as part of the open one.
  ///
  /// - Complexity: O(1) for values with the same bytes. Otherwise O(*m*) in the number of stored properties at any
  ///   depth, and that of comparing the properties that differ.
  @usableFromInline
  package func recordDifference(from old: Target) {
    record(differingParts(from: old), from: old)
  }

  fileprivate func differingParts(from old: Target) -> [_UndoDifferingPart<Place>] {
    readTarget {
      _UndoDifferingPart.all(from: old, to: $0, isSplit: access.log.transaction.isSplit, &access.log.layouts)
    }
  }

  fileprivate func record(_ parts: [_UndoDifferingPart<Place>], from old: Target) {
    if parts.count > 1, isRestored {
      recordUnlessSame(old)
    } else if access.log.restoresValues, MemoryLayout<Place>.size == 0 {
      recordBesideRestored(parts, from: old)
    } else {
      record(parts)
    }
  }

  /// Whether the target lies in a value that undo restores (`restoreOnUndo`), which is recorded in one piece.
  ///
  /// A step saves the value from before the step. With several records, the first one would save a value that has
  /// changed already.
  @usableFromInline
  var isRestored: Bool {
    guard access.log.restoresValues else { return false }
    var levels = _UndoLevels()
    place.appendLevels(to: &levels)
    let bytes = levels.count > 0 ? levels[0].collection.bytes : offset..<offset + MemoryLayout<Target>.size
    return access.log.extras[0].restored.isOfValue(bytes)
  }

  /// Records parts of a document with restored values, which keep their old values while the other parts are recorded
  /// and are assigned afterwards.
  private func recordBesideRestored(_ parts: [_UndoDifferingPart<Place>], from old: Target) {
    let restoredProperties = access.log.restoredProperties
    let values = restoredProperties.enumerated().filter { _, property in
      parts.contains { property.bytes.contains($0.bytes(at: offset)) }
    }
    let others = parts.filter { part in !values.contains { $0.element.bytes.contains(part.bytes(at: offset)) } }
    // When the first of several records is written, the document already has the new values of all of them.
    let containsAny = others.contains { part in
      restoredProperties.contains { $0.bytes.overlaps(part.bytes(at: offset)) }
    }
    let isKept = others.count > 1 && containsAny
    if values.isEmpty, !isKept { return record(parts) }
    let document = access.documentPointer
    let new = _UnsafeUndoPointer.allocate(holding: access.document)
    defer { unsafe new.deallocate(as: Place.Root.self) }
    var before = access.document
    unsafe withUnsafePart(of: &before, at: offset, as: Target.self) { $0 = old }
    unsafe withUnsafeMutablePointer(to: &before) { before in
      let before = unsafe _UnsafeUndoPointer(UnsafeMutableRawPointer(before))
      if isKept {
        for property in restoredProperties { property.assign(from: before, to: document) }
        access.log.extras[0].saveRestored(depth: max(1, access.log.transaction.depth))
        for property in restoredProperties { property.assign(from: new, to: document) }
      }
      for value in values { value.element.assign(from: before, to: document) }
    }
    record(others)
    access.log.willAssignRestored(values.compactMap { $0.element.isSame(in: document, and: new) ? nil : $0.offset })
    for value in values {
      value.element.assign(from: new, to: document)
      guard access.log.transaction.depth > 0 else { continue }
      for part in parts where value.element.bytes.contains(part.bytes(at: offset)) {
        part.record(access, place, offset)
      }
    }
  }

  private func record(_ parts: [_UndoDifferingPart<Place>]) {
    // A single part may be typing, which can't join a step while a transaction is open.
    if parts.count == 1 { return parts[0].record(access, place, offset) }
    if parts.isEmpty { return }
    access.log.beginTransaction(nil)
    for part in parts { part.record(access, place, offset) }
    access.log.endAssignment()
  }

  /// Records how the target differs from the old value, as one part.
  func recordAsOnePart(_ old: Target) {
    if (_UndoRuns<Target>.self as? any _UndoRunRecording.Type)?.recordRuns(from: old, at: self) == true { return }
    guard let type = Target.self as? any _UndoStandardType.Type else { return recordUnlessSame(old) }
    func record<Standard: _UndoStandardType>(_ type: Standard.Type) {
      guard let old = old as? Standard else { return }
      Standard.recordDifference(from: old, at: UndoCursor<Place, Standard>(access, place, offset: offset))
    }
    record(type)
  }

  /// Records the whole old value, unless the value now is the same.
  @usableFromInline
  func recordUnlessSame(_ old: Target) {
    if !readTarget({ _haveSameContents(old, $0) }) { recordWhole(old) }
  }
}

/// Records changed runs of elements in a value whose type is known only at run time to be an editable collection.
private enum _UndoRuns<Elements> {}

private protocol _UndoRunRecording {
  /// Records the runs of elements in which the collection at a cursor differs from the old one; returns false, with
  /// nothing recorded, if the collection may store more than its elements.
  static func recordRuns<Place, Target>(from old: Target, at cursor: borrowing UndoCursor<Place, Target>) -> Bool
}

extension _UndoRuns: _UndoRunRecording where Elements: _UndoElements, Elements.Index == Int {
  static func recordRuns<Place, Target>(from old: Target, at cursor: borrowing UndoCursor<Place, Target>) -> Bool {
    guard Elements.hasOnlyElements, let old = old as? Elements else { return false }
    let elements = UndoCursor<Place, Elements>(cursor.access, cursor.place, offset: cursor.offset)
    elements.recordChange(from: old, isSame: nil)
    return true
  }
}

extension UndoCursor where Place == UndoDocumentPlace<Target> {
  /// Records how the document differs from the old one.
  ///
  /// If an archive has no name for a part that differs, the whole old document is recorded, which needs no name. A
  /// remote edit is recorded by parts anyway, so that it doesn't conflict with steps of other parts.
  @usableFromInline
  func recordDocument(from old: Target) {
    let parts = differingParts(from: old)
    if !access.log.transaction.isSplit, let type = Target.self as? any UndoArchivable.Type {
      func namedBytes<Known: UndoArchivable>(_ type: Known.Type) -> [Range<Int>] { type.undoParts.map(\.bytes) }
      let named = namedBytes(type)
      let isNamed = parts.allSatisfy { part in
        named.contains { $0.contains(part.bytes) }
          || access.log.restoresValues && access.log.extras[0].restored.isOfValue(part.bytes(at: offset))
      }
      if !isNamed { return recordUnlessSame(old) }
    }
    record(parts, from: old)
  }
}
