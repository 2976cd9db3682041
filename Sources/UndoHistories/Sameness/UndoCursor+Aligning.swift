// Records an assigned text or collection as an edit for each place that differs: if the history has origins, so that
// edits between these places don't conflict with the assignment, and if a document is replaced, to keep only the
// differences. Texts are compared by lines, and elements are matched by their identities or, without any, by equality.
// `_UndoAlignment` finds the differences. The records are made from front to back, at their places in the new value.

internal import Sameness

extension UndoCursor where Target == String {
  /// Records the lines in which the text differs from the old one; false, with nothing recorded, if they are in one
  /// place or in too many.
  ///
  /// - Complexity: That of aligning the lines (`_UndoAlignment`).
  @usableFromInline
  func recordLines(from old: String, _ oldRange: Range<Int>, _ newRange: Range<Int>) -> Bool {
    let new = readTarget { $0.contiguous }
    let (a, b) = (_UndoLines(of: old, around: oldRange), _UndoLines(of: new, around: newRange))
    if a.lines.count == 1 || b.lines.count == 1 || isRestored { return false }
    let runs = _UndoAlignment(from: a.lines, to: b.lines).runs
    guard 2...1000 ~= runs.count else { return false }
    access.log.beginTransaction(nil)
    for run in runs {
      let (oldText, newText) = (old.slice(utf8: a.bytes(run.old)), new.slice(utf8: b.bytes(run.new)))
      let (start, newEnd, oldEnd) = String.differingUTF8(oldText, newText)
      recordReplacement(
        of: oldText.slice(utf8: start..<oldEnd), at: b.bytes(run.new).lowerBound + start, inserted: newEnd - start)
    }
    access.log.endAssignment()
    return true
  }
}

/// The lines of a text around a range, each with its line end.
private struct _UndoLines {
  private(set) var lines: [ArraySlice<UInt8>] = []
  /// The start of each line, and the end of the last one.
  private var starts: [Int]

  init(of text: String, around range: Range<Int>) {
    let utf8 = text.utf8
    let newline = UInt8(ascii: "\n")
    let lower = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
    let upper = utf8.index(lower, offsetBy: range.count)
    let start = utf8[..<lower].lastIndex(of: newline).map { utf8.index(after: $0) } ?? utf8.startIndex
    let end = utf8[upper...].firstIndex(of: newline).map { utf8.index(after: $0) } ?? utf8.endIndex
    let bytes = Array(utf8[start..<end])
    let offset = utf8.distance(from: utf8.startIndex, to: start)
    starts = [offset]
    var rest = bytes[...]
    while !rest.isEmpty {
      let line = rest.prefix(through: rest.firstIndex(of: newline) ?? rest.endIndex - 1)
      lines.append(line)
      rest = rest[line.endIndex...]
      starts.append(offset + line.endIndex)
    }
  }

  func bytes(_ lines: Range<Int>) -> Range<Int> { starts[lines.lowerBound]..<starts[lines.upperBound] }
}

extension UndoCursor where Target: _UndoElements, Target.Index == Int {
  /// Records how the collection differs from the old one, matching elements by their identities or by equality; false,
  /// with nothing recorded, if they have neither, or if too much differs.
  ///
  /// - Complexity: That of aligning the elements (`_UndoAlignment`), and of comparing those that stay.
  @usableFromInline
  func recordElements(from old: Target) -> Bool {
    guard MemoryLayout<Place>.size < 64, let keys = undoKeys(of: Target.Element.self) else { return false }
    let new = readTarget { $0 }
    let alignment = _UndoAlignment(from: old.map(keys.key), to: new.map(keys.key))
    var (pieces, i, j): ([_UndoPiece], Int, Int) = ([], old.startIndex, new.startIndex)
    func addSame(_ count: Int) {
      for _ in 0..<count {
        if !_haveSameContents(old[i], new[j]) { pieces.append((old: i..<i + 1, new: j..<j + 1, isReplaced: false)) }
        (i, j) = (i + 1, j + 1)
      }
    }
    for run in alignment.runs {
      addSame(run.old.lowerBound + old.startIndex - i)
      (i, j) = (run.old.upperBound + old.startIndex, run.new.upperBound + new.startIndex)
      let isWithin = !keys.areIdentities && run.old.count == run.new.count && run.old.count <= 16
      pieces.append((old: i - run.old.count..<i, new: j - run.new.count..<j, isReplaced: !isWithin))
    }
    addSame(old.endIndex - i)
    guard 1...1000 ~= pieces.count else { return false }
    if pieces.count == 1, pieces[0].new.count == 1 {
      // A single element may be typing, which can't join a step while a transaction is open.
      record(pieces[0], from: old)
      return true
    }
    access.log.beginTransaction(nil)
    for piece in pieces { record(piece, from: old) }
    access.log.endAssignment()
    return true
  }

  private func record(_ piece: _UndoPiece, from old: Target) {
    if piece.isReplaced {
      recordSplice(start: piece.new.lowerBound, count: piece.new.count, other: Target(old[piece.old]))
    } else {
      for (i, j) in zip(piece.old, piece.new) { elementCursor(at: j).recordDifference(from: old[i]) }
    }
  }
}

/// Elements that were inserted or removed, or matching elements that differ.
private typealias _UndoPiece = (old: Range<Int>, new: Range<Int>, isReplaced: Bool)

/// Whether elements of a type are matched by their identities and not by equality, and the key of an element; nil if
/// elements have no identity and aren't hashable.
private func undoKeys<Element>(of type: Element.Type) -> (areIdentities: Bool, key: (Element) -> AnyHashable)? {
  func identities<Known: Identifiable>(_ type: Known.Type) -> (Element) -> AnyHashable {
    return { ($0 as? Known).map { AnyHashable($0.id) } ?? AnyHashable(0) }
  }
  func themselves<Known: Hashable>(_ type: Known.Type) -> (Element) -> AnyHashable {
    return { ($0 as? Known).map { AnyHashable($0) } ?? AnyHashable(0) }
  }
  if let type = Element.self as? any Identifiable.Type { return (areIdentities: true, key: identities(type)) }
  return (Element.self as? any Hashable.Type).map { (areIdentities: false, key: themselves($0)) }
}
