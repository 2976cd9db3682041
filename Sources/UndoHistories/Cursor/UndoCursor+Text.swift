// Edits of a text through a cursor: methods that replace, insert and remove text by UTF-8 offsets or by string indices,
// and assignments of a whole text, which record only the characters that differ. Whether an edit joins the latest one
// is decided in `_UndoTextSplice`.

extension UndoCursor where Target == String {
  /// Replaces the text between two UTF-8 offsets.
  ///
  /// ```swift
  /// var history = UndoHistory(initialValue: "Hello, world")
  /// history.edit.replaceSubrange(utf8: 7..<12, with: "Swift")
  /// ```
  ///
  /// The offsets must lie within the text's bounds and not inside a Unicode scalar. Replacing text with the same bytes
  /// records nothing. The intent decides whether the edit joins the step before it.
  ///
  /// - Complexity: O(*r* + *t*) for *r* removed and *t* following bytes, as for the string itself; nothing is allocated
  ///   to record an insertion.
  @_alwaysEmitIntoClient
  @inline(__always)
  public mutating func replaceSubrange(utf8 range: Range<Int>, with text: String, as intent: UndoIntent = .automatic) {
    if range.isEmpty { return insert(text, atUTF8: range.lowerBound, as: intent) }
    let removed = modifyTarget { $0.exchange(utf8: range, with: text) }
    if String.isSameText(removed, text) { return }
    recordReplacement(of: removed, at: range.lowerBound, inserted: text.utf8.count, as: intent)
  }

  /// Inserts text at a UTF-8 offset, which must not lie inside a Unicode scalar.
  ///
  /// - Complexity: O(*t*) for *t* following bytes.
  @_alwaysEmitIntoClient
  @inline(__always)
  public mutating func insert(_ text: String, atUTF8 offset: Int, as intent: UndoIntent = .automatic) {
    modifyTarget { $0.insert(text, utf8: offset) }
    if text.isEmpty { return }
    recordInsertion(at: offset, count: text.utf8.count, as: intent)
  }

  /// Removes the text between two UTF-8 offsets, which must not lie inside a Unicode scalar.
  ///
  /// - Complexity: O(*r* + *t*) for *r* removed and *t* following bytes.
  @_alwaysEmitIntoClient
  public mutating func removeSubrange(utf8 range: Range<Int>, as intent: UndoIntent = .automatic) {
    replaceSubrange(utf8: range, with: "", as: intent)
  }

  /// Adds text at the end.
  ///
  /// - Complexity: O(1) amortized, and the length of the added text.
  @_alwaysEmitIntoClient
  public mutating func append(_ text: String, as intent: UndoIntent = .automatic) {
    let end = modifyTarget { target in
      target.makeContiguousUTF8()
      let end = target.utf8.count
      target.append(text)
      return end
    }
    if text.isEmpty { return }
    recordInsertion(at: end, count: text.utf8.count, as: intent)
  }

  /// Adds text at the end.
  ///
  /// - Complexity: O(1) amortized, and the length of the added text.
  @_alwaysEmitIntoClient
  public static func += (text: inout Self, suffix: String) {
    text.append(suffix)
  }

  // MARK: By characters

  /// Replaces the characters between two indices of the text, which must not lie inside a Unicode scalar.
  ///
  /// - Complexity: That of the same edit by UTF-8 offsets.
  @_alwaysEmitIntoClient
  public mutating func replaceSubrange(
    _ range: Range<String.Index>, with text: String, as intent: UndoIntent = .automatic
  ) {
    replaceSubrange(utf8: utf8Offset(of: range.lowerBound)..<utf8Offset(of: range.upperBound), with: text, as: intent)
  }

  /// Inserts text before the character at an index of the text, which must not lie inside a Unicode scalar.
  ///
  /// - Complexity: That of the same edit by UTF-8 offsets.
  @_alwaysEmitIntoClient
  public mutating func insert(_ text: String, at index: String.Index, as intent: UndoIntent = .automatic) {
    insert(text, atUTF8: utf8Offset(of: index), as: intent)
  }

  /// Removes the characters between two indices of the text, which must not lie inside a Unicode scalar.
  ///
  /// - Complexity: That of the same edit by UTF-8 offsets.
  @_alwaysEmitIntoClient
  public mutating func removeSubrange(_ range: Range<String.Index>, as intent: UndoIntent = .automatic) {
    replaceSubrange(range, with: "", as: intent)
  }

  /// Removes and returns the whole character at an index of the text, however many scalars it has.
  ///
  /// - Complexity: That of the same edit by UTF-8 offsets.
  @_alwaysEmitIntoClient
  @discardableResult
  public mutating func remove(at index: String.Index, as intent: UndoIntent = .automatic) -> Character {
    let (character, end) = readTarget { ($0[index], $0.index(after: index)) }
    removeSubrange(index..<end, as: intent)
    return character
  }

  /// Replaces the text as a whole, and records the range between the common beginning and the common end.
  @_documentation(visibility: internal)
  @_alwaysEmitIntoClient
  public mutating func set(_ newValue: String, as intent: UndoIntent = .automatic) {
    let old = replaceTarget(with: newValue)
    recordChange(from: old, to: Place.storesAssignedValue ? newValue : currentItem, as: intent)
  }

