// Edits of a text, by UTF-8 offsets and by string indices; and how an assigned text is compared with the old one, so
// that the characters that differ are recorded, or joined with the latest record while the user types.

extension UndoCursor where Target == String {
  /// Replaces the text between two UTF-8 offsets.
  ///
  /// ```swift
  /// var history = UndoHistory(initialValue: "Hello, world")
  /// history.edit.replaceSubrange(utf8: 7..<12, with: "Swift")
  /// ```
  ///
  /// The offsets must lie within the text's bounds and not inside a Unicode scalar. Replacing text with the same bytes
  /// records nothing.
  ///
  /// - Complexity: O(*r* + *t*) for *r* removed and *t* following bytes, as for the string itself; nothing is allocated
  ///   to record an insertion.
  @_alwaysEmitIntoClient
  @inline(__always)
  public mutating func replaceSubrange(utf8 range: Range<Int>, with text: String) {
    if range.isEmpty { return insert(text, atUTF8: range.lowerBound) }
    let removed = modifyTarget { $0.exchange(utf8: range, with: text) }
    if String.isSameText(removed, text) { return }
    recordReplacement(of: removed, at: range.lowerBound, inserted: text.utf8.count)
  }

  /// Inserts text at a UTF-8 offset, which must not lie inside a Unicode scalar.
  ///
  /// - Complexity: O(*t*) for *t* following bytes.
  @_alwaysEmitIntoClient
  @inline(__always)
  public mutating func insert(_ text: String, atUTF8 offset: Int) {
    modifyTarget { $0.insert(text, utf8: offset) }
    if text.isEmpty { return }
    recordInsertion(at: offset, count: text.utf8.count)
  }

  /// Removes the text between two UTF-8 offsets, which must not lie inside a Unicode scalar.
  ///
  /// - Complexity: O(*r* + *t*) for *r* removed and *t* following bytes.
  @_alwaysEmitIntoClient
  public mutating func removeSubrange(utf8 range: Range<Int>) {
    replaceSubrange(utf8: range, with: "")
  }

