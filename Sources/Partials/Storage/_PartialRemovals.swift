/// The parts that have been removed from wholes, and the parts that were then set again or set as constants.
///
/// A whole is solid. A part removed from it is a hole. A part of a hole that is set again is an island in the hole, and
/// can have holes in turn. Holes and islands lie strictly within one another:
/// ```
///  address                       ████████████████████████
///  address.place removed         ████████________________
///  address.place.town set again  ████████__████__________    address.place is still missing
///  address.place set again       ████████████████████████    address is present again
/// ```
/// A hole is filled only by setting the removed part itself, or something around it. Several islands never fill a hole,
/// because there may be padding between them, or properties that have no key path here.
///
/// A part that was set through a read-only key path, a *constant*, is an island even if it isn't in a hole: the
/// constant and the parts beside it can be read, but nothing around it is present. A hole made through a read-only key
/// path is a constant, too: merged into a whole that has the part, it becomes such an island.
struct _PartialRemovals: Equatable {
  struct Part: Equatable {
    /// The value that was set or removed.
    let entry: _UnsafePartialEntry
    let isHole: Bool

    var field: _PartialField { entry.field }
  }

  private var parts: [Part] = []

  /// Records that `part` has been set within a whole.
  mutating func set(_ part: _UnsafePartialEntry) {
    forget(in: part.field)
    if part.isConstant || !isSolid(part.field) { parts.append(Part(entry: part, isHole: false)) }
  }

  /// Records that `part` has been removed from a whole.
  mutating func remove(_ part: _UnsafePartialEntry) {
    forget(in: part.field)
    if isSolid(part.field) { parts.append(Part(entry: part, isHole: true)) }
  }

  /// Records that only the parts `inner` of `whole` are set: they become islands in one hole as large as the whole, to
  /// be merged with a value of the whole.
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

  /// The constant whose field is exactly `field`, if one is set.
  func constant(at field: _PartialField) -> _UnsafePartialEntry? {
    parts.first { $0.field == field && !$0.isHole && $0.entry.isConstant }?.entry
  }

  /// Whether `whole` contains constants, set or removed.
  func hasConstants(in whole: _PartialField) -> Bool {
    parts.contains { $0.entry.isConstant && whole.contains($0.field) }
  }

  /// Whether a part of `whole` has been removed, also if all parts of that part have been set again.
  func hasHoles(in whole: _PartialField) -> Bool { parts.contains { $0.isHole && whole.contains($0.field) } }

  /// The parts around `field` or within it at whose bounds readable bytes end or begin again.
  ///
  /// Those are all parts except constants that aren't in a hole.
  func removalBoundaries(at field: _PartialField) -> [_UnsafePartialEntry] {
    let near = parts.filter { $0.field.contains(field) || field.contains($0.field) }
    return near.filter { $0.isHole || around($0.field)?.isHole ?? false }.map(\.entry)
  }

  /// Records that a value has been set, except for the parts that `other` has removed from it.
  ///
  /// - Parameter isPart: Whether the value is a part of a greater one here.
  mutating func merge(_ value: _UnsafePartialEntry, isPart: Bool, of other: _PartialRemovals) {
    let before = self
    if isPart { set(value) } else { forget(in: value.field) }
    merge(in: value.field, of: other, over: before)
  }

  /// Records what `other` has removed from `unit`, a whole or an island that is already set.
  ///
  /// - Parameter before: The removals before anything around `unit` was set.
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

  /// Whether the innermost part that contains `field` is a whole or an island.
  private func isSolid(_ field: _PartialField) -> Bool {
    !((parts.first { $0.field == field } ?? around(field))?.isHole ?? false)
  }

  /// The innermost hole or island around `field`, other than `field` itself.
  private func around(_ field: _PartialField) -> Part? {
    parts.filter { $0.field.contains(field) && $0.field != field }.min { $0.field.size < $1.field.size }
  }

  /// The holes or islands directly inside a whole, an island or a hole.
  private func children(of field: _PartialField) -> [Part] {
    let inside = parts.filter { field.contains($0.field) && field != $0.field }
    return inside.filter { child in !inside.contains { $0.field.contains(child.field) && $0.field != child.field } }
  }
}
