// A property that a schema forgets is not coded, without a word: so debug builds tell.
extension Partial.Schema {
  /// The same schema, which leaves these properties out on purpose.
  ///
  /// A stored property that is neither declared nor ignored, also as a part of another, is an error of the program. In
  /// debug builds it traps when the schema is first used to compare, code or name:
  /// ```swift
  /// struct User: PartialSchemaProviding {
  ///   var name: String
  ///   var isSelected = false
  ///   static let partialSchema = Partial<User>.Schema(("name", \.name)).ignored(\.isSelected)
  /// }
  /// ```
  /// What is ignored may lie around what is declared: `ignored(\.self)` leaves out all the rest, also storage that has
  /// no key path here.
  ///
  /// The storage is found by its place. A property that fits into the padding between two others is not told. A
  /// declared property without an offset, such as one with an observer, may account for any storage between two.
  public func ignored(_ keyPaths: any (PartialKeyPath<Root> & Sendable)...) -> Partial<Root>.Schema {
    var schema = self
    schema.ignored += keyPaths
    return schema
  }

  /// Traps in debug builds where a stored property is neither declared nor ignored.
  func checkCoverage() {
    assert(
      forgottenBytes.isEmpty,
      """
      The schema of \(Root.self) forgets the property stored at byte \(forgottenBytes.first ?? 0): declare it, or say \
      .ignored(_:) where that is meant
      """)
  }

  /// The offset of each run of bytes that belongs to no property, and is no padding.
  private var forgottenBytes: [Int] {
    guard !(Root.self is AnyObject.Type) else { return [] }
    let known = members.flatMap { $0.allLabels }.map { $0.keyPath } + ignored
    let fields = known.compactMap { _PartialField(erased: $0) }
    // An enum has properties, and none of them is stored.
    guard known.isEmpty || !fields.isEmpty else { return [] }
    var gaps: [Int] = []
    var end = 0
    for field in fields.sorted(by: { $0.start < $1.start }) {
      if !isPadding(from: end, to: field.start) { gaps.append(end) }
      end = max(end, field.end)
    }
    if end < MemoryLayout<Root>.size { gaps.append(end) }
    return gaps.count > known.count(where: isStoredElsewhere) ? gaps : []
  }

  /// Whether the bytes are such as lie between two properties to align the second.
  private func isPadding(from start: Int, to end: Int) -> Bool {
    let alignment = MemoryLayout<Root>.alignment
    return (start + alignment - 1) / alignment * alignment >= end
  }

  /// Whether the property has no offset, and may have storage all the same: one that is only computed is read-only.
  private func isStoredElsewhere(_ keyPath: any PartialKeyPath<Root> & Sendable) -> Bool {
    func isWritable<Value>(_: Value.Type) -> Bool { keyPath is WritableKeyPath<Root, Value> }
    let valueType = type(of: keyPath).valueType
    return _PartialField(erased: keyPath) == nil && isWritable(valueType)
  }
}
