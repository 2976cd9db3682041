public import Sameness

// The cursor itself: it reads and replaces a value of any type, groups edits, and leads to the properties of the value.
// `UndoCursor+Topic.swift` has elements, and the edits of texts, collections, dictionaries and sets.

/// A cursor at a part of a history's document, which records every write through it.
///
/// `history.edit` is the cursor at the document. The properties of a value and the elements of a collection are cursors
/// too, at any depth. The cost of recording an edit depends on what the edit changes, not on what surrounds it.
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
/// You can assign leaves (``UndoLeaf``: numbers, Booleans and so on) and strings directly. Edit an array, a dictionary
/// or a set by its methods, which record the edit and not the collection. Replace a whole collection, or any other
/// value, with `set(_:)`. So no assignment that looks small records something large.
///
/// A computed property, such as each property of a `Partial`, can't be edited in part. You can assign it if it is a
/// leaf, and you can assign through a subscript of the value: `history.edit[\.address.town] = "Ockham"`. Assign any
/// other computed property through the history: `history.currentItem.tags = ["a"]`.
///
/// The new value of an edit is evaluated first, so it may be read from the same history:
/// `history.edit.items[0].done = !history.items[0].done`.
///
/// A cursor is lent to an expression or a closure; you can't keep it or exchange it for another one. Your own functions
/// take a cursor as an `inout` parameter. To read the value, use ``currentItem``.
///
/// ```swift
/// func clear(_ title: inout UndoHistory<String>.Editor) { title.set("") }
///
/// var title = UndoHistory(initialValue: "Groceries")
/// clear(&title.edit)
/// title.transaction("Clear", clear)
/// ```
///
/// Keeping or assigning a cursor doesn't compile. Exchanging two cursors with `swap` traps when the first of the two
/// calls ends.
///
/// ```swift-refused
/// func keep(_ history: inout UndoHistory<[String]>) {
///   let cursor = history.edit  // error: 'unknown' is borrowed and cannot be consumed
///   print(cursor.count)
/// }
/// ```
@frozen
@dynamicMemberLookup
public struct UndoCursor<Place: UndoPlace, Target>: ~Copyable {
  @usableFromInline
  package let access: _UndoAccess<Place.Root>
  @usableFromInline
  package let place: Place
  /// The offset of the target in the value that the place leads to.
  @usableFromInline
  package let offset: Int

  @_alwaysEmitIntoClient
  @inline(__always)
  package init(_ access: _UndoAccess<Place.Root>, _ place: Place, offset: Int) {
    self.access = access
    self.place = place
    self.offset = offset
  }
}

extension UndoCursor {
  /// The value as it is now.
  ///
  /// - Complexity: O(1), and a copy of the value. The copy of a collection or a string shares its storage, so release
  ///   it before the next edit, or that edit copies the contents.
  @_alwaysEmitIntoClient
  public var currentItem: Target { readTarget { $0 } }

  /// Replaces the value as a whole.
  ///
  /// ```swift
  /// struct Note { var title = "", lines: [String] = [] }
  ///
  /// var history = UndoHistory(initialValue: Note())
  /// history.edit.lines.set(["Flour", "Milk"])
  /// history.edit.set(Note())
  /// ```
  ///
  /// The history keeps only the difference: for a text, the part between the common beginning and the common end; for a
  /// collection, the elements that differ; for a dictionary or a set, the keys or members that differ, unless there are
  /// many. For anything else it keeps the whole old value. Generic code that doesn't know the type keeps the whole old
  /// value too.
  ///
  /// Nothing is recorded if both values are the same, as for ``UndoHistory/currentItem``. A leaf can define what that
  /// means (``UndoLeaf``).
  ///
  /// - Complexity: O(1) and the comparison; O(*n*) for a text, a collection, a dictionary or a set.
  @_alwaysEmitIntoClient
  @_disfavoredOverload
  public mutating func set(_ newValue: consuming Target) {
    let rule = Target.self as? any UndoLeaf.Type
    replace(with: newValue, isSame: { rule?.areSame($0, $1) ?? _UndoSameness.areSameIfEqual($0, $1) })
  }

