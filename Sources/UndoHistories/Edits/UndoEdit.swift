/// One change that an undo or a redo made to the document: its kind, with indices, and the bytes of the document that
/// it lies in.
///
/// It has four words, so that undo returns it in registers; `_UndoEdit` has the whole path.
@usableFromInline
package struct UndoEdit: Hashable, Sendable {
  /// The kinds of changes.
  @usableFromInline
  package enum Kind: Hashable, Sendable {
    /// The whole value was replaced.
    case value
    /// Elements changed, or a range of a text, whose offsets count UTF-8.
    ///
    /// A change of something inside of an element is one of the element. Both ranges of a change begin at the same
    /// offset.
    case elements(UndoElementsChange)
    /// A key of a dictionary or a member of a set was added, removed or changed.
    case member

    /// The replacement of `old` elements or bytes, from `start` on, with `new` others.
    ///
    /// - Precondition: None of the numbers is negative.
    @inlinable
    static func range(at start: Int, old: Int, new: Int) -> Self {
      assert(start >= 0 && old >= 0 && new >= 0, "A range is not negative")
      // Unchecked, because the numbers were checked when the delta was recorded.
      let (old, new) = ((start, start + old), (start, start + new))
      return unsafe .elements(.range(old: Range(uncheckedBounds: old), new: Range(uncheckedBounds: new)))
    }
  }

  // Every undo makes one of these.
  //
  //     | name 8 | size 28 | start 28 | a | b | c |

  @usableFromInline
  let packedRange: UInt64
  @usableFromInline
  let a: Int
  @usableFromInline
  let b: Int
  @usableFromInline
  let c: Int

  /// Creates an edit that lies in `size` bytes of the document from `start` on: in a property, or in the outermost
  /// collection.
  @inlinable
  init(_ kind: Kind, start: Int, size: Int) {
    let name: Name
    switch kind {
    case .value: (name, a, b, c) = (.value, 0, 0, 0)
    case .elements(.element(let index)): (name, a, b, c) = (.element, index, 0, 0)
    case .elements(.range(let old, let new)): (name, a, b, c) = (.range, old.lowerBound, old.count, new.count)
    case .elements(.swap(let first, let second)): (name, a, b, c) = (.swap, first, second, 0)
    case .elements(.move(let source, let target)): (name, a, b, c) = (.move, source, target, 0)
    case .member: (name, a, b, c) = (.member, 0, 0, 0)
    }
    let bytes = (UInt64(truncatingIfNeeded: size) & 0xfff_ffff) << 28 | (UInt64(truncatingIfNeeded: start) & 0xfff_ffff)
    packedRange = UInt64(name.rawValue) << 56 | bytes
  }

  /// Reports an edit within an element as an edit of that element.
  @usableFromInline
  init(_ edit: _UndoEdit) {
    let kind = edit.levels.count > 0 ? .elements(.element(at: edit.levels[0].index)) : edit.change.kind
    self.init(kind, start: edit.bytes.lowerBound, size: edit.bytes.count)
  }

  /// The kind of change, with its indices.
  package var kind: Kind {
    switch Name(rawValue: UInt8(truncatingIfNeeded: packedRange >> 56)) {
    case .element: .elements(.element(at: a))
    case .range: .range(at: a, old: b, new: c)
    case .swap: .elements(.swap(a, b))
    case .move: .elements(.move(from: a, to: b))
    case .member: .member
    case .value, nil: .value
    }
  }

  /// The bytes of the document that the edit lies in.
  var bytes: Range<Int> {
    let start = Int(packedRange & 0xfff_ffff)
    return start..<start + Int((packedRange >> 28) & 0xfff_ffff)
  }

  /// A kind without its indices, kept in the highest byte.
  @usableFromInline
  enum Name: UInt8, Sendable {
    case value, element, range, swap, move, member
  }
}

extension UndoEdit: CustomStringConvertible {
  /// The indices or the kind of the change, without the property that it lies in.
  @usableFromInline
  package var description: String {
    switch kind {
    case .value: "value"
    case .elements(let change): change.description
    case .member: "member"
    }
  }
}
