// A property that is missing from a schema is silently not encoded, so debug builds look for such properties.
extension Partial.Schema {
  /// The same schema, with these properties left out on purpose.
  ///
  /// A stored property that is neither declared nor ignored, by itself or as a part of another, is a programming error.
  /// Debug builds trap when the schema is used to compare, code or name:
  /// ```swift
  /// struct User: PartialSchemaProviding {
  ///   var name: String
  ///   var isSelected = false
  ///   static let partialSchema = Partial<User>.Schema(("name", \.name)).ignored(\.isSelected)
  /// }
  /// ```
  /// An ignored property may contain declared ones: `ignored(\.self)` leaves out all the rest, including storage that
  /// has no key path here.
  ///
  /// Storage is found by its place in the root. A property that fits into the padding between two others isn't found. A
  /// declared property without an offset, such as one with an observer, may account for any one gap between the others.
  public func ignored(_ keyPaths: any (PartialKeyPath<Root> & Sendable)...) -> Partial<Root>.Schema {
    var schema = self
    schema.ignored += keyPaths
    return schema
  }

  /// Traps in debug builds if a stored property is neither declared nor ignored.
  func checkCoverage() {
    assert(
      forgottenBytes.isEmpty,
      """
      The schema of \(Root.self) forgets the property stored at byte \(forgottenBytes.first ?? 0): declare it, or say \
      .ignored(_:) where that is meant
      """)
  }

  /// The offset of each run of bytes that belongs to no property and isn't padding.
  private var forgottenBytes: [Int] {
    guard !(Root.self is AnyObject.Type) else { return [] }
    let known = members.flatMap { $0.allLabels }.filter { !$0.isDerived }.map { $0.keyPath } + ignored
    let fields = known.compactMap { _PartialField(erased: $0) }
    // An enum has properties, but stores none of them.
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

  /// Whether the bytes can be padding that aligns the property after them.
  private func isPadding(from start: Int, to end: Int) -> Bool {
    let alignment = MemoryLayout<Root>.alignment
    return (start + alignment - 1) / alignment * alignment >= end
  }

  /// Whether the property has no offset but may have storage: a property that is only computed is often read-only.
  private func isStoredElsewhere(_ keyPath: any PartialKeyPath<Root> & Sendable) -> Bool {
    func isWritable<Value>(_: Value.Type) -> Bool { keyPath is WritableKeyPath<Root, Value> }
    let valueType = type(of: keyPath).valueType
    return _PartialField(erased: keyPath) == nil && isWritable(valueType)
  }
}