  /// Groups the edits of a closure into one step, and rolls them back if the closure throws.
  ///
  /// Within another transaction, the edits become part of its step, and only the outer label counts.
  @_alwaysEmitIntoClient
  @inline(__always)
  @discardableResult
  public mutating func transaction<Result, Failure: Error>(
    _ label: String? = nil, _ body: (inout UndoCursor) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try transaction(label, asItIs: false, body)
  }

  /// Groups edits; `asItIs` records a step even if the edits leave the document unchanged, and with `joins`, a single
  /// edit may join the latest step.
  @_alwaysEmitIntoClient
  @inline(__always)
  package mutating func transaction<Result, Failure: Error>(
    _ label: String?, asItIs: Bool = false, joins: Bool = false, _ body: (inout UndoCursor) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let access = access
    let mayJoin = joins && access.log.willBeginJoiningTransaction()
    let mark = access.log.beginTransaction(label)
    defer { expectLent(of: access) }
    do {
      let result = try body(&self)
      if !asItIs, access.log.rollBackIfUnchanged(since: mark, access.documentPointer) { return result }
      if joins {
        access.log.endJoiningTransaction(from: mark, mayJoin: mayJoin, access.documentPointer)
      } else {
        access.log.endTransaction()
      }
      return result
    } catch {
      access.log.rollBack(to: mark, access.documentPointer)
      throw error
    }
  }

  // MARK: Reading and writing

  /// Traps if the cursor was exchanged for another one during the call that it was lent to.
  ///
  /// Two cursors that are lent at the same time can be exchanged. Both write to their own histories until the shorter
  /// of the two calls ends. After that, one could write to a history that other code modifies.
  @_alwaysEmitIntoClient
  @inline(__always)
  func expectLent(of access: _UndoAccess<Place.Root>) {
    precondition(
      unsafe self.access.logPointer.address == access.logPointer.address, "A cursor was exchanged for another one")
  }

  /// Replaces the value, and returns the old one.
  @_alwaysEmitIntoClient
  package func replaceTarget(with newValue: consuming Target) -> Target {
    var other = newValue
    modifyTarget { swap(&$0, &other) }
    return other
  }

  /// Makes a change, and records the whole old value.
  @_alwaysEmitIntoClient
  @inline(never)
  func recordingWhole<Result>(_ body: (inout Target) -> Result) -> Result {
    let old = readTarget { $0 }
    let result = modifyTarget(body)
    recordWhole(old)
    return result
  }

  /// Records the whole old value, unless the value now has the same bytes.
  @_alwaysEmitIntoClient
  func recordWhole(_ old: consuming Target) {
    if readTarget({ UnsafeValueBytes.areSame($0, old) }) { return }
    record(_UndoReplacement(place, other: old), at: offset)
  }

  @_alwaysEmitIntoClient
  @inline(__always)
  package func readTarget<Result>(_ body: (Target) -> Result) -> Result {
    place.read(access.document) { base in unsafe withUnsafePart(of: base, at: offset, as: Target.self, body) }
  }

  @_alwaysEmitIntoClient
  @inline(__always)
  func modifyTarget<Result>(_ body: (inout Target) -> Result) -> Result {
    place.modify(&access.document) { base in unsafe withUnsafePart(of: &base, at: offset, as: Target.self, body) }
  }

  /// Assigns the value, and records the old one unless both are the same.
  @_alwaysEmitIntoClient
  @inline(__always)
  func replace(with newValue: consuming Target, isSame: (Target, Target) -> Bool) {
    var other = newValue
    let owned: Int? = modifyTarget { target in
      if isSame(target, other) { return nil }
      let owned = _UndoWeight.ownedBytes(of: target)
      swap(&target, &other)
      return owned
    }
    guard let owned else { return }
    let delta = _UndoReplacement(place, other: consume other)
    if _UndoWeight.retainsMemory(Target.self) { return recordJoining(delta, at: offset) }
    access.log.record(delta, ownedBytes: owned, offset: offset)
  }

  // MARK: Members

