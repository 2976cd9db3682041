/// Writes and reads the patches of an archive in sequence, so that a patch that continues the text of an earlier one
/// takes only a few bytes.
///
/// A patch begins with a number, its head. The lowest two bits say what follows:
///
///     0     | part << 2      | kind | ... |                   any patch
///     1     | count << 2 + 1 | distance |                     removes bytes of the latest text
///     2     | count << 2 + 2 | distance | UTF-8 |             inserts text
///     3     | count << 2 + 3 | distance | length | UTF-8 |    replaces bytes with text, of this length
///
/// The latest text is the one that the latest text patch edited. The distance starts at the end of what that patch
/// inserted, and leads to the end of the removed text, or to the insertion point. It is written in zigzag, and mostly
/// takes a byte. A patch of a field without a named part is never continued, because the field is looked up only when
/// the patch is applied.
struct _UndoPatchSequence<Value: Codable> {
  /// The latest patch of a text, and the end of the text that it inserted.
  private var latest: (patch: _UndoPatch, end: Int)?

  private mutating func goOn(behind patch: _UndoPatch) {
    if !patch.isOfField, let range = patch.textPatch { latest = (patch, range.start + range.replacement.utf8.count) }
  }

  // MARK: Writing

  /// Whether the patch continues the latest text.
  func isGoingOn(_ patch: _UndoPatch) -> Bool {
    guard let latest, !patch.isOfField, let range = patch.textPatch else { return false }
    return range.count | range.replacement.utf8.count > 0 && patch.isOfSameText(as: latest.patch)
  }

  mutating func write(_ patch: _UndoPatch, to writer: inout _UndoWriter) throws {
    if let latest, let range = patch.textPatch, isGoingOn(patch) {
      let (count, replacement) = (range.count, range.replacement)
      let comes = replacement.utf8.count > 0
      writer.write((count > 0 ? count : replacement.utf8.count) << 2 | (count > 0 ? 1 : 0) | (comes ? 2 : 0))
      (range.start + count - latest.end).write(to: &writer)
      if count > 0, comes { writer.write(replacement.utf8.count) }
      writer.bytes.append(contentsOf: replacement.utf8)
    } else {
      try patch.write(to: &writer, shift: 2)
    }
    goOn(behind: patch)
  }

  // MARK: Reading

  mutating func read(count: Int, from reader: inout _UndoReader) throws -> [_UndoPatch] {
    try reader.readAll(count) { try read(head: $0.readHead(), from: &$0) }
  }

  /// Reads a patch after its head.
  mutating func read(head: (count: Int, bits: Int), from reader: inout _UndoReader) throws -> _UndoPatch {
    let patch: _UndoPatch
    if head.bits == 0 {
      patch = try reader.schema.coder(of: Value.self).read(head.count, from: &reader, type: 1)
    } else {
      let count = head.bits == 2 ? 0 : head.count
      let (end, overflows) = try (latest?.end ?? 0).addingReportingOverflow(Int.read(from: &reader))
      guard let latest, !overflows, count <= end, end <= .largestUndoCount, head.count > 0 else { throw reader.damage }
      var replacement = ""
      if head.bits == 2 { replacement = try reader.readText(byteCount: head.count) }
      if head.bits == 3 { replacement = try reader.readText() }
      let range = _UndoTextPatch(start: end - count, count: count, replacement: replacement)
      guard let next = latest.patch.replacing(range) else { throw reader.damage }
      patch = next
    }
    goOn(behind: patch)
    return patch
  }
}
