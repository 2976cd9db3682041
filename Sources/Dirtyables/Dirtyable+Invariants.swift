extension Dirtyable {
  #if InternalChecks
    /// Traps unless the state is the least that tells the versions, and the saves in flight can be told apart.
    @usableFromInline
    internal func _checkInvariants() {
      let flight = _baseline.record?.flight
      if case .settled = _baseline.state {
        precondition(flight != nil, "Only a save in flight keeps a record beside a settled value")
        precondition(_versions.isCurrentKnown, "A settled value is one of the versions known")
      }
      guard flight != nil else { return }
      let versions = _versions
      precondition(!versions.saves.isEmpty, "A flight has saves")
      precondition(Set(versions.saves.map(\.id)).count == versions.saves.count, "Saves have identities of their own")
      let numbers = versions.saves.map(\.version.number) + [versions.original.number, versions.currentNumber ?? 0]
      precondition(numbers.allSatisfy { (0...versions.lastNumber).contains($0) }, "Numbers are given out once")
    }
  #else
    @inlinable
    @inline(__always)
    internal func _checkInvariants() {}
  #endif
}
