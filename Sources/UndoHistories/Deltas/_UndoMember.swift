/// The delta of a set's member that was inserted or removed.
@usableFromInline
struct _UndoMember<Anchor: _UndoAnchor, Member: Hashable>: _UndoDelta {
  @usableFromInline
  typealias Part = Set<Member>

  @usableFromInline
  let anchor: Anchor
  @usableFromInline
  var other: Member

  @inlinable
  init(_ anchor: Anchor, _ member: Member) {
    self.anchor = anchor
    self.other = member
  }

  @inlinable
  mutating func exchange(with root: inout Anchor.Root, offset: Int) {
    anchor.modify(&root, at: offset, as: Set<Member>.self) { members in
      if let old = members.remove(other) {
        other = old
      } else {
        members.insert(other)
      }
    }
  }

  @inlinable
  var change: _UndoChange { .member(_UndoChange.Key(AnyHashable(other))) }

  @inlinable
  static var effect: _UndoEffect {
    if let size = Anchor.outermostSize { .element(size: size) } else { .member(size: MemoryLayout<Part>.size) }
  }
}
