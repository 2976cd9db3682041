/// What mine and theirs come to when both began from base.
///
/// Listed members are merged one by one. All that no listed member covers is treated as one more: whether it changed is
/// found by moving the listed members over to base and comparing wholes.
internal struct _Merge<Value: Equatable> {
  internal private(set) var merged: Value
  internal private(set) var keyPaths: [any PartialKeyPath<Value> & Sendable] = []

  internal init(base: Value, mine: Value, theirs: Value, _ fields: [_Field<Value>]) {
    if mine == base {
      merged = theirs
      return
    }
    merged = mine
    if theirs == base { return }

    func carry(_ member: Value, to rest: Value) -> Value {
      fields.reduce(into: rest) { $1.copy(member, &$0) }
    }
    if carry(mine, to: base) == mine {
      merged = theirs
    } else if carry(theirs, to: base) != theirs, carry(theirs, to: mine) != theirs {
      keyPaths.append(\Value.self)
    }

    for field in fields {
      if field.isEqual(mine, base) {
        field.copy(theirs, &merged)
      } else if field.isEqual(theirs, base) || field.isEqual(mine, theirs) {
        field.copy(mine, &merged)
      } else if field.merge(base, mine, theirs, &merged) {
        keyPaths.append(field.keyPath)
      }
    }
  }
}
