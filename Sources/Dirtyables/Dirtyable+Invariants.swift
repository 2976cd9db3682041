extension Dirtyable {
  #if InternalChecks
    /// Traps unless the state tells the versions, in the least that does, and the saves in flight can be told apart.
    @usableFromInline
    internal func _checkInvariants() {
      guard let flight = _baseline.flight else {
        precondition((_baseline.original == nil) == !_baseline.isEdited, "An edited value has an original beside it")
        return
      }
      precondition(!flight.saves.isEmpty, "A flight has saves")
      precondition(Set(flight.saves.map(\.id)).count == flight.saves.count, "Saves have identities of their own")
      precondition(_baseline.isEdited || flight.current != nil, "A settled value is a version")
    }
  #else
    @inlinable
    @inline(__always)
    internal func _checkInvariants() {}
  #endif
}
