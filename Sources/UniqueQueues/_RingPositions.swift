/// A place in a ring: a slot of its memory, or an ordinal, which the compiler keeps apart.
@frozen
@usableFromInline
package struct _RingPosition<Kind>: Strideable, Hashable, Sendable {
  @usableFromInline package let position: Int

  @inlinable
  @inline(__always)
  package init(_ position: Int) { self.position = position }

  @inlinable
  package static var zero: Self { Self(0) }

  @inlinable
  @inline(__always)
  package static func == (left: Self, right: Self) -> Bool { left.position == right.position }

  @inlinable
  @inline(__always)
  package static func < (left: Self, right: Self) -> Bool { left.position < right.position }

  @inlinable
  @inline(__always)
  package func distance(to other: Self) -> Int { other.position &- position }

  @inlinable
  @inline(__always)
  package func advanced(by distance: Int) -> Self { Self(position &+ distance) }
}

/// A slot in the memory of a ring, numbered from 0 to one less than the capacity.
@usableFromInline
package typealias _Slot = _RingPosition<_Slots>

/// The number of an element or of a gap among the elements, counted from the first element ever appended.
///
/// Prepended elements are numbered downward from the first, also below zero. An element keeps its number as long as the
/// epoch of its ring stays the same.
@usableFromInline
package typealias _Ordinal = _RingPosition<_Ordinals>

@usableFromInline
package enum _Slots {}

@usableFromInline
package enum _Ordinals {}
