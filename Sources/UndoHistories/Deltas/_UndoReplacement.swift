internal import Sameness

/// The delta of a value that was replaced as a whole, a property or one assigned element: it holds the value that the
/// document does not have at the moment.
///
/// It also joins typing in that value: `_UndoTyping` recognizes it, and the removal of an optional text joins the
/// removal of its last letters here.
///
///     | place | other |     16 bytes with the header for an Int of the document itself
@usableFromInline
struct _UndoReplacement<Place: UndoPlace, Part>: _UndoDelta {
  @usableFromInline
  let place: Place
  @usableFromInline
  var other: Part

  @inlinable
  @inline(__always)
  init(_ place: Place, other: consuming Part) {
    self.place = place
    self.other = other
  }

  @inlinable
  mutating func exchange(with root: inout Place.Root, offset: Int) {
    place.modify(&root, at: offset, as: Part.self) { part in swap(&part, &other) }
  }

  @inlinable
  var change: _UndoChange { .value }

  @inlinable
  static var isOfPart: Bool { true }

  /// Only a type that retains memory can contain a text.
  @inlinable
  @inline(__always)
  static var mayJoin: Bool { _UndoWeight.retainsMemory(Part.self) }

  /// Joins typing in the value, for which the oldest value is the only one to keep.
  @usableFromInline
  mutating func join(_ next: Self, _ joining: inout _UndoJoining, offset: Int, in root: Place.Root) -> Bool {
    guard place == next.place else { return false }
    return place.read(root, at: offset, as: Part.self) {
      _UndoTyping.goesOn(from: other, over: next.other, to: $0, &joining)
    }
  }

  /// Joins the removal of an optional text with the removal of its other letters.
  @usableFromInline
  func goesOn(with latest: any _UndoDelta, _ joining: inout _UndoJoining, offset: Int, in root: Place.Root) -> Bool {
    // A cast alone would also accept an optional of an optional text, which has another layout.
    guard Part.self == String?.self, case let text?? = other as? String?,
      var latest = latest as? _UndoTextSplice<Place>, latest.place == place,
      text.utf8.count <= _UndoTextSplice<Place>.longestText,
      place.read(root, at: offset, as: String?.self, { $0 == nil })
    else { return false }
    // The text is nil now, so the removal can't be moved to an equivalent place in it.
    joining.mayMove = false
    let removal = _UndoTextSplice(place, start: 0, count: 0, other: text)
    return latest.join(removal, &joining, offset: offset, in: root)
  }

  @usableFromInline
  func mayBeRestored(in root: Place.Root, offset: Int) -> Bool {
    place.read(root, at: offset, as: Part.self) { _haveSameContents(other, $0) }
  }
}
