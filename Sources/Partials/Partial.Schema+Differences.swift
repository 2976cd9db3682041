// What is different over an original: of what the schema names, what is read, and of all else, what was set.
extension Partial.Schema {
  /// The properties of this schema that were set in `partial` or read otherwise than in its original; without an original, the
  /// partial itself.
  func changes(in partial: Partial<Root>) -> Partial<Root> {
    partial._hasOriginal && !partial.isEmpty
      ? changes(in: partial, comparedWith: [partial._originalAlone], includingEqual: true) : partial.changes
  }

  /// What reads otherwise in `partial` than in its original; without an original, the partial itself.
  ///
  /// What is not named comes first, and then what is named and its setters change as well, so that all is as it is read.
  func differences(in partial: Partial<Root>) -> Partial<Root> {
    guard let original = partial.original, !partial.isEmpty else { return partial.changes }
    var differences = unnamedDifferences(in: partial)
    var others = [partial._originalAlone]
    if differences._storage.kept.hasSetters {
      var other = Partial(over: original)
      other.merge(differences)
      others.append(other)
    }
    differences.merge(changes(in: partial, comparedWith: others, includingEqual: false))
    return differences
  }

  private func changes(
    in partial: Partial<Root>, comparedWith others: [Partial<Root>], includingEqual: Bool
  ) -> Partial<Root> {
    var changes = Partial<Root>()
    let edit = _PartialEdit(partial, others: others)
    for member in members { member.addChanges(to: &changes, of: edit, includingEqual: includingEqual) }
    changes._putBytesAroundKept()
    return changes
  }

  /// What was set in `partial` and changed more than what this schema names.
  ///
  /// To find out, all that is named is put back: what is then the same as in the original did not.
  private func unnamedDifferences(in partial: Partial<Root>) -> Partial<Root> {
    var unnamed = partial.changes
    for member in members { member.remove(from: &unnamed) }
    guard !unnamed.isEmpty, let edited = partial._wholeRoot ?? partial._editedOriginal else { return unnamed }
    let original = partial._originalAlone
    func withoutNamed(_ partial: Partial<Root>) -> Partial<Root> {
      var rest = partial
      // Twice, because a setter can depend on what another writes.
      for _ in 0..<2 {
        for member in members { member.reset(&rest, to: original) }
      }
      return rest
    }
    let rest = withoutNamed(Partial(edited))
    let hasConstants = unnamed._storage.hasConstants
    let constants = hasConstants ? partial._snapshot.map { withoutNamed(Partial(_storage: $0)) } : nil
    unnamed._removeWhatIsSame(in: rest, constants: constants ?? rest, as: original)
    return unnamed
  }
}

extension Partial {
  /// Removes what was set here and is the same in `rest`, a whole root with what setters changed, and in `original`.
  ///
  /// - Parameter withConstants: Where the constants are that were set here.
  fileprivate mutating func _removeWhatIsSame(in rest: Partial, constants withConstants: Partial, as original: Partial)
  {
    guard let root = rest._wholeRoot, let originalRoot = original._wholeRoot else { return }
    let isAllSame = _isSame(root, originalRoot)
    let constants = _storage.entriesWithConstants
    // A setter that remains may change what was set to the same after it.
    let hasSetters = !isAllSame && _storage.kept.hasSetters
    for entry in _storage.entriesInOrder {
      let isConstant = constants.contains(entry)
      if hasSetters && !isConstant { continue }
      let source = isConstant ? withConstants : rest
      let isSame =
        isAllSame && !isConstant
        || source._storage.isPresent(entry.field)
          && _isSame(source._storage.erasedValue(of: entry), original._storage.erasedValue(of: entry))
      guard isSame else { continue }
      _makeUnique()
      _storage.vacate(entry)
      if _storage.hasExtras { _vacateKept(entry) }
    }
    // One setter of several may be what takes back what another did, so that all of them remain.
    guard isAllSame else { return }
    for step in _storage.kept.steps where step.box.effect == .setter { _removeKept(step.box.keyPath) }
  }
}
