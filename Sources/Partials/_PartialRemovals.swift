/// Which parts of wholes have been removed, and which parts of those have been set again since.
///
/// A whole is solid. A part removed from it is a hole in it, a part of that set again is an island in the hole, which again
/// can have holes. Holes and islands lie strictly within one another, in turn:
/// ```
///  address                       ████████████████████████
///  address.place removed         ████████________________
///  address.place.town set again  ████████__████__________    address.place is still missing
///  address.place set again       ████████████████████████    address is present again
/// ```
/// It takes the removed part itself, or something around it, to fill a hole: whether a few islands cover one cannot be known,
/// because there may be padding, or properties that have no key path here.
struct _PartialRemovals: Equatable {
  private struct Part: Equatable {
    let field: _PartialField
    let isHole: Bool
  }

  private var parts: [Part] = []

  init() {}

  /// Notes that `field` has been set within a whole.
  mutating func set(_ field: _PartialField) {
    forget(in: field)
    if !isSolid(field) { parts.append(Part(field: field, isHole: false)) }
  }

  /// Notes that `field` has been removed from a whole.
  mutating func remove(_ field: _PartialField) {
    forget(in: field)
    if isSolid(field) { parts.append(Part(field: field, isHole: true)) }
  }

  /// Notes that there are just `wholes` in `field`: as islands in one great hole, to be merged with a whole around them.
  mutating func join(_ wholes: [_PartialField], in field: _PartialField) {
    parts += wholes.map { Part(field: $0, isHole: false) }
    parts.append(Part(field: field, isHole: true))
  }

  /// Notes that there is no whole any more in `field`.
  mutating func forget(in field: _PartialField) {
    if !parts.isEmpty { parts.removeAll { field.contains($0.field) } }
  }

  /// The holes and islands in `whole`, each before those within it.
  func outermostFirst(in whole: _PartialField) -> [(field: _PartialField, isHole: Bool)] {
    parts.filter { whole.contains($0.field) }.sorted { $0.field.size > $1.field.size }.map { ($0.field, $0.isHole) }
  }

  /// Notes that `unit`, a whole or an island of `other`, has been set, except for what has been removed from it there.
  mutating func merge(_ unit: _PartialField, of other: _PartialRemovals) {
    let before = self
    set(unit)
    for hole in other.children(of: unit) {
      remove(hole)
      if before.isSolid(hole) { set(hole) }
      parts += before.parts.filter { hole.contains($0.field) && hole != $0.field }
      for island in other.children(of: hole) { merge(island, of: other) }
    }
  }

  /// Whether what lies directly around `field`, or is the same, is a whole or an island.
  private func isSolid(_ field: _PartialField) -> Bool {
    !(parts.filter { $0.field.contains(field) }.min { $0.field.size < $1.field.size }?.isHole ?? false)
  }

  /// The holes directly in a whole or island, or the islands directly in a hole.
  private func children(of field: _PartialField) -> [_PartialField] {
    let inside = parts.map(\.field).filter { field.contains($0) && field != $0 }
    return inside.filter { child in !inside.contains { $0.contains(child) && $0 != child } }
  }
}
