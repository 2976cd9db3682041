internal import Sameness

/// The memory that a value takes besides its own bytes, counted in two ways.
///
/// - *Owned* memory is the buffer of a text. Every log counts it, because that takes only a look at the length.
/// - *Retained* memory is every buffer in full, even if it is shared. A limit of bytes counts it. The number depends on
///   the value alone, so that removing a record subtracts exactly the number that adding it has added.
///
/// Retained memory is exact for arrays, and an upper estimate for texts, sets, dictionaries and other collections,
/// whose buffers don't tell their size. Each type of the standard library is measured in `_UndoStandardType`. Objects
/// and captured values aren't counted, because they may be shared and change. Neither are values with a custom mirror,
/// except collections, nor values nested more than a hundred deep.
@usableFromInline
enum _UndoWeight {
  /// Whether a value of this type may own memory in a record: a text, or an optional text.
  ///
  /// The types are listed so that the compiler can evaluate this. `type is any UndoText.Type` would take 296
  /// instructions for each record of a struct that is as large as a text.
  @inlinable
  @inline(__always)
  static func ownsMemory<Part>(_ type: Part.Type) -> Bool {
    type == String.self || type == String?.self || type == String??.self
  }

  /// The memory that a value owns in a record; 0 for types other than texts, even if they contain one.
  @inlinable
  @inline(__always)
  static func ownedBytes<Part>(of value: Part) -> Int {
    ownsMemory(Part.self) ? (value as? any UndoText)?._ownedBytes ?? 0 : 0
  }

  /// Whether a value of this type may retain memory besides its own bytes.
  ///
  /// The standard library has no public function that says whether a generic type is bitwise copyable.
  @inlinable
  @inline(__always)
  static func retainsMemory<Content>(_ type: Content.Type) -> Bool { !_isPOD(type) }

  /// The deepest level at which nested values are measured, or searched for a typed text.
  static var deepest: Int { 100 }

  /// The memory that a value retains besides its own bytes.
  ///
  /// - Complexity: O(1) for arrays of numbers and the like; O(*n*) in the number of parts that may retain memory.
  @usableFromInline
  static func retainedBytes<Content>(of content: Content, depth: Int = 0) -> Int {
    guard retainsMemory(Content.self), depth <= deepest else { return 0 }
    func measure<Whole>(_ type: Whole.Type) -> Int {
      guard let whole = content as? Whole else { return 0 }
      // An existential has three words for its value, and a box for a larger one.
      let isBoxed = Whole.self != Content.self && MemoryLayout<Whole>.size > 24
      return (isBoxed ? 32 + MemoryLayout<Whole>.size : 0) + retainedBytes(ofWhole: whole, depth + 1)
    }
    return measure(_undoDynamicType(of: content))
  }

  /// The same for a type that isn't an existential.
  private static func retainedBytes<Whole>(ofWhole whole: Whole, _ depth: Int) -> Int {
    guard retainsMemory(Whole.self), !(Whole.self is AnyClass) else { return 0 }
    if Whole.self is any _UndoStandardType.Type {
      return (whole as? any _UndoStandardType)?.retainedBytes(depth: depth) ?? 0
    }
    let collection = whole as? any RandomAccessCollection & RangeReplaceableCollection
    // A custom mirror may show something else each time.
    guard let mirror = _wholeMirror(of: whole) else { return collection?.bytesOfBuffer(depth) ?? 0 }
    var sum = 0
    for child in mirror.children {
      func add<Field>(_ field: Field) {
        // The payload of an indirect case lies in a box.
        let box = mirror.displayStyle == .enum ? 32 + MemoryLayout<Field>.size : 0
        sum += retainedBytes(of: field, depth: depth) + box
      }
      add(child.value)
    }
    return sum
  }

  /// The size of the buffer of a set or a dictionary: a power of two of buckets, at most three quarters of them used.
  static func bytesOfBuckets(capacity: Int, stride: Int) -> Int {
    if capacity == 0 { return 0 }
    var buckets = 2
    while buckets * 3 / 4 < capacity { buckets *= 2 }
    return 96 + buckets / 8 + buckets * stride
  }
}

extension RandomAccessCollection {
  /// An upper estimate of the buffer of a client's collection, which may be a slice.
  fileprivate func bytesOfBuffer(_ depth: Int) -> Int {
    elementBytes(capacity: 2 * Swift.min(Swift.max(count, endIndex as? Int ?? 0), .largestUndoIndex), depth: depth)
  }
}

extension Collection {
  /// The size of a buffer, with the memory that the elements retain.
  func elementBytes(capacity: Int, depth: Int) -> Int {
    if capacity == 0 { return 0 }
    let buffer = 32 + capacity * MemoryLayout<Element>.stride
    guard _UndoWeight.retainsMemory(Element.self) else { return buffer }
    return reduce(buffer) { $0 + _UndoWeight.retainedBytes(of: $1, depth: depth) }
  }
}
