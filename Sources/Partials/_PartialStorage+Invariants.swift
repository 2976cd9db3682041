extension _PartialStorage {
  #if InternalChecks
    /// Traps unless every invariant of the buffer holds.
    @usableFromInline @inline(never)
    func checkInvariants() {
      precondition(entryCount <= entryCapacity, "More entries than there is room for")
      let fields = entriesInOrder.map(\.field)
      precondition(fields.allSatisfy { $0.size > 0 && $0.end <= MemoryLayout<Root>.size }, "An entry beyond the root")
      precondition(zip(fields, fields.dropFirst()).allSatisfy { $0.end <= $1.start }, "Entries overlap")
      let removals = removals
      for word in 0..<Self.presenceWords {
        let bits = fields.reduce(0) { $0 | removals.presence(of: $1, inWord: word) }
        precondition(presence(inWord: word) == bits, "Presence that does not follow from what was set and removed")
      }
      removals.checkInvariants(in: fields)
      let areConstantsNoted =
        hasConstants || fields.allSatisfy { !removals.hasConstants(in: $0) && entry(around: $0)?.isConstant == false }
      precondition(areConstantsNoted, "A constant that readers do not know of")
    }
  #else
    @inlinable @inline(__always)
    func checkInvariants() {}
  #endif
}

extension _PartialRemovals {
  #if InternalChecks
    /// Traps unless holes and islands lie strictly within one another, in turn but for constants, each within one of `wholes`.
    func checkInvariants(in wholes: [_PartialField]) {
      var outer = wholes.map { (field: $0, isHole: false) }
      for part in outermostFirst(in: _PartialField(start: 0, end: .max)) {
        let around = outer.last { $0.field.contains(part.field) }
        precondition(around != nil && around?.field != part.field, "A part outside of all wholes, or of itself")
        precondition(around?.isHole == false || !part.isHole, "A hole in a hole")
        precondition(around?.isHole == true || part.isHole || part.entry.isConstant, "An island on an island")
        outer.append((part.field, part.isHole))
      }
    }
  #endif
}