  /// The cursor at a property.
  ///
  /// The property must be stored and have no observers, because what a setter does besides storing can't be undone
  /// exactly. Editing any other property traps. Assign such a property if it is a leaf, or assign it through
  /// ``UndoHistory/currentItem``.
  @_alwaysEmitIntoClient
  public subscript<Part>(dynamicMember keyPath: WritableKeyPath<Target, Part>) -> UndoCursor<Place, Part> {
    @inline(__always)
    _read {
      let cursor = UndoCursor<Place, Part>(access, place, offset: offset(of: keyPath))
      yield cursor
    }
    @inline(__always)
    _modify {
      var cursor = UndoCursor<Place, Part>(access, place, offset: offset(of: keyPath))
      defer { cursor.expectLent(of: access) }
      yield &cursor
    }
  }

  /// The value of a property that is a leaf.
  ///
  /// Assigning the value that the property already has records nothing. You can also assign a computed or observed
  /// property; the history then keeps the value that contains the property. You can't assign a property of an object,
  /// because other owners of the object would see the undo.
  ///
  /// - Complexity: O(1).
  @_documentation(visibility: internal)
  @_alwaysEmitIntoClient
  public subscript<Part: UndoLeaf>(dynamicMember keyPath: WritableKeyPath<Target, Part>) -> Part {
    @inline(__always)
    get { readTarget { $0[keyPath: keyPath] } }
    @inline(__always)
    set {
      guard let distance = MemoryLayout<Target>.offset(of: keyPath) else {
        return replaceComputed(newValue, keyPath, isSame: Part.isSame)
      }
      UndoCursor<Place, Part>(access, place, offset: offset + distance)
        .replace(with: consume newValue, isSame: Part.isSame)
    }
  }

  /// A property that is a string or an optional string, as a value; its cursor edits the string in place.
  ///
  /// The history keeps the text between the common beginning and the common end of the old and the new string.
  /// Assignments join as typing does.
  ///
  /// - Complexity: O(*n*), the comparison of the old and the new text. For a computed property, that of copying the
  ///   value that contains it, which the history keeps.
  @_documentation(visibility: internal)
  @_alwaysEmitIntoClient
  @_disfavoredOverload
  public subscript<Text: UndoText>(dynamicMember keyPath: WritableKeyPath<Target, Text>) -> Text {
    get { readTarget { $0[keyPath: keyPath] } }
    set {
      guard let distance = MemoryLayout<Target>.offset(of: keyPath) else {
        return replaceComputed(newValue, keyPath, isSame: Text._isSame)
      }
      UndoCursor<Place, Text>(access, place, offset: offset + distance).assign(newValue)
    }
  }

  /// The offset of a stored property, which folds to a constant for a literal key path.
  @_alwaysEmitIntoClient
  @inline(__always)
  package func offset<Part>(of keyPath: WritableKeyPath<Target, Part>) -> Int {
    guard let distance = MemoryLayout<Target>.offset(of: keyPath) else {
      preconditionFailure(
        """
        A computed or observed property, as each of a Partial, cannot be edited in place: assign it if its type is an \
        UndoLeaf, or assign it through currentItem
        """)
    }
    return offset + distance
  }

  /// Assigns a computed property; the history keeps the value that contains it.
  @_alwaysEmitIntoClient
  @inline(never)
  func replaceComputed<Part>(_ newValue: Part, _ keyPath: WritableKeyPath<Target, Part>, isSame: (Part, Part) -> Bool) {
    precondition(
      !(keyPath is ReferenceWritableKeyPath<Target, Part>),
      "The contents of an object aren't part of the document; set the object")
    let whole = readTarget { $0 }
    if isSame(whole[keyPath: keyPath], newValue) { return }
    modifyTarget { $0[keyPath: keyPath] = newValue }
    if readTarget({ isSame(whole[keyPath: keyPath], $0[keyPath: keyPath]) }) {
      // The setter may have ignored the new value.
      recordUnlessSame(whole)
    } else {
      record(_UndoReplacement(place, other: whole), at: offset)
    }
  }
}
