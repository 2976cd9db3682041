/// The delta of a set's member that was inserted or removed.
@usableFromInline
struct _UndoMember<Place: UndoPlace, Member: Hashable>: _UndoDelta {
  @usableFromInline
  typealias Part = Set<Member>

  @usableFromInline
  let place: Place
  @usableFromInline
  var other: Member

  @inlinable
  init(_ place: Place, _ member: Member) {
    self.place = place
    self.other = member
  }

  @inlinable
  mutating func exchange(with root: inout Place.Root, offset: Int) {
    place.modify(&root, at: offset, as: Set<Member>.self) { members in
      if let old = members.remove(other) {
        other = old
      } else {
        members.insert(other)
      }
    }
  }

  @inlinable
  var change: _UndoChange { .member(AnyHashable(other)) }

  @inlinable
  static var effect: _UndoEffect {
    if let size = Place.outermostSize { .element(size: size) } else { .member(size: MemoryLayout<Part>.size) }
  }
}
