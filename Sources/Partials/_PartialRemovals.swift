/// Which parts of wholes have been removed, and which have been set apart from their whole since.
///
/// A whole is solid. A part removed from it is a hole in it, a part of that set again is an island in the hole, which again
/// can have holes. They lie strictly within one another:
/// ```
///  address                       ████████████████████████
///  address.place removed         ████████________________
///  address.place.town set again  ████████__████__________    address.place is still missing
///  address.place set again       ████████████████████████    address is present again
/// ```
/// It takes the removed part itself, or something around it, to fill a hole: whether a few islands cover one cannot be known,
/// because there may be padding, or properties that have no key path here.
///
/// A part that was set through a read-only key path, a *constant*, is an island also where there is no hole: it and what is
/// beside it can be read, and nothing around it is present. A hole made through a read-only key path is a constant, too:
/// where it is merged into a whole that has the part, the two are not of one piece.
struct _PartialRemovals: Equatable {
  struct Part: Equatable {
    let field: _PartialField
    let isHole: Bool
    /// The value's type where the key path was read-only.
    let constant: ObjectIdentifier?
  }

  private var parts: [Part] = []

  init() {}

  /// Notes that `field` has been set within a whole.
  mutating func set(_ field: _PartialField, constant: ObjectIdentifier?) {
    forget(in: field)
    if constant != nil || !isSolid(field) { parts.append(Part(field: field, isHole: false, constant: constant)) }
  }

  /// Notes that `field` has been removed from a whole.
  mutating func remove(_ field: _PartialField, constant: ObjectIdentifier?) {
    forget(in: field)
    if isSolid(field) { parts.append(Part(field: field, isHole: true, constant: constant)) }
  }

  /// Notes that there are just `wholes` in `field`: as islands in one great hole, to be merged with a whole around them.
  mutating func join(_ wholes: [(field: _PartialField, constant: ObjectIdentifier?)], in field: _PartialField) {
    parts += wholes.map { Part(field: $0.field, isHole: false, constant: $0.constant) }
    parts.append(Part(field: field, isHole: true, constant: nil))
  }

  /// Notes that there is no whole any more in `field`.
  mutating func forget(in field: _PartialField) {
    if !parts.isEmpty { parts.removeAll { field.contains($0.field) } }
  }

  /// The holes and islands in `whole`, each before those within it.
  func outermostFirst(in whole: _PartialField) -> [Part] {
    parts.filter { whole.contains($0.field) }.sorted { $0.field.size > $1.field.size }
  }

  /// The island that is just `field`.
  func island(at field: _PartialField) -> Part? { parts.first { $0.field == field && !$0.isHole } }

  /// Whether there are constants in `whole`, set or removed.
  func hasConstants(in whole: _PartialField) -> Bool {
    parts.contains { $0.constant != nil && whole.contains($0.field) }
  }

  /// Notes that `unit`, a whole or an island of `other`, has been set, except for what has been removed from it there.
  ///
  /// - Parameters:
  ///   - constant: The type of its value where it was set through a read-only key path, and is part of a whole here.
  ///   - before: What there was before anything around the unit was set; nil when nothing was.
  mutating func merge(
    _ unit: _PartialField, constant: ObjectIdentifier?, of other: _PartialRemovals, over before: _PartialRemovals? = nil
  ) {
    let before = before ?? self
    set(unit, constant: constant)
    for child in other.children(of: unit) {
      guard child.isHole else {
        merge(child.field, constant: child.constant, of: other, over: before)
        continue
      }
      let hole = child.field
      remove(hole, constant: child.constant)
      if before.isSolid(hole) { set(hole, constant: before.island(at: hole)?.constant ?? child.constant) }
      parts += before.parts.filter { hole.contains($0.field) && hole != $0.field }
      for island in other.children(of: hole) { merge(island.field, constant: island.constant, of: other) }
    }
  }

  /// Whether what lies directly around `field`, or is the same, is a whole or an island.
  private func isSolid(_ field: _PartialField) -> Bool {
    !(parts.filter { $0.field.contains(field) }.min { $0.field.size < $1.field.size }?.isHole ?? false)
  }

  /// What lies directly in a whole, an island or a hole.
  private func children(of field: _PartialField) -> [Part] {
    let inside = parts.filter { field.contains($0.field) && field != $0.field }
    return inside.filter { child in !inside.contains { $0.field.contains(child.field) && $0.field != child.field } }
  }
}
