extension _UnsafePartialStorage {
  #if InternalChecks
    /// Traps unless every invariant of the buffer holds.
    @usableFromInline @inline(never)
    func checkInvariants() {
      precondition(entryCount <= state.entryCapacity, "More entries than the capacity")
      let fields = entriesInOrder.map(\.field)
      precondition(fields.allSatisfy { $0.size > 0 && $0.end <= MemoryLayout<Root>.size }, "An entry beyond the root")
      precondition(zip(fields, fields.dropFirst()).allSatisfy { $0.end <= $1.start }, "Entries overlap")
      let removals = removals
      for word in 0..<Self.presenceWords {
        let bits = fields.reduce(0) { $0 | removals.presence(of: $1, inWord: word) }
        precondition(
          unsafe presence(inWord: word) == bits, "Presence that does not follow from what was set and removed")
      }
      removals.checkInvariants(in: fields)
      let noConstants = fields.allSatisfy { !removals.hasConstants(in: $0) && entry(around: $0)?.isConstant == false }
      precondition(state.hasConstants || noConstants, "A constant without a mark for readers")
      precondition(
        state.hasTexts == (extras?.texts != nil), "Texts without a mark for writers, or a mark without texts")
      guard let changes else { return checkAssignments() }
      precondition(original?.isWholeRoot ?? false || MemoryLayout<Root>.size == 0, "An original that is not whole")
      precondition(!changes.state.hasTexts, "Texts among changes")
      changes.checkInvariants()
    }

    /// Traps unless the values set before and after boxed values are, together, those in the root's bytes.
    private func checkAssignments() {
      let boxed = boxed
      boxed.checkInvariants()
      guard !boxed.isEmpty else { return }
      var merged = Partial<Root>()
      for bytes in (boxed.assignments.map(\.before) + [boxed.afterwards]).compactMap(\.self) {
        let bytes = unsafe Self.typed(bytes)
        precondition(
          bytes.boxed.isEmpty && bytes.original == nil && !bytes.state.hasTexts, "Boxed values or texts among bytes")
        merged._mergeBytes(of: bytes)
      }
      precondition(merged._storage.entriesInOrder == entriesInOrder, "Entries that were not set before or after")
      for word in 0..<Self.presenceWords {
        let isSame = unsafe merged._storage.presence(inWord: word) == presence(inWord: word)
        precondition(isSame, "Presence that was not set before or after")
      }
    }
  #else
    @inlinable @inline(__always)
    func checkInvariants() {}
  #endif
}

extension _PartialBoxedValues {
  #if InternalChecks
    /// Traps unless each boxed value has its assignment, and there are no bytes after the last value if there is none.
    func checkInvariants() {
      precondition(
        Set(assignments.map { $0.box.keyPath as AnyKeyPath }).count == count, "Two assignments of one key path")
      precondition(
        assignments.allSatisfy { boxes[$0.box.keyPath] === $0.box }, "The value of an assignment isn't found")
      precondition(!isEmpty || afterwards == nil, "Bytes after no value")
    }
  #endif
}

extension _PartialRemovals {
  #if InternalChecks
    /// Traps unless holes and islands lie strictly within one another, alternate except for constants, and each lie
    /// within one of `wholes`.
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
