/// How much memory a value takes besides its own bytes, counted in two ways.
///
/// - What it *owns*: the buffer of a text. Every log counts that, so it takes no more than a look at the length.
/// - What it *retains*: every buffer in full, whether others have it too or not. A limit of bytes bounds memory, so
///   under one a record counts with that. The number follows from what the record holds alone: what is added with a
///   record is what is taken off with it.
///
/// What is retained is exact for arrays, and an estimate that errs upwards for the buffers that do not tell their size:
/// texts, sets and dictionaries, and collections of others. A slice does not tell what lies behind it. Objects are not
/// counted, nor what a closure has captured: they may be shared with everything, and change while a record refers to
/// them. Nor is what a type hides behind a mirror of its own, unless it is a collection, nor what lies more than a
/// hundred values deep.
@usableFromInline
enum _UndoWeight {
  /// Whether a value of this type may own memory in a record: a text, or one that may be missing.
  ///
  /// The types are named, since the compiler decides this way without code. `type is any _UndoText.Type` would say the
  /// same, and take 296 instructions more for each record of a struct that is as large as a text.
  @inlinable
  @inline(__always)
  static func ownsMemory<Part>(_ type: Part.Type) -> Bool {
    type == String.self || type == String?.self || type == String??.self
  }

  /// What a value owns in a record; nothing where its type may not, though a text be in it.
  @inlinable
  @inline(__always)
  static func ownedBytes<Part>(of value: Part) -> Int {
    ownsMemory(Part.self) ? (value as? any _UndoText)?._ownedBytes ?? 0 : 0
  }

  /// Whether a value of this type may keep anything alive besides its own bytes.
  ///
  /// Underscored, and there is nothing else in its place: whether a type is bitwise copyable cannot be asked of a type
  /// that is not known.
  @inlinable
  @inline(__always)
  static func retainsMemory<Content>(_ type: Content.Type) -> Bool { !_isPOD(type) }

  /// How much a value keeps alive besides its own bytes.
  ///
  /// - Complexity: O(1) for arrays of numbers and the like; O(*n*) in the number of parts that may keep memory
  ///   themselves.
  @usableFromInline
  static func retainedBytes<Content>(of content: Content, depth: Int = 0) -> Int {
    guard retainsMemory(Content.self), depth <= _UndoSameness.deepest else { return 0 }
    func measure<Whole>(_ type: Whole.Type) -> Int {
      guard let whole = content as? Whole else { return 0 }
      // An existential has three words for its value, and a box for a larger one.
      let isBoxed = Whole.self != Content.self && MemoryLayout<Whole>.size > 24
      return (isBoxed ? 32 + MemoryLayout<Whole>.size : 0) + retainedBytes(ofWhole: whole, depth + 1)
    }
    return measure(_UndoSameness.dynamicType(of: content))
  }

  /// The same for a type that is no existential.
  private static func retainedBytes<Whole>(ofWhole whole: Whole, _ depth: Int) -> Int {
    guard retainsMemory(Whole.self), !(Whole.self is AnyClass) else { return 0 }
    if Whole.self is any _UndoStandardType.Type {
      return (whole as? any _UndoStandardType)?.retainedBytes(depth: depth) ?? 0
    }
    let collection = whole as? any RandomAccessCollection & RangeReplaceableCollection
    // A mirror that the type makes itself may say something else at each look.
    guard _UndoSameness.isReflected(Whole.self) else { return collection?.bytesOfBuffer(depth) ?? 0 }
    let mirror = Mirror(reflecting: whole)
    var sum = 0
    for child in mirror.children {
      func add<Field>(_ field: Field) {
        // The payload of a case that is indirect lies in a box.
        let box = mirror.displayStyle == .enum ? 32 + MemoryLayout<Field>.size : 0
        sum += retainedBytes(of: field, depth: depth) + box
      }
      add(child.value)
    }
    return sum
  }

