/// Which parts of wholes have been removed, and which have been set apart from their whole since.
///
/// A whole is solid. A part removed from it is a hole in it, a part of that set again is an island in the hole, which
/// again can have holes. They lie strictly within one another:
/// ```
///  address                       ████████████████████████
///  address.place removed         ████████________________
///  address.place.town set again  ████████__████__________    address.place is still missing
///  address.place set again       ████████████████████████    address is present again
/// ```
/// It takes the removed part itself, or something around it, to fill a hole: whether a few islands cover one cannot be
/// known, because there may be padding, or properties that have no key path here.
///
/// A part that was set through a read-only key path, a *constant*, is an island also where there is no hole: it and
/// what is beside it can be read, and nothing around it is present. A hole made through a read-only key path is a
/// constant, too: where it is merged into a whole that has the part, the two are not of one piece.
struct _PartialRemovals: Equatable {
  struct Part: Equatable {
    /// The value that was set or removed.
    let entry: _UnsafePartialEntry
    let isHole: Bool

    var field: _PartialField { entry.field }
  }

  private var parts: [Part] = []

  init() {}

  /// Registers that `part` has been set within a whole.
  mutating func set(_ part: _UnsafePartialEntry) {
    forget(in: part.field)
    if part.isConstant || !isSolid(part.field) { parts.append(Part(entry: part, isHole: false)) }
  }

  /// Registers that `part` has been removed from a whole.
  mutating func remove(_ part: _UnsafePartialEntry) {
    forget(in: part.field)
    if isSolid(part.field) { parts.append(Part(entry: part, isHole: true)) }
  }

  /// Registers that there are just `inner` in `whole`: as islands in one great hole, to be merged with a whole around
  /// them.
  mutating func join(_ inner: [_UnsafePartialEntry], in whole: _UnsafePartialEntry) {
    parts += inner.map { Part(entry: $0, isHole: false) }
    parts.append(Part(entry: whole, isHole: true))
  }

  /// Forgets all parts in `field`.
  mutating func forget(in field: _PartialField) {
    if !parts.isEmpty { parts.removeAll { field.contains($0.field) } }
  }

  /// The holes and islands in `whole`, each before those within it.
  func outermostFirst(in whole: _PartialField) -> [Part] {
    parts.filter { whole.contains($0.field) }.sorted { $0.field.size > $1.field.size }
  }

  /// The constant that is just `field`, where it is set.
  func constant(at field: _PartialField) -> _UnsafePartialEntry? {
    parts.first { $0.field == field && !$0.isHole && $0.entry.isConstant }?.entry
  }

  /// Whether there are constants in `whole`, set or removed.
  func hasConstants(in whole: _PartialField) -> Bool {
    parts.contains { $0.entry.isConstant && whole.contains($0.field) }
  }

  /// The parts, around `field` or within it, at which what can be read ends or begins again.
  ///
  /// Those are all but constants that lie where there is no hole.
  func removalBoundaries(at field: _PartialField) -> [_UnsafePartialEntry] {
    let near = parts.filter { $0.field.contains(field) || field.contains($0.field) }
    return near.filter { $0.isHole || around($0.field)?.isHole ?? false }.map(\.entry)
  }

  /// Registers that a value has been set, except for what has been removed from it in `other`.
  ///
  /// - Parameter isPart: Whether it is part of a greater one here.
  mutating func merge(_ value: _UnsafePartialEntry, isPart: Bool, of other: _PartialRemovals) {
    let before = self
    if isPart { set(value) } else { forget(in: value.field) }
    merge(in: value.field, of: other, over: before)
  }

  /// Registers what `other` has removed from a whole or an island, which is set already.
  ///
  /// - Parameter before: The removals before anything around the unit was set.
  private mutating func merge(in unit: _PartialField, of other: _PartialRemovals, over before: _PartialRemovals) {
    for child in other.children(of: unit) {
      guard child.isHole else {
        set(child.entry)
        merge(in: child.field, of: other, over: before)
        continue
      }
      let hole = child.field
      remove(child.entry)
      if before.isSolid(hole) { set(before.constant(at: hole) ?? child.entry) }
      parts += before.parts.filter { hole.contains($0.field) && hole != $0.field }
      for island in other.children(of: hole) { merge(island.entry, isPart: true, of: other) }
    }
  }

  /// Whether what lies directly around `field`, or is the same, is a whole or an island.
  private func isSolid(_ field: _PartialField) -> Bool {
    !((parts.first { $0.field == field } ?? around(field))?.isHole ?? false)
  }

  /// The hole or island that lies directly around `field`, and is not the same.
  private func around(_ field: _PartialField) -> Part? {
    parts.filter { $0.field.contains(field) && $0.field != field }.min { $0.field.size < $1.field.size }
  }

  /// The holes or islands directly in a whole, an island or a hole.
  private func children(of field: _PartialField) -> [Part] {
    let inside = parts.filter { field.contains($0.field) && field != $0.field }
    return inside.filter { child in !inside.contains { $0.field.contains(child.field) && $0.field != child.field } }
  }
}
