/// A place in the document of an undo history, for writing: what is written through it is recorded.
///
/// `history.edit` is the cursor at the document; from there the properties of a value and the elements of a collection
/// are cursors again, to any depth. An edit is recorded at the cost of what it changes, not of what surrounds it.
///
/// ```swift
/// struct Item { var name: String; var tags: [String]; var done: Bool }
/// struct List { var title: String; var items: [Item] }
///
/// var history = UndoHistory(initialValue: List(title: "", items: []))
/// history.edit.title = "Groceries"
/// history.edit.items.append(Item(name: "Flour", tags: [], done: false))
/// history.edit.items[0].tags.append("baking")
/// history.edit.items[0].done = true
/// ```
///
/// What can be assigned directly are leaves (``UndoLeaf``: numbers, Booleans, ...) and strings. An array, a dictionary or
/// a set is edited by its methods, which record the edit and not the collection; to replace it as a whole, or any other
/// value, there is `set(_:)`. So no assignment that looks small saves something large.
///
/// A property that is computed, as each of a `Partial`, has no place to edit. It can be assigned where it is a leaf, and a
/// subscript of the value can as well: `history.edit[\.address.town] = "Ockham"`. Any other is assigned through the
/// history: `history.currentItem.tags = ["a"]`.
///
/// A cursor cannot be kept, changed or exchanged for another one: it is lent to an expression or a closure, and writes to
/// the document that it was lent for. Functions of yours that take one take it `borrowing`. To read, use ``currentItem``.
@frozen
@dynamicMemberLookup
public struct UndoCursor<Anchor: _UndoAnchor, Target>: ~Copyable {
  @usableFromInline
  let access: _UndoAccess<Anchor.Root>
  @usableFromInline
  let anchor: Anchor
  /// Where the target lies in what the anchor leads to.
  @usableFromInline
  let offset: Int

  @inlinable
  @inline(__always)
  init(_ access: _UndoAccess<Anchor.Root>, _ anchor: Anchor, offset: Int) {
    self.access = access
    self.anchor = anchor
    self.offset = offset
  }
}

extension UndoCursor where Target: Equatable {
  /// Replaces the value as a whole.
  ///
  /// Nothing is recorded when both are the same, as for ``UndoHistory/currentItem``; a leaf has a say in that
  /// (``UndoLeaf``).
  ///
  /// - Complexity: O(1) and the comparison; the old value moves into the history.
  @inlinable
  @_disfavoredOverload
  public func set(_ newValue: consuming Target) {
    let rule = Target.self as? any UndoLeaf.Type
    replacePart(newValue, at: offset, isSame: { rule?.areSame($0, $1) ?? _UndoLog.areSame($0, $1) })
  }
}

extension UndoCursor {
  /// The value as it is now.
  ///
  /// - Complexity: O(1) and a copy of the value, which for a collection or a string means another reference to it: let go
  ///   of it before the next edit, or that edit copies the contents.
  @inlinable
  public var currentItem: Target { readTarget { $0 } }

  /// Replaces the value as a whole.
  ///
  /// Nothing is recorded when both have the same bytes.
  ///
  /// - Complexity: O(1); the old value moves into the history.
  @inlinable
  @_disfavoredOverload
  public func set(_ newValue: consuming Target) {
    replacePart(newValue, at: offset, isSame: _UndoLog.haveSameBytes)
  }

  /// Makes every edit within the closure one step, which is taken back as a whole when the closure throws.
  ///
  /// Within another transaction, the edits become part of that one's step, and only its label counts.
  @inlinable
  public func transaction<Result, Failure: Error>(
    _ label: String? = nil, _ body: (borrowing UndoCursor) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let mark = access.log.beginTransaction(label)
    do {
      let result = try body(self)
      access.log.endTransaction()
      return result
    } catch {
      access.log.rollBack(to: mark, access.documentPlace)
      throw error
    }
  }

  // MARK: What every cursor is made of

  /// Puts another value in the place of the old one, and returns that.
  @inlinable
  func replaceTarget(with newValue: consuming Target) -> Target {
    var other = newValue
    modifyTarget { swap(&$0, &other) }
    return other
  }

  /// Makes a change of which the whole old value is recorded.
  @inlinable
  @inline(never)
  func recordingWhole<Result>(_ body: (inout Target) -> Result) -> Result {
    let old = readTarget { $0 }
    let result = modifyTarget(body)
    recordWhole(old)
    return result
  }

  /// Records the whole old value, unless the value now has the same bytes.
  @inlinable
  func recordWhole(_ old: consuming Target) {
    if readTarget({ _UndoLog.haveSameBytes($0, old) }) { return }
    access.log.record(_UndoSwap(anchor, other: old), offset: offset)
  }

  @inlinable
  @inline(__always)
  func readTarget<Result>(_ body: (Target) -> Result) -> Result {
    anchor.read(access.document) { base in _UndoLog.withPart(of: base, at: offset, as: Target.self, body) }
  }

  @inlinable
  @inline(__always)
  func modifyTarget<Result>(_ body: (inout Target) -> Result) -> Result {
    modifyPart(at: offset, as: Target.self, body)
  }

  @inlinable
  @inline(__always)
  func modifyPart<Part, Result>(at offset: Int, as type: Part.Type, _ body: (inout Part) -> Result) -> Result {
    anchor.modify(&access.document) { base in _UndoLog.withPart(of: &base, at: offset, as: type, body) }
  }

  /// Puts a new value where a part of the anchored value lies, and records the old one unless both are the same.
  @inlinable
  @inline(__always)
  func replacePart<Part>(_ newValue: consuming Part, at offset: Int, isSame: (Part, Part) -> Bool) {
    replacePart(newValue, at: offset) { old, new in
      isSame(old, new) ? nil : _UndoLog.ownedBytes(of: old)
    }
  }

  /// The same, where one look at both values tells what the old one owns, or that they are the same.
  @inlinable
  @inline(__always)
  func replacePart<Part>(
    _ newValue: consuming Part, at offset: Int, ownedBytes: (_ old: Part, _ new: Part) -> Int?
  ) {
    var other = newValue
    let owned: Int? = modifyPart(at: offset, as: Part.self) { part in
      guard let owned = ownedBytes(part, other) else { return nil }
      swap(&part, &other)
      return owned
    }
    if let owned {
      access.log.record(_UndoSwap(anchor, other: consume other), ownedBytes: owned, offset: offset)
    }
  }
}