  /// How much the buffer of a set or a dictionary takes: a power of two of buckets, of which three quarters may be
  /// used.
  static func bytesOfBuckets(capacity: Int, stride: Int) -> Int {
    if capacity == 0 { return 0 }
    var buckets = 2
    while buckets * 3 / 4 < capacity { buckets *= 2 }
    return 96 + buckets / 8 + buckets * stride
  }
}

extension RandomAccessCollection {
  /// How much the buffer of a collection type from outside takes: it may have as much room again as is used, and a
  /// slice has at least what lies before it.
  fileprivate func bytesOfBuffer(_ depth: Int) -> Int {
    elementBytes(capacity: 2 * Swift.min(Swift.max(count, endIndex as? Int ?? 0), .largestUndoIndex), depth: depth)
  }
}

extension Collection {
  /// How much a buffer for so many elements takes, and what the elements keep.
  func elementBytes(capacity: Int, depth: Int) -> Int {
    if capacity == 0 { return 0 }
    let buffer = 32 + capacity * MemoryLayout<Element>.stride
    guard _UndoWeight.retainsMemory(Element.self) else { return buffer }
    return reduce(buffer) { $0 + _UndoWeight.retainedBytes(of: $1, depth: depth) }
  }
}

// MARK: - Texts

/// A text, or one that may be missing.
///
/// An optional text lies in as many bytes as a text. Not for use by clients.
public protocol _UndoText {
  /// The memory that the text owns besides its own bytes.
  var _ownedBytes: Int { get }

  /// Whether both are the same, byte by byte.
  static func _isSame(_ a: Self, _ b: Self) -> Bool

  /// Records how the text at a cursor, which is known, differs from the old one that it replaced.
  static func _recordChange<Anchor>(from old: Self, to new: Self, at cursor: borrowing UndoCursor<Anchor, Self>)
}

@_documentation(visibility: internal)
extension String: _UndoText {
  /// The buffer: none up to 15 bytes of text.
  @inlinable
  @inline(__always)
  public var _ownedBytes: Int { String.ownedBytes(ofCount: utf8.count) }

  /// Whether both have the same UTF-8.
  @inlinable
  public static func _isSame(_ a: String, _ b: String) -> Bool { isSameText(a, b) }

  /// Records what lies between the common ends.
  @inlinable
  public static func _recordChange<Anchor>(
    from old: String, to new: String, at cursor: borrowing UndoCursor<Anchor, String>
  ) {
    cursor.recordChange(from: old, to: new)
  }

  @inlinable
  @inline(__always)
  static func ownedBytes(ofCount count: Int) -> Int { count <= 15 ? 0 : 32 &+ count }
}

@_documentation(visibility: internal)
extension Optional: _UndoText where Wrapped: _UndoText {
  /// What the text owns; nothing where there is none.
  @inlinable
  @inline(__always)
  public var _ownedBytes: Int { self?._ownedBytes ?? 0 }

  /// Whether both are missing or the same.
  @inlinable
  public static func _isSame(_ a: Wrapped?, _ b: Wrapped?) -> Bool {
    switch (a, b) {
    case (nil, nil): true
    case (let a?, let b?): Wrapped._isSame(a, b)
    default: false
    }
  }

  /// Records a text that came or went as a whole, and of two texts the difference.
  ///
  /// What is wrapped lies where the optional does.
  @inlinable
  public static func _recordChange<Anchor>(
    from old: Wrapped?, to new: Wrapped?, at cursor: borrowing UndoCursor<Anchor, Wrapped?>
  ) {
    if old == nil, new == nil { return }
    let (access, anchor, offset) = (cursor.access, cursor.anchor, cursor.offset)
    cursor.recordInOptional {
      if let old, let new {
        Wrapped._recordChange(from: old, to: new, at: UndoCursor<Anchor, Wrapped>(access, anchor, offset: offset))
      } else {
        UndoCursor<Anchor, Wrapped?>(access, anchor, offset: offset).recordWhole(old)
      }
    }
  }
}