  /// - Precondition: The index doesn't lie inside a scalar, for example between the halves of a surrogate pair.
  @_alwaysEmitIntoClient
  func utf8Offset(of index: String.Index) -> Int {
    readTarget { text in
      // Rounding such an index would edit a range that the caller didn't mean.
      precondition(index.samePosition(in: text.unicodeScalars) != nil, "String index inside of a scalar")
      return text.utf8.distance(from: text.startIndex, to: index)
    }
  }

  /// Records that the removed text was replaced by text of the given length, joining it with the latest edit if it
  /// continues that.
  @_alwaysEmitIntoClient
  @inline(never)
  func recordReplacement(
    of removed: String, at start: Int, inserted: Int, as intent: UndoIntent = .automatic, mayMove: Bool = false
  ) {
    typealias Delta = _UndoTextSplice<Place>
    let removedCount = removed.utf8.count
    if start + max(removedCount, inserted) > Delta.longestText {
      return recordBeyondOffsets(removed, at: start, inserted: inserted)
    }
    access.withLog { log in
      if intent != .automatic { log.transaction.intent = intent }
      if mayMove { log.transaction.isCompared = true }
      if let latest = log.coalescible(Delta.self, offset: offset, ignoresPause: intent == .composing),
        unsafe latest.with(Delta.self, { $0.place == place }),
        join(
          Delta(place, start: start, count: inserted, other: removed), with: latest, in: &log,
          _UndoJoining(log.records.position.run, intent, mayMove: mayMove))
      {
        return
      }
      log.record(
        Delta(place, start: start, count: inserted, other: removed),
        ownedBytes: String.ownedBytes(ofCount: removedCount), offset: offset)
      log.didRecordText(Delta.run(as: intent, inserted: inserted, removed: removedCount))
    }
  }

  /// Records that text of the given length was inserted, joining it with the latest edit if it continues that.
  ///
  /// An ASCII character is recorded here: it is typed, and joins only at the end of what was typed before.
  @_alwaysEmitIntoClient
  @inline(__always)
  func recordInsertion(at start: Int, count: Int, as intent: UndoIntent) {
    typealias Delta = _UndoTextSplice<Place>
    guard count == 1, intent == .automatic, start < Delta.longestText else {
      return recordReplacement(of: "", at: start, inserted: count, as: intent)
    }
    let isRecorded = access.withLog { log in
      if log.records.position.run == .unknown { return false }
      if log.records.position.run.isOpenToKeys, let last = log.coalescible(Delta.self, offset: offset),
        unsafe last.with(Delta.self, { $0.place == place && $0.join(insertionAt: start, count: count) })
      {
        log.didCoalesce()
        return true
      }
      log.record(Delta(place, start: start, count: count, other: ""), offset: offset)
      log.didRecordText(.typing)
      return true
    }
    if !isRecorded { recordReplacement(of: "", at: start, inserted: count, as: intent) }
  }

  /// Joins an edit with the latest one, if it continues that.
  @_alwaysEmitIntoClient
  @inline(never)
  func join(
    _ edit: _UndoTextSplice<Place>, with latest: _UnsafeUndoPointer, in log: inout _UndoLog, _ joining: _UndoJoining
  ) -> Bool {
    let root = access.documentPointer
    var joining = joining
    let ownedBytes: (Int, Int)? = unsafe latest.with(_UndoTextSplice<Place>.self) { latest in
      let old = latest.ownedBytes
      let joins = unsafe latest.join(edit, &joining, offset: offset, in: root[as: Place.Root.self])
      return joins ? (old, latest.ownedBytes) : nil
    }
    guard let ownedBytes else { return false }
    log.didJoin(joining)
    log.didCoalesce(ownedBytes.0, ownedBytes.1)
    if joining.mayChangeNothing { log.removeLatestIfUnchanged(root) }
    return true
  }

  /// Records an edit that lies too far into the text for a splice, by keeping the whole old text.
  @usableFromInline
  func recordBeyondOffsets(_ removed: String, at start: Int, inserted: Int) {
    var old = readTarget { $0 }
    _ = old.exchange(utf8: start..<start + inserted, with: removed)
    recordWhole(old)
  }

  // MARK: By comparing

  /// Records how the new text differs from the old one: the range between the common beginning and the common end.
  ///
  /// So a text field that assigns its whole text with each key records the typing.
  @_alwaysEmitIntoClient
  func recordChange(from old: String, to new: String, as intent: UndoIntent = .automatic) {
    let (common, newEnd, oldEnd) = String.differingUTF8(old, new)
    let (inserted, removed) = (newEnd - common, oldEnd - common)
    if inserted == 0, removed == 0 { return }
    if inserted > 0, removed > 0, access.alignsPlaces,
      recordLines(from: old.contiguous, common..<oldEnd, common..<newEnd)
    {
      return
    }
    let removedText = removed == old.utf8.count ? old.contiguous : old.slice(utf8: common..<oldEnd)
    recordReplacement(of: removedText, at: common, inserted: inserted, as: intent, mayMove: true)
  }
}