  /// Adds text at the end.
  ///
  /// - Complexity: O(1) amortized, and the length of the added text.
  @_alwaysEmitIntoClient
  public mutating func append(_ text: String) {
    let end = modifyTarget { target in
      target.makeContiguousUTF8()
      let end = target.utf8.count
      target.append(text)
      return end
    }
    if text.isEmpty { return }
    recordInsertion(at: end, count: text.utf8.count)
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
  public mutating func replaceSubrange(_ range: Range<String.Index>, with text: String) {
    replaceSubrange(utf8: utf8Offset(of: range.lowerBound)..<utf8Offset(of: range.upperBound), with: text)
  }

  /// Inserts text before the character at an index of the text, which must not lie inside a Unicode scalar.
  ///
  /// - Complexity: That of the same edit by UTF-8 offsets.
  @_alwaysEmitIntoClient
  public mutating func insert(_ text: String, at index: String.Index) {
    insert(text, atUTF8: utf8Offset(of: index))
  }

  /// Removes the characters between two indices of the text, which must not lie inside a Unicode scalar.
  ///
  /// - Complexity: That of the same edit by UTF-8 offsets.
  @_alwaysEmitIntoClient
  public mutating func removeSubrange(_ range: Range<String.Index>) {
    replaceSubrange(range, with: "")
  }

  /// Removes and returns the whole character at an index of the text, however many scalars it has.
  ///
  /// - Complexity: That of the same edit by UTF-8 offsets.
  @_alwaysEmitIntoClient
  @discardableResult
  public mutating func remove(at index: String.Index) -> Character {
    let (character, end) = readTarget { ($0[index], $0.index(after: index)) }
    removeSubrange(index..<end)
    return character
  }

  /// Replaces the text as a whole, and records the range between the common beginning and the common end.
  @_documentation(visibility: internal)
  @_alwaysEmitIntoClient
  public mutating func set(_ newValue: String) { assign(newValue) }

  /// The length of the text in UTF-8.
  @_alwaysEmitIntoClient
  public var utf8Count: Int { readTarget { $0.utf8.count } }

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
  func recordReplacement(of removed: String, at start: Int, inserted: Int) {
    typealias Delta = _UndoTextSplice<Place>
    if removed.isEmpty { return recordInsertion(at: start, count: inserted) }
    if max(start + removed.utf8.count, start + inserted) > Delta.longestText {
      return recordBeyondOffsets(removed, at: start, inserted: inserted)
    }
    access.withLog { log in
      if inserted == 0, let last = log.coalescible(Delta.self, offset: offset) {
        let ownedBytes: (Int, Int)? = unsafe last.with(Delta.self) { delta in
          let owned = delta.ownedBytes
          return delta.place == place && delta.join(removed, removedAt: start) ? (owned, delta.ownedBytes) : nil
        }
        if let ownedBytes { return log.didCoalesce(ownedBytes.0, ownedBytes.1) }
      }
      log.record(Delta(place, start: start, count: inserted, other: removed), offset: offset)
      log.didRecordText()
    }
  }

  /// Records that text of the given length was inserted, joining it with the latest edit if it continues that.
  @_alwaysEmitIntoClient
  @inline(__always)
  func recordInsertion(at start: Int, count: Int) {
    typealias Delta = _UndoTextSplice<Place>
    if start + count > Delta.longestText { return recordBeyondOffsets("", at: start, inserted: count) }
    access.withLog { log in
      if let last = log.coalescible(Delta.self, offset: offset),
        unsafe last.with(Delta.self, { $0.place == place && $0.join(insertionAt: start, count: count) })
      {
        return log.didCoalesce()
      }
      log.record(Delta(place, start: start, count: count, other: ""), offset: offset)
      log.didRecordText()
    }
  }

  /// Records an edit that lies too far into the text for a splice, by keeping the whole old text.
  @usableFromInline
  @inline(never)
  func recordBeyondOffsets(_ removed: String, at start: Int, inserted: Int) {
    var old = readTarget { $0 }
    _ = old.exchange(utf8: start..<start + inserted, with: removed)
    recordWhole(old)
  }

  // MARK: By comparing

  /// Records how the text differs from the old one, which it replaced.
  @_alwaysEmitIntoClient
  func recordChange(from old: String) { recordChange(from: old, to: readTarget { $0 }) }

  /// Records how the new text differs from the old one: the range between the common beginning and the common end.
  ///
  /// So a text field that assigns its whole text with each key records the typing. A completed word is a step of its
  /// own.
  @_alwaysEmitIntoClient
  func recordChange(from old: String, to new: String) {
    let (common, newEnd, oldEnd) = String.differingUTF8(old, new)
    let (inserted, removed) = (newEnd - common, oldEnd - common)
    if inserted == 0, removed == 0 { return }
    if inserted > 0, removed > 0, access.hasOrigins, recordLines(from: old.contiguous, common..<oldEnd, common..<newEnd)
    {
      return
    }
    var start = common
    let isInTransaction = access.log.transaction.depth > 0
    if isInTransaction ? access.log.transaction.couldJoin : access.log.records.position.canJoin {
      if removed == 0, inserted > 1, new.completesWord(utf8: common..<newEnd) {
        (access.log.records.position.canJoin, access.log.transaction.couldJoin) = (false, false)
      } else if isInTransaction {
        access.log.transaction.isCompared = true
      } else if inserted == 0 || removed == 0 {
        start = offsetToJoin(of: removed, at: common, inserted: inserted, old.contiguous)
      }
    }
    if removed == 0 { return recordInsertion(at: start, count: inserted) }
    let removedText = removed == old.utf8.count ? old.contiguous : old.slice(utf8: start..<start + removed)
    recordReplacement(of: removedText, at: start, inserted: inserted)
  }

  /// The offset at which an edit joins the latest one, or the offset at which it was found.
  ///
  /// A letter that was inserted beside an equal letter may have been inserted on either side, because the resulting
  /// texts are the same. The same is true of the latest edit, which is moved if necessary.
  @_alwaysEmitIntoClient
  @inline(never)
  func offsetToJoin(of removed: Int, at found: Int, inserted: Int, _ old: String) -> Int {
    typealias Delta = _UndoTextSplice<Place>
    guard found + max(inserted, removed) <= Delta.longestText else { return found }
    return access.withLog { log in
      guard let latest = log.records.joinable(Delta.self, offset: offset) else { return found }
      return unsafe latest.with(Delta.self) { latest in
        guard latest.place == place, let offsets = latest.offsetsToJoin(of: removed, inserted: inserted) else {
          return found
        }
        if offsets.first == found || offsets.second == found { return found }
        let removedText = removed == 0 ? "" : old.slice(utf8: found..<found + removed)
        var edit = Delta(place, start: found, count: inserted, other: removedText)
        for candidate in [offsets.first, offsets.second] {
          if candidate < found {
            if readTarget({ edit.slide(to: candidate, in: $0) }) { return candidate }
          } else if latest.slide(to: Int(latest.start) - (candidate - found), in: old) {
            return found
          }
        }
        return found
      }
    }
  }
}
